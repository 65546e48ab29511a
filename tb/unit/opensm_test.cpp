// Import of OpenSM's QoS options: what OpenSM itself wrote into a simulated port, what the strict
// reading refuses, and, where they are installed, OpenSM and smpquery themselves.
#include "qosarb/config/opensm.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "policy_under_test.hpp"
#include "qosarb/policy/infiniband.hpp"

namespace qosarb::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A folder that lives as long as its test.
class TemporaryFolder {
 public:
  TemporaryFolder()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("qosarb_opensm.{}.{}", getpid(), fmt::ptr(this))) {
    std::filesystem::create_directory(path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  TemporaryFolder(TemporaryFolder&&) = delete;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path_ / name).rdbuf();
    return text.str();
  }
  [[nodiscard]] std::string name() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// A port of ibsim: 8 data VLs, tables of 8 entries.
constexpr OpenSmPort kIbsimPort{
    .target = OpenSmTarget::Ca, .data_vls = 8, .low_cap = 8, .high_cap = 8};

OpenSmQos load(const std::string& text, const OpenSmPort& port, OpenSmReading reading) {
  const TemporaryFolder folder;
  return load_opensm(folder.write("opensm.conf", text), port, reading);
}

std::string fault(const std::string& text, const OpenSmPort& port = {}) {
  const TemporaryFolder folder;
  const std::string file = folder.write("opensm.conf", text);
  try {
    load_opensm(file, port, OpenSmReading::Strict);
  } catch (const InputError& e) {
    return std::string(e.what()).substr(file.size() + 1);
  }
  return "accepted";
}

/// Everything that OpenSM bends: weights above 255, VLs above 14, a missing weight, words, numbers
/// below 0, SL lists that are too short, VLs beyond the port.
const char* const kBent =
    "qos TRUE\n"
    "qos_high_limit 3\n"
    "qos_vlarb_high 0:4,1:300,15:2,17:3,5:6  # a remark\n"
    "qos_vlarb_low 2:1,3,4:5,x:7,-1:9\n"
    "qos_sl2vl 0,1,15,9,20\n";

/// The tables in the layout of `smpquery vlarb`, without its first line, which names the port
/// asked.
std::string to_smpquery_vlarb(const OpenSmQos& qos) {
  constexpr std::size_t kBlockEntries = 32;
  const auto print = [](const char* name, const std::vector<InfiniBandConfig::Entry>& table) {
    std::string text =
        table.empty() ? "" : fmt::format("# {} priority VL Arbitration Table:", name);
    for (std::size_t begin = 0; begin < table.size(); begin += kBlockEntries) {
      const std::size_t end = std::min(begin + kBlockEntries, table.size());
      text += "\nVL    : |";
      for (std::size_t e = begin; e < end; ++e) {
        text += fmt::format("0x{:<2X}|", table[e].vl);
      }
      text += "\nWEIGHT: |";
      for (std::size_t e = begin; e < end; ++e) {
        text += fmt::format("0x{:<2X}|", table[e].weight);
      }
      text += "\n";
    }
    return text;
  };
  return print("Low", qos.low) + print("High", qos.high);
}

// What `smpquery vlarb` and `sl2vl` showed after OpenSM 3.3.23 had read this file, on ibsim 0.10.
TEST(OpenSm, BendsValuesAsOpenSmDoes) {
  const OpenSmQos qos = load(kBent, kIbsimPort, OpenSmReading::AsOpenSmDoes);
  EXPECT_EQ(to_smpquery_vlarb(qos),
            "# Low priority VL Arbitration Table:\n"
            "VL    : |0x2 |0x3 |0x5 |0x0 |0x0 |0x0 |0x0 |0x0 |\n"
            "WEIGHT: |0x1 |0x4 |0x0 |0x7 |0x9 |0x0 |0x0 |0x0 |\n"
            "# High priority VL Arbitration Table:\n"
            "VL    : |0x0 |0x1 |0x0 |0x2 |0x5 |0x0 |0x0 |0x0 |\n"
            "WEIGHT: |0x4 |0x2C|0x2 |0x3 |0x6 |0x0 |0x0 |0x0 |\n");
  EXPECT_THAT(qos.sl_vl, ElementsAre(0, 1, 15, 1, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(qos.limit_of_high_priority, 3U);
}

// The defaults are those of the manual page. On 8 VLs those above are folded, as by OpenSM.
TEST(OpenSm, HasOpenSmsDefaults) {
  for (const OpenSmReading reading : {OpenSmReading::Strict, OpenSmReading::AsOpenSmDoes}) {
    // As OpenSM writes options that are not given.
    const OpenSmQos qos = load("qos_max_vls 0\nqos_high_limit -1\nqos_vlarb_high (null)\n",
                               {.data_vls = 15}, reading);
    EXPECT_EQ(qos.max_vls, 15);
    EXPECT_EQ(qos.limit_of_high_priority, 0U);
    ASSERT_EQ(qos.high.size(), 64U);
    for (std::size_t e = 0; e < 64; ++e) {
      EXPECT_EQ(qos.high[e].weight, e == 0 ? 4U : 0U);
      EXPECT_EQ(qos.low[e].weight, e >= 1 && e <= 14 ? 4U : 0U);
      EXPECT_EQ(qos.low[e].vl, e <= 14 ? e : 0);
    }
    EXPECT_THAT(qos.sl_vl, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 7));
    EXPECT_THAT(load("qos_high_limit -1\n", {}, reading).sl_vl,
                ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7));
  }
}

// The wrong file would give a plausible answer.
TEST(OpenSm, AFileWithoutQosOptionsIsTakenOnlyAsOpenSmDoes) {
  const std::string text = "# qos_high_limit 1\nqos TRUE\npolicy: rr\n";
  for (const std::string& none : {text, std::string(), std::string("\n\nqos_policy_file a\n")}) {
    EXPECT_THAT(fault(none), HasSubstr("ends without an option of arbitration"));
    EXPECT_THAT(fault(none), StartsWith(none.empty() ? "1: " : "3: "));
  }
  EXPECT_EQ(load(text, {}, OpenSmReading::AsOpenSmDoes).limit_of_high_priority, 0U);
}

TEST(OpenSm, ATargetsOwnOptionsComeBeforeTheDefaultSet) {
  const std::string text =
      "qos_high_limit 1\nqos_ca_high_limit 2\nqos_sw0_high_limit 3\nqos_swe_high_limit 4\n"
      "qos_rtr_high_limit 5\nqos_vlarb_low 1:1\nqos_swe_vlarb_low '2:2'\nqos_policy_file a\n"
      "qos_rtr_vlarb_low \"3:3\"\n"
      "max_op_vls 5\n";
  std::vector<std::uint32_t> limits;
  for (const OpenSmTarget target : {OpenSmTarget::Ca, OpenSmTarget::SwitchPort0,
                                    OpenSmTarget::SwitchExternal, OpenSmTarget::Router}) {
    const OpenSmQos qos = load(text, {.target = target}, OpenSmReading::Strict);
    limits.push_back(qos.limit_of_high_priority);
    EXPECT_EQ(qos.low[0].vl, target == OpenSmTarget::SwitchExternal ? 2
                             : target == OpenSmTarget::Router       ? 3
                                                                    : 1);
  }
  EXPECT_THAT(limits, ElementsAre(2, 3, 4, 5));
}

TEST(OpenSm, NumbersOutOfRangeFallBackAsInOpenSm) {
  const auto limit = [](const std::string& text) {
    return load(text, {}, OpenSmReading::AsOpenSmDoes).limit_of_high_priority;
  };
  EXPECT_EQ(limit("qos_high_limit 0x10\n"), 16U);
  EXPECT_EQ(limit("qos_high_limit 256\n"), 0U);
  EXPECT_EQ(limit("qos_high_limit 7\nqos_swe_high_limit 256\n"), 7U);
  EXPECT_EQ(limit("qos_high_limit 7\nqos_high_limit 9\n"), 9U);
  EXPECT_EQ(limit("qos_high_limit 7\nqos_high_limit many\n"), 7U);
  // What does not fit the integer that OpenSM has for it is not read; what fits, but not the
  // option, is read and replaced by the default.
  for (const char* beyond : {"2147483648", "-2147483649", "99999999999999999999", ""}) {
    EXPECT_EQ(limit(fmt::format("qos_high_limit 7\nqos_high_limit {}\n", beyond)), 7U) << beyond;
  }
  EXPECT_EQ(limit("qos_high_limit 7\nqos_high_limit -5\n"), 0U);
  EXPECT_EQ(limit("qos_high_limit 7\nqos_high_limit -1\n"), 0U);  // as if none were given
  EXPECT_EQ(limit("qos_hi_limit 7\n"), 0U);
  const auto max_vls = [](const std::string& text) {
    return load(text, {}, OpenSmReading::AsOpenSmDoes).max_vls;
  };
  EXPECT_EQ(max_vls("qos_max_vls 16\n"), 15);
  for (const char* beyond : {"4294967296", "-1", "few"}) {
    EXPECT_EQ(max_vls(fmt::format("qos_max_vls 3\nqos_max_vls {}\n", beyond)), 3) << beyond;
  }
  // It reads a line in pieces, each of which is a line to it.
  EXPECT_EQ(limit(std::string(1022, '-') + "qos_high_limit 9\n"), 9U);
}

TEST(OpenSm, TablesWithoutWeightsAreNone) {
  const OpenSmQos qos =
      load("qos_vlarb_high 0:0\nqos_vlarb_low 1:1,0:0\n", kIbsimPort, OpenSmReading::AsOpenSmDoes);
  const auto tables = arbiter_config(qos, kIbsimPort, 4, 64).parameters.get<InfiniBandConfig>();
  EXPECT_TRUE(tables.high.empty());
  EXPECT_EQ(tables.low.size(), 1U);
}

TEST(OpenSm, MayBeNoDirectory) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { load_opensm(folder.name(), {}, OpenSmReading::Strict); },
              testing::ThrowsMessage<InputError>(folder.name() + ": cannot be read"));
}

// osm_qos.c writes cap % 32 entries in the second block: a table of 64 loses its second half, and
// one of 40 keeps all.
TEST(OpenSm, LosesTheSecondBlockOfATableOf64Entries) {
  std::string text = "qos_vlarb_high 1:1";
  for (int e = 1; e < 70; ++e) {
    text += ",1:1";
  }
  const auto entries = [&text](int cap, OpenSmReading reading) {
    int used = 0;
    for (const auto& entry : load(text, {.high_cap = cap}, reading).high) {
      used += entry.weight > 0 ? 1 : 0;
    }
    return used;
  };
  EXPECT_EQ(entries(64, OpenSmReading::AsOpenSmDoes), 32);
  EXPECT_EQ(entries(40, OpenSmReading::AsOpenSmDoes), 40);
  EXPECT_EQ(entries(8, OpenSmReading::AsOpenSmDoes), 8);
  EXPECT_EQ(fault(text + "\n"), "1: vlarb_high has 70 entries; the port's table has 64");
  text = text.substr(0, 15 + 65 * 4 - 1);
  EXPECT_EQ(fault(text + "\n"), "1: vlarb_high has 65 entries; the port's table has 64");
  text = text.substr(0, 15 + 64 * 4 - 1);
  EXPECT_EQ(entries(64, OpenSmReading::Strict), 64);
}

TEST(OpenSmStrict, RefusesWhatOpenSmBends) {
  EXPECT_EQ(fault("qos_vlarb_high 0:4,1:0\nqos_sl2vl 0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,15\n"),
            "accepted");
  EXPECT_EQ(fault("#\nqos_vlarb_high 0:256\n"),
            "2: vlarb_high: the weight is 256, which is not within 0..255");
  EXPECT_EQ(fault("qos_vlarb_low 15:1\n"),
            "1: vlarb_low: VL15 is for subnet management and stands in no table");
  EXPECT_EQ(fault("qos_vlarb_low 8:1\n"), "1: vlarb_low: VL 8 is beyond the port's 8 VLs");
  EXPECT_EQ(fault("qos_vlarb_low 8:1\n", {.data_vls = 15}), "accepted");
  EXPECT_EQ(fault("qos_vlarb_low 1\n"), "1: vlarb_low: '1' is not VL:weight");
  EXPECT_EQ(fault("qos_vlarb_low \"\n"), "1: vlarb_low: '\"' is not VL:weight");
  EXPECT_EQ(fault("qos_vlarb_low 1:2,\n"), "1: vlarb_low: '' is not VL:weight");
  EXPECT_EQ(fault("qos_vlarb_low x:2\n"), "1: vlarb_low: the VL must be a number, not 'x'");
  EXPECT_EQ(fault("qos_vlarb_low 1:-2\n"),
            "1: vlarb_low: the weight is -2, which is not within 0..255");
  EXPECT_EQ(fault("qos_sl2vl 0,1\n"), "1: sl2vl has 2 VLs; 16 are expected");
  EXPECT_EQ(fault("qos_sl2vl 0,1,2,3,4,5,6,7,8,0,0,0,0,0,0,0\n"),
            "1: sl2vl: VL 8 of SL 8 is beyond the port's 8 VLs");
  EXPECT_EQ(fault("qos_high_limit 256\n"), "1: high_limit is 256, which is not within 0..255");
  EXPECT_EQ(fault("qos_high_limit 99999999999999999999\n"),
            "1: high_limit must be a number, not '99999999999999999999'");
  EXPECT_EQ(fault("qos_max_vls 16\n"), "1: max_vls is 16, which is not within 1..15");
  EXPECT_EQ(fault("qos_high_limit 1\nqos_high_limit 1\n"),
            "2: 'qos_high_limit' is given twice, first in line 1");
  EXPECT_EQ(fault("qos_vlarb 0:1\n"), "1: 'qos_vlarb' is no QoS option of OpenSM");
  // The manual page's own example.
  EXPECT_EQ(fault("qos_sw0_max_vls=2\n"),
            "1: 'qos_sw0_max_vls=2' is no QoS option of OpenSM (a space stands between key and "
            "value)");
  EXPECT_THROW(load_opensm("/nonexistent/opensm.conf", {}, OpenSmReading::Strict), InputError);
}

TEST(OpenSm, MakesAnArbiter) {
  const std::string text =
      "qos_high_limit 0\nqos_vlarb_high 0:4\nqos_vlarb_low 1:2,2:0,3:1\nqos_max_vls 4\n";
  const OpenSmPort port{.data_vls = 4};
  const ArbiterConfig config = arbiter_config(load(text, port, OpenSmReading::Strict), port, 16);
  const auto& tables = config.parameters.get<InfiniBandConfig>();
  EXPECT_EQ(tables.high.size(), 1U);
  EXPECT_EQ(tables.low.size(), 3U);
  Port arbiter = port_under_test(config);
  for (int q = 0; q < 4; ++q) {
    arrive(arbiter, 0, q, {1, 1, 1, 1});
  }
  EXPECT_THAT(winners(arbiter, 8), ElementsAre(0, 1, 1, 0, 3, 0, 1, 1));
}

/// Runs OpenSM on a simulated fabric of a switch and two hosts, once, and asks the first host's
/// port for its tables. Everything happens in the folder, and only what was started here is ended.
const char* const kSimulate = R"(
cd "$1" || exit 9
sim=$(ls /usr/lib/*/umad2sim/libumad2sim.so 2>/dev/null | head -1)
for tool in opensm ibsim smpquery; do
  PATH=$PATH:/usr/sbin command -v $tool > /dev/null || exit 77
done
test -n "$sim" || exit 77
PATH=$PATH:/usr/sbin
export IBSIM_SOCKNAME="qosarb.$$" OSM_TMP_DIR=./ OSM_CACHE_DIR=./
ibsim -s -n net > ibsim.out 2>&1 &
ibsim=$!
trap 'kill $ibsim' EXIT
for i in 1 2 3 4 5 6 7 8 9 10; do
  grep -q "Network simulator ready" ibsim.out && break
  sleep 0.2
done
export LD_PRELOAD=$sim SIM_HOST=Hca1
timeout 60 opensm -F opensm.conf -o -f ./opensm.log > opensm.out 2>&1 || exit 8
timeout 20 smpquery -D vlarb 0 1 > vlarb.out 2>&1 || exit 8
timeout 20 smpquery -D sl2vl 0 1 > sl2vl.out 2>&1 || exit 8
)";

TEST(OpenSm, AgreesWithOpenSmOnASimulatedFabric) {
  Random random(test_seed(64));
  for (int round = 0; round < 3; ++round) {
    std::string text = kBent;
    if (round > 0) {
      text = "qos TRUE\n";
      for (const char* name : {"qos_vlarb_high", "qos_ca_vlarb_low"}) {
        text += fmt::format("{} {}:{}", name, random.from(0, 40), random.from(0, 600));
        for (int e = random.from(0, 10); e > 0; --e) {
          const char* const before[] = {",", ",0x", ",,", ", ", ",-", ",a"};
          const char* const between[] = {":", ":", ":", ",", "::", ":0"};
          text += fmt::format("{}{}{}{}", before[random.below(6)], random.from(0, 40),
                              between[random.below(6)], random.from(0, 600));
        }
        text += "\n";
      }
      text += "qos_sl2vl 3";
      for (int sl = random.from(5, 20); sl > 0; --sl) {
        text += fmt::format(",{}", random.from(0, 17));
      }
      text += "\n";
    }
    const TemporaryFolder folder;
    const std::string file = folder.write("opensm.conf", text);
    static_cast<void>(
        folder.write("net",
                     "Switch 8 \"Switch1\"\n[1] \"Hca1\"[1]\n[4] \"Hca2\"[1]\n\n"
                     "Hca 2 \"Hca1\"\n[1] \"Switch1\"[1]\n\nHca 2 \"Hca2\"\n[1] \"Switch1\"[4]\n"));
    const std::string script = folder.write("simulate.sh", kSimulate);
    const int status = std::system(fmt::format("sh {} {}", script, folder.name()).c_str());
    if (WEXITSTATUS(status) == 77) {
      GTEST_SKIP() << "Debian's opensm, ibsim-utils and infiniband-diags are not all installed";
    }
    ASSERT_EQ(WEXITSTATUS(status), 0) << folder.read("opensm.out") << folder.read("vlarb.out");
    const OpenSmQos qos = load_opensm(file, kIbsimPort, OpenSmReading::AsOpenSmDoes);
    const std::string vlarb = folder.read("vlarb.out");
    EXPECT_EQ(vlarb.substr(vlarb.find('\n') + 1), to_smpquery_vlarb(qos)) << text;
    std::string row = "|";
    for (const int vl : qos.sl_vl) {
      row += fmt::format("{:2}|", vl);
    }
    EXPECT_THAT(folder.read("sl2vl.out"), HasSubstr("ports: in  0, out  0: " + row)) << text;
    std::cout << vlarb;
  }
}

}  // namespace
}  // namespace qosarb::test
