// What a configuration file may say, and how a fault in it is named.
#include "qosarb/policy/config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

#include "policy_under_test.hpp"
#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/config/fixed_point.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/events/event_log.hpp"
#include "qosarb/policy/bxi.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/policy/sbt.hpp"
#include "qosarb/policy/trtcm.hpp"
#include "random/policy_random.hpp"

namespace qosarb::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A file that lives as long as its test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("qosarb_config_test.{}.{}", getpid(), fmt::ptr(this))) {
    std::ofstream(path_) << text;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  TemporaryFile(TemporaryFile&&) = delete;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }
  [[nodiscard]] std::string name() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// What load_arbiter() says about a file with this text, without the file's name: "3: fault".
std::string fault(const std::string& text) {
  const TemporaryFile file(text);
  try {
    load_arbiter(file.name());
  } catch (const InputError& e) {
    const std::string message = e.what();
    EXPECT_TRUE(message.starts_with(file.name() + ":")) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message.substr(file.name().size() + 1);
  }
  return "accepted";
}

std::string bxi(const std::string& lines) {
  return "arbiter:\n  policy: bxi-deficit\n  queues: 2\n  max_packet_flits: 16\n" + lines;
}

// The message goes on behind what would end a C string, and stays one line.
TEST(ArbiterConfigFaults, AreWholeWhateverTheFileHolds) {
  EXPECT_EQ(fault("arbiter: {policy: \"w\\x01f\\nq\\x7f\", queues: 1, max_packet_flits: 1}\n")
                .substr(0, 54),
            "1: arbiter.policy is 'w?f?q?'; it must be one of rr, b");
  EXPECT_EQ(fault("arbiter: {policy: rr, queues: 1, max_packet_flits: 1, \"a\\x01b\": 1}\n"),
            "1: arbiter has an unknown key 'a?b'");
}

TEST(ArbiterConfigFaults, AreNamedWithFileAndLine) {
  const std::string table =
      "  table:\n    - {queue: 0, weight: 16}\n    - {queue: 1, weight: 16}\n";
  EXPECT_EQ(fault(bxi(table)), "accepted");
  EXPECT_EQ(fault(bxi("  colour: red\n" + table)), "5: arbiter has an unknown key 'colour'");
  EXPECT_EQ(fault(bxi("")), "2: arbiter lacks the key 'table'");
  EXPECT_EQ(fault("arbiter: {policy: rr, queues: 2}\n"),
            "1: arbiter lacks the key 'max_packet_flits'");
  EXPECT_EQ(fault(bxi("  strict: perhaps\n" + table)), "5: arbiter.strict must be true or false");
  EXPECT_EQ(fault(bxi("  strict: 'true'\n" + table)), "5: arbiter.strict must be true or false");
  EXPECT_EQ(fault(bxi("  strict: 'false'\n" + table)), "5: arbiter.strict must be true or false");
  EXPECT_EQ(fault(bxi("  quantum_scale: 1.5\n" + table)),
            "5: arbiter.quantum_scale must be an integer");
  EXPECT_EQ(fault(bxi("  quantum_scale: '3'\n" + table)),
            "5: arbiter.quantum_scale must be an integer");
  EXPECT_EQ(fault(bxi("  table: 5\n")), "5: arbiter.table must be a list");
  EXPECT_EQ(fault(bxi("  table: []\n")), "5: arbiter.table has 0 items; 1 to 4096 are allowed");
  EXPECT_EQ(fault(bxi("  table:\n    - {queue: 0, weight: 16}\n    - {queue: 2, weight: 16}\n")),
            "7: arbiter.table[1].queue is 2, which is not within 0..1");
  EXPECT_EQ(fault(bxi("  table:\n    - {queue: 0, weight: 16}\n    - {queue: 1, weight: -1}\n")),
            "7: arbiter.table[1].weight is -1, which is not within 0..4294967295");
  EXPECT_EQ(fault(bxi("  table:\n    - {queue: 0, weight: 16, name: a}\n")),
            "6: arbiter.table[0] has an unknown key 'name'");
  EXPECT_EQ(fault(bxi(table + "  queues: 3\n")), "8: key 'queues' is given twice");
  EXPECT_EQ(fault("arbiter: {policy: wfq, queues: 1, max_packet_flits: 1}\n"),
            fmt::format("1: arbiter.policy is 'wfq'; it must be one of {}",
                        fmt::join(policy_names(), ", ")));
  EXPECT_EQ(fault("arbiter: {policy: rr, queues: 0, max_packet_flits: 1}\n"),
            "1: arbiter.queues is 0, which is not within 1..1024");
  EXPECT_EQ(fault("arbiter: {policy: rr, queues: 1, max_packet_flits: 1}\nnetwork: {}\n"),
            "2: the file has an unknown key 'network'");
  EXPECT_EQ(fault("arbiter: {policy: rr, queues: 1, max_packet_flits: 1, [a]: 1}\n"),
            "1: a key must be a plain word");
  EXPECT_EQ(
      fault("arbiter: {policy: trtcm, queues: 1, max_packet_flits: 1, classes: [{priority: 0,\n"
            "  assured_rate: -0, peak_rate: 1}]}\n"),
      "2: assured_rate must be a decimal number of flits per cycle");
  EXPECT_EQ(fault("arbiter: {policy: rr, queues: 1, max_packet_flits: 1}\n---\nnetwork: {}\n"),
            "3: a second document stands in the file; one is expected");
  EXPECT_EQ(fault("arbiter: {policy: rr, queues: 1, max_packet_flits: 1}\n...\n]\n").substr(0, 17),
            "3: not valid YAML");
  EXPECT_EQ(fault("arbiter: {policy: rr, queues: 1, max_packet_flits: 1}\n...\n"), "accepted");
  EXPECT_EQ(fault(""), "1: a map of keys is expected at the top");
  EXPECT_EQ(fault("arbiter: {policy: rr, queues: 1, max_packet_flits: 1,\n  variant: printed}\n"),
            "2: rr has one variant only, corrected");
  EXPECT_EQ(fault("- arbiter\n"), "1: a map of keys is expected at the top");
  EXPECT_EQ(fault("arbiter: {policy: rr\n").substr(0, 17), "2: not valid YAML");
}

/// The whole number at the place of '#' in a section, and the values between which it is allowed.
struct Limits {
  std::string section;
  std::int64_t low;
  std::int64_t high;
};

std::string with(const std::string& what, std::string section) {
  return section.replace(section.find('#'), 1, what);
}

TEST(ArbiterConfigFaults, NumbersAreTakenUpToTheirLimits) {
  constexpr std::int64_t k32Bits = 4294967295;
  const std::string bxi = "policy: bxi-basic, max_packet_flits: 1, strict: false, queues: 2, ";
  const std::string sbt = "policy: sbt, max_packet_flits: 1, strict: false, queues: 1, ";
  const std::string dtable = "policy: dtable, max_packet_flits: 9, strict: false, queues: 1, ";
  const std::string ib = "policy: infiniband, max_packet_flits: 1, strict: false, queues: 15, ";
  const std::string seastar = "policy: seastar-age, max_packet_flits: 1, queues: 2, vcs: 2, ";
  const std::string trtcm = "policy: trtcm, max_packet_flits: 3, queues: 1, classes: ";
  for (const Limits& limits : std::vector<Limits>{
           {"policy: rr, max_packet_flits: 1, queues: #", 1, 1024},
           {"policy: rr, queues: 1, max_packet_flits: #", 1, 1 << 20},
           {bxi + "table: [{queue: 0, weight: 1}], quantum_scale: #", 1, k32Bits},
           {bxi + "table: [{queue: #, weight: 1}]", 0, 1},
           {bxi + "table: [{queue: 0, weight: #}]", 0, k32Bits},
           {sbt + "queue_sl: [#], table: [{sl: 0, weight: 1}]", 0, 1023},
           {sbt + "queue_sl: [0], table: [{sl: #, weight: 1}]", 0, 1023},
           {sbt + "queue_sl: [0], table: [{sl: 0, weight: #}]", 1, k32Bits},
           {dtable + "queue_sl: [#], sl_mtu: [1, 1], table: [{sl: 0, weight: 1}]", 0, 1},
           {dtable + "queue_sl: [0], sl_mtu: [#], table: [{sl: 0, weight: 9}]", 1, 9},
           {dtable + "queue_sl: [0], sl_mtu: [1, 1], table: [{sl: #, weight: 1}]", 0, 1},
           {ib + "high: [{vl: 0, weight: 1}], limit_of_high_priority: 0, flit_bytes: #", 1, 65536},
           {ib + "high: [{vl: 0, weight: 1}], limit_of_high_priority: #", 0, 255},
           {ib + "limit_of_high_priority: 0, low: [{vl: 0, weight: #}]", 0, 255},
           {seastar + "age_rr_select: 0, age_clock_period: #", 1, k32Bits},
           {seastar + "age_rr_select: 0, age_clock_period: 1, req_age_bias: [#]", 0, 7},
           {seastar + "age_rr_select: 0, age_clock_period: 1, rsp_age_bias: [#]", 0, 7},
           {"policy: seastar-age, max_packet_flits: 1, queues: 1024, age_clock_period: 1, "
            "age_rr_select: 0, vcs: #",
            2, 1024},
           {trtcm + "[{priority: #, assured_rate: 0, peak_rate: 0}]", 0, 1023},
           {trtcm + "[{priority: 0, assured_rate: 0, peak_rate: #}]", 0, 65535},
           {trtcm + "[{priority: 0, assured_rate: 0, peak_rate: 0, peak_burst: #}]", 0,
            k32Bits + 1},
       }) {
    const auto fault_of = [&limits](std::int64_t number) {
      return fault("arbiter: {" + with(std::to_string(number), limits.section) + "}\n");
    };
    const std::string within = fmt::format("not within {}..{}", limits.low, limits.high);
    EXPECT_EQ(fault_of(limits.low), "accepted") << limits.section;
    EXPECT_EQ(fault_of(limits.high), "accepted") << limits.section;
    EXPECT_THAT(fault_of(limits.low - 1), HasSubstr(within)) << limits.section;
    EXPECT_THAT(fault_of(limits.high + 1), HasSubstr(within)) << limits.section;
  }
}

/// How many of `item` the list at the place of '#' may have.
struct Lengths {
  std::string section;
  std::string item;
  int low;
  int high;
};

TEST(ArbiterConfigFaults, ListsAreTakenUpToTheirLengths) {
  const std::string one = "max_packet_flits: 1, strict: false, ";
  const std::string bxi = one + "policy: bxi-basic, queues: 1, ";
  const std::string dtable = one + "policy: dtable, queues: 1, queue_sl: [0], ";
  const std::string ib = one + "policy: infiniband, queues: 1, limit_of_high_priority: 0, ";
  const std::string seastar =
      one + "policy: seastar-age, queues: 4, vcs: 2, age_rr_select: 0, age_clock_period: 1, ";
  const std::string vl = "{vl: 0, weight: 1}";
  const std::string sl = "{sl: 0, weight: 1}";
  for (const Lengths& lengths : std::vector<Lengths>{
           {bxi + "table: [#]", "{queue: 0, weight: 1}", 1, 4096},
           {dtable + "sl_mtu: [1], table: [#]", sl, 1, 4096},
           {dtable + "sl_mtu: [#], table: [" + sl + "]", "1", 1, 1024},
           {ib + "low: [" + vl + "], high: [#]", vl, 0, 64},
           {ib + "high: [" + vl + "], low: [#]", vl, 0, 64},
           {seastar + "req_age_bias: [#]", "1", 2, 2},
           {seastar + "rsp_age_bias: [#]", "1", 2, 2},
           {one + "policy: sbt, queues: 3, table: [" + sl + "], queue_sl: [#]", "0", 3, 3},
           {one + "policy: trtcm, queues: 1, classes: [#]",
            "{priority: 0, assured_rate: 0, peak_rate: 0}", 1, 1}}) {
    const auto fault_of = [&lengths](int items) {
      const std::vector<std::string> list(items, lengths.item);
      return fault("arbiter: {" + with(fmt::format("{}", fmt::join(list, ", ")), lengths.section) +
                   "}\n");
    };
    const std::string allowed = fmt::format("{} to {} are allowed", lengths.low, lengths.high);
    EXPECT_EQ(fault_of(lengths.low), "accepted") << lengths.section;
    EXPECT_EQ(fault_of(lengths.high), "accepted") << lengths.section;
    EXPECT_THAT(fault_of(lengths.high + 1), HasSubstr(allowed)) << lengths.section;
    if (lengths.low > 0) {
      EXPECT_THAT(fault_of(lengths.low - 1), HasSubstr(allowed)) << lengths.section;
    }
  }
  // sbt has an entry for each SL, of which there are 1024.
  std::string table;
  for (int level = 0; level < 1024; ++level) {
    table += fmt::format("{{sl: {}, weight: 1}}, ", level);
  }
  const std::string sbt = one + "policy: sbt, queues: 1, queue_sl: [0], table: [#]";
  EXPECT_EQ(fault("arbiter: {" + with(table, sbt) + "}\n"), "accepted");
  EXPECT_THAT(fault("arbiter: {" + with(table + sl, sbt) + "}\n"),
              HasSubstr("1 to 1024 are allowed"));
}

TEST(ArbiterConfigFaults, AQuantumIsTakenUpToItsLimit) {
  const auto quantum = [](const std::string& weight, int scale) {
    return fault(
        fmt::format("arbiter:\n  policy: bxi-basic\n  max_packet_flits: 1\n  queues: 1\n"
                    "  quantum_scale: {}\n  table: [{{queue: 0, weight: {}}}]\n",
                    scale, weight));
  };
  EXPECT_EQ(quantum("2147483648", 2), "accepted");  // 2^32
  EXPECT_EQ(quantum("6700417", 641),                // Fermat's number 2^32 + 1
            "6: a quantum of 4294967297 flits is beyond 4294967296");
}

TEST(ArbiterConfigFaults, AliasesMayNeitherContainThemselvesNorStandForTooMuch) {
  EXPECT_EQ(fault("arbiter: &a {policy: rr, queues: 1, max_packet_flits: 1}\ncommits: [*a, *a]\n"),
            "2: the file has an unknown key 'commits'");
  EXPECT_EQ(fault("arbiter:\n  &a [*a]\n"), "2: more than 100 levels stand in each other");
  EXPECT_EQ(fault("arbiter: &a\n  queues: {<<: *a}\n"),
            "1: more than 100 levels stand in each other");
  std::string doubled = "a0: &a0 0\n";
  for (int i = 1; i < 60; ++i) {
    doubled += fmt::format("a{0}: &a{0} [*a{1}, *a{1}]\n", i, i - 1);
  }
  EXPECT_EQ(fault(doubled), "1: aliases stand for more than 100000 values");
}

TEST(ArbiterConfigFaults, ADirectoryAndANameThatIsTooLongHaveNoLine) {
  for (const std::string& name : {testing::TempDir(), std::string(300, 'a')}) {
    try {
      load_arbiter(name);
      FAIL() << "accepted";
    } catch (const InputError& e) {
      EXPECT_EQ(e.what(), name + ": cannot be opened for reading");
    }
  }
}

TEST(ArbiterConfigFaults, AMissingFileHasNoLine) {
  try {
    load_arbiter("/nonexistent/c.yaml");
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "/nonexistent/c.yaml: cannot be opened for reading");
  }
}

TEST(ArbiterConfigStrict, RefusesWhatStarvesAQueueOrIdlesTheLink) {
  const std::string small =
      "  table:\n    - {queue: 0, weight: 16}\n    - {queue: 1, weight: 15}\n";
  EXPECT_EQ(fault(bxi(small)),
            "7: a quantum of 15 flits (15 x 1) does not hold a packet of 16 flits (strict: false "
            "accepts that)");
  EXPECT_EQ(fault(bxi("  strict: false\n" + small)), "accepted");
  const std::string starved = "  table:\n    - {queue: 1, weight: 16}\n";
  EXPECT_EQ(fault(bxi(starved)),
            "6: no entry with a weight serves queue 0 (strict: false accepts that)");
  EXPECT_EQ(fault(bxi("  strict: false\n" + starved)), "accepted");
}

std::string arbiter(const std::string& policy, const std::string& keys) {
  return "arbiter:\n  policy: " + policy + "\n  max_packet_flits: 4\n" + keys;
}

TEST(ArbiterConfigSbt, Faults) {
  const auto sbt = [](const std::string& keys) { return arbiter("sbt", "  queues: 3\n" + keys); };
  const std::string map = "  queue_sl: [0, 0, 1]\n";
  EXPECT_EQ(fault(sbt(map + "  table: [{sl: 0, weight: 55}, {sl: 1, weight: 45}]\n")), "accepted");
  EXPECT_EQ(fault(sbt(map + "  table: [{sl: 0, weight: 55}, {sl: 1, weight: 0}]\n")),
            "6: arbiter.table[1].weight is 0, which is not within 1..4294967295");
  EXPECT_EQ(fault(sbt(map + "  table:\n    - {sl: 0, weight: 5}\n    - {sl: 0, weight: 4}\n")),
            "8: SL 0 has two entries; sbt has one for each SL");
  EXPECT_EQ(fault(sbt(map + "  table: [{sl: 1, weight: 55}]\n")),
            "6: no entry with a weight serves queue 0 (strict: false accepts that)");
  EXPECT_EQ(fault(sbt("  strict: false\n" + map + "  table: [{sl: 1, weight: 55}]\n")), "accepted");
  EXPECT_EQ(fault(sbt(map + "  table: [{sl: 0, weight: 55, vl: 1}]\n")),
            "6: arbiter.table[0] has an unknown key 'vl'");
  EXPECT_EQ(fault(sbt("  queue_sl: [0, 0]\n  table: [{sl: 0, weight: 1}]\n")),
            "5: arbiter.queue_sl has 2 items; 3 to 3 are allowed");
  EXPECT_EQ(fault(sbt("  queue_sl: [0, 0, a]\n  table: [{sl: 0, weight: 1}]\n")),
            "5: arbiter.queue_sl[2] must be an integer");
}

TEST(ArbiterConfigDTable, Faults) {
  const auto dtable = [](const std::string& keys) {
    return arbiter("dtable", "  queues: 2\n  queue_sl: [0, 1]\n" + keys);
  };
  const std::string mtu = "  sl_mtu: [2, 4]\n";
  EXPECT_EQ(fault(dtable(mtu + "  table: [{sl: 0, weight: 2}, {sl: 1, weight: 4}]\n")), "accepted");
  for (const std::string strict : {"true", "false"}) {
    EXPECT_EQ(fault(dtable(fmt::format("  strict: {}\n{}  table: [{{sl: 0, weight: 2}}, "
                                       "{{sl: 1, weight: 3}}]\n",
                                       strict, mtu))),
              "8: a weight of 3 flits does not hold SL 1's MTU of 4 flits");
  }
  EXPECT_EQ(fault(dtable(mtu + "  table: [{sl: 0, weight: 2}, {sl: 2, weight: 4}]\n")),
            "7: arbiter.table[1].sl is 2, which is not within 0..1");
  EXPECT_EQ(fault(dtable(mtu + "  table: [{sl: 0, weight: 2, mtu: 2}]\n")),
            "7: arbiter.table[0] has an unknown key 'mtu'");
  const std::string heavy = "  table: [{sl: 0, weight: 2}, {sl: 1, weight: 429496729";
  EXPECT_EQ(fault(dtable(mtu + heavy + "5}]\n")), "accepted");
  EXPECT_EQ(fault(dtable(mtu + heavy + "6}]\n")),
            "7: arbiter.table[1].weight is 4294967296, which is not within 0..4294967295");
  EXPECT_EQ(fault(dtable("  sl_mtu: [2]\n  table: [{sl: 0, weight: 2}]\n")),
            "5: arbiter.queue_sl[1] is 1, which is not within 0..0");
  EXPECT_EQ(fault(dtable(mtu + "  table: [{sl: 0, weight: 2}]\n")),
            "7: no entry with a weight serves queue 1 (strict: false accepts that)");
  EXPECT_EQ(fault(dtable("  sl_mtu: [2, 5]\n  table: [{sl: 0, weight: 2}, {sl: 1, weight: 5}]\n")),
            "6: arbiter.sl_mtu[1] is 5, which is not within 1..4");
}

TEST(ArbiterConfigDTable, APacketLongerThanItsSlsMtuIsBadInput) {
  const ArbiterConfig config = arbiter_config(
      "{policy: dtable, queues: 3, max_packet_flits: 4, queue_sl: [0, 1, 1], sl_mtu: [2, 4], "
      "table: [{sl: 0, weight: 2}, {sl: 1, weight: 8}]}");
  EXPECT_EQ(max_packet_flits(config, 0), 2);
  EXPECT_EQ(max_packet_flits(config, 1), 4);
  const TemporaryFile log("cycle,event,queue,flits,age\n0,arrive,1,4,0\n0,arrive,0,3,0\n");
  EventLogReader reader(log.name(), config);
  Event event;
  EXPECT_TRUE(reader.next(event));
  try {
    reader.next(event);
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with(log.name() + ":3: ")) << e.what();
  }
}

TEST(EventLog, HasItsLimits) {
  const ArbiterConfig config = arbiter_config("{policy: rr, queues: 2, max_packet_flits: 4}");
  const auto fault = [&config](const std::string& row, const std::optional<RawLog>& raw = {}) {
    const TemporaryFile log("cycle,event,queue,flits,age\n" + row);
    EventLogReader reader(log.name(), config, raw);
    Event event;
    try {
      while (reader.next(event)) {
      }
    } catch (const InputError& e) {
      return std::string(e.what()).substr(log.name().size());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(fault("18446744073709551614,arb,,,\n"), "accepted");
  EXPECT_THAT(fault("18446744073709551615,arb,,,\n"), HasSubstr(":2: the cycle is "));
  const std::string row = "arrive,1,4,7";  // with zeros in front, as long as a line may be
  EXPECT_EQ(fault(std::string(256 - row.size() - 1, '0') + "," + row + "\n"), "accepted");
  EXPECT_EQ(fault(std::string(256 - row.size(), '0') + "," + row + "\n"),
            ":2: the line is too long for a row");
  EXPECT_THAT(fault("0," + std::string(40, 'a') + ",,,\n"),
              HasSubstr(":2: the event is '" + std::string(40, 'a') + "'; "));
  EXPECT_THAT(fault("0," + std::string(41, 'a') + ",,,\n"),
              HasSubstr(":2: the event is '" + std::string(40, 'a') + "...'; "));
  EXPECT_EQ(fault("0,commit,0,,\n", RawLog{}),
            ":2: the config has no 'commits' that a commit could bring into force");
  EXPECT_EQ(fault("0,commit,1,,\n", RawLog{.commits = 2}), "accepted");
  EXPECT_THAT(fault("0,commit,2,,\n", RawLog{.commits = 2}), HasSubstr(":2: the commit is "));
  EXPECT_THAT(fault("0,stamp,0,,1\n", RawLog{}), HasSubstr(":2: the event is 'stamp', which only"));
  EXPECT_EQ(fault("0,leave,0,63,\n", RawLog{.has_chip = true}), "accepted");
  EXPECT_THAT(fault("0,leave,0,64,\n", RawLog{.has_chip = true}),
              HasSubstr(":2: the number of packets is "));
  EXPECT_THAT(fault("0,arrive,0,1,\n0,commit,0,,\n", RawLog{.commits = 1}), StartsWith(":3: "));
}

TEST(ArbiterConfigInfiniBand, Faults) {
  const auto ib = [](const std::string& keys) {
    return arbiter("infiniband", "  queues: 4\n  limit_of_high_priority: 1\n" + keys);
  };
  const std::string high = "  high: [{vl: 0, weight: 8}, {vl: 1, weight: 8}, {vl: 2, weight: 1}]\n";
  EXPECT_EQ(fault(ib(high + "  low: [{vl: 3, weight: 6}]\n")), "accepted");
  EXPECT_EQ(fault(ib(high + "  low: [{vl: 15, weight: 6}]\n")),
            "7: VL15 is for subnet management and stands in no table");
  EXPECT_EQ(fault(ib(high + "  low: [{vl: 4, weight: 6}]\n")),
            "7: VL 4 is beyond the port's 4 VLs");
  EXPECT_EQ(fault(ib(high + "  low: [{vl: 3, weight: 256}]\n")),
            "7: arbiter.low[0].weight is 256, which is not within 0..255");
  EXPECT_EQ(fault(ib(high + "  low: [{vl: 3, weight: 0}]\n")),
            "7: no entry with a weight serves queue 3 (strict: false accepts that)");
  EXPECT_EQ(fault(ib("  strict: false\n" + high + "  low: [{vl: 3, weight: 0}]\n")), "accepted");
  EXPECT_EQ(fault(ib(high)),
            "6: no entry with a weight serves queue 3 (strict: false accepts that)");
  EXPECT_EQ(fault(ib(high + "  low: [{vl: 3, weight: 6, sl: 3}]\n")),
            "7: arbiter.low[0] has an unknown key 'sl'");
  EXPECT_EQ(fault(ib("  strict: false\n  high: []\n  low: []\n")),
            "7: the tables high and low have no entry");
  EXPECT_EQ(fault(ib(high + "  low: [{vl: 3, weight: 6}]\n  low_turn: half\n")),
            "8: arbiter.low_turn is 'half'; it must be one of entry, packet");
  EXPECT_EQ(fault(ib(high + "  low: [{vl: 3, weight: 6}]\n  variant: printed\n")),
            "8: infiniband has one variant only, corrected");
  EXPECT_EQ(fault(arbiter("infiniband", "  queues: 16\n")),
            "4: infiniband has up to 15 data VLs, not 16");
  std::string sixty_five = "  low:\n";
  for (int e = 0; e < 65; ++e) {
    sixty_five += "    - {vl: 3, weight: 1}\n";
  }
  EXPECT_EQ(fault(ib(high + sixty_five)), "8: arbiter.low has 65 items; 0 to 64 are allowed");
}

TEST(ArbiterConfigSeastar, Faults) {
  const auto seastar = [](const std::string& keys) {
    return arbiter("seastar-age", "  queues: 8\n  age_clock_period: 8\n" + keys);
  };
  const std::string all = "  age_rr_select: 0xffffffffffffffff\n";
  EXPECT_EQ(fault(seastar("  vcs: 4\n" + all)), "accepted");
  EXPECT_EQ(fault(seastar("  vcs: 4\n  age_rr_select: \"0xFFFFFFFFFFFFFFFF\"\n")), "accepted");
  EXPECT_EQ(fault(seastar("  vcs: 4\n  age_rr_select: 18446744073709551615\n")), "accepted");
  EXPECT_EQ(fault(seastar("  vcs: 4\n  age_rr_select: 18446744073709551616\n")),
            "7: arbiter.age_rr_select does not fit 64 bits");
  EXPECT_EQ(fault(seastar("  vcs: 4\n  age_rr_select: -1\n")),
            "7: arbiter.age_rr_select must be an integer without sign");
  EXPECT_EQ(fault(seastar("  vcs: 3\n" + all)),
            "6: 3 VCs: their number must be even and divide the 8 queues (input ports x vcs)");
  EXPECT_EQ(fault(seastar("  vcs: 6\n" + all)),
            "6: 6 VCs: their number must be even and divide the 8 queues (input ports x vcs)");
  EXPECT_EQ(fault(arbiter("seastar-age", "  queues: 9\n  vcs: 3\n  age_clock_period: 8\n" + all)),
            "5: 3 VCs: their number must be even and divide the 9 queues (input ports x vcs)");
  EXPECT_EQ(fault(seastar("  vcs: 4\n  req_age_bias: [1]\n" + all)),
            "7: arbiter.req_age_bias has 1 items; 2 to 2 are allowed");
  EXPECT_EQ(fault(seastar("  vcs: 4\n  rsp_age_bias: [1, 8]\n" + all)),
            "7: arbiter.rsp_age_bias[1] is 8, which is not within 0..7");
  EXPECT_EQ(fault(arbiter("seastar-age", "  queues: 8\n  vcs: 4\n  age_clock_period: 0\n" + all)),
            "6: arbiter.age_clock_period is 0, which is not within 1..4294967295");
}

TEST(ArbiterConfigTrtcm, Faults) {
  const auto trtcm = [](const std::string& first, const std::string& second) {
    return arbiter("trtcm",
                   "  queues: 2\n  classes:\n    - {" + first + "}\n    - {" + second + "}\n");
  };
  const std::string good = "priority: 0, assured_rate: 0.2, peak_rate: 1.0";
  const std::string other = "priority: 1, assured_rate: 0, peak_rate: 0";
  EXPECT_EQ(fault(trtcm(good, other)), "accepted");
  EXPECT_EQ(fault(trtcm(good, "priority: 0, assured_rate: 0, peak_rate: 0")),
            "7: priority 0 is given to two classes");
  EXPECT_EQ(fault(trtcm(good, "priority: 1, assured_rate: 0.5, peak_rate: 0.4")),
            "7: the assured rate is above the peak rate");
  EXPECT_EQ(fault(trtcm(good, "priority: 1, assured_rate: -0.5, peak_rate: 0.4")),
            "7: arbiter.classes[1].assured_rate is -0.5, which is not within 0..65535");
  EXPECT_EQ(fault(trtcm(good, "priority: 1, assured_rate: half, peak_rate: 0.4")),
            "7: arbiter.classes[1].assured_rate must be a number");
  EXPECT_EQ(
      fault(trtcm(good + ", peak_burst: 3", other)),
      "6: a bucket of 3 flits does not hold a packet of 4 flits (strict: false accepts that)");
  EXPECT_EQ(fault(trtcm(good + ", peak_burst: 4", other)), "accepted");
  EXPECT_EQ(
      fault(trtcm("priority: 0, assured_rate: 0, peak_rate: 1, peak_burst: 3", other)),
      "6: a bucket of 3 flits does not hold a packet of 4 flits (strict: false accepts that)");
  // The bucket of a rate of 0 has size 0 whatever burst is given.
  EXPECT_EQ(fault(trtcm(good, other + ", peak_burst: 3")), "accepted");
  EXPECT_EQ(fault(trtcm(good + ", burst: 3", other)),
            "6: arbiter.classes[0] has an unknown key 'burst'");
  EXPECT_EQ(fault(arbiter("trtcm", "  queues: 2\n  classes: [{" + good + "}]\n")),
            "5: arbiter.classes has 1 items; 2 to 2 are allowed");
}

TEST(ArbiterConfigTrtcm, DefaultBurstsAreFourPackets) {
  const ArbiterConfig config = arbiter_config(
      "{policy: trtcm, queues: 1, max_packet_flits: 7, "
      "classes: [{priority: 0, assured_rate: 0.5, peak_rate: 1}]}");
  const auto& c = config.parameters.get<TrtcmConfig>().classes[0];
  EXPECT_EQ(c.assured_burst, 28);
  EXPECT_EQ(c.peak_burst, 28);
  EXPECT_EQ(c.assured_rate, 32768);
  EXPECT_EQ(c.peak_rate, 65536);
}

TEST(FixedPoint, IsExactForDecimalText) {
  EXPECT_EQ(fixed_16_16("0"), 0);
  EXPECT_EQ(fixed_16_16("1"), 65536);
  EXPECT_EQ(fixed_16_16("1."), 65536);
  EXPECT_EQ(fixed_16_16(".5"), 32768);
  EXPECT_EQ(fixed_16_16("0.2"), 13107);   // 13107.2
  EXPECT_EQ(fixed_16_16("0.45"), 29491);  // 29491.2
  EXPECT_EQ(fixed_16_16("0.35"), 22938);  // 22937.6
  EXPECT_EQ(fixed_16_16("2.5e-3"), 164);  // 163.84
  EXPECT_EQ(fixed_16_16("25E+1"), 250 * 65536);
  // 2^-17 is exactly half a unit and is rounded up; one digit less, and it is not. As a double, the
  // second is the first.
  EXPECT_EQ(fixed_16_16("0.00000762939453125"), 1);
  EXPECT_EQ(fixed_16_16("0.0000076293945312499999999999"), 0);
  EXPECT_EQ(0.0000076293945312499999999999, 0.00000762939453125);
  EXPECT_EQ(fixed_16_16("65535.99999237060546874"), UINT32_MAX);
  EXPECT_EQ(fixed_16_16("65535.99999237060546875"), std::nullopt);
  for (const char* bad :
       {"", ".", "-1", "+1", "1e", "1e999999999999", "0x1", "1_0", "65536", "1 ", "nan", "1e401"}) {
    EXPECT_EQ(fixed_16_16(bad), std::nullopt) << bad;
  }
}

TEST(ArbiterConfigYaml, ReadsBackToAnEqualConfig) {
  for (const std::string& text :
       {arbiter("rr", "  queues: 8\n"),
        arbiter("bxi-deficit",
                "  queues: 2\n  quantum_scale: 100\n  table: [{queue: 0, weight: 5}, "
                "{queue: 1, weight: 3}]\n"),
        arbiter("bxi-basic",
                "  queues: 1\n  strict: false\n  variant: printed\n  table: [{queue: 0, "
                "weight: 0}]\n"),
        arbiter("sbt",
                "  queues: 3\n  queue_sl: [0, 0, 1]\n  table: [{sl: 1, weight: 55}, {sl: 0, "
                "weight: 45}]\n"),
        arbiter("dtable",
                "  queues: 2\n  queue_sl: [1, 0]\n  sl_mtu: [2, 4]\n  table: [{sl: 0, "
                "weight: 7}, {sl: 1, weight: 9}, {sl: 0, weight: 2}]\n"),
        arbiter("infiniband",
                "  queues: 4\n  flit_bytes: 32\n  limit_of_high_priority: 255\n"
                "  low_turn: packet\n  strict: false\n  high: []\n"
                "  low: [{vl: 3, weight: 6}, {vl: 1, weight: 0}]\n"),
        arbiter("seastar-age",
                "  queues: 8\n  vcs: 4\n  req_age_bias: [1, 3]\n  rsp_age_bias: [0, 7]"
                "\n  age_clock_period: 4294967295\n  age_rr_select: 0x5\n"),
        arbiter("trtcm",
                "  queues: 2\n  classes: [{priority: 3, assured_rate: 0.1, peak_rate: 0.9, "
                "assured_burst: 5}, {priority: 0, assured_rate: 1e-5, peak_rate: 3}]\n")}) {
    const TemporaryFile first(text);
    const ArbiterConfig config = load_arbiter(first.name());
    const TemporaryFile second(to_yaml(config));
    EXPECT_EQ(load_arbiter(second.name()), config) << to_yaml(config);
  }
}

/// Every config that differs from `text` in one number or word of it, as far as it is one.
std::vector<ArbiterConfig> neighbours(const std::string& text) {
  std::vector<std::string> texts;
  for (const auto& [word, other] : std::map<std::string, std::string>{
           {"corrected", "printed"}, {"false", "true"}, {"true", "false"}, {"basic", "deficit"}}) {
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) {
      texts.push_back(text);
      texts.back().replace(at, word.size(), other);
    }
  }
  const std::string digits = "0123456789";
  for (std::size_t begin = text.find_first_of(digits); begin != std::string::npos;) {
    const std::size_t end = text.find_first_not_of(digits, begin);
    const std::uint64_t number = std::stoull(text.substr(begin, end - begin));
    for (const std::uint64_t other : {number + 1, number - 1}) {
      texts.push_back(text);
      texts.back().replace(begin, end - begin, std::to_string(other));
    }
    begin = text.find_first_of(digits, end);
  }
  std::vector<ArbiterConfig> configs;
  for (const std::string& changed : texts) {
    try {
      configs.push_back(parse_arbiter(YAML::Load(changed)["arbiter"], "c.yaml"));
    } catch (const InputError&) {  // no configuration
    }
  }
  return configs;
}

// Of a configuration all is written down, and all of it counts when two are compared.
TEST(ArbiterConfigs, AreEqualIfTheyAreWrittenAlike) {
  for (const std::string& policy : policy_names()) {
    Random random(7);
    int different = 0;
    for (int draws = 0; draws < 10; ++draws) {
      const ArbiterConfig config = random_config(random, policy_named(policy), kSmallArbiters);
      const std::string text = to_yaml(config);
      for (const ArbiterConfig& other : neighbours(text)) {
        EXPECT_EQ(config == other, text == to_yaml(other)) << text << to_yaml(other);
        different += config == other ? 0 : 1;
      }
    }
    EXPECT_GT(different, policy == "rr" ? 20 : 50) << policy;
  }
}

TEST(ArbiterConfigs, HaveParametersOfOnePolicyOnly) {
  const Parameters bxi(BxiConfig{.table = {{0, 1}}});
  EXPECT_EQ(bxi.get<BxiConfig>().table.size(), 1U);
  EXPECT_EQ(bxi.get_if<SbtConfig>(), nullptr);
  EXPECT_THROW((void)bxi.get<SbtConfig>(), std::logic_error);
  EXPECT_NE(bxi, Parameters(SbtConfig{}));
  EXPECT_NE(bxi, Parameters());
  EXPECT_NE(Parameters(), bxi);
  EXPECT_EQ(Parameters(), Parameters());
}

TEST(Heads, AreSaidInWords) {
  const auto words = [](Head head) { return fmt::format("{}", HeadInWords{head}); };
  EXPECT_EQ(words({}), "empty");
  EXPECT_EQ(words({.flits = 1}), "1 flit");
  EXPECT_EQ(words({.flits = 7, .stopped = true}), "7 flits, stopped");
  EXPECT_EQ(words({.flits = 1, .says_zero = true}), "0 flits, which count as 1");
}

TEST(Outcomes, DifferInEachMember) {
  const Decision decision{.queue = 1, .flits = 2, .age = 3};
  for (const Decision& other :
       {Decision{.queue = 0, .flits = 2, .age = 3}, Decision{.queue = 1, .flits = 3, .age = 3},
        Decision{.queue = 1, .flits = 2, .age = 4}}) {
    EXPECT_NE(decision, other);
    EXPECT_NE((TimedDecision{0, decision}), (TimedDecision{0, other}));
  }
  EXPECT_NE((TimedDecision{0, decision}), (TimedDecision{1, decision}));
  const Event event{.cycle = 1, .kind = EventKind::Arrive, .age = 2, .queue = 3, .flits = 4};
  for (const Event& other :
       {Event{.cycle = 2, .kind = EventKind::Arrive, .age = 2, .queue = 3, .flits = 4},
        Event{.cycle = 1, .kind = EventKind::Stamp, .age = 2, .queue = 3, .flits = 4},
        Event{.cycle = 1, .kind = EventKind::Arrive, .age = 3, .queue = 3, .flits = 4},
        Event{.cycle = 1, .kind = EventKind::Arrive, .age = 2, .queue = 4, .flits = 4},
        Event{.cycle = 1, .kind = EventKind::Arrive, .age = 2, .queue = 3, .flits = 5}}) {
    EXPECT_NE(event, other);
  }
}

TEST(Policies, ShareAChipClockOrHaveNone) {
  Random random(3);
  for (const PolicyRef policy : policies()) {
    const ArbiterConfig config = random_config(random, policy, kSmallArbiters);
    EXPECT_EQ(testing::PrintToString(policy), policy.name());
    if (policy->shares_chip_clock()) {
      const auto clock = policy->make_chip_clock(config);
      EXPECT_EQ(policy->make_reference(config, clock)->describe(),
                make_reference(config)->describe());
    } else {
      EXPECT_THROW((void)policy->make_chip_clock(config), std::logic_error) << policy;
      EXPECT_EQ(policy->make_reference(config, nullptr)->describe(),
                make_reference(config)->describe());
    }
  }
  EXPECT_THROW(policy_named("wfq"), std::invalid_argument);
}

}  // namespace
}  // namespace qosarb::test
