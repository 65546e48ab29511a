#include "qosarb/network/shards.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
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
      // Wakes nobody if it sees nobody wait, which must not be looked at before the store is seen:
      // a release alone lets a processor do so, and who had just begun to wait slept for good.
      round_.store(round + 1, std::memory_order_seq_cst);
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

Cuts::Cuts(const Topology& topology)
    : hosts_(topology.hosts),
      switch_of_host_(topology.hosts),
      nodes_(topology.node_of(count(topology.switch_ports))) {
  std::vector<std::vector<Index>> neighbours(nodes_);
  for (const Topology::Link& link : topology.links) {
    neighbours[link.a.node].push_back(link.b.node);
    neighbours[link.b.node].push_back(link.a.node);
  }
  // All nodes, host by host and then by how many links the next host is away.
  std::vector<Index> found(hosts_);
  std::iota(found.begin(), found.end(), 0);
  constexpr int kUnknown = -1;
  std::vector<int> links(nodes_, kUnknown);
  std::fill_n(links.begin(), hosts_, 0);
  for (std::size_t next = 0; next < found.size(); ++next) {
    for (const Index neighbour : neighbours[found[next]]) {
      if (links[neighbour] == kUnknown) {
        links[neighbour] = links[found[next]] + 1;
        levels_.resize(links[neighbour]);
        levels_.back().push_back(neighbour);
        found.push_back(neighbour);
      }
    }
  }
  for (std::vector<Index>& level : levels_) {
    std::sort(level.begin(), level.end());
  }
  std::set<Index> with_hosts;
  for (Index host = 0; host < hosts_; ++host) {
    switch_of_host_[host] = neighbours[host].front();
    with_hosts.insert(switch_of_host_[host]);
  }
  most_ = count(with_hosts);
}

std::vector<Index> Cuts::into(int shards) const {
  std::vector<Index> shard(nodes_);
  for (const std::vector<Index>& level : levels_) {
    for (std::size_t i = 0; i < level.size(); ++i) {
      shard[level[i]] = static_cast<Index>(i * shards / level.size());
    }
  }
  for (Index host = 0; host < hosts_; ++host) {
    shard[host] = shard[switch_of_host_[host]];
  }
  return shard;
}

int Cuts::fastest(const Scenario& scenario, const Topology& topology, int threads) const {
  const double queues =
      1.0 * std::accumulate(topology.switch_ports.begin(), topology.switch_ports.end(), 0) *
      scenario.link_vcs();
  const double wanted = queues / kQueuesOfAShard;
  if (wanted < kWorthwhile) {
    return threads;
  }
  const auto off = [wanted](int shards) { return std::abs(std::log(shards / wanted)); };
  int best = threads;
  Cycle longest = kLongEnough;
  for (int shards = std::max(threads, static_cast<int>(wanted / kAtMostOff));
       shards <= std::min<double>(most_, wanted * kAtMostOff); ++shards) {
    const Cycle cycles = look_ahead(scenario, topology, into(shards));
    if (cycles > longest || (cycles == longest && (best == threads || off(shards) < off(best)))) {
      longest = cycles;
      best = shards;
    }
  }
  return best;
}

Cycle look_ahead(const Scenario& scenario, const Topology& topology,
                 std::span<const Index> shard_of) {
  Cycle soonest = kNever;
  for (const Topology::Link& link : topology.links) {
    if (shard_of[link.a.node] != shard_of[link.b.node]) {
      for (const Topology::End& from : {link.a, link.b}) {
        soonest = std::min(soonest, Cycle{scenario.delay_of(from, link.kind)} + 1);
      }
    }
  }
  return soonest;
}

void run_side_by_side(std::span<const std::unique_ptr<Shard>> shards, int threads, Cycle end,
                      const std::function<Cycle()>& look_ahead) {
  // Nobody does anything before the first event, nor shows it for a while then.
  const auto next_end = [&](Cycle told, Cycle cycles) {
    Cycle first = std::min(told, end);
    for (const auto& one : shards) {
      first = std::min(first, one->fabric.events.next_busy(first));
    }
    return first + std::min(cycles, end - first);
  };
  Cycle until = next_end(kNever, look_ahead());
  bool over = false;
  std::vector<std::exception_ptr> faults(shards.size());
  const auto between = [&] {
    const Cycle told = Shard::meet(shards);
    const Cycle cycles = look_ahead();
    over = until == end || cycles == 0 ||
           std::any_of(faults.begin(), faults.end(),
                       [](const std::exception_ptr& one) { return one != nullptr; });
    if (!over) {
      until = next_end(told, cycles);
    }
  };
  Meeting meeting(static_cast<unsigned>(threads), between);
  const auto work = [&](int thread) {
    while (!over) {
      for (Index number = 0; number < count(shards); ++number) {
        if (thread_of(number, count(shards), threads) != thread) {
          continue;
        }
        try {
          shards[number]->hear();
          shards[number]->run(until);
        } catch (...) {
          faults[number] = std::current_exception();
        }
      }
      meeting.come();
    }
  };
  {
    std::latch start(1);
    std::vector<std::jthread> others;
    try {
      for (int thread = 1; thread < threads; ++thread) {
        others.emplace_back([&start, &work, thread] {
          start.wait();
          work(thread);
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
  Cycle when = kNever;
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
