// --engine and --trace of qosarb decide.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <vector>

#include "on_a_switch.hpp"
#include "refusal.hpp"
#include "resource_limit.hpp"
#include "run_command.hpp"
#include "scenarios_with_rtl.hpp"

namespace qosarb::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string table(const std::string& more) {
  return "arbiter:\n  policy: bxi-deficit\n  queues: 3\n  max_packet_flits: 13\n" + more;
}
const char* const kWeights =
    "  quantum_scale: 10\n"
    "  table: [{queue: 0, weight: 5}, {queue: 1, weight: 3}, {queue: 2, weight: 2}]\n";

// It ends when all ranks are done.
std::string small_switch() {
  return on_a_switch(1,
                     "traffic:\n"
                     "  - {name: a, queue: 0, application: allreduce, message_bytes: 640}\n");
}

// Three queues that always have packets, of 13, 7 and 1 flits.
std::string backlog(int decisions) {
  std::string log = "cycle,event,queue,flits,age\n";
  for (int c = 0; c < decisions; ++c) {
    const std::string cycle = std::to_string(c);
    log += cycle + ",arrive,0,13,0\n" + cycle + ",arrive,1,7,0\n" + cycle + ",arrive,2,1,0\n";
    log += c % 50 == 49 ? cycle + ",stop,0,,\n" : c % 50 == 4 ? cycle + ",start,0,,\n" : "";
    log += cycle + ",arb,,,\n";
  }
  return log;
}

class Engines : public ::testing::Test {
 protected:
  Outcome decide(const std::string& config, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"decide", "--config", scratch_.file("c.yaml", config),
                                          "--events", scratch_.file("e.csv", backlog(500))};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_command(arguments);
  }
  ScratchDirectory scratch_;
};

TEST_F(Engines, DecideAlike) {
  const std::string config = table(kWeights);
  const Outcome model = decide(config, {"--engine", "model"});
  EXPECT_EQ(model.status, 0);
  EXPECT_THAT(model.out, HasSubstr("\n499,"));
  EXPECT_EQ(decide(config, {"--engine", "rtl"}).out, model.out);
  EXPECT_EQ(decide(config, {"--engine", "lockstep"}).out, model.out);
  EXPECT_EQ(decide(config, {}).out, model.out);
}

TEST_F(Engines, RefuseWhatTheRtlCannotRun) {
  const auto expect_refused = [this](const std::string& config, const std::string& fault) {
    for (const char* engine : {"rtl", "lockstep"}) {
      const Outcome outcome = decide(config, {"--engine", engine});
      EXPECT_EQ(outcome.status, 2);
      EXPECT_THAT(outcome.out, IsEmpty());
      EXPECT_THAT(outcome.err, AllOf(HasSubstr("c.yaml:2: "), HasSubstr(fault)));
    }
    // The model can, and is the default then.
    EXPECT_EQ(decide(config, {}).status, 0) << config;
  };
  expect_refused(table(std::string("  variant: printed\n") + kWeights), "corrected");
  expect_refused(table("  strict: false\n  table: [{queue: 0, weight: 12}]\n"),
                 "entry 0, 12 flits");
  expect_refused(table("  quantum_scale: 10000\n"
                       "  table: [{queue: 0, weight: 6}, {queue: 1, weight: 7}, "
                       "{queue: 2, weight: 1}]\n"),
                 "entry 1, 70000 flits");
  expect_refused("arbiter:\n  policy: rr\n  queues: 33\n  max_packet_flits: 16\n", "33");
  expect_refused("arbiter:\n  policy: rr\n  queues: 3\n  max_packet_flits: 1024\n", "1024");
  const auto three_queues = [](const std::string& policy, const std::string& rest) {
    return "arbiter:\n  policy: " + policy + "\n  queues: 3\n  max_packet_flits: 16\n" + rest;
  };
  expect_refused(
      three_queues("sbt",
                   "  queue_sl: [0, 9, 0]\n  table: [{sl: 9, weight: 1}, {sl: 0, weight: 2}]\n"),
      "SLs 0 to 7, not 9");
  expect_refused(three_queues("sbt", "  queue_sl: [0, 0, 0]\n  table: [{sl: 0, weight: 65536}]\n"),
                 "entry 0, 65536 packets");
  expect_refused(
      three_queues("infiniband",
                   "  flit_bytes: 48\n  limit_of_high_priority: 1\n  high: [{vl: 0, weight: 1}]\n"
                   "  low: [{vl: 1, weight: 1}, {vl: 2, weight: 1}]\n"),
      "not 48");
}

// A queue without an entry, an SL without a queue, and a burst without a rate.
TEST_F(Engines, RunWhatServesNotAllQueues) {
  for (const std::string& config :
       {table("  strict: false\n  table: [{queue: 2, weight: 20}, {queue: 0, weight: 13}]\n"),
        std::string("arbiter: {policy: sbt, queues: 3, max_packet_flits: 13, strict: false,\n"
                    "  queue_sl: [0, 1, 0],\n"
                    "  table: [{sl: 0, weight: 2}, {sl: 1, weight: 1}, {sl: 3, weight: 1}]}\n"),
        std::string("arbiter: {policy: trtcm, queues: 3, max_packet_flits: 13, classes: [\n"
                    "  {priority: 0, assured_rate: 0, peak_rate: 0.5, assured_burst: 70000},\n"
                    "  {priority: 1, assured_rate: 0, peak_rate: 0, peak_burst: 70000},\n"
                    "  {priority: 2, assured_rate: 0.25, peak_rate: 0.5}]}\n")}) {
    const Outcome both = decide(config, {"--engine", "lockstep"});
    EXPECT_EQ(both.status, 0) << both.err;
    EXPECT_EQ(both.out, decide(config, {"--engine", "model"}).out);
  }
}

// A waveform as others see it.
struct Vcd {
  std::string text;
  std::set<std::string> signals;  ///< with path and range
  std::string first_time;
  std::string last_time;
};

Vcd vcd_of(const std::string& fst, const std::string& vcd) {
  EXPECT_EQ(std::system(("fst2vcd -e " + fst + " -o " + vcd + " >/dev/null 2>&1").c_str()), 0);
  Vcd result;
  result.text = contents(vcd);
  std::string path;
  std::vector<std::size_t> scopes;  // how long the path to each is
  std::istringstream lines(result.text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "$scope") {
      words >> word >> word;
      scopes.push_back(path.size());
      path += word + ".";
    } else if (word == "$upscope") {
      path.erase(scopes.back());
      scopes.pop_back();
    } else if (word == "$var") {
      std::string name;
      std::string range;
      words >> word >> word >> word >> name >> range;
      result.signals.insert(path + name + (range == "$end" ? "" : range));
    } else if (word.starts_with('#')) {
      result.first_time = result.first_time.empty() ? word : result.first_time;
      result.last_time = word;
    }
  }
  return result;
}

// How many signals a layout shows; every one of them is in the waveform.
int expect_layout_of(const Vcd& vcd, const std::string& layout) {
  int laid_out = 0;
  std::istringstream lines(contents(layout));
  for (std::string line; std::getline(lines, line);) {
    const bool is_signal =
        line.find('.') != std::string::npos && line[0] != '[' && line[0] != '-' && line[0] != '*';
    if (is_signal) {
      ++laid_out;
      EXPECT_TRUE(vcd.signals.contains(line)) << line;
    }
  }
  return laid_out;
}

TEST_F(Engines, WriteAWaveform) {
  const std::string trace = scratch_.path("t.fst");
  const Outcome traced = decide(table(kWeights), {"--trace", trace});
  EXPECT_EQ(traced.status, 0) << traced.err;
  EXPECT_EQ(traced.out, decide(table(kWeights), {"--engine", "model"}).out);

  // Every signal of its layout, the policy's name, 1 ns a cycle.
  const Vcd vcd = vcd_of(trace, scratch_.path("t.vcd"));
  EXPECT_GT(expect_layout_of(vcd, scratch_.path("t.gtkw")), 20);
  EXPECT_THAT(vcd.text, AllOf(HasSubstr("PolicyBxiDeficit"), HasSubstr("1ps")));
  EXPECT_EQ(vcd.first_time, "#0");
  EXPECT_EQ(vcd.last_time, "#499500");  // the clock edge of cycle 499
  EXPECT_THAT(scratch_.names(), ElementsAre("c.yaml", "e.csv", "t.fst", "t.gtkw", "t.vcd"));
}

// What another run at the same time is writing there stays its own.
TEST_F(Engines, WriteTheirWaveformBesideThatOfAnotherRun) {
  const std::string other = scratch_.file("t.fst.part", "of another run");
  const std::string trace = scratch_.path("t.fst");
  EXPECT_EQ(decide(table(kWeights), {"--trace", trace}).status, 0);
  EXPECT_EQ(contents(other), "of another run");
  EXPECT_EQ(vcd_of(trace, scratch_.path("t.vcd")).last_time, "#499500");
}

// The trace that is an input and the one that is a waveform are easily taken for each other.
TEST_F(Engines, RefuseAWaveformInPlaceOfAnInputOrItsLayout) {
  for (const char* const name : {"c.yaml", "e.csv", "./e.csv"}) {
    EXPECT_THAT(decide(table(kWeights), {"--trace", scratch_.path(name)}),
                AllOf(Field(&Outcome::status, 2), Field(&Outcome::err, HasSubstr("is an input"))));
  }
  EXPECT_EQ(contents(scratch_.path("c.yaml")), table(kWeights));
  EXPECT_EQ(contents(scratch_.path("e.csv")), backlog(500));
  EXPECT_THAT(decide(table(kWeights), {"--trace", scratch_.path("t.gtkw")}),
              AllOf(Field(&Outcome::status, 2),
                    Field(&Outcome::err, HasSubstr("t.gtkw: is named for two outputs"))));
  EXPECT_THAT(scratch_.names(), ElementsAre("c.yaml", "e.csv"));
}

// A window of a waveform: of cycles in the midst, or the last ones. What is decided is the same.
TEST_F(Engines, WriteAPartOfAWaveform) {
  const std::string trace = scratch_.path("t.fst");
  const std::string decisions = decide(table(kWeights), {"--engine", "model"}).out;
  const auto expect_window = [&](std::vector<std::string> options, const std::string& first,
                                 const std::string& last) {
    options.insert(options.begin(), {"--trace", trace});
    const Outcome traced = decide(table(kWeights), options);
    EXPECT_EQ(traced.status, 0) << traced.err;
    EXPECT_EQ(traced.out, decisions);
    const Vcd vcd = vcd_of(trace, scratch_.path("t.vcd"));
    EXPECT_EQ(vcd.first_time, first);
    EXPECT_EQ(vcd.last_time, last);
  };
  expect_window({"--trace-from", "100", "--trace-to", "120"}, "#100000", "#120500");
  expect_window({"--trace-from", "490"}, "#490000", "#499500");
  expect_window({"--trace-to", "0"}, "#0", "#500");
  expect_window({"--trace-last", "30"}, "#470000", "#499500");
  expect_window({"--trace-last", "1000"}, "#0", "#499500");
}

// What comes before the window costs nothing where nothing happens.
TEST_F(Engines, WriteTheLastCyclesBehindALongPause) {
  const std::string config = scratch_.file("c.yaml", table(kWeights));
  const std::string trace = scratch_.path("t.fst");
  const auto decide_until = [&](const std::string& cycle, const std::string& option) {
    const std::string log = "cycle,event,queue,flits,age\n0,arrive,0,13,\n" + cycle + ",arb,,,\n";
    return run_command({"decide", "--config", config, "--events", scratch_.file("e.csv", log),
                        "--trace", trace, option, "5"});
  };
  EXPECT_EQ(decide_until("1000000000000000", "--trace-last").out,
            "cycle,queue,flits,age\n1000000000000000,0,13,0\n");
  const Vcd vcd = vcd_of(trace, scratch_.path("t.vcd"));
  EXPECT_EQ(vcd.first_time, "#999999999999996000");
  EXPECT_EQ(vcd.last_time, "#1000000000000000500");
  // The last cycle that ends within 2^64 ps, and the one behind it, which is not shown here.
  EXPECT_EQ(decide_until("18446744073709550", "--trace-last").status, 0);
  const std::string beyond = "18446744073709551";
  expect_refused(decide_until(beyond, "--trace-last"),
                 "e.csv: ", "a waveform shows cycles up to 18446744073709550");
  EXPECT_EQ(decide_until(beyond, "--trace-to").out,
            "cycle,queue,flits,age\n18446744073709551,0,13,0\n");
}

// Nobody knows beforehand when ranks are done, so the run is made once more.
TEST_F(Engines, WriteTheLastCyclesOfATrace) {
  const std::string scenario = scratch_.file("s.yaml", small_switch());
  const std::string wave = scratch_.path("t.fst");
  const Outcome whole = run_command({"sim", scenario, "--json"});
  const Outcome traced =
      run_command({"sim", scenario, "--json", "--trace", wave, "--trace-last", "9"});
  EXPECT_EQ(traced.status, 0) << traced.err;
  nlohmann::json json = nlohmann::json::parse(whole.out);
  nlohmann::json again = nlohmann::json::parse(traced.out);
  json.erase("wall_s");
  again.erase("wall_s");
  EXPECT_EQ(again, json);
  const Vcd vcd = vcd_of(wave, scratch_.path("t.vcd"));
  const auto last = json["cycles"].get<std::uint64_t>() - 1;
  EXPECT_EQ(vcd.first_time, fmt::format("#{}", (last - 8) * 1000));
  EXPECT_EQ(vcd.last_time, fmt::format("#{}", last * 1000 + 500));
  // Whether it can be written is known before the run.
  expect_refused(
      run_command({"sim", scenario, "--trace", scratch_.path("no/t.fst"), "--trace-last", "9"}),
      "no/t.fst: ");
  std::filesystem::create_directory(scratch_.path("d.gtkw"));
  expect_refused(
      run_command({"sim", scenario, "--trace", scratch_.path("d.fst"), "--trace-last", "9"}),
      "d.gtkw: is not a plain file");
}

// The whole switch under every policy that has RTL, with the layout of each.
TEST_F(Engines, WriteTheWaveformOfASwitch) {
  std::vector<std::string> scenarios = {QOSARB_SOURCE_DIR "/scenarios/fair-rr-8.yaml",
                                        QOSARB_SOURCE_DIR "/scenarios/step-basic-8.yaml",
                                        QOSARB_SOURCE_DIR "/scenarios/step-deficit-8.yaml"};
  for (const std::string& scenario : scenarios_with_rtl()) {
    scenarios.push_back(scenario);
  }
  const std::string trace = scratch_.path("t.fst");
  for (const std::string& scenario : scenarios) {
    SCOPED_TRACE(scenario);
    // Shortened: 2,343 cycles of 1.28 ns.
    std::string text = contents(scenario);
    const std::size_t run = text.find("\nrun: ") + 1;
    ASSERT_NE(run, 0U);
    text.replace(run, text.find('\n', run) - run, "run: {warmup_us: 1, measure_us: 2, seed: 1}");
    const std::string shortened = scratch_.file("s.yaml", text);
    const Outcome traced = run_command({"sim", shortened, "--engine", "lockstep", "--trace", trace,
                                        "--trace-from", "2000", "--trace-to", "2050"});
    EXPECT_EQ(traced.status, 0) << traced.err;
    const Vcd vcd = vcd_of(trace, scratch_.path("t.vcd"));
    EXPECT_GT(expect_layout_of(vcd, scratch_.path("t.gtkw")), 8 * 15);
    EXPECT_EQ(vcd.first_time, "#2000000");
    EXPECT_EQ(vcd.last_time, "#2050500");
  }
}

// Only what is asked for is in the waveform, and the run gives the same.
TEST_F(Engines, WriteTheWaveformOfSomePortsOfANetwork) {
  const std::string network =
      "arbiter: {policy: rr, queues: 2, max_packet_flits: 16}\n"
      "network:\n"
      "  topology: {kind: mesh, dims: [3]}\n"
      "  link: {gbps: 400, delay_ns: 5}\n"
      "  flit_bytes: 64\n"
      "  switch: {input_queue_flits: 128, output_queue_flits: 128, crossbar_speedup: 2, "
      "flow_control: credit}\n"
      "traffic: [{name: a, queue: 0, pattern: uniform, load: 0.4, message_bytes: 512}]\n"
      "run: {warmup_us: 0, measure_us: 0.2, seed: 1}\n";
  const std::string scenario = scratch_.file("s.yaml", network);
  const std::string trace = scratch_.path("t.fst");
  const auto but_speed = [](const std::string& table) {  // which is its last line
    return table.substr(0, table.rfind('\n', table.size() - 2));
  };
  const std::string untraced =
      but_speed(run_command({"sim", scenario, "--engine", "lockstep"}).out);
  const auto chips_and_ports = [&](const std::string& list) {
    const Outcome traced = run_command({"sim", scenario, "--engine", "lockstep", "--trace", trace,
                                        "--trace-ports", list, "--trace-from", "50"});
    EXPECT_EQ(traced.status, 0) << traced.err;
    EXPECT_EQ(but_speed(traced.out), untraced);
    const Vcd vcd = vcd_of(trace, scratch_.path("t.vcd"));
    EXPECT_GT(expect_layout_of(vcd, scratch_.path("t.gtkw")), 15U);
    std::set<std::string> places;
    for (const std::string& signal : vcd.signals) {
      const std::size_t dot = signal.find('.');
      places.insert(signal.substr(0, signal.find('.', dot + 1)));
    }
    return places;
  };
  using Places = std::set<std::string>;
  EXPECT_EQ(chips_and_ports("switch1.port2,host0"), (Places{"host0.nic", "switch1.port2"}));
  EXPECT_EQ(chips_and_ports("switch2"),
            (Places{"switch2.port0", "switch2.port1", "switch2.port2"}));
  EXPECT_EQ(chips_and_ports("nics"), (Places{"host0.nic", "host1.nic", "host2.nic"}));
  std::filesystem::remove(trace);
  const Outcome refused =
      run_command({"sim", scenario, "--trace", trace, "--trace-ports", "host0,switch1.port9"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("s.yaml: --trace-ports: there is no 'switch1.port9'"));
  EXPECT_FALSE(std::filesystem::exists(trace));
}

TEST_F(Engines, RefuseWaveformsAndReproducersThatCannotBe) {
  const auto expect_refused = [this](const std::vector<std::string>& options,
                                     const std::string& fault) {
    const Outcome outcome = decide(table(kWeights), options);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr(fault));
  };
  const std::string trace = scratch_.path("t.fst");
  expect_refused({"--trace", scratch_.path("none/t.fst")}, "cannot be opened for writing");
  expect_refused({"--trace", scratch_.path("")}, "not a plain file");
  std::filesystem::create_directory(scratch_.path("d.gtkw"));
  expect_refused({"--trace", scratch_.path("d.fst")}, "d.gtkw: is not a plain file");
  expect_refused({"--trace", trace, "--trace-from", "5", "--trace-to", "4"}, "is after");
  expect_refused({"--trace", trace, "--trace-from", "500"}, "before cycle 500");
  expect_refused({"--trace-from", "5"}, "--trace");
  expect_refused({"--trace", trace, "--trace-last", "0"}, "--trace-last");
  expect_refused({"--trace", trace, "--trace-last", "5", "--trace-to", "9"}, "--trace");
  expect_refused({"--trace", "/dev/null"}, "not a plain file");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  expect_refused({"--trace", trace, "--engine", "model"}, "--engine model has none");
  expect_refused({"--reproducer", scratch_.path("e.csv")}, "e.csv: cannot be made");
  EXPECT_FALSE(std::filesystem::exists(trace));
}

// The writer of waveforms does not ask whether there is room, and maps files into memory.
TEST_F(Engines, SayThatThereIsNoRoomForAWaveform) {
  const std::string trace = scratch_.file("t.fst", "old");
  for (const rlim_t bytes : {0x1000, 0x2000, 0x4000}) {
    Outcome outcome;
    {
      const std::string config = scratch_.file("c.yaml", table(kWeights));
      const std::string events = scratch_.file("e.csv", backlog(2000));
      const ResourceLimit full(RLIMIT_FSIZE, bytes);
      outcome = run_command({"decide", "--config", config, "--events", events, "--trace", trace});
    }
    EXPECT_EQ(outcome.status, 2) << bytes;
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_EQ(outcome.err, "qosarb: " + trace + ": the waveform could not be written completely\n");
    EXPECT_EQ(contents(trace), "old");
    EXPECT_THAT(scratch_.names(), ElementsAre("c.yaml", "e.csv", "t.fst"));
  }
}

// Nor does a waveform whose results nobody gets.
TEST_F(Engines, KeepAnOldWaveformWhenResultsCannotBeWritten) {
  const std::string trace = scratch_.file("t.fst", "old");
  const std::string layout = scratch_.file("t.gtkw", "old");
  const std::vector<std::string> decide = {"decide",
                                           "--config",
                                           scratch_.file("c.yaml", table(kWeights)),
                                           "--events",
                                           scratch_.file("e.csv", backlog(5)),
                                           "--trace",
                                           trace};
  const std::vector<std::string> sim = {"sim", scratch_.file("s.yaml", small_switch()), "--trace",
                                        trace};
  std::vector<std::string> last = sim;
  last.insert(last.end(), {"--trace-last", "9"});
  for (const auto& command : {decide, sim, last}) {
    expect_refused(run_command(command, ">/dev/full"), "standard output", "cannot be written");
    EXPECT_EQ(contents(trace), "old");
    EXPECT_EQ(contents(layout), "old");
    EXPECT_THAT(scratch_.names(), ElementsAre("c.yaml", "e.csv", "s.yaml", "t.fst", "t.gtkw"));
  }
}

// What is refused leaves nothing, and what was there before as it was.
TEST_F(Engines, KeepAnOldWaveformWhenTheWindowIsBeyondTheEnd) {
  const std::string trace = scratch_.file("t.fst", "old");
  EXPECT_EQ(decide(table(kWeights), {"--trace", trace, "--trace-from", "500"}).status, 2);
  EXPECT_EQ(contents(trace), "old");
}

TEST_F(Engines, KeepAnOldWaveformWhenTheLogIsBad) {
  const std::string trace = scratch_.file("t.fst", "old");
  const Outcome outcome =
      run_command({"decide", "--config", scratch_.file("c.yaml", table(kWeights)), "--events",
                   scratch_.file("e.csv", backlog(3) + "1,arb,,,\n"), "--trace", trace});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(contents(trace), "old");
}

}  // namespace
}  // namespace qosarb::test
