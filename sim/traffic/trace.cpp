#include "qosarb/traffic/trace.hpp"

#include <fmt/format.h>

#include <utility>

namespace qosarb {

TraceBuilder::TraceBuilder(int ranks, std::uint32_t most) : most_(most), table_(64) {
  trace_.rank_begins_.assign(ranks, 0);
  trace_.rank_ends_.assign(ranks, kNone);
  trace_.successor_begins_.push_back(0);
}

void TraceBuilder::begin_rank(int rank) {
  rank_ = rank;
  trace_.rank_begins_[rank_] = operations();
}

std::uint32_t TraceBuilder::add(Trace::Kind kind, std::uint64_t amount, std::uint32_t channel,
                                std::uint8_t cpu) {
  const std::uint32_t number = operations();
  if (number == most_) {
    throw TraceFault{number, fmt::format("there are more than {} operations", most_)};
  }
  Trace::Operation operation{.channel = channel, .kind = kind, .cpu = cpu};
  operation.amount_low = amount & 0xffffffffU;
  operation.amount_high = amount >> 32U & 0xffffU;
  trace_.operations_.push_back(operation);
  return number;
}

std::uint32_t TraceBuilder::send(int to, std::uint64_t bytes, std::uint32_t tag) {
  const std::uint32_t channel = channel_of(rank_, to, tag);
  ++balances_[channel];
  return add(Trace::Kind::Send, bytes, channel, 0);
}

std::uint32_t TraceBuilder::receive(int from, std::uint32_t tag) {
  const std::uint32_t channel = channel_of(from, rank_, tag);
  --balances_[channel];
  return add(Trace::Kind::Receive, 0, channel, 0);
}

std::uint32_t TraceBuilder::calculate(std::uint64_t ns, std::uint8_t cpu) {
  return add(Trace::Kind::Calculate, ns, 0, cpu);
}

std::uint32_t TraceBuilder::delay(std::uint64_t ns) { return add(Trace::Kind::Delay, ns, 0, 0); }

void TraceBuilder::depends(std::uint32_t later, std::uint32_t earlier, bool on_start) {
  edges_.push_back({earlier, {.operation = later & 0x7fffffffU, .on_start = on_start ? 1U : 0U}});
}

TraceBuilder::Slot& TraceBuilder::find(Index source, Index destination, std::uint32_t tag) {
  std::uint64_t hash = source;
  hash = (hash << 32U | destination) * 0x9e3779b97f4a7c15U;
  hash = (hash ^ (hash >> 29U) ^ tag) * 0xbf58476d1ce4e5b9U;
  for (std::size_t at = hash >> 24U;; ++at) {
    Slot& slot = table_[at & (table_.size() - 1)];
    if (slot.source < 0 ||
        (slot.source == source && slot.destination == destination && slot.tag == tag)) {
      return slot;
    }
  }
}

std::uint32_t TraceBuilder::channel_of(Index source, Index destination, std::uint32_t tag) {
  Slot* slot = &find(source, destination, tag);
  if (slot->source >= 0) {
    return slot->channel;
  }
  if (used_ * std::size_t{3} >= table_.size() * 2) {
    const std::vector<Slot> old = std::exchange(table_, std::vector<Slot>(table_.size() * 2));
    for (const Slot& one : old) {
      if (one.source >= 0) {
        find(one.source, one.destination, one.tag) = one;
      }
    }
    slot = &find(source, destination, tag);
  }
  *slot = {source, destination, tag, used_++};
  trace_.destinations_.push_back(destination);
  balances_.push_back(0);
  return slot->channel;
}

// A counting sort by the earlier operation, which keeps the order of the text among the later ones.
void TraceBuilder::end_rank() {
  const std::uint32_t first = trace_.rank_begins_[rank_];
  const std::uint32_t count = operations() - first;
  const auto base = static_cast<std::uint32_t>(trace_.successors_.size());
  std::vector<std::uint32_t> places(count + 1, base);
  for (const Edge& edge : edges_) {
    ++places[edge.earlier - first + 1];
  }
  for (std::uint32_t i = 1; i <= count; ++i) {
    places[i] += places[i - 1] - base;
    trace_.successor_begins_.push_back(places[i]);
  }
  trace_.successors_.resize(base + edges_.size());
  for (const Edge& edge : edges_) {
    trace_.successors_[places[edge.earlier - first]++] = edge.later;
  }
  trace_.rank_ends_[rank_] = operations();
  check_order(first);
  edges_.clear();
}

// Kahn ("Topological sorting of large networks", 1962). What is left waits for itself or for what
// does: from any of it, back to something left, again and again, ends in a ring.
void TraceBuilder::check_order(std::uint32_t first) {
  const std::uint32_t count = operations() - first;
  std::vector<std::uint32_t> waits(count, 0);
  for (const Edge& edge : edges_) {
    ++waits[edge.later.operation - first];
  }
  std::vector<std::uint32_t> free;
  std::uint32_t done = 0;
  for (std::uint32_t root = 0; root < count; ++root) {
    if (waits[root] != 0) {
      continue;
    }
    waits[root] = kNone;  // done
    free.push_back(root);
    while (!free.empty()) {
      const std::uint32_t at = free.back();
      free.pop_back();
      ++done;
      trace_.for_each_successor(first + at, [&](Trace::Successor successor) {
        const std::uint32_t later = successor.operation - first;
        if (--waits[later] == 0) {
          waits[later] = kNone;
          free.push_back(later);
        }
      });
    }
  }
  if (done == count) {
    return;
  }
  std::vector<std::uint32_t> before(count, kNone);
  std::uint32_t at = 0;
  for (const Edge& edge : edges_) {
    if (waits[edge.earlier - first] != kNone && waits[edge.later.operation - first] != kNone) {
      before[edge.later.operation - first] = edge.earlier - first;
      at = edge.later.operation - first;
    }
  }
  std::vector<bool> seen(count, false);
  for (; !seen[at]; at = before[at]) {
    seen[at] = true;
  }
  std::uint32_t length = 1;
  for (std::uint32_t other = before[at]; other != at; other = before[other]) {
    ++length;
  }
  throw TraceFault{first + at, length == 1 ? "this operation waits for itself"
                                           : fmt::format("this operation waits for itself, "
                                                         "through {} others",
                                                         length - 1)};
}

Trace TraceBuilder::finish() {
  for (std::uint32_t channel = 0; channel < used_; ++channel) {
    if (balances_[channel] >= 0) {
      continue;
    }
    // The last receive is one too many.
    for (std::uint32_t number = operations(); number-- > 0;) {
      const Trace::Operation& operation = trace_.operations_[number];
      if (operation.kind == Trace::Kind::Receive && operation.channel == channel) {
        throw TraceFault{number, "no send matches this receive"};
      }
    }
  }
  return std::move(trace_);
}

}  // namespace qosarb
