#include "qosarb/traffic/trace_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <utility>

#include "qosarb/config/divided_up.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/config/ratio.hpp"
#include "qosarb/traffic/random.hpp"
#include "qosarb/traffic/trace_file.hpp"

namespace qosarb {

TimeBase TimeBase::of(std::uint64_t mbps, std::uint32_t flit_bytes) {
  const std::uint64_t cycle = std::uint64_t{flit_bytes} * 8000;
  const std::uint64_t divisor = std::gcd(cycle, mbps);
  return {cycle / divisor, mbps / divisor};
}

/// One rank. What happens at it happens in the order of exact time and, at the same time, of the
/// numbers of the operations.
class TraceRun::Rank final : public Source {
 public:
  Rank(TraceRun& run, int rank) : run_(run), rank_(rank) {}

  [[nodiscard]] Cycle next() const override {
    if (!started_) {
      return 0;
    }
    if (!outgoing_.empty()) {
      return now_;
    }
    return ends_.empty() ? kNever : run_.time_.cycle(ends_.front().time);
  }

  const Message* take() override {
    if (outgoing_.empty()) {
      now_ = next();
      proceed();
      run_.check_stuck();
    }
    if (outgoing_.empty()) {
      return nullptr;
    }
    message_ = outgoing_.front();
    outgoing_.pop_front();
    return &message_;
  }

  void arrived(std::uint32_t number, Cycle now) override {
    now_ = now;
    const UnderWay message = run_.messages_under_way_[number];
    run_.free_messages_.push_back(number);
    --run_.pending_;
    if (const auto receive = run_.arrive(message)) {
      end(*receive, now * run_.time_.per_cycle);
      settle();
    }
    run_.check_stuck();
  }

 private:
  struct End {
    std::uint64_t time = 0;
    std::uint32_t operation = 0;
    bool operator>(const End& other) const {
      return time != other.time ? time > other.time : operation > other.operation;
    }
  };
  struct Cpu {
    bool busy = false;
    std::deque<std::uint32_t> waiting;
  };
  struct Ready {
    std::uint32_t operation = 0;
    std::uint64_t time = 0;
  };

  // All that is due by cycle now_.
  void proceed() {
    if (!started_) {
      started_ = true;
      --run_.pending_;
      const Trace& trace = run_.trace_;
      for (std::uint32_t one = trace.begin(rank_); one < trace.end(rank_); ++one) {
        if (run_.blockers_[one] == 0) {
          ready_.push_back({one, 0});
        }
      }
      settle();
    }
    while (!ends_.empty() && run_.time_.cycle(ends_.front().time) <= now_) {
      std::pop_heap(ends_.begin(), ends_.end(), std::greater<>());
      const End one = ends_.back();
      ends_.pop_back();
      --run_.pending_;
      if (run_.trace_.operation(one.operation).kind == Trace::Kind::Calculate) {
        leave_cpu(run_.trace_.operation(one.operation).cpu, one.time);
      }
      end(one.operation, one.time);
      settle();
    }
  }

  // Starts what is ready, and what that makes ready, one after the other.
  void settle() {
    while (!ready_.empty()) {
      const Ready one = ready_.front();
      ready_.pop_front();
      start(one.operation, one.time);
    }
  }

  void start(std::uint32_t number, std::uint64_t time) {
    const Trace::Operation& operation = run_.trace_.operation(number);
    switch (operation.kind) {
      case Trace::Kind::Calculate: {
        Cpu& cpu = cpus_[operation.cpu];
        if (cpu.busy) {
          cpu.waiting.push_back(number);
        } else {
          calculate(cpu, number, time);
        }
        break;
      }
      case Trace::Kind::Send:
        release(number, time, true);
        send(operation, time);
        end(number, time);
        break;
      case Trace::Kind::Receive:
        release(number, time, true);
        if (run_.post(number)) {
          end(number, time);
        }
        break;
      case Trace::Kind::Delay:
        release(number, time, true);
        if (operation.amount() == 0) {
          end(number, time);
        } else {
          ends_later(number, time);
        }
        break;
    }
  }

  void calculate(Cpu& cpu, std::uint32_t number, std::uint64_t time) {
    cpu.busy = true;
    ends_later(number, time);
    release(number, time, true);
  }

  void ends_later(std::uint32_t number, std::uint64_t time) {
    ends_.push_back({time + run_.trace_.operation(number).amount() * run_.time_.per_ns, number});
    std::push_heap(ends_.begin(), ends_.end(), std::greater<>());
    ++run_.pending_;
  }

  void leave_cpu(std::uint8_t number, std::uint64_t time) {
    Cpu& cpu = cpus_[number];
    cpu.busy = false;
    if (!cpu.waiting.empty()) {
      const std::uint32_t waited = cpu.waiting.front();
      cpu.waiting.pop_front();
      calculate(cpu, waited, time);
    }
  }

  void send(const Trace::Operation& operation, std::uint64_t time) {
    Channel& channel = run_.channels_[operation.channel];
    const auto bytes = static_cast<std::uint32_t>(operation.amount());
    const UnderWay message{operation.channel, channel.sent++, bytes};
    const int to = run_.trace_.destination(operation.channel);
    if (to == rank_) {
      if (const auto receive = run_.arrive(message)) {
        end(*receive, time);
      }
      return;
    }
    if (channel.wanted > 0) {
      --channel.wanted;
      --run_.unsent_;
    }
    std::uint32_t number = 0;
    if (run_.free_messages_.empty()) {
      number = count(run_.messages_under_way_);
      run_.messages_under_way_.push_back(message);
    } else {
      number = run_.free_messages_.back();
      run_.free_messages_.pop_back();
      run_.messages_under_way_[number] = message;
    }
    ++run_.pending_;
    // Even an empty message has a head: one flit.
    const std::uint32_t flits = std::max<std::uint32_t>(1, divided_up(bytes, run_.flit_bytes_));
    outgoing_.push_back({.destination = run_.host(to), .flits = flits, .number = number});
  }

  void end(std::uint32_t number, std::uint64_t time) {
    Progress& progress = run_.ranks_[rank_];
    progress.last = std::max(progress.last, time);
    if (--progress.left == 0) {
      --run_.unfinished_;
    }
    release(number, time, false);
  }

  void release(std::uint32_t number, std::uint64_t time, bool on_start) {
    run_.trace_.for_each_successor(number, [&](Trace::Successor successor) {
      if ((successor.on_start != 0) == on_start && --run_.blockers_[successor.operation] == 0) {
        ready_.push_back({successor.operation, time});
      }
    });
  }

  TraceRun& run_;
  int rank_;
  bool started_ = false;
  Cycle now_ = 0;
  std::vector<End> ends_;  ///< of calculations and delays; a heap, the earliest in front
  std::deque<Ready> ready_;
  std::deque<Message> outgoing_;
  Message message_;
  std::map<std::uint8_t, Cpu> cpus_;
};

TraceRun::TraceRun(const Trace& trace, std::vector<int> hosts, const TimeBase& time,
                   std::uint32_t flit_bytes)
    : trace_(trace), hosts_(std::move(hosts)), time_(time), flit_bytes_(flit_bytes) {
  blockers_.assign(trace.operations(), 0);
  for (std::uint32_t one = 0; one < trace.operations(); ++one) {
    trace.for_each_successor(
        one, [this](Trace::Successor successor) { ++blockers_[successor.operation]; });
  }
  channels_.resize(trace.channels());
  for (std::uint32_t one = 0; one < trace.operations(); ++one) {
    const Trace::Operation& operation = trace.operation(one);
    if (operation.kind == Trace::Kind::Receive) {
      ++channels_[operation.channel].wanted;
    }
  }
  ranks_.resize(trace.ranks());
  for (int rank = 0; rank < trace.ranks(); ++rank) {
    const std::uint32_t left = trace.end(rank) - trace.begin(rank);
    ranks_[rank].left = left;
    unfinished_ += left > 0 ? 1 : 0;
    // All one after the other, and as much again for messages, must fit the exact time.
    Uint128 ns = 0;
    bool sends = false;
    for (std::uint32_t one = trace.begin(rank); one < trace.end(rank); ++one) {
      const Trace::Operation& operation = trace.operation(one);
      ns += operation.kind != Trace::Kind::Send ? operation.amount() : 0;
      if (operation.kind == Trace::Kind::Send) {
        if (trace.destination(operation.channel) != rank) {
          sends = true;
        } else {
          channels_[operation.channel].wanted = 0;
        }
      }
    }
    if (sends) {
      hosts_that_send_.push_back(hosts_[rank]);
    }
    if (ns * time_.per_ns >= Uint128{1} << 62U) {
      throw InputError(trace.file, trace.line,
                       fmt::format("the calculations of rank {} take longer than any run", rank));
    }
  }
  for (const Channel& channel : channels_) {
    unsent_ += channel.wanted;
  }
  pending_ = ranks_.size();
}

TraceRun::~TraceRun() = default;

std::unique_ptr<Source> TraceRun::source(int rank) { return std::make_unique<Rank>(*this, rank); }

std::optional<double> TraceRun::finish_ns(int rank) const {
  const Progress& progress = ranks_[rank];
  if (progress.left > 0) {
    return std::nullopt;
  }
  return ratio(progress.last, time_.per_ns);
}

void TraceRun::add_node(List& list, const Node& node) {
  std::uint32_t id = free_node_;
  if (id == kNone) {
    id = count(nodes_);
    nodes_.emplace_back();
  } else {
    free_node_ = nodes_[id].next;
  }
  nodes_[id] = node;
  (list.first == kNone ? list.first : nodes_[list.last].next) = id;
  list.last = id;
}

// The first one, unless messages have overtaken each other.
std::optional<TraceRun::Node> TraceRun::remove_node(List& list, std::uint32_t number) {
  std::uint32_t before = kNone;
  for (std::uint32_t at = list.first; at != kNone; before = at, at = nodes_[at].next) {
    const Node node = nodes_[at];
    if (node.number == number) {
      (before == kNone ? list.first : nodes_[before].next) = node.next;
      if (list.last == at) {
        list.last = before;
      }
      nodes_[at].next = free_node_;
      free_node_ = at;
      return node;
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> TraceRun::arrive(const UnderWay& message) {
  Channel& channel = channels_[message.channel];
  if (const auto node = remove_node(channel.waiting, message.number)) {
    received(message.bytes);
    return node->operation;
  }
  add_node(channel.early, {.number = message.number, .bytes = message.bytes});
  return std::nullopt;
}

bool TraceRun::post(std::uint32_t operation) {
  Channel& channel = channels_[trace_.operation(operation).channel];
  const std::uint32_t number = channel.posted++;
  if (const auto node = remove_node(channel.early, number)) {
    received(node->bytes);
    return true;
  }
  add_node(channel.waiting, {.number = number, .operation = operation});
  return false;
}

void TraceRun::check_stuck() const {
  if (pending_ > 0 || unfinished_ == 0) {
    return;
  }
  for (const Channel& channel : channels_) {
    if (channel.waiting.first != kNone) {
      throw fault_of_trace(trace_, nodes_[channel.waiting.first].operation,
                           "the ranks wait for each other for ever, one of them in this receive");
    }
  }
}

}  // namespace qosarb
