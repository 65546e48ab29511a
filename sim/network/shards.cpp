#include "qosarb/network/shards.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <latch>
#include <numeric>
#include <set>
#include <thread>
#include <utility>

namespace qosarb {

namespace {

/// Where threads wait for each other. As std::barrier, but who waits looks for a while whether the
/// others are there before it lets the machine wake it, which takes longer than most waits here.
class Meeting {
 public:
  /// The last of so many `threads` to come calls `between`, which does not throw, before all go on.
  Meeting(unsigned threads, std::function<void()> between)
      : threads_(threads),
        looks_(threads <= std::thread::hardware_concurrency() ? kLooks : 0),
        between_(std::move(between)) {}

  void come() noexcept {  // nobody would wake the others
    const std::uint32_t round = round_.load(std::memory_order_relaxed);
    if (here_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      here_.store(0, std::memory_order_relaxed);
      between_();
      round_.store(round + 1, std::memory_order_release);
      round_.notify_all();
      return;
    }
    for (int look = 0; look < looks_; ++look) {
      if (round_.load(std::memory_order_acquire) != round) {
        return;
      }
      if (look % kLooksAtATime == kLooksAtATime - 1) {
        std::this_thread::yield();  // to another one of them, should both be on one core
      } else {
        pause();
      }
    }
    round_.wait(round, std::memory_order_acquire);
  }

 private:
  static constexpr int kLooks = 4000;  // some 100 us
  static constexpr int kLooksAtATime = 32;
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  unsigned threads_;
  int looks_;
  std::function<void()> between_;
  std::atomic<unsigned> here_ = 0;
  std::atomic<std::uint32_t> round_ = 0;
};

}  // namespace

std::vector<Index> shards_of(const Topology& topology, int shards) {
  const Index nodes = topology.node_of(count(topology.switch_ports));
  std::vector<std::vector<Index>> neighbours(nodes);
  for (const Topology::Link& link : topology.links) {
    neighbours[link.a.node].push_back(link.b.node);
    neighbours[link.b.node].push_back(link.a.node);
  }
  // All nodes, host by host and then by how many links the next host is away.
  std::vector<Index> found(topology.hosts);
  std::iota(found.begin(), found.end(), 0);
  constexpr int kUnknown = -1;
  std::vector<int> links(nodes, kUnknown);
  std::fill_n(links.begin(), topology.hosts, 0);
  std::vector<std::vector<Index>> levels;  // their switches
  for (std::size_t next = 0; next < found.size(); ++next) {
    for (const Index neighbour : neighbours[found[next]]) {
      if (links[neighbour] == kUnknown) {
        links[neighbour] = links[found[next]] + 1;
        levels.resize(links[neighbour]);
        levels.back().push_back(neighbour);
        found.push_back(neighbour);
      }
    }
  }
  std::vector<Index> shard(nodes);
  for (std::vector<Index>& level : levels) {
    std::sort(level.begin(), level.end());
    for (std::size_t i = 0; i < level.size(); ++i) {
      shard[level[i]] = static_cast<Index>(i * shards / level.size());
    }
  }
  for (Index host = 0; host < topology.hosts; ++host) {
    shard[host] = shard[neighbours[host].front()];
  }
  return shard;
}

int most_shards(const Topology& topology) {
  std::set<Index> with_hosts;
  for (const Topology::Link& link : topology.links) {
    if (link.kind == LinkKind::Host) {
      with_hosts.insert(std::max(link.a.node, link.b.node));
    }
  }
  return count(with_hosts);
}

void run_side_by_side(std::span<const std::unique_ptr<Shard>> shards, Cycle end, Cycle look_ahead) {
  const auto next_end = [&](Cycle now) { return now + std::min(look_ahead, end - now); };
  Cycle until = next_end(shards.front()->now());
  bool over = false;
  std::vector<std::exception_ptr> faults(shards.size());
  const auto between = [&] {
    Shard::meet(shards);
    over =
        until == end || std::any_of(faults.begin(), faults.end(),
                                    [](const std::exception_ptr& one) { return one != nullptr; });
    until = next_end(until);
  };
  Meeting meeting(static_cast<unsigned>(shards.size()), between);
  const auto work = [&](std::size_t number) {
    while (!over) {
      try {
        shards[number]->hear();
        shards[number]->run(until);
      } catch (...) {
        faults[number] = std::current_exception();
      }
      meeting.come();
    }
  };
  {
    std::latch start(1);
    std::vector<std::jthread> threads;
    try {
      for (std::size_t number = 1; number < shards.size(); ++number) {
        threads.emplace_back([&start, &work, number] {
          start.wait();
          work(number);
        });
      }
    } catch (...) {  // the machine has no more threads
      over = true;
      start.count_down();
      throw;
    }
    start.count_down();
    work(0);
  }
  std::exception_ptr first;
  Cycle when = ~Cycle{0};
  for (std::size_t number = 0; number < shards.size(); ++number) {
    shards[number]->hear();
    if (faults[number] != nullptr && shards[number]->now() < when) {
      when = shards[number]->now();
      first = faults[number];
    }
  }
  Shard::tell_deliveries(shards);
  if (first != nullptr) {
    std::rethrow_exception(first);
  }
}

}  // namespace qosarb
