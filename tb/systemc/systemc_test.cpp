// The SystemC programs, run as a user runs them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cosim/policy/policy_rtl.hpp"
#include "qosarb/policy/policy.hpp"
#include "random/policy_random.hpp"
#include "run_command.hpp"
#include "systemc/rtl_size.hpp"

namespace qosarb::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// run_command() runs one command, which here is env(1).
Outcome run(const std::string& program, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program);
  return run_command(arguments);
}

// A scenario that ships, with a shorter run.
std::string shortened(const std::string& scenario, const std::string& run) {
  std::string text = contents(QOSARB_SOURCE_DIR "/scenarios/" + scenario);
  const std::size_t line = text.find("\nrun: ") + 1;
  EXPECT_NE(line, 0U) << scenario;
  return text.replace(line, text.find('\n', line) - line, "run: " + run);
}

// Its `arbiter:` section.
std::string arbiter_of(const std::string& scenario) {
  const std::string text = contents(QOSARB_SOURCE_DIR "/scenarios/" + scenario);
  const std::size_t begin = text.find("arbiter:");
  return text.substr(begin, text.find("network:") - begin);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// Fig. 6 of the BXIv3 paper: two entries of 2 flits. Who wins, worked by hand, is
//   0 (1 flit of 2), 1 (2 flits do not fit queue 0's last one, which is saved: deficit 1),
//   0 (2 of 2 + 1), 0 (the third), 1, 1.
// A packet of L flits keeps the link busy for L cycles. The first rising edge shows the heads.
constexpr const char* kFigure6 =
    "cycle 1: queue 0, 1 flit(s)\n"
    "cycle 2: queue 1, 2 flit(s)\n"
    "cycle 4: queue 0, 2 flit(s)\n"
    "cycle 6: queue 0, 1 flit(s)\n"
    "cycle 7: queue 1, 1 flit(s)\n"
    "cycle 8: queue 1, 1 flit(s)\n";

TEST(SystemC, TheExampleOfTheDocumentationGivesTheFigureOfThePaper) {
  const Outcome outcome = run(SYSTEMC_EXAMPLE, {});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, kFigure6);
  EXPECT_THAT(contents(QOSARB_SOURCE_DIR "/docs/systemc.md"),
              HasSubstr(fmt::format("```\n{}```\n", kFigure6)));
}

// The lines of the page that bind the reference, compiled as they stand there: the arbiter comes
// from a file in the folder in which the program runs.
TEST(SystemC, TheLinesOfTheDocumentationBindTheReference) {
  ScratchDirectory scratch;
  (void)scratch.file(
      "arbiter.yaml",
      "arbiter: {policy: bxi-deficit, queues: 2, max_packet_flits: 2, quantum_scale: 1,\n"
      "  table: [{queue: 0, weight: 2}, {queue: 1, weight: 2}]}\n");
  const Outcome outcome = run("-C", {scratch.path("."), SYSTEMC_BINDING});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, kFigure6);
}

// A switch in which each of the queues has traffic, more than the link takes, and a random arbiter
// of the policy that serves all of them.
std::string random_scenario(const PolicyRtl& rtl) {
  Random random(test_seed());
  RtlLimits limits = kRtl;
  limits.packet_flits = 16;
  ArbiterConfig config;
  const bool chip_clock = rtl.policy()->shares_chip_clock();
  const auto four_vcs = [](const ArbiterConfig& drawn) {  // of each of at least two ports
    return drawn.queues >= 8 && to_yaml(drawn).find("  vcs: 4\n") != std::string::npos;
  };
  do {
    config = random_config(random, rtl.policy(), limits);
  } while (!config.strict || (chip_clock ? !four_vcs(config) : config.queues < 4));
  const int inputs = chip_clock ? config.queues / 4 : 4;
  std::string text =
      to_yaml(config) +
      fmt::format(
          "network:\n  topology: {{kind: single-switch, ports: {}}}\n"
          "  link: {{gbps: 400, delay_ns: 25}}\n  flit_bytes: 64\n"
          "  switch: {{input_queue_flits: 768, output_queue_flits: 768, crossbar_speedup: 2, "
          "flow_control: pfc}}\ntraffic:\n",
          inputs);
  const int queues = chip_clock ? 4 : config.queues;
  for (Index queue = 0; queue < queues; ++queue) {
    text += fmt::format(
        "  - {{name: t{0}, queue: {0}, pattern: uniform, load: {1:.2f}, "
        "message_bytes: {2}}}\n",
        queue, 1.2 / queues, random.from(1, 2048));
  }
  return text + "run: {warmup_us: 2, measure_us: 8, seed: 1}\n";
}

// The NICs have an arbiter of their own.
std::string scenario_of_two_arbiters() {
  const std::string text =
      shortened("step-deficit-8.yaml", "{warmup_us: 1, measure_us: 4, seed: 1}");
  return text + "arbiters: [{at: nics, arbiter: {policy: rr, queues: 5, max_packet_flits: 80}}]\n";
}

struct NamedScenario {
  std::string name;
  std::function<std::string()> text;
  int decisions;  // there are at least so many
};
void PrintTo(const NamedScenario& scenario, std::ostream* out) { *out << scenario.name; }

std::vector<NamedScenario> scenarios() {
  std::vector<NamedScenario> all;
  for (const std::string name : {"step-deficit-8", "2powers-basic-8", "fair-rr-8"}) {
    all.push_back(
        {name,
         [name] { return shortened(name + ".yaml", "{warmup_us: 4, measure_us: 8, seed: 1}"); },
         4'000});
  }
  for (const PolicyRtl* policy : policies_with_rtl()) {
    all.push_back({std::string(policy->policy().name()),
                   [policy] { return random_scenario(*policy); }, 2'000});
  }
  all.push_back({"two-arbiters", scenario_of_two_arbiters, 1'000});
  return all;
}

class SystemCScenario : public ::testing::TestWithParam<NamedScenario> {
 protected:
  ScratchDirectory scratch_;
};

// The decisions at the RTL's pins, as the checker sees them with each rising edge, are those of the
// bench without SystemC and of `qosarb sim`: cycle, port, queue and flits, each of them.
TEST_P(SystemCScenario, HasTheDecisionsOfTheCppBench) {
  const std::string scenario = scratch_.file("s.yaml", GetParam().text());
  SCOPED_TRACE(contents(scenario));
  const Outcome pins =
      run(SYSTEMC_BENCH, {scenario, "--seed", "3", "--decisions", scratch_.path("pins.csv")});
  ASSERT_EQ(pins.status, 0) << pins.err;
  const Outcome calls =
      run(SYSTEMC_DECISIONS, {scenario, "--seed", "3", "--decisions", scratch_.path("calls.csv")});
  ASSERT_EQ(calls.status, 0) << calls.err;
  const Outcome command = run(QOSARB_PROGRAM, {"sim", scenario, "--seed", "3", "--json"});
  ASSERT_EQ(command.status, 0) << command.err;

  const std::string decisions = contents(scratch_.path("pins.csv"));
  EXPECT_EQ(decisions, contents(scratch_.path("calls.csv")));
  const auto rows = std::count(decisions.begin(), decisions.end(), '\n') - 1;
  EXPECT_GT(rows, GetParam().decisions);
  EXPECT_THAT(pins.out, HasSubstr(fmt::format("{} of them compared: 0 mismatches\n", rows)));
  EXPECT_EQ(nlohmann::json::parse(command.out)["decisions"], rows);
}

INSTANTIATE_TEST_SUITE_P(EveryPolicy, SystemCScenario, ::testing::ValuesIn(scenarios()),
                         [](const auto& scenario) {
                           std::string name = scenario.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class SystemCBench : public ::testing::Test {
 protected:
  Outcome bench(const std::string& scenario, std::vector<std::string> more) {
    more.insert(more.begin(), scenario);
    return run(SYSTEMC_BENCH, more);
  }
  // What the log in `found` brings out by its config and by the one of `other`: the same up to the
  // last decision, which differs as `told`.
  static void expect_differs_in_the_end(const std::string& found, const std::string& other,
                                        const std::string& told,
                                        const std::vector<std::string>& options = {}) {
    const auto decide = [&](const std::string& config) {
      std::vector<std::string> command = {"decide", "--config", config, "--events",
                                          found + "/events.csv"};
      command.insert(command.end(), options.begin(), options.end());
      const Outcome decided = run(QOSARB_PROGRAM, command);
      EXPECT_EQ(decided.status, 0) << decided.err;
      return decided.out;
    };
    const std::string by_rtl = decide(found + "/config.yaml");
    const std::string by_other = decide(other);
    const std::size_t last = by_rtl.rfind('\n', by_rtl.size() - 2);
    EXPECT_EQ(by_rtl.substr(0, last), by_other.substr(0, last));
    EXPECT_NE(by_rtl, by_other);
    const auto winner = [last](const std::string& decisions) {
      const std::size_t queue = decisions.find(',', last) + 1;
      return decisions.substr(queue, decisions.find(',', queue) - queue);
    };
    EXPECT_THAT(told, ContainsRegex("the reference grants queue " + winner(by_other) +
                                    " .*, the RTL queue " + winner(by_rtl) + " "));
  }
  ScratchDirectory scratch_;
  std::string scenario_ = scratch_.file(
      "s.yaml", shortened("step-deficit-8.yaml", "{warmup_us: 1, measure_us: 20, seed: 1}"));
};

// The reference has another weight, another policy: the checker has to see it.
TEST_F(SystemCBench, AReferenceThatIsProgrammedDifferentlyIsFound) {
  const std::string arbiter = arbiter_of("step-deficit-8.yaml");
  for (const std::string& other :
       {replaced(arbiter, "{queue: 4, weight: 1}", "{queue: 4, weight: 2}"),
        replaced(arbiter, "bxi-deficit", "bxi-basic"),
        std::string("arbiter: {policy: rr, queues: 5, max_packet_flits: 80}\n")}) {
    const Outcome outcome =
        bench(scenario_, {"--cycles", "60000", "--reference", scratch_.file("other.yaml", other),
                          "--decisions", scratch_.path("decisions.csv"), "--reproducer",
                          scratch_.path("found")});
    EXPECT_EQ(outcome.status, 1) << other << outcome.out;
    EXPECT_THAT(outcome.err,
                AllOf(ContainsRegex("mismatch in cycle [0-9]+ at switch0.port[0-7]|"
                                    "mismatch in cycle [0-9]+ at host[0-7].nic"),
                      ContainsRegex("the reference grants queue [0-4] \\(one-hot 0x[0-9a-f]+\\), "
                                    "the RTL queue [0-4] \\(one-hot 0x[0-9a-f]+\\)"),
                      HasSubstr("candidates: queue "), HasSubstr("reference, after its decision"),
                      ContainsRegex("\n  [0-9]+ decisions were compared before"),
                      HasSubstr("reproducer: " + scratch_.path("found"))));
    EXPECT_THAT(outcome.out, Not(HasSubstr("0 mismatches")));
    EXPECT_FALSE(std::filesystem::exists(scratch_.path("decisions.csv")));
    EXPECT_THAT(
        contents(scratch_.path("found/README.txt")),
        HasSubstr("\nFound by: systemc_bench " + scenario_ +
                  " --seed 1 --cycles 60000 --reference " + scratch_.path("other.yaml") + "\n"));
    expect_differs_in_the_end(scratch_.path("found"), scratch_.path("other.yaml"), outcome.err);
    std::filesystem::remove_all(scratch_.path("found"));
  }
}

// The log has what the other ports of the chip do to its clock.
TEST_F(SystemCBench, AReproducerOfAPortThatSharesItsChipsClockIsARawLog) {
  const std::string arbiter =
      "arbiter: {policy: seastar-age, queues: 12, max_packet_flits: 9, vcs: 4,\n"
      "  age_clock_period: 1, req_age_bias: [1, 2, 3], rsp_age_bias: [1, 2, 3],\n"
      "  age_rr_select: 0xffffffffffffffff}\n";
  const std::string routers = scratch_.file(
      "r.yaml", arbiter +
                    "network:\n  topology: {kind: mesh, dims: [3]}\n"
                    "  link: {gbps: 32, delay_ns: 20}\n  flit_bytes: 8\n"
                    "  switch: {architecture: seastar, vcs: 4, input_queue_flits: 96,\n"
                    "    output_queue_flits: 16, flow_control: credit}\n"
                    "traffic:\n"
                    "  - {name: a, queue: 0, pattern: uniform, load: 0.9, message_bytes: 72}\n"
                    "  - {name: b, queue: 2, pattern: uniform, load: 0.7, message_bytes: 40}\n"
                    "run: {warmup_us: 0, measure_us: 6, seed: 3}\n");
  const std::string other =
      scratch_.file("other.yaml", replaced(arbiter, "0xffffffffffffffff", "0"));
  const std::string found = scratch_.path("found");
  const Outcome outcome = bench(routers, {"--reference", other, "--reproducer", found});
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("mismatch in cycle "));
  EXPECT_THAT(contents(found + "/README.txt"), HasSubstr(" events.csv --raw --engine lockstep\n"));
  EXPECT_THAT(contents(found + "/events.csv"), AllOf(HasSubstr(",stamp,"), HasSubstr(",enter,")));
  expect_differs_in_the_end(found, other, outcome.err, {"--raw"});
}

// A rule of the port's surroundings is broken at one of the ports, in the midst of a run.
TEST_F(SystemCBench, ACheckThatIsBoundToTheRtlEndsTheRun) {
  const Outcome outcome = bench(scenario_, {"--cycles", "600", "--abandon-transfer", "500",
                                            "--reproducer", scratch_.path("found")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(
      outcome.err,
      AllOf(HasSubstr("Assertion failed in switch0_port0.qosarb_port."),
            HasSubstr("apb_setup_lasts_one_cycle"),
            HasSubstr("mismatch in cycle 502 at switch0.port0: a check that is bound to the RTL "
                      "fails\n"),
            HasSubstr("reproducer: " + scratch_.path("found"))));
  EXPECT_THAT(contents(scratch_.path("found/README.txt")),
              HasSubstr(" --seed 1 --cycles 600 --abandon-transfer 500\n"));
  // Nothing was wrong with the packets.
  const Outcome replayed =
      run(QOSARB_PROGRAM, {"decide", "--config", scratch_.path("found/config.yaml"), "--events",
                           scratch_.path("found/events.csv")});
  EXPECT_EQ(replayed.status, 0) << replayed.err;
}

// Nobody says when a trace ends but its ranks.
TEST_F(SystemCBench, RunsATraceToItsEnd) {
  const std::string trace = scratch_.file(
      "t.yaml",
      "arbiter: {policy: rr, queues: 2, max_packet_flits: 4}\n"
      "network:\n"
      "  topology: {kind: single-switch, ports: 3}\n"
      "  link: {gbps: 400, delay_ns: 5}\n"
      "  flit_bytes: 64\n"
      "  switch: {input_queue_flits: 200, output_queue_flits: 100, crossbar_speedup: 2, "
      "flow_control: pfc}\n"
      "traffic:\n"
      "  - {name: a, queue: 0, application: allreduce, message_bytes: 640}\n");
  const std::string ours = scratch_.path("ours.csv");
  const std::string theirs = scratch_.path("theirs.csv");
  const Outcome outcome = bench(trace, {"--decisions", ours});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("trace a: done after"));
  ASSERT_EQ(run(SYSTEMC_DECISIONS, {trace, "--decisions", theirs}).status, 0);
  EXPECT_EQ(contents(ours), contents(theirs));
}

TEST_F(SystemCBench, RefusesBadInputInOneLine) {
  const auto expect_refused = [](const Outcome& outcome, const std::string& fault) {
    EXPECT_EQ(outcome.status, 2) << fault;
    EXPECT_EQ(outcome.out, "");
    // SystemC tells of its authors before anything else.
    const std::string authors = "ALL RIGHTS RESERVED\n";
    const std::size_t end = outcome.err.find(authors);
    const std::string said =
        end == std::string::npos ? outcome.err : outcome.err.substr(end + authors.size());
    EXPECT_THAT(said, HasSubstr(fault));
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  };
  expect_refused(bench("/nonexistent.yaml", {}), "/nonexistent.yaml: cannot be opened");
  expect_refused(bench(scenario_, {"--nonsense"}), "--nonsense");
  expect_refused(bench(scenario_, {"--cycles", "many"}), "--cycles");
  for (const std::string cycles : {"-1", "18446744073709551617"}) {
    const std::string fault =
        "--cycles: Value " + cycles + " not in range 0 to 9223372036854775807";
    expect_refused(bench(scenario_, {"--cycles", cycles}), fault);
    expect_refused(bench(scenario_, {"--abandon-transfer", cycles}),
                   "--abandon-transfer: Value " + cycles);
    expect_refused(run(SYSTEMC_DECISIONS,
                       {scenario_, "--decisions", scratch_.path("d.csv"), "--cycles", cycles}),
                   fault);
  }
  expect_refused(bench(scenario_, {"--seed", "9223372036854775808"}), "--seed");
  expect_refused(run(SYSTEMC_DECISIONS, {scenario_, "--decisions", scratch_.path("d.csv"), "--seed",
                                         "99999999999999999999"}),
                 "--seed");
  expect_refused(bench(scenario_, {"+trac"}), "+trac: there is no such argument");
  const std::string printed = contents(scenario_);  // with its arbiter from line 4 on
  expect_refused(
      bench(scratch_.file("p.yaml", replaced(printed, "policy: bxi-deficit",
                                             "policy: bxi-deficit\n  variant: printed")),
            {}),
      "p.yaml:4: the RTL cannot run this arbiter: RTL is built of the corrected variant only");
  // A quantum wider than 16 bits.
  expect_refused(bench(scratch_.file("q.yaml", replaced(printed, "{queue: 0, weight: 5}",
                                                        "{queue: 0, weight: 500}")),
                       {}),
                 "q.yaml:4: the RTL cannot run this arbiter: the quantum of entry 0");
  expect_refused(bench(scenario_, {"--reference", scratch_.file("r.yaml",
                                                                "arbiter: {policy: rr, queues: 2, "
                                                                "max_packet_flits: 80}\n")}),
                 "r.yaml: has other queues");
  expect_refused(bench(scenario_, {"--reference", scratch_.file("r.yaml",
                                                                "arbiter: {policy: rr, queues: 5, "
                                                                "max_packet_flits: 79}\n")}),
                 "r.yaml: has other queues or shorter packets");
  expect_refused(
      bench(scratch_.file("n.yaml", printed + "arbiters: [{at: nics, arbiter: {policy: bxi-basic, "
                                              "queues: 5, max_packet_flits: 80, strict: false, "
                                              "table: [{queue: 0, weight: 65536}]}}]\n"),
            {}),
      fmt::format("n.yaml:{}: the RTL cannot run this arbiter: the quantum of entry 0",
                  std::ranges::count(printed, '\n') + 1));
  expect_refused(bench(scratch_.file("c.yaml", replaced(printed, "  flit_bytes:",
                                                        "  channels_per_queue: 2\n  flit_bytes:")),
                       {}),
                 "c.yaml: the pins have no channels_per_queue");
  expect_refused(bench(scenario_, {"--cycles", "0"}), "s.yaml: no cycle is to run");
  std::string fast = replaced(printed, "gbps: 400, delay_ns: 25", "gbps: 100000, delay_ns: 0");
  fast = replaced(fast, "flit_bytes: 64", "flit_bytes: 13");
  expect_refused(bench(scratch_.file("f.yaml", fast), {}),
                 "f.yaml: a cycle of 0.00104 ns is no period for a clock in steps of 1 ps");
  // A waveform would take the place of a device.
  const std::string device = scratch_.path("device");
  ASSERT_EQ(mkfifo(device.c_str(), 0600), 0);
  expect_refused(bench(scenario_, {"--cycles", "600", "+trace=" + device}),
                 "device: is not a plain file");
  EXPECT_TRUE(std::filesystem::is_fifo(device));
  const std::string mesh = QOSARB_SOURCE_DIR "/scenarios/networks/mesh-credit.yaml";
  expect_refused(bench(mesh, {}),
                 "mesh-credit.yaml: heads at an input-queued switch do not stay until");
}

// A limit of 20 blocks of 512 bytes stands for a disk that is full.
TEST_F(SystemCBench, TellsOfAWaveformThatIsCutOff) {
  const std::string fst = scratch_.path("t.fst");
  const std::vector<std::string> before = scratch_.names();
  const Outcome outcome = run("sh", {"-c", "trap '' XFSZ; ulimit -f 20; exec \"$@\"", "sh",
                                     SYSTEMC_BENCH, scenario_, "--cycles", "600", "+trace=" + fst});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, EndsWith(fst + ": the waveform could not be written completely\n"));
  EXPECT_EQ(scratch_.names(), before);
}

// What stood there before stays.
TEST_F(SystemCBench, LeavesNothingOfAWaveformWhoseRunIsEnded) {
  const std::string fst = scratch_.file("t.fst", "another\n");
  const std::vector<std::string> before = scratch_.names();
  const std::string script =
      R"(fst=$1; shift; "$@" & while [ ! -e $fst.part.$! ]; do kill -0 $! || exit 9; done;)"
      " kill -TERM $!; wait $!";
  const Outcome outcome = run("sh", {"-c", script, "sh", fst, SYSTEMC_BENCH, scenario_, "--cycles",
                                     "1000000000000", "+trace=" + fst});
  EXPECT_EQ(outcome.status, 128 + SIGTERM) << outcome.err;
  EXPECT_EQ(contents(fst), "another\n");
  EXPECT_EQ(scratch_.names(), before);
}

// As others see it: every port at the top, the port's signals below, and something happens there.
TEST_F(SystemCBench, PlusTraceWritesAWaveformOfEveryPort) {
  const std::string fst = scratch_.path("t.fst");
  const Outcome outcome = bench(scenario_, {"--cycles", "300", "+trace=" + fst});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Outcome converted = run("fst2vcd", {"-e", fst});
  ASSERT_EQ(converted.status, 0) << converted.err;

  std::set<std::string> scopes;
  std::string path;
  std::string grant_code;
  int grants = 0;
  std::istringstream lines(converted.out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "$scope") {
      words >> word >> word;
      path += word + ".";
      scopes.insert(path);
    } else if (word == "$upscope") {
      path.erase(path.rfind('.', path.size() - 2) + 1);
    } else if (word == "$var") {
      std::string code;
      std::string name;
      words >> word >> word >> code >> name;
      if (path == "switch0_port3.qosarb_port." && name == "grant_valid_o") {
        grant_code = code;
      }
    } else if (!grant_code.empty() && line == "1" + grant_code) {
      ++grants;
    }
  }
  for (int port = 0; port < 8; ++port) {
    EXPECT_TRUE(scopes.contains("switch0_port" + std::to_string(port) + ".qosarb_port."));
    EXPECT_TRUE(scopes.contains("host" + std::to_string(port) + "_nic.qosarb_port."));
  }
  EXPECT_GT(grants, 3);
  EXPECT_THAT(converted.out, HasSubstr("PolicyBxiDeficit"));
}

}  // namespace
}  // namespace qosarb::test
