#include "naive_switch.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <stdexcept>
#include <utility>

#include "qosarb/policy/port.hpp"
#include "qosarb/switch/pfc.hpp"

namespace qosarb::test {

namespace {

struct NaivePacket {
  Delivery names;
  std::uint32_t flits = 0;
  std::uint32_t arrived = 0;    // flits that came into the input queue
  std::vector<Cycle> arrivals;  // of each of them
  std::uint32_t moved = 0;      // flits that went into the crossbar
  std::uint32_t in_output = 0;  // flits that came out of it
  std::uint32_t left = 0;       // flits that went onto the last wire
};
using Ref = std::shared_ptr<NaivePacket>;

struct WireFlit {
  Cycle arrives = 0;
  Ref packet;  // null: the last flit of a PFC frame
  std::uint32_t states = 0;
};

// One direction of a link with the port that feeds it.
struct Sender {
  Port port;
  std::vector<Ref> handles;
  Ref sending;
  std::uint32_t sent = 0;
  std::uint32_t frame_left = 0;
  std::uint32_t frame_states = 0;
  std::uint32_t want = 0;
  std::uint32_t told = 0;
  std::deque<WireFlit> wire;
};

struct Connection {
  Ref packet;
  Cycle start = 0;
  int out = -1;
};

class Naive {
 public:
  Naive(const Scenario& scenario)
      : s_(scenario),
        n_(scenario.ports),
        q_(scenario.arbiter.queues),
        frame_(pause_frame_flits(scenario.flit_bytes)),
        xoff_(scenario.switches.input_queue_flits -
              pfc_headroom({.wire_delay = scenario.link_delay,
                            .receiver_latency = scenario.switches.output_latency,
                            .sender_latency = 0,
                            .max_packet_flits = scenario.arbiter.max_packet_flits,
                            .frame_flits = frame_,
                            .queues = q_})) {
    for (int i = 0; i < n_; ++i) {
      hosts_.push_back(Sender{Port(q_, make_reference(s_.arbiter))});
      outs_.push_back(Sender{Port(q_, make_reference(s_.arbiter))});
    }
    const auto n = static_cast<std::size_t>(n_);
    const auto q = static_cast<std::size_t>(q_);
    input_flits_.assign(n, std::vector<std::uint32_t>(q, 0));
    promised_.assign(n, std::vector<std::uint32_t>(q, 0));
    voq_.assign(n, std::vector<std::vector<std::deque<Ref>>>(q, std::vector<std::deque<Ref>>(n)));
    connection_.resize(n);
    output_busy_.assign(n, false);
    grant_queue_.assign(n, q_ - 1);
    accept_queue_.assign(n, q_ - 1);
    grant_input_.assign(n, std::vector<int>(q, n_ - 1));
    accept_output_.assign(n, std::vector<int>(q, n_ - 1));
    for (std::size_t t = 0; t < s_.traffic.size(); ++t) {
      std::vector<int> partners;
      if (s_.traffic[t].pattern == Pattern::Permutation) {
        partners = permutation_of(s_.traffic[t], n_, s_.seed, t);
      }
      for (const int host : s_.traffic[t].hosts) {
        if (partners.empty() || partners[u(host)] >= 0) {
          sources_.emplace_back(host, TrafficSource(s_.traffic[t], static_cast<int>(t), host, n_,
                                                    s_.flit_bytes, s_.seed, partners));
        }
      }
    }
    numbers_.assign(n * n * q, 0);
  }

  NaiveOutcome run(Cycle cycles) {
    for (now_ = 0; now_ < cycles; ++now_) {
      generate();
      receive();
      thresholds();
      connect();
      move();
      for (int i = 0; i < n_; ++i) {
        send(hosts_[u(i)], 0, false, i);
        send(outs_[u(i)], s_.switches.output_latency, true, i);
      }
    }
    return std::move(outcome_);
  }

 private:
  static std::size_t u(int i) { return static_cast<std::size_t>(i); }

  void generate() {
    for (auto& [host, source] : sources_) {
      while (source.next() == now_) {
        const Message message = source.take();
        const int queue = s_.traffic[u(source.index())].queue;
        for (std::uint32_t left = message.flits; left > 0;) {
          auto packet = std::make_shared<NaivePacket>();
          packet->flits = std::min(left, s_.arbiter.max_packet_flits);
          left -= packet->flits;
          packet->names = {0,
                           host,
                           message.destination,
                           queue,
                           numbers_[u((host * n_ + message.destination) * q_ + queue)]++,
                           0};
          hosts_[u(host)].handles.push_back(packet);
          hosts_[u(host)].port.arrive(now_, queue, packet->flits, 0,
                                      hosts_[u(host)].handles.size() - 1);
        }
      }
    }
  }

  void hear(Sender& sender, std::uint32_t states) {
    for (int queue = 0; queue < q_; ++queue) {
      sender.port.stop(now_, queue, ((states >> queue) & 1U) != 0);
    }
  }

  void receive() {
    for (int i = 0; i < n_; ++i) {
      auto& up = hosts_[u(i)].wire;
      while (!up.empty() && up.front().arrives == now_) {
        const Ref packet = up.front().packet;
        up.pop_front();
        packet->arrivals.push_back(now_);
        if (packet->arrived++ == 0) {
          voq_[u(i)][u(packet->names.queue)][u(packet->names.destination)].push_back(packet);
        }
        ++input_flits_[u(i)][u(packet->names.queue)];
      }
      auto& down = outs_[u(i)].wire;
      while (!down.empty() && down.front().arrives == now_) {
        const WireFlit flit = down.front();
        down.pop_front();
        if (flit.packet == nullptr) {
          hear(hosts_[u(i)], flit.states);
        } else if (++flit.packet->left == flit.packet->flits) {
          flit.packet->names.cycle = now_;
          outcome_.deliveries.push_back(flit.packet->names);
        }
      }
    }
  }

  void thresholds() {
    for (int i = 0; i < n_; ++i) {
      for (int queue = 0; queue < q_; ++queue) {
        const std::uint32_t flits = input_flits_[u(i)][u(queue)];
        outcome_.max_input_queue_flits = std::max(outcome_.max_input_queue_flits, flits);
        if (flits > s_.switches.input_queue_flits) {
          throw std::runtime_error("the naive switch overflows");
        }
        const std::uint32_t bit = 1U << queue;
        if ((outs_[u(i)].want & bit) == 0 && flits >= xoff_) {
          outs_[u(i)].want |= bit;
        } else if ((outs_[u(i)].want & bit) != 0 && flits <= xoff_ - s_.arbiter.max_packet_flits) {
          outs_[u(i)].want &= ~bit;
        }
      }
    }
  }

  [[nodiscard]] bool eligible(int in, int queue, int out) const {
    const auto& voq = voq_[u(in)][u(queue)][u(out)];
    return connection_[u(in)].packet == nullptr && !voq.empty() &&
           voq.front()->arrivals[0] + s_.switches.input_latency <= now_ &&
           promised_[u(out)][u(queue)] + voq.front()->flits <= s_.switches.output_queue_flits;
  }

  void connect() {
    for (Connection& connection : connection_) {
      if (connection.packet && connection.packet->moved == connection.packet->flits) {
        output_busy_[u(connection.out)] = false;
        connection = {};
      }
    }
    for (bool first = true, any = true; any; first = false) {
      any = false;
      std::vector<int> granted_input(u(n_), -1);
      std::vector<int> granted_queue(u(n_), -1);
      for (int out = 0; out < n_; ++out) {
        if (output_busy_[u(out)]) {
          continue;
        }
        for (int a = 1; a <= q_ && granted_input[u(out)] < 0; ++a) {
          const int queue = (grant_queue_[u(out)] + a) % q_;
          for (int b = 1; b <= n_ && granted_input[u(out)] < 0; ++b) {
            const int in = (grant_input_[u(out)][u(queue)] + b) % n_;
            if (eligible(in, queue, out)) {
              granted_input[u(out)] = in;
              granted_queue[u(out)] = queue;
            }
          }
        }
      }
      for (int in = 0; in < n_; ++in) {
        bool accepted = false;
        for (int a = 1; a <= q_ && !accepted; ++a) {
          const int queue = (accept_queue_[u(in)] + a) % q_;
          for (int b = 1; b <= n_ && !accepted; ++b) {
            const int out = (accept_output_[u(in)][u(queue)] + b) % n_;
            if (granted_input[u(out)] == in && granted_queue[u(out)] == queue) {
              accepted = true;
              any = true;
              auto& voq = voq_[u(in)][u(queue)][u(out)];
              connection_[u(in)] = {voq.front(), now_, out};
              promised_[u(out)][u(queue)] += voq.front()->flits;
              voq.pop_front();
              output_busy_[u(out)] = true;
              if (first) {
                accept_queue_[u(in)] = queue;
                accept_output_[u(in)][u(queue)] = out;
                grant_queue_[u(out)] = queue;
                grant_input_[u(out)][u(queue)] = in;
              }
            }
          }
        }
      }
    }
  }

  void move() {
    for (int in = 0; in < n_; ++in) {
      const Connection& connection = connection_[u(in)];
      if (connection.packet) {
        NaivePacket& packet = *connection.packet;
        const Cycle allowed =
            (now_ - connection.start + 1) * s_.switches.speedup.flits / s_.switches.speedup.cycles;
        while (packet.moved < packet.flits && packet.moved < allowed &&
               packet.moved < packet.arrived &&
               packet.arrivals[packet.moved] + s_.switches.input_latency <= now_) {
          ++packet.moved;
          --input_flits_[u(in)][u(packet.names.queue)];
          crossing_.push_back({now_ + s_.switches.crossbar_latency, connection.packet, 0});
        }
      }
    }
    for (std::size_t k = 0; k < crossing_.size();) {
      if (crossing_[k].arrives != now_) {
        ++k;
        continue;
      }
      const Ref packet = crossing_[k].packet;
      crossing_.erase(crossing_.begin() + static_cast<std::ptrdiff_t>(k));
      if (packet->in_output++ == 0) {
        Sender& out = outs_[u(packet->names.destination)];
        out.handles.push_back(packet);
        out.port.arrive(now_, packet->names.queue, packet->flits, 0, out.handles.size() - 1);
      }
    }
  }

  void send(Sender& sender, std::uint32_t latency, bool is_switch, int number) {
    if (!sender.sending && sender.frame_left == 0) {
      if (sender.want != sender.told) {
        sender.told = sender.want;
        sender.frame_states = sender.want;
        sender.frame_left = frame_;
        ++outcome_.pause_frames;
      } else if (sender.port.any_active()) {
        const Port::Grant grant = sender.port.arbitrate(now_);
        ++outcome_.decisions;
        if (grant.decision.queue >= 0) {
          sender.sending = sender.handles[grant.packet.handle];
          sender.sent = 0;
          if (!is_switch) {
            sender.sending->names.injected = now_;
          }
        }
      }
    }
    const Cycle arrives = now_ + latency + 1 + s_.link_delay;
    if (sender.frame_left > 0) {
      if (--sender.frame_left == 0) {
        sender.wire.push_back({arrives, nullptr, sender.frame_states});
      }
    } else if (sender.sending) {
      if (is_switch) {
        if (sender.sent >= sender.sending->in_output) {
          throw std::runtime_error("the naive wire runs dry");
        }
        --promised_[u(number)][u(sender.sending->names.queue)];
      }
      sender.wire.push_back({arrives, sender.sending, 0});
      if (++sender.sent == sender.sending->flits) {
        sender.sending = nullptr;
      }
    }
  }

  const Scenario& s_;
  int n_;
  int q_;
  std::uint32_t frame_;
  std::uint32_t xoff_;
  Cycle now_ = 0;
  std::vector<Sender> hosts_;
  std::vector<Sender> outs_;
  std::vector<std::pair<int, TrafficSource>> sources_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::vector<std::uint32_t>> input_flits_;  // [port][queue]
  std::vector<std::vector<std::uint32_t>> promised_;     // [output][queue]
  std::vector<std::vector<std::vector<std::deque<Ref>>>> voq_;
  std::vector<Connection> connection_;  // [input]
  std::vector<bool> output_busy_;
  std::vector<WireFlit> crossing_;
  std::vector<int> grant_queue_;
  std::vector<int> accept_queue_;
  std::vector<std::vector<int>> grant_input_;
  std::vector<std::vector<int>> accept_output_;
  NaiveOutcome outcome_;
};

}  // namespace

NaiveOutcome run_naively(const Scenario& scenario, Cycle cycles) {
  return Naive(scenario).run(cycles);
}

}  // namespace qosarb::test
