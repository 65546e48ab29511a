// The log of a port that shares its chip's age clock: it gives the same decisions by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "qosarb/events/event_log.hpp"
#include "qosarb/network/network.hpp"
#include "qosarb/network/port_log.hpp"
#include "qosarb/policy/policy.hpp"
#include "qosarb/policy/seastar_age.hpp"
#include "scenarios_under_test.hpp"

namespace qosarb::test {
namespace {

/// What a port is shown, and what it decides.
class LoggedPort final : public PortObserver {
 public:
  void on_stamp(Cycle now, Index queue, std::uint8_t age, std::uint32_t packet) override {
    log.on_stamp(now, queue, age, packet);
  }
  void on_stamped_arrival(Index queue, std::uint32_t packet) override {
    log.on_stamped_arrival(queue, packet);
  }
  void on_arrive(Cycle now, Index queue, std::uint32_t flits, std::uint8_t age) override {
    log.on_arrive(now, queue, flits, age);
  }
  void on_stop(Cycle now, Index queue, bool stopped) override { log.on_stop(now, queue, stopped); }
  void on_decision(Cycle now, const Decision& decision) override {
    log.on_decision(now, decision);
    decisions.push_back({now, decision});
  }

  EventRecorder log;
  std::vector<TimedDecision> decisions;
};

/// Routers, or CIOQ switches, in a line, in which some packets wait longer than the clocks can
/// count: they stop.
Scenario line_of_chips(const SwitchKind& architecture, std::uint64_t seed) {
  Scenario s;
  s.seed = seed;
  s.topology.kind = &kMesh;
  s.topology.routing = &kMesh.routings().front();
  s.topology.dims = {4};
  s.arbiter.queues = 4;
  s.arbiter.max_packet_flits = 9;
  s.flit_bytes = 8;
  build_with(s, architecture);
  s.arbiter.policy = kSeastarAge;
  SeastarConfig ages{.vcs = 4};
  for (int input = 0; input < s.arbiter.queues / 4; ++input) {
    ages.req_age_bias.push_back(1);
    ages.rsp_age_bias.push_back(2);
  }
  ages.age_clock_period = 1;
  ages.age_rr_select = 0xffff'0000'ffff'ffffU;
  s.arbiter.parameters = ages;
  s.switches.flow_control = &kCredit;
  s.switches.input_queue_flits = 600;
  s.switches.output_queue_flits = 600;
  s.traffic = {hot_spot_traffic(0, 0.9, MessageSizes::range(8, 72), 0, 4),
               uniform_traffic(2, 0.5, MessageSizes::range(8, 200), 4)};
  s.measure = 6000;
  return s;
}

std::vector<TimedDecision> replayed(const ArbiterConfig& config, std::vector<Event> events) {
  Port port(config.queues, make_reference(config));
  StoredEvents source(std::move(events));
  return replay(source, port);
}

TEST(ChipLog, GivesTheDecisionsOfThePortByItself) {
  std::uint64_t seed = 0;
  for (const SwitchKind* architecture : {&kSeastar, &kCioq}) {
    int needed = 0;  // ports whose own events are not enough
    for (const char* place : {"switch0.port0", "switch1.port0", "switch1.port1"}) {
      SCOPED_TRACE(std::string(architecture->name) + " " + place);
      const Scenario s = line_of_chips(*architecture, ++seed);
      const std::string chip = std::string(place).substr(0, 8);
      LoggedPort logged;
      ChipRecorder others;
      Network network(s, make_reference_factory());
      for (const Network::NamedPort& named : network.ports()) {
        if (named.name == place) {
          named.port->observe(&logged);
        } else if (named.name.starts_with(chip)) {
          named.port->observe(&others);
        }
      }
      network.run(s.measure);
      const std::vector<Event> all = others.with(logged.log.events());
      ASSERT_GT(logged.decisions.size(), 100U);
      EXPECT_EQ(replayed(s.arbiter, all), logged.decisions);
      needed += replayed(s.arbiter, logged.log.events()) != logged.decisions ? 1 : 0;

      const std::string file = testing::TempDir() + "chip-log.csv";
      std::ofstream(file) << to_csv(all);
      EventLogReader reader(file, s.arbiter, RawLog{.has_chip = true});
      EXPECT_EQ(StoredEvents(reader).events(), all);
      EXPECT_TRUE(is_raw({s.arbiter, all}));
    }
    EXPECT_GT(needed, 0) << architecture->name;
  }
}

// More packets may be stamped for a queue than there are ages.
TEST(ChipLog, NamesAnyOfMoreThan256StampedPackets) {
  const ArbiterConfig config = line_of_chips(kCioq, 1).arbiter;
  Port port(config.queues, make_reference(config));
  EventRecorder recorder;
  port.observe(&recorder);
  constexpr Cycle kStamped = 400;
  for (Cycle now = 0; now < kStamped; ++now) {
    port.stamp(now, 0, 0);
  }
  port.arrive(kStamped, 0, 1, kStamped - 1);
  const std::vector<TimedDecision> decided = {{kStamped, port.arbitrate(kStamped).decision}};
  EXPECT_LT(decided[0].decision.age, 10);

  const std::string file = testing::TempDir() + "long-chip-log.csv";
  std::ofstream(file) << to_csv(recorder.events());
  EventLogReader reader(file, config, RawLog{.has_chip = true});
  const StoredEvents log(reader);
  EXPECT_EQ(log.events(), recorder.events());
  EXPECT_EQ(replayed(config, log.events()), decided);

  std::ofstream(file) << "cycle,event,queue,flits,age\n0,stamp,1,,7\n0,arrive,0,1,256\n";
  EventLogReader other(file, config, RawLog{.has_chip = true});
  EXPECT_THROW(StoredEvents{other}, InputError);
}

// One at each input of an input-queued switch, all for other ports.
TEST(ChipLog, HasAPacketOfEveryInputOfTheLargestSwitchInOneCycle) {
  const ArbiterConfig config = line_of_chips(kCioq, 1).arbiter;
  ChipRecorder chip;
  for (std::uint32_t input = 0; input < kMaxRadix; ++input) {
    chip.on_stamp(0, 0, 0, input);
  }
  const std::string file = testing::TempDir() + "wide-chip-log.csv";
  std::ofstream(file) << to_csv(chip.with({}));
  EventLogReader reader(file, config, RawLog{.has_chip = true});
  EXPECT_EQ(StoredEvents(reader).events(), chip.with({}));
}

// What is logged of a port, the last of which gives the decisions that it has in its network.
std::vector<LogCase> logs_with_its_decisions(const Scenario& s, const std::string& port = "port0") {
  LoggedPort logged;
  Network network(s, make_reference_factory());
  network.find_port("switch1." + port)->observe(&logged);
  network.run(s.measure);
  EXPECT_GT(logged.decisions.size(), 100U);
  for (TimedDecision& one : logged.decisions) {  // a port's queues are its virtual channels
    one.decision.queue /= one.decision.queue < 0 ? 1 : s.channels_per_queue;
  }
  std::vector<LogCase> logs =  // up to the last decision
      logs_of_port(s, {.chip = "switch1", .port = port}, logged.decisions.back().cycle);
  EXPECT_EQ(replayed(s.arbiter, logs.back().events), logged.decisions);
  return logs;
}

/// The events, from a file.
std::vector<Event> read_back(const LogCase& log) {
  const std::string file = testing::TempDir() + "chip-log-" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
  std::ofstream(file) << to_csv(log.events);
  EventLogReader reader(file, log.config, RawLog{.has_chip = is_raw(log)});
  return StoredEvents(reader).events();
}

// Some ports of a chip may have another policy, whose packets its age clock does not count.
TEST(ChipLog, HasNothingOfPortsUnderAnotherPolicy) {
  Scenario s = line_of_chips(kCioq, 5);
  s.arbiters.push_back(
      {"switch1.port1",
       {.queues = s.arbiter.queues, .max_packet_flits = s.arbiter.max_packet_flits}});
  logs_with_its_decisions(s);
}

// Of several virtual channels of a queue the arbiter sees one packet at a time.
TEST(ChipLog, IsOfWhatAnArbiterIsShownOfSeveralChannels) {
  Scenario s = line_of_chips(kCioq, 7);
  s.channels_per_queue = 2;
  logs_with_its_decisions(s);
}

// Of the inputs' queues, too.
TEST(ChipLog, IsOfWhatAnArbiterIsShownOfInputs) {
  logs_with_its_decisions(line_of_chips(kInputQueued, 11));
}

// A packet that spends the last credits stops its queue: from the next cycle on, as the log of a
// cycle ends with its decision.
TEST(ChipLog, HasAStopBehindTheDecisionThatCausesIt) {
  for (const SwitchKind* architecture : {&kSeastar, &kCioq}) {
    SCOPED_TRACE(architecture->name);
    Scenario s = line_of_chips(*architecture, 9);
    s.switches.input_queue_flits = 20;  // two of the longest packets
    const std::vector<LogCase> logs = logs_with_its_decisions(s, "port1");
    const std::vector<Event>& events = logs.back().events;
    EXPECT_GT(std::count_if(events.begin(), events.end(),
                            [](const Event& event) { return event.kind == EventKind::Stop; }),
              100);
    EXPECT_EQ(read_back(logs.back()), events);
  }
}

// A router stamps packets whatever the policy; only seastar-age has rows for that.
TEST(ChipLog, OfAPolicyThatLooksAtNoStampsIsAnEventLogLikeAnyOther) {
  Scenario s = line_of_chips(kSeastar, 3);
  const ArbiterConfig plain{.queues = s.arbiter.queues,
                            .max_packet_flits = s.arbiter.max_packet_flits};
  s.arbiter = plain;
  const std::vector<LogCase> logs = logs_with_its_decisions(s);
  ASSERT_EQ(logs.size(), 1U);
  EXPECT_FALSE(is_raw(logs[0]));

  EXPECT_EQ(read_back(logs[0]), logs[0].events);
}

}  // namespace
}  // namespace qosarb::test
