#include "naive_network.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "qosarb/network/network.hpp"
#include "qosarb/network/report.hpp"
#include "qosarb/network/shards.hpp"
#include "qosarb/policy/counting.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/policy/port.hpp"
#include "qosarb/switch/pfc.hpp"

namespace qosarb::test {

namespace {

template <typename T>
using Matrix = std::vector<std::vector<T>>;

struct NaivePacket {
  Delivery names;
  PacketRecord record;
  Packet shown;             // to the routing
  std::uint32_t ended = 0;  // flits that arrived at the host
};
using Ref = std::shared_ptr<NaivePacket>;

// A packet at one switch.
struct Visit {
  Ref packet;
  int in = 0;
  int vc_in = 0;
  int vc_out = 0;
  int out = 0;
  std::vector<Cycle> arrivals;  // of each flit that came
  Cycle ready = 0;              // flit i may cross from i cycles later on
  std::uint32_t moved = 0;      // flits that left the input queue
  std::uint32_t in_output = 0;  // flits that came out of the crossbar
  AgeStamp stamp;
  std::vector<Cycle> central;  // arrivals of its flits in a central buffer
  std::uint32_t left = 0;      // flits that left it
  [[nodiscard]] std::uint32_t flits() const { return packet->shown.flits; }
};
using VisitRef = std::shared_ptr<Visit>;

struct WireFlit {
  Cycle arrives = 0;
  Ref packet;  // null: the last flit of a PFC frame
  int vc = 0;
  bool head = false;
  std::uint32_t states = 0;
  Cycle tail = 0;  // with a head: its packet's last flit arrives
};

// One direction of a link with the port that feeds it.
struct Line {
  Line(const Scenario& s, const PortPlace& place, const ArbiterFactory& factory)
      : port(s.arbiter_at(place.chip, place.port).queues,
             make_reference(s.arbiter_at(place.chip, place.port))),
        arbiter(factory(s.arbiter_at(place.chip, place.port), place)),
        heads(s.arbiter_at(place.chip, place.port).queues),
        credits(s.link_vcs(), s.switches.input_queue_flits) {}
  Port port;                         // NICs and CIOQ outputs
  std::unique_ptr<Arbiter> arbiter;  // outputs of the other switches
  std::vector<Head> heads;           // what that saw at the end of the last cycle
  std::vector<std::pair<Ref, VisitRef>> handles;
  int to_node = -1;
  int to_port = 0;
  Cycle delay = 0;
  Cycle latency = 0;
  LinkRate rate;
  std::uint32_t part = 0;  // of a flit has gone, in 1 / rate.cycles
  bool to_host = false;
  Ref sending;
  VisitRef sending_visit;
  int sending_vc = 0;  // the head may have another one already, further on
  std::uint32_t sent = 0;
  Cycle rests_until = 0;  // a host takes nothing before
  std::uint32_t frame_left = 0;
  std::uint32_t frame_states = 0;
  std::uint32_t want = 0;
  std::uint32_t told = 0;
  std::uint32_t paused = 0;
  std::vector<std::uint32_t> credits;                // [vc] of the other end's queue
  std::deque<std::pair<Cycle, int>> credits_coming;  // to this line
  std::deque<WireFlit> wire;
  [[nodiscard]] bool idle(Cycle now) const {
    return !sending && frame_left == 0 && now >= rests_until;
  }
};

struct Connection {
  VisitRef visit;
  Cycle start = 0;
};

struct Crossing {
  Cycle arrives = 0;
  VisitRef visit;
  bool second = false;  // through the central crossbar
};

// What a SeaStar router counts at one input.
struct InputCounts {
  std::uint64_t packets = 0;
  std::uint64_t waits = 0;
  std::uint64_t stalled = 0;
};

void add(std::map<std::string, std::uint64_t>& counts, const std::string& port,
         const std::vector<CounterValue>& counters) {
  for (const CounterValue& counter : counters) {
    counts[fmt::format("{} {} {}", port, counter.name, counter.of)] = counter.value;
  }
}

struct NaiveSwitch {
  int ports = 0;
  std::vector<Line> lines;                        // [port]
  std::vector<VisitRef> arriving;                 // [port]
  std::vector<std::deque<VisitRef>> early;        // [port]: may not cross yet
  Matrix<std::uint32_t> input_flits;              // [port][vc]
  Matrix<std::uint32_t> promised;                 // [output][vc]
  std::vector<Matrix<std::deque<VisitRef>>> voq;  // [input][vc_out][output]
  Matrix<std::deque<VisitRef>> fifo;              // SeaStar: [input][vc_in]
  Matrix<std::deque<VisitRef>> staged;            // [output][input x vcs + vc_out]
  Matrix<std::uint32_t> taken;                    // the same: flits, with those promised
  Matrix<std::deque<VisitRef>> central;           // hierarchical: [central buffer][vc_in]
  Matrix<std::uint32_t> central_taken;            // the same: flits, with those promised
  std::vector<int> last_vc;                       // [source]
  std::vector<int> last_source;                   // [target]
  std::vector<Connection> connection;             // [input], or of central buffers behind those
  std::vector<bool> output_busy;
  std::vector<Crossing> crossing;
  std::vector<int> grant_queue;
  std::vector<int> accept_queue;
  Matrix<int> grant_input;
  Matrix<int> accept_output;
  Matrix<std::int64_t> waiting;     // [output][service level], as the last cycle left it
  Matrix<std::int64_t> fresh;       // what this cycle adds
  std::vector<InputCounts> counts;  // [input]
};

class View final : public Congestion {
 public:
  explicit View(const NaiveSwitch& at) : at_(at) {}
  [[nodiscard]] std::uint64_t waiting_flits(int port, int service_level) const override {
    std::int64_t sum = 0;
    for (Index sl = 0; sl < count(at_.waiting[0]); ++sl) {
      sum += service_level < 0 || sl == service_level ? at_.waiting[port][sl] : 0;
    }
    return sum;
  }

 private:
  const NaiveSwitch& at_;
};

class Naive {
 public:
  explicit Naive(const Scenario& scenario)
      : s_(scenario),
        topology_(s_.topology.kind->build(s_.topology)),
        routing_(s_.topology.routing->make(s_.topology)),
        vcs_(s_.vcs.masks.empty() ? default_vcs(s_.link_vcs(), routing_->stages()) : s_.vcs),
        q_(s_.link_vcs()),
        frame_(pause_frame_flits(s_.flit_bytes)),
        credit_(s_.switches.flow_control->gives_credits),
        queued_inputs_(s_.switches.architecture == &kInputQueued),
        seastar_(s_.switches.architecture == &kSeastar),
        hierarchical_(s_.switches.architecture == &kHierarchical) {
    const std::size_t q = q_;
    const ArbiterFactory factory = make_reference_factory();
    for (int h = 0; h < topology_.hosts; ++h) {
      hosts_.emplace_back(s_, PortPlace{"host" + std::to_string(h), "nic"}, factory);
      routes_.emplace_back(s_.seed, h, ~std::uint64_t{0});
    }
    for (const int ports : topology_.switch_ports) {
      NaiveSwitch at;
      const std::size_t n = ports;
      at.ports = ports;
      for (int port = 0; port < ports; ++port) {
        at.lines.emplace_back(
            s_,
            PortPlace{"switch" + std::to_string(switches_.size()), "port" + std::to_string(port)},
            factory);
      }
      at.arriving.resize(n);
      at.early.resize(n);
      at.counts.resize(n);
      at.input_flits.assign(n, std::vector<std::uint32_t>(q, 0));
      at.promised = at.input_flits;
      at.voq.assign(n, Matrix<std::deque<VisitRef>>(q, std::vector<std::deque<VisitRef>>(n)));
      at.fifo.assign(n, std::vector<std::deque<VisitRef>>(q));
      at.staged.assign(n, std::vector<std::deque<VisitRef>>(s_.arbiter.queues));
      at.taken.assign(n, std::vector<std::uint32_t>(s_.arbiter.queues, 0));
      const std::size_t buffers =
          hierarchical_ ? 2 * (ports + s_.switches.mport_ports - 1) / s_.switches.mport_ports : 0;
      at.central.assign(buffers, std::vector<std::deque<VisitRef>>(q));
      at.central_taken.assign(buffers, std::vector<std::uint32_t>(q, 0));
      at.last_vc.assign(n + buffers, q_ - 1);
      at.last_source.assign(n + buffers, count(at.last_vc) - 1);
      at.connection.resize(n + buffers);
      at.output_busy.assign(n, false);
      at.grant_queue.assign(n, q_ - 1);
      at.accept_queue.assign(n, q_ - 1);
      at.grant_input.assign(n, std::vector<int>(q, ports - 1));
      at.accept_output = at.grant_input;
      at.waiting.assign(n, std::vector<std::int64_t>(vcs_.service_levels(), 0));
      at.fresh = at.waiting;
      switches_.push_back(std::move(at));
    }
    for (const Topology::Link& link : topology_.links) {
      join(link.a, link.b, link.kind);
      join(link.b, link.a, link.kind);
    }
    for (Index t = 0; t < count(s_.traffic); ++t) {
      std::vector<int> partners;
      if (s_.traffic[t].pattern == Pattern::Permutation) {
        partners = permutation_of(s_.traffic[t], topology_.hosts, s_.seed, t);
      }
      for (const int host : s_.traffic[t].hosts) {
        if (partners.empty() || partners[host] >= 0) {
          sources_.emplace_back(
              host, TrafficSource(s_.traffic[t], t, host, topology_.hosts, s_.flit_bytes, s_.seed,
                                  partners, s_.host_rate(host)));
        }
      }
    }
  }

  NaiveOutcome run(Cycle cycles) {
    for (now_ = 0; now_ < cycles; ++now_) {
      time_passes();
      generate();
      for (int node = 0; node < nodes(); ++node) {
        for (Line& line : lines(node)) {
          receive(line);
        }
      }
      for (NaiveSwitch& at : switches_) {
        thresholds(at);
        become_ready(at);
        if (seastar_) {
          stage(at);
        } else if (hierarchical_) {
          join_mports(at);
        } else {
          queued_inputs_ ? allocate(at) : connect(at);
        }
        move(at);
      }
      for (int node = 0; node < nodes(); ++node) {
        for (Line& line : lines(node)) {
          send(line, node);
        }
      }
    }
    time_passes();
    for (int node = 0; node < nodes(); ++node) {
      count_at(node);
    }
    return std::move(outcome_);
  }

 private:
  /// Outputs of switches are a Port.
  [[nodiscard]] bool has_ports() const { return !queued_inputs_ && !seastar_; }
  [[nodiscard]] int nodes() const { return topology_.hosts + count(switches_); }
  [[nodiscard]] bool is_host(int node) const { return node < topology_.hosts; }
  NaiveSwitch& at_node(int node) { return switches_[node - topology_.hosts]; }
  std::span<Line> lines(int node) {
    return is_host(node) ? std::span<Line>(&hosts_[node], 1) : std::span<Line>(at_node(node).lines);
  }
  Line& line(int node, int port) { return lines(node)[port]; }

  // Nothing is counted by who has no port.
  void time_passes() {
    for (NaiveSwitch& at : switches_) {
      for (Line& line : at.lines) {
        line.arbiter->advance(now_, line.heads);
      }
    }
  }

  void count_at(int node) {
    const std::span<Line> lines = this->lines(node);
    for (Index port = 0; port < count(lines); ++port) {
      Line& line = lines[port];
      line.port.reach(now_);
      const Arbiter* const arbiter =
          is_host(node) || has_ports() ? &line.port.arbiter() : line.arbiter.get();
      std::vector<CounterValue> counters;
      if (const auto* const counting = dynamic_cast<const Counting*>(arbiter)) {
        counting->append_counters(counters);
      }
      if (!is_host(node) && seastar_) {
        const InputCounts& input = at_node(node).counts[port];
        counters.insert(counters.end(), {{"input_packets", 0, input.packets},
                                         {"input_waits", 0, input.waits},
                                         {"input_stalled", 0, input.stalled}});
      }
      add(outcome_.counters,
          is_host(node) ? fmt::format("host{}.nic", node)
                        : fmt::format("switch{}.port{}", node - topology_.hosts, port),
          counters);
    }
  }

  void join(const Topology::End& from, const Topology::End& to, LinkKind kind) {
    Line& line = this->line(from.node, from.port);
    line.to_node = to.node;
    line.to_port = to.port;
    line.to_host = is_host(line.to_node);
    line.delay = s_.delay_of(from, kind);
    line.rate = s_.rate_of(from, kind);
    if (!is_host(from.node)) {
      line.latency =
          s_.switches.output_latency + (queued_inputs_ ? s_.switches.crossbar_latency : 0);
    }
  }

  [[nodiscard]] std::uint32_t xoff(const NaiveSwitch& at, int port) const {
    const Line& back = at.lines[port];
    return s_.switches.input_queue_flits -
           pfc_headroom(
               {.wire_delay = static_cast<std::uint32_t>(back.delay),
                .receiver_latency = static_cast<std::uint32_t>(back.latency),
                .sender_latency = back.to_host ? 0 : static_cast<std::uint32_t>(back.latency),
                .max_packet_flits = s_.arbiter.max_packet_flits,
                .frame_flits = frame_,
                .queues = q_,
                .rate = back.rate});
  }

  [[nodiscard]] int only_vc(int service_level, int stage, const PacketRecord& record) const {
    return s_.vc_allocation->choose(vcs_.of(service_level, stage), record);
  }

  void generate() {
    for (auto& [host, source] : sources_) {
      while (source.next() == now_) {
        const Message* const taken = source.take();
        if (taken == nullptr) {
          continue;
        }
        const Message message = *taken;
        const int queue = s_.traffic[source.index()].queue;
        for (std::uint32_t left = message.flits; left > 0;) {
          auto packet = std::make_shared<NaivePacket>();
          packet->names = {0, host, message.destination, queue, generated_[{host, queue}]++, 0};
          packet->record.source = host;
          packet->record.destination = message.destination;
          packet->shown.flits = std::min(left, s_.arbiter.max_packet_flits) & 0xffffffU;
          packet->shown.service_level = queue & 0xff;
          packet->shown.destination = packet->record.destination;
          packet->shown.route = routing_->start(packet->record, routes_[host]);
          const int vc = only_vc(queue, 0, packet->record);
          left -= packet->shown.flits;
          Line& nic = hosts_[host];
          nic.handles.emplace_back(packet, nullptr);
          nic.port.arrive(now_, vc, packet->shown.flits, 0, nic.handles.size() - 1);
        }
      }
    }
  }

  void receive(Line& line) {
    while (!line.credits_coming.empty() && line.credits_coming.front().first == now_) {
      ++line.credits[line.credits_coming.front().second];
      line.credits_coming.pop_front();
    }
    while (!line.wire.empty() && line.wire.front().arrives == now_) {
      const WireFlit flit = line.wire.front();
      line.wire.pop_front();
      if (flit.packet == nullptr) {
        hear(this->line(line.to_node, line.to_port), flit.states);
      } else if (line.to_host) {
        if (++flit.packet->ended == flit.packet->shown.flits) {
          deliver(*flit.packet);
        }
      } else {
        NaiveSwitch& at = at_node(line.to_node);
        VisitRef& visit = at.arriving[line.to_port];
        if (flit.head) {
          visit = std::make_shared<Visit>();
          visit->packet = flit.packet;
          visit->vc_in = flit.vc;
          // No flit is waited for once the packet crosses.
          visit->ready = flit.tail - (visit->flits() - 1) + s_.switches.input_latency;
          at.early[line.to_port].push_back(visit);
        }
        visit->arrivals.push_back(now_);
        ++at.input_flits[line.to_port][flit.vc];
      }
    }
  }

  void deliver(NaivePacket& packet) {
    packet.names.cycle = now_;
    outcome_.deliveries.push_back(packet.names);
  }

  void hear(Line& line, std::uint32_t states) {
    line.paused = states;
    for (int queue = 0; queue < q_; ++queue) {
      line.port.stop(now_, queue, ((states >> queue) & 1U) != 0);
    }
  }

  void thresholds(NaiveSwitch& at) {
    for (int port = 0; port < at.ports && !credit_; ++port) {
      Line& back = at.lines[port];
      for (int queue = 0; queue < q_ && back.to_node >= 0; ++queue) {
        const std::uint32_t flits = at.input_flits[port][queue];
        outcome_.max_input_queue_flits = std::max(outcome_.max_input_queue_flits, flits);
        if (flits > s_.switches.input_queue_flits) {
          throw std::runtime_error("the naive switch overflows");
        }
        const std::uint32_t bit = 1U << queue;
        if ((back.want & bit) == 0 && flits >= xoff(at, port)) {
          back.want |= bit;
        } else if ((back.want & bit) != 0 &&
                   flits <= xoff(at, port) - s_.arbiter.max_packet_flits) {
          back.want &= ~bit;
        }
      }
    }
  }

  void become_ready(NaiveSwitch& at) {
    for (std::size_t out = 0; out < at.fresh.size(); ++out) {
      for (int sl = 0; sl < vcs_.service_levels(); ++sl) {
        at.waiting[out][sl] += at.fresh[out][sl];
        at.fresh[out][sl] = 0;
      }
    }
    for (int in = 0; in < at.ports; ++in) {
      auto& early = at.early[in];
      while (!early.empty() && early.front()->ready == now_) {
        const VisitRef visit = early.front();
        early.pop_front();
        NaivePacket& packet = *visit->packet;
        const View view(at);
        const Hop hop = routing_->hop(static_cast<Index>(&at - switches_.data()), in, packet.shown,
                                      packet.record, &view);
        visit->out = hop.port;
        visit->vc_out = only_vc(packet.names.queue, hop.stage, packet.record);
        at.fresh[hop.port][packet.names.queue] += visit->flits();
        if (seastar_ || hierarchical_) {
          at.fifo[in][visit->vc_in].push_back(visit);
        }
        if (hierarchical_) {
          visit->in = in;
          continue;
        }
        if (seastar_) {
          visit->stamp =
              at.lines[hop.port].arbiter->arrive(now_, buffer(in, *visit), packet.shown.age);
          continue;
        }
        at.voq[in][visit->vc_out][visit->out].push_back(visit);
      }
    }
  }

  // SeaStar: an input moves one packet; its virtual channels take turns.
  [[nodiscard]] int buffer(int in, const Visit& visit) const { return in * q_ + visit.vc_out; }
  // Room in an output queue that holds or was promised to `flits` so far.
  void promise(std::uint32_t& flits, std::uint32_t more) {
    flits += more;
    outcome_.max_output_queue_flits = std::max(outcome_.max_output_queue_flits, flits);
  }

  void stage(NaiveSwitch& at) {
    for (int in = 0; in < at.ports; ++in) {
      Connection& connection = at.connection[in];
      if (connection.visit && connection.visit->moved == connection.visit->flits()) {
        connection = {};
      }
      const bool was_free = connection.visit == nullptr;
      bool any = false;
      for (int a = 1; a <= q_ && connection.visit == nullptr; ++a) {
        const int vc = (at.accept_queue[in] + a) % q_;
        auto& fifo = at.fifo[in][vc];
        if (fifo.empty()) {
          continue;
        }
        any = true;
        const VisitRef visit = fifo.front();
        std::uint32_t& taken = at.taken[visit->out][buffer(in, *visit)];
        if (taken + visit->flits() <= s_.switches.output_queue_flits) {
          promise(taken, visit->flits());
          fifo.pop_front();
          connection = {visit, now_};
          visit->in = in;
          at.accept_queue[in] = vc;
          break;
        }
      }
      at.counts[in].stalled += was_free && any && connection.visit == nullptr ? 1 : 0;
    }
  }

  // What the arbiter sees of the staging buffers: without credit for a largest packet all of a
  // virtual channel are stopped.
  [[nodiscard]] std::vector<Head> heads_of(const NaiveSwitch& at, const Line& line, int out) const {
    std::vector<Head> heads(s_.arbiter.queues);
    for (Index b = 0; b < count(heads); ++b) {
      const auto& staged = at.staged[out][b];
      if (!staged.empty()) {
        const int vc = b % q_;
        const Visit& visit = *staged.front();
        heads[b] = {
            visit.flits(),
            ((line.paused >> vc) & 1U) != 0 ||
                (credit_ && !line.to_host && line.credits[vc] < s_.arbiter.max_packet_flits),
            static_cast<std::uint8_t>(visit.packet->shown.age), visit.stamp};
      }
    }
    return heads;
  }

  // The packet of a staging buffer that goes next, if any.
  VisitRef next_staged(NaiveSwitch& at, Line& line, int out) {
    const std::vector<Head> heads = heads_of(at, line, out);
    if (std::none_of(heads.begin(), heads.end(), [](const Head& head) { return head.active(); })) {
      return nullptr;
    }
    ++outcome_.decisions;
    const Decision decision = line.arbiter->decide(now_, heads);
    if (decision.queue < 0) {
      return nullptr;
    }
    auto& staged = at.staged[out][decision.queue];
    VisitRef visit = staged.front();
    staged.pop_front();
    visit->packet->shown.age = decision.age;
    return visit;
  }

  // Hierarchical: sources are inputs and central buffers, targets outputs and central buffers.
  [[nodiscard]] int group(int port) const { return port / s_.switches.mport_ports; }
  [[nodiscard]] int target(const NaiveSwitch& at, int source, const Visit& visit) const {
    return source >= at.ports || group(source) == group(visit.out)
               ? visit.out
               : at.ports + 2 * group(source) + visit.out % 2;
  }
  // The packet that the source's virtual channel could send in this cycle.
  VisitRef may_go(NaiveSwitch& at, int source, int vc) {
    const bool input = source < at.ports;
    const auto& queue = input ? at.fifo[source][vc] : at.central[source - at.ports][vc];
    if (queue.empty()) {
      return nullptr;
    }
    const VisitRef visit = queue.front();
    if (!input && visit->central[0] + s_.switches.central_latency > now_) {
      return nullptr;
    }
    const int to = target(at, source, *visit);
    for (Index other = 0; other < count(at.connection); ++other) {
      const VisitRef& busy = at.connection[other].visit;
      if (busy != nullptr && target(at, other, *busy) == to) {
        return nullptr;
      }
    }
    const bool room =
        to < at.ports
            ? at.promised[to][visit->vc_out] + visit->flits() <= s_.switches.output_queue_flits
            : at.central_taken[to - at.ports][visit->vc_in] + visit->flits() <=
                  s_.switches.central_queue_flits;
    return room ? visit : nullptr;
  }

  void join_mports(NaiveSwitch& at) {
    const int all = count(at.connection);
    for (int source = 0; source < all; ++source) {
      Connection& connection = at.connection[source];
      if (connection.visit &&
          (source < at.ports ? connection.visit->moved : connection.visit->left) ==
              connection.visit->flits()) {
        connection = {};
      }
    }
    std::vector<VisitRef> proposed(all);
    std::vector<int> proposed_vc(all, -1);
    for (int source = 0; source < all; ++source) {
      for (int a = 1; a <= q_ && at.connection[source].visit == nullptr && !proposed[source]; ++a) {
        proposed_vc[source] = (at.last_vc[source] + a) % q_;
        proposed[source] = may_go(at, source, proposed_vc[source]);
      }
    }
    for (int to = 0; to < all; ++to) {
      for (int a = 1; a <= all; ++a) {
        const int source = (at.last_source[to] + a) % all;
        const VisitRef visit = proposed[source];
        if (visit == nullptr || target(at, source, *visit) != to) {
          continue;
        }
        const int vc = proposed_vc[source];
        (source < at.ports ? at.fifo[source][vc] : at.central[source - at.ports][vc]).pop_front();
        at.connection[source] = {visit, now_};
        at.last_vc[source] = vc;
        at.last_source[to] = source;
        if (to < at.ports) {
          promise(at.promised[to][visit->vc_out], visit->flits());
        } else {
          at.central_taken[to - at.ports][visit->vc_in] += visit->flits();
        }
        break;
      }
    }
  }

  void move_out_of_centre(NaiveSwitch& at) {
    for (int source = at.ports; source < count(at.connection); ++source) {
      const Connection& connection = at.connection[source];
      if (!connection.visit) {
        continue;
      }
      Visit& visit = *connection.visit;
      const Speedup& speedup = s_.switches.central_speedup;
      const Cycle allowed = (now_ - connection.start + 1) * speedup.flits / speedup.cycles;
      while (visit.left < visit.flits() && visit.left < allowed &&
             visit.left < visit.central.size() &&
             visit.central[visit.left] + s_.switches.central_latency <= now_) {
        ++visit.left;
        --at.central_taken[source - at.ports][visit.vc_in];
        at.crossing.push_back({now_ + s_.switches.crossbar_latency, connection.visit, true});
      }
    }
  }

  // CIOQ: iSLIP.
  [[nodiscard]] bool eligible(const NaiveSwitch& at, int in, int queue, int out) const {
    const auto& voq = at.voq[in][queue][out];
    return at.connection[in].visit == nullptr && !voq.empty() &&
           at.promised[out][queue] + voq.front()->flits() <= s_.switches.output_queue_flits;
  }

  void connect(NaiveSwitch& at) {
    const int n = at.ports;
    for (Connection& connection : at.connection) {
      if (connection.visit && connection.visit->moved == connection.visit->flits()) {
        at.output_busy[connection.visit->out] = false;
        connection = {};
      }
    }
    for (bool first = true, any = true; any; first = false) {
      any = false;
      std::vector<int> granted_input(n, -1);
      std::vector<int> granted_queue(n, -1);
      for (int out = 0; out < n; ++out) {
        if (at.output_busy[out]) {
          continue;
        }
        for (int a = 1; a <= q_ && granted_input[out] < 0; ++a) {
          const int queue = (at.grant_queue[out] + a) % q_;
          for (int b = 1; b <= n && granted_input[out] < 0; ++b) {
            const int in = (at.grant_input[out][queue] + b) % n;
            if (eligible(at, in, queue, out)) {
              granted_input[out] = in;
              granted_queue[out] = queue;
            }
          }
        }
      }
      for (int in = 0; in < n; ++in) {
        bool accepted = false;
        for (int a = 1; a <= q_ && !accepted; ++a) {
          const int queue = (at.accept_queue[in] + a) % q_;
          for (int b = 1; b <= n && !accepted; ++b) {
            const int out = (at.accept_output[in][queue] + b) % n;
            if (granted_input[out] == in && granted_queue[out] == queue) {
              accepted = true;
              any = true;
              auto& voq = at.voq[in][queue][out];
              at.connection[in] = {voq.front(), now_};
              promise(at.promised[out][queue], voq.front()->flits());
              voq.pop_front();
              at.output_busy[out] = true;
              if (first) {
                at.accept_queue[in] = queue;
                at.accept_output[in][queue] = out;
                at.grant_queue[out] = queue;
                at.grant_input[out][queue] = in;
              }
            }
          }
        }
      }
    }
  }

  // Input-queued: free outputs choose one after the other.
  void allocate(NaiveSwitch& at) {
    const int n = at.ports;
    for (Connection& connection : at.connection) {
      if (connection.visit && connection.visit->moved == connection.visit->flits()) {
        connection = {};
      }
    }
    for (int step = 0; step < n; ++step) {
      const int out = static_cast<int>((now_ + step) % n);
      Line& line = at.lines[out];
      if (!line.idle(now_) || line.want != line.told) {
        continue;
      }
      std::vector<Head> heads(q_);
      std::vector<int> candidate(q_, -1);
      bool any = false;
      for (int queue = 0; queue < q_; ++queue) {
        for (int b = 1; b <= n && candidate[queue] < 0; ++b) {
          const int in = (at.grant_input[out][queue] + b) % n;
          if (at.connection[in].visit == nullptr && !at.voq[in][queue][out].empty()) {
            candidate[queue] = in;
          }
        }
        if (candidate[queue] >= 0) {
          const Visit& visit = *at.voq[candidate[queue]][queue][out].front();
          heads[queue].flits = visit.flits();
          heads[queue].stopped = ((line.paused >> queue) & 1U) != 0 ||
                                 (credit_ && !line.to_host && line.credits[queue] < visit.flits());
          any = any || heads[queue].active();
        }
      }
      if (!any) {
        continue;
      }
      ++outcome_.decisions;
      const Decision decision = line.arbiter->decide(now_, heads);
      line.heads = heads;  // until the output chooses again
      if (decision.queue >= 0) {
        line.heads[decision.queue] = Head{};
        const int in = candidate[decision.queue];
        auto& voq = at.voq[in][decision.queue][out];
        at.connection[in] = {voq.front(), now_};
        at.grant_input[out][decision.queue] = in;
        start(line, &at, voq.front()->packet, voq.front(), decision.queue);
        voq.pop_front();
      }
    }
  }

  void move(NaiveSwitch& at) {
    for (int in = 0; in < at.ports; ++in) {
      Connection& connection = at.connection[in];
      if (!connection.visit) {
        continue;
      }
      Visit& visit = *connection.visit;
      const Cycle allowed = queued_inputs_
                                ? now_ - connection.start + 1
                                : (now_ - connection.start + 1) * s_.switches.speedup.flits /
                                      s_.switches.speedup.cycles;
      while (visit.moved < visit.flits() && visit.moved < allowed &&
             visit.ready + visit.moved <= now_) {
        if (visit.moved == visit.arrivals.size() ||
            visit.arrivals[visit.moved] + s_.switches.input_latency > now_) {
          throw std::runtime_error("a flit crosses before it has come");
        }
        ++visit.moved;
        --at.input_flits[in][visit.vc_in];
        const Line& back = at.lines[in];
        line(back.to_node, back.to_port)
            .credits_coming.emplace_back(now_ + 1 + back.delay, visit.vc_in);
        if (!queued_inputs_) {
          at.crossing.push_back({now_ + s_.switches.crossbar_latency, connection.visit, false});
        }
      }
    }
    move_out_of_centre(at);
    for (std::size_t k = 0; k < at.crossing.size();) {
      if (at.crossing[k].arrives != now_) {
        ++k;
        continue;
      }
      const VisitRef visit = at.crossing[k].visit;
      const bool second = at.crossing[k].second;
      at.crossing.erase(at.crossing.begin() + static_cast<std::ptrdiff_t>(k));
      if (hierarchical_ && !second && target(at, visit->in, *visit) >= at.ports) {
        visit->central.push_back(now_);
        if (visit->central.size() == 1) {
          at.central[target(at, visit->in, *visit) - at.ports][visit->vc_in].push_back(visit);
        }
        continue;
      }
      if (visit->in_output++ == 0) {
        if (seastar_) {
          at.staged[visit->out][buffer(visit->in, *visit)].push_back(visit);
          continue;
        }
        Line& out = at.lines[visit->out];
        out.handles.emplace_back(visit->packet, visit);
        out.port.arrive(now_, visit->vc_out, visit->flits(), 0, out.handles.size() - 1);
      }
    }
  }

  // A packet, of switch `at` or of a host, starts on the wire.
  void start(Line& line, NaiveSwitch* at, const Ref& packet, const VisitRef& visit, int vc) {
    if (at != nullptr) {
      at->waiting[visit->out][packet->names.queue] -= visit->flits();
    }
    line.sending = packet;
    line.sending_visit = visit;
    line.sending_vc = vc;
    line.sent = 0;
    if (credit_ && !line.to_host) {
      line.credits[vc] -= packet->shown.flits;
      outcome_.max_input_queue_flits = std::max(outcome_.max_input_queue_flits,
                                                s_.switches.input_queue_flits - line.credits[vc]);
    }
  }

  // Cycles from the flit that goes now to the last one of its packet.
  static Cycle tail_after(const Line& line) {
    Cycle cycles = 0;
    std::uint32_t part = line.part;
    for (std::uint32_t flit = line.sent + 1; flit < line.sending->shown.flits; ++cycles) {
      part += line.rate.flits;
      if (part >= line.rate.cycles) {
        part -= line.rate.cycles;
        ++flit;
      }
    }
    return cycles;
  }

  /// What goes next over a line that is idle: a frame, else a packet, if there is any.
  void start_next(Line& line, int node) {
    const bool host = is_host(node);
    if (line.want != line.told) {
      line.told = line.want;
      line.frame_states = line.want;
      line.frame_left = frame_;
      ++outcome_.pause_frames;
    } else if (!host && seastar_) {
      NaiveSwitch& at = at_node(node);
      if (const VisitRef visit = next_staged(at, line, static_cast<int>(&line - at.lines.data()))) {
        start(line, &at, visit->packet, visit, visit->vc_out);
        InputCounts& counts = at.counts[visit->in];
        ++counts.packets;
        counts.waits += now_ - visit->ready;
        if (line.to_host) {
          line.rests_until = now_;
          for (std::uint64_t taken = 0;
               taken < std::uint64_t{visit->flits()} * s_.switches.ejection.cycles;
               taken += s_.switches.ejection.flits) {
            ++line.rests_until;
          }
        }
      }
    } else if (host || !queued_inputs_) {
      if (line.port.any_active()) {
        const Port::Grant grant = line.port.arbitrate(now_);
        ++outcome_.decisions;
        if (grant.decision.queue >= 0) {
          const auto& [packet, visit] = line.handles[grant.packet.handle];
          start(line, host ? nullptr : &at_node(node), packet, visit, grant.decision.queue);
          if (host) {
            packet->names.injected = now_;
          }
        }
      }
    }
  }

  /// A head whose packet lacks credit is stopped.
  void look_at_credits(Line& line) {
    for (int queue = 0; queue < q_ && credit_ && !line.to_host; ++queue) {
      const std::uint32_t flits = line.port.heads()[queue].flits;
      line.port.stop(now_, queue, flits > line.credits[queue]);
    }
  }

  void send(Line& line, int node) {
    const bool host = is_host(node);
    if (line.to_node < 0) {
      return;
    }
    look_at_credits(line);
    if (line.idle(now_)) {
      start_next(line, node);
    }
    if (!host && seastar_) {
      const NaiveSwitch& at = at_node(node);
      line.heads = heads_of(at, line, static_cast<int>(&line - at.lines.data()));
    }
    if (line.frame_left == 0 && !line.sending) {
      line.part = 0;
      return;
    }
    const Cycle arrives = now_ + line.latency + 1 + line.delay;
    line.part += line.rate.flits;
    if (line.part < line.rate.cycles) {
      return;
    }
    line.part -= line.rate.cycles;
    if (line.frame_left > 0) {
      if (--line.frame_left == 0) {
        line.wire.push_back({arrives, nullptr, 0, false, line.frame_states});
      }
    } else {
      NaiveSwitch* const at = host ? nullptr : &at_node(node);
      if (at != nullptr) {
        Visit& visit = *line.sending_visit;
        if (line.sent >= (queued_inputs_ ? visit.moved : visit.in_output)) {
          throw std::runtime_error("the naive wire runs dry");
        }
        if (seastar_) {
          --at->taken[visit.out][buffer(visit.in, visit)];
        } else if (!queued_inputs_) {
          --at->promised[visit.out][visit.vc_out];
        }
      }
      line.wire.push_back(
          {arrives, line.sending, line.sending_vc, line.sent == 0, 0, arrives + tail_after(line)});
      if (++line.sent == line.sending->shown.flits) {
        line.sending = nullptr;
        line.sending_visit = nullptr;
      }
    }
  }

  const Scenario& s_;
  Topology topology_;
  std::unique_ptr<Routing> routing_;
  VcMap vcs_;
  int q_;
  std::uint32_t frame_;
  bool credit_;
  bool queued_inputs_;
  bool seastar_;
  bool hierarchical_;
  Cycle now_ = 0;
  std::vector<Line> hosts_;
  std::vector<NaiveSwitch> switches_;
  std::vector<Random> routes_;
  std::vector<std::pair<int, TrafficSource>> sources_;
  std::map<std::pair<int, int>, std::uint32_t> generated_;  ///< packets of (host, queue)
  NaiveOutcome outcome_;
};

}  // namespace

NaiveOutcome run_naively(const Scenario& scenario, Cycle cycles) {
  return Naive(scenario).run(cycles);
}

namespace {

std::string text_of(const Delivery& d) {
  return "cycle " + std::to_string(d.cycle) + ", injected " + std::to_string(d.injected) +
         ", host" + std::to_string(d.source) + "->host" + std::to_string(d.destination) +
         " queue " + std::to_string(d.queue) + " number " + std::to_string(d.number);
}

}  // namespace

namespace {

std::vector<std::string> differences(const std::map<std::string, std::uint64_t>& seen,
                                     const std::map<std::string, std::uint64_t>& naive) {
  std::vector<std::string> all;
  for (const auto& [name, value] : seen) {
    const auto found = naive.find(name);
    if (found == naive.end() || found->second != value) {
      all.push_back(fmt::format("{}: {}, naively {}", name, value,
                                found == naive.end() ? "none" : fmt::to_string(found->second)));
    }
  }
  if (seen.size() != naive.size()) {
    all.push_back(fmt::format("{} counters, naively {}", seen.size(), naive.size()));
  }
  return all;
}

/// Packets that came behind a later one of their flow.
std::uint64_t late_ones(const std::vector<Delivery>& deliveries) {
  std::map<std::tuple<int, int, Index>, std::uint32_t> latest;
  std::uint64_t late = 0;
  for (const Delivery& one : deliveries) {
    std::uint32_t& last = latest[{one.source, one.destination, one.queue}];
    late += one.number < last ? 1 : 0;
    last = std::max(last, one.number);
  }
  return late;
}

/// Expects the same of the network cut so. What it reports.
std::string expect_alike_on(Cut cut, const Scenario& scenario, const NaiveOutcome& naive) {
  std::vector<Delivery> seen;
  Network network(scenario, make_reference_factory(), cut);
  network.on_delivery([&seen](const PacketRecord& packet, Cycle cycle) {
    EXPECT_TRUE(seen.empty() || seen.back().cycle <= cycle);
    seen.push_back(
        {cycle, packet.source, packet.destination, packet.queue, packet.number, packet.injected});
  });
  network.run(scenario.measure / 3);
  EXPECT_EQ(network.totals().lost(), 0);
  network.run(scenario.measure);
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen.size(), naive.deliveries.size());
  const auto [one, other] =
      std::mismatch(seen.begin(), seen.end(), naive.deliveries.begin(), naive.deliveries.end());
  if (one != seen.end() && other != naive.deliveries.end()) {
    ADD_FAILURE() << "delivery " << one - seen.begin() << ": " << text_of(*one) << ", naively "
                  << text_of(*other);
  }
  EXPECT_EQ(network.decisions(), naive.decisions);
  EXPECT_EQ(network.pause_frames(), naive.pause_frames);
  EXPECT_EQ(network.reordered(), late_ones(naive.deliveries));
  EXPECT_EQ(network.peaks().input_queue_flits, naive.max_input_queue_flits);
  EXPECT_EQ(network.peaks().output_queue_flits, naive.max_output_queue_flits);
  EXPECT_EQ(network.totals().lost(), 0);
  std::map<std::string, std::uint64_t> counters;
  for (const Network::NamedPort& port : network.ports()) {
    add(counters, port.name, network.counters(port));
  }
  EXPECT_EQ(differences(counters, naive.counters), std::vector<std::string>());
  RunReport report = report_of(network);
  add_counters(report, network);
  return to_json(report, "model", 0);
}

}  // namespace

NaiveOutcome expect_alike(const Scenario& scenario) {
  NaiveOutcome naive = run_naively(scenario, scenario.measure);
  std::sort(naive.deliveries.begin(), naive.deliveries.end());
  naive.threads = std::min(3, Cuts(scenario.topology.kind->build(scenario.topology)).most());
  const std::string report = expect_alike_on({}, scenario, naive);
  for (const Cut cut :
       {Cut{1, 1, true}, {1, 3, false}, {2, 2, true}, {2, 3, false}, {3, 3, true}}) {
    if (cut.shards <= naive.threads) {
      SCOPED_TRACE(fmt::format("{} shards on {} threads{}", cut.shards, cut.threads,
                               *cut.large ? ", as if too large for the caches" : ""));
      EXPECT_EQ(expect_alike_on(cut, scenario, naive), report);
    }
  }
  return naive;
}

}  // namespace qosarb::test
