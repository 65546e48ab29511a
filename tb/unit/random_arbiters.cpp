#include "random_arbiters.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace qosarb::test {

namespace {

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) {
    text += (text.empty() ? "" : ", ") + item;
  }
  return "[" + text + "]";
}

std::string random_bxi(Random& random, bool deficit) {
  const int queues = random.between(2, 5);
  const int longest = random.between(1, 12);
  const int scale = random.between(1, 3);
  std::vector<std::string> entries;
  for (int e = 0, count = queues + random.between(0, 4); e < count; ++e) {
    entries.push_back(fmt::format("{{queue: {}, weight: {}}}",
                                  e < queues ? e : random.between(0, queues - 1),
                                  (longest + scale - 1) / scale + random.between(0, 8)));
  }
  std::rotate(entries.begin(), entries.begin() + random.between(0, queues - 1), entries.end());
  return fmt::format("policy: {}\nqueues: {}\nmax_packet_flits: {}\nquantum_scale: {}\ntable: {}\n",
                     deficit ? "bxi-deficit" : "bxi-basic", queues, longest, scale,
                     joined(entries));
}

std::string random_levels(Random& random, int queues, int levels) {
  std::vector<std::string> queue_sl;
  for (int q = 0; q < queues; ++q) {
    queue_sl.push_back(std::to_string(q < levels ? q : random.between(0, levels - 1)));
  }
  return joined(queue_sl);
}

std::string random_sbt(Random& random) {
  const int levels = random.between(1, 4);
  const int queues = levels + random.between(0, 2);
  std::vector<std::string> entries;
  for (int sl = 0; sl < levels; ++sl) {
    entries.push_back(fmt::format("{{sl: {}, weight: {}}}", sl, random.between(1, 6)));
  }
  return fmt::format("policy: sbt\nqueues: {}\nmax_packet_flits: {}\nqueue_sl: {}\ntable: {}\n",
                     queues, random.between(1, 9), random_levels(random, queues, levels),
                     joined(entries));
}

std::string random_dtable(Random& random) {
  const int levels = random.between(1, 4);
  const int queues = levels + random.between(0, 2);
  std::vector<std::string> mtus;
  std::vector<int> mtu;
  for (int sl = 0; sl < levels; ++sl) {
    mtu.push_back(random.between(1, 10));
    mtus.push_back(std::to_string(mtu.back()));
  }
  std::vector<std::string> entries;
  for (int e = 0, count = levels + random.between(0, 5); e < count; ++e) {
    const int sl = e < levels ? e : random.between(0, levels - 1);
    entries.push_back(fmt::format("{{sl: {}, weight: {}}}", sl,
                                  mtu[static_cast<std::size_t>(sl)] + random.between(0, 9)));
  }
  return fmt::format(
      "policy: dtable\nqueues: {}\nmax_packet_flits: 10\nqueue_sl: {}\nsl_mtu: {}\ntable: {}\n",
      queues, random_levels(random, queues, levels), joined(mtus), joined(entries));
}

std::string random_infiniband(Random& random) {
  const int queues = random.between(2, 5);
  const int flit_bytes = std::vector{16, 48, 64, 96, 512}[random.below(5)];
  std::vector<std::string> tables[2];
  const auto add = [&](int which, int vl, int lowest) {
    tables[which].push_back(fmt::format("{{vl: {}, weight: {}}}", vl, random.between(lowest, 20)));
  };
  for (int vl = 0; vl < queues; ++vl) {
    add(vl == 0 ? 0 : random.between(0, 1), vl, 1);
  }
  for (int e = 0, count = random.between(0, 5); e < count; ++e) {
    add(random.between(0, 1), random.between(0, queues - 1), 0);
  }
  return fmt::format(
      "policy: infiniband\nqueues: {}\nmax_packet_flits: {}\nflit_bytes: {}\n"
      "limit_of_high_priority: {}\nlow_turn: {}\nhigh: {}\nlow: {}\nstrict: false\n",
      queues, random.between(1, 9), flit_bytes, std::vector{0, 1, 2, 3, 255}[random.below(5)],
      random.once_in(2) ? "entry" : "packet", joined(tables[0]), joined(tables[1]));
}

std::string random_trtcm(Random& random) {
  const int queues = random.between(2, 4);
  const int longest = random.between(1, 8);
  std::vector<int> priority(static_cast<std::size_t>(queues));
  for (int q = 0; q < queues; ++q) {
    priority[static_cast<std::size_t>(q)] = q;
  }
  for (std::size_t q = priority.size(); q-- > 1;) {
    std::swap(priority[q], priority[random.below(q + 1)]);
  }
  const bool large = random.once_in(2);
  std::vector<std::string> classes;
  int left = 100;
  for (int q = 0; q < queues; ++q) {
    const int assured = random.between(1, std::max(1, left / 2));
    left -= assured;
    const int burst = large ? longest * (3 << (priority[static_cast<std::size_t>(q)] + 1)) + 50
                            : longest + random.between(0, 20);
    classes.push_back(
        fmt::format("{{priority: {}, assured_rate: {:.2f}, peak_rate: {:.2f}, assured_burst: {}, "
                    "peak_burst: {}}}",
                    priority[static_cast<std::size_t>(q)], assured / 100.0,
                    random.between(assured, 100) / 100.0, burst, burst + random.between(0, 20)));
  }
  return fmt::format("policy: trtcm\nqueues: {}\nmax_packet_flits: {}\nclasses: {}\n", queues,
                     longest, joined(classes));
}

std::string random_ets(Random& random) {
  const int queues = random.between(1, 5);
  const int longest = random.between(1, 12);
  std::vector<std::string> classes;
  for (int q = 0; q < queues; ++q) {
    classes.push_back(random.once_in(3)
                          ? "{strict_priority: true}"
                          : fmt::format("{{weight: {}}}", longest + random.between(0, 20)));
  }
  return fmt::format("policy: ets\nqueues: {}\nmax_packet_flits: {}\nclasses: {}\n", queues,
                     longest, joined(classes));
}

}  // namespace

std::string random_config(Random& random, const std::string& policy) {
  if (policy == "rr") {
    return fmt::format("policy: rr\nqueues: {}\nmax_packet_flits: {}\n", random.between(1, 6),
                       random.between(1, 9));
  }
  if (policy == "sbt") {
    return random_sbt(random);
  }
  if (policy == "dtable") {
    return random_dtable(random);
  }
  if (policy == "infiniband") {
    return random_infiniband(random);
  }
  if (policy == "ets") {
    return random_ets(random);
  }
  return policy == "trtcm" ? random_trtcm(random) : random_bxi(random, policy == "bxi-deficit");
}

}  // namespace qosarb::test
