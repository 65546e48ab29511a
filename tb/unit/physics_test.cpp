// What the policies must give in a loaded switch, by reasoning and not by running it before.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "qosarb/network/report.hpp"
#include "qosarb/policy/bxi.hpp"
#include "random/random.hpp"
#include "scenarios_under_test.hpp"

namespace qosarb::test {
namespace {

constexpr int kPorts = 8;

/// All hosts send every class to host 0, three times what its link takes: every class is
/// backlogged at that output at all times.
Scenario overloaded(const ArbiterConfig& arbiter, const std::vector<MessageSizes>& sizes) {
  Scenario s;
  s.topology.ports = kPorts;
  s.arbiter = arbiter;
  s.warmup = 100'000;
  s.measure = 1'000'000;
  for (Index queue = 0; queue < arbiter.queues; ++queue) {
    s.traffic.push_back(hot_spot_traffic(queue, 0.45, sizes[queue], 0, kPorts));
  }
  return s;
}

ArbiterConfig table(PolicyRef policy, const std::vector<std::uint32_t>& quanta,
                    std::uint32_t max_packet_flits) {
  ArbiterConfig config;
  config.policy = policy;
  config.queues = count(quanta);
  config.max_packet_flits = max_packet_flits;
  BxiConfig bxi;
  for (Index queue = 0; queue < count(quanta); ++queue) {
    bxi.table.push_back({queue, quanta[queue]});
  }
  config.parameters = bxi;
  return config;
}

std::vector<double> normalised(const std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  std::vector<double> shares = values;
  for (double& share : shares) {
    share /= sum;
  }
  return shares;
}

void expect_within_a_percent(const std::vector<double>& got, const std::vector<double>& due) {
  ASSERT_EQ(got.size(), due.size());
  for (std::size_t queue = 0; queue < got.size(); ++queue) {
    EXPECT_NEAR(got[queue], due[queue], 0.01 * due[queue]) << "queue " << queue;
  }
}

TEST(Physics, DeficitsGiveEachClassItsWeightForAnyMixOfPacketSizes) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Index queues = random.from(2, 6);
    std::vector<std::uint32_t> quanta;
    std::vector<double> due;
    std::vector<MessageSizes> sizes;
    for (Index queue = 0; queue < queues; ++queue) {
      // The largest packet, up to what a queue of 768 flits holds through a turn.
      quanta.push_back(random.from(80U, 400U));
      due.push_back(quanta.back());
      const std::uint32_t low = random.from(1U, 5120U);
      const std::uint32_t high = random.from(low, 5120U);
      sizes.push_back(MessageSizes::range(low, high));
    }
    const std::vector<double> shares = shares_of(overloaded(table(kBxiDeficit, quanta, 80), sizes));
    expect_within_a_percent(shares, normalised(due));
  }
}

TEST(Physics, RoundRobinSharesFollowPacketSizes) {
  ArbiterConfig rr;
  rr.queues = 5;
  rr.max_packet_flits = 80;
  std::vector<MessageSizes> sizes;
  for (std::uint32_t kib = 1; kib <= 5; ++kib) {
    sizes.push_back(MessageSizes::fixed(kib * 1024));
  }
  expect_within_a_percent(shares_of(overloaded(rr, sizes)), normalised({1, 2, 3, 4, 5}));
}

TEST(Physics, BasicLosesTheQuantumThatNoPacketFits) {
  // The paper's example in flits: a turn of 150 and packets of 100 lose a third of the turn. A turn
  // of 160 loses nothing to packets of 80, and 10 to packets of 30.
  const std::vector<MessageSizes> sizes = {
      MessageSizes::fixed(100 * 64), MessageSizes::fixed(80 * 64), MessageSizes::fixed(30 * 64)};
  expect_within_a_percent(shares_of(overloaded(table(kBxiBasic, {150, 160, 160}, 100), sizes)),
                          normalised({100, 160, 150}));
  expect_within_a_percent(shares_of(overloaded(table(kBxiDeficit, {150, 160, 160}, 100), sizes)),
                          normalised({150, 160, 160}));
}

/// Table 6 (step) with one entry per queue or spread over 31; the same flits in a round.
ArbiterConfig step_table(bool spread) {
  ArbiterConfig config = table(kBxiDeficit, {1280, 1024, 768, 512, 256}, 80);
  if (spread) {
    const std::vector<std::uint32_t> quanta = {80, 128, 192, 256, 256};
    BxiConfig bxi;
    for (unsigned place = 1; place <= 31; ++place) {
      const Index queue = __builtin_ctz(place);  // every 2nd, every 4th, ... place
      bxi.table.push_back({queue, quanta[queue]});
    }
    config.parameters = bxi;
  }
  return config;
}

TEST(Physics, SpreadEntriesLowerTheLatencyOfTheTopClass) {
  // The condition: the top class stays below its share of the one loaded output (7 x 0.035 of
  // 0.333), the others overload it. Then its packets wait for the turns of others only, at most
  // 2560 flits of them with one entry per queue and 256 with the spread table.
  std::vector<double> mean;
  std::vector<double> p99;
  for (const bool spread : {false, true}) {
    std::vector<MessageSizes> sizes;
    for (std::uint32_t kib = 1; kib <= 5; ++kib) {
      sizes.push_back(MessageSizes::fixed(kib * 1024));
    }
    Scenario s = overloaded(step_table(spread), sizes);
    s.traffic[0].load_ppm = 35'000;
    Network network(s, references());
    network.run(s.warmup + s.measure);
    const ClassReport top = report_of(network).classes[0];
    EXPECT_NEAR(top.accepted * kPorts, 7 * 0.035, 0.005);  // it gets all that it offers
    mean.push_back(top.network_latency.mean);
    p99.push_back(top.network_latency.p99);
  }
  EXPECT_LT(mean[1], mean[0] / 3) << mean[0] << " ns with one entry, spread " << mean[1];
  EXPECT_LT(p99[1], p99[0] / 3) << p99[0] << " ns with one entry, spread " << p99[1];
}

TEST(Physics, PermutationTrafficRunsAtTheFullRateWithoutQueueing) {
  Scenario s;
  s.topology.ports = kPorts;
  s.arbiter.max_packet_flits = 80;
  s.traffic = {uniform_traffic(0, 1.0, MessageSizes::fixed(5120), kPorts)};
  s.traffic[0].pattern = Pattern::Permutation;
  s.warmup = 1000;
  s.measure = 100'000;
  Network network(s, references());
  network.run(s.warmup + s.measure);
  const RunReport report = report_of(network);
  EXPECT_NEAR(report.classes[0].accepted, 1.0, 1e-9);
  // Never more than one packet on its way through, so every latency is that of an idle switch.
  const double idle = (2 * s.link_delays[0] + 1 + 4 + 2 + 2 + 80) * s.cycle_ns();
  EXPECT_NEAR(report.classes[0].packet_latency.max, idle, 1e-9);
  EXPECT_NEAR(report.classes[0].network_latency.mean, idle, 1e-9);
}

Scenario mixed(std::uint64_t seed) {
  Scenario s;
  s.topology.ports = kPorts;
  s.seed = seed;
  s.arbiter = step_table(true);
  for (Index queue = 0; queue < 5; ++queue) {
    s.traffic.push_back(uniform_traffic(queue, 0.2, MessageSizes::range(1, 9000), kPorts));
  }
  s.traffic[1].arrival = Arrival::Poisson;
  s.traffic[2].pattern = Pattern::Permutation;
  s.warmup = 1000;
  s.measure = 20'000;
  return s;
}

std::string json_of(const Scenario& s) {
  Network network(s, references());
  network.run(s.warmup + s.measure);
  return to_json(report_of(network), "model", 0);
}

TEST(Physics, TheSameSeedGivesTheSameBits) {
  EXPECT_EQ(json_of(mixed(1)), json_of(mixed(1)));
  EXPECT_NE(json_of(mixed(1)), json_of(mixed(2)));
}

/// Figures that are all different.
RunReport unmistakable() {
  RunReport report{.seed = 1,
                   .cycle_ns = 2.5,
                   .cycles = 3,
                   .measured = true,
                   .decisions = 4,
                   .compared = 1,
                   .flits = {.injected = 50, .delivered = 30, .in_flight = 15},
                   .flit_hops = 6'000'000,
                   .packet_hops = 7,
                   .pause_frames = 8,
                   .reordered = 9,
                   .peaks = {.input_queue_flits = 10, .output_queue_flits = 11},
                   .input_queue_flits = 12,
                   .output_queue_flits = 13};
  report.classes = {
      {.name = "a",
       .queue = 2,
       .asked = 0.25,
       .offered = 0.375,
       .accepted = 0.125,
       .share = 0.5,
       .packets = 16,
       .packet_latency = {101, 102, 103, 104, 105},
       .network_latency = {111, 112, 113, 114, 115},
       .messages = 17,
       .message_latency = {121, 122, 123, 124, 125},
       .host_accepted = Quartiles{0.1, 0.2, 0.3, 0.4, 0.6},
       .host_latency = Quartiles{131, 132, 133, 134, 135},
       .host_longest = Quartiles{141, 142, 143, 144, 145}},
      {.name = "silent", .offered = 0.75, .messages = 1, .message_latency = {2, 2, 2, 2, 2}}};
  report.hosts = {{.offered = 0.7, .delivered_from = 0.8}};
  report.traces = {
      {.name = "t", .finish_ns = 151, .rank_finish_ns = {151, 150}, .messages = 18, .bytes = 19}};
  report.switch_counters["stalls"] = {20, 21};
  report.nic_counters["stalls"] = {22};
  return report;
}

TEST(Report, HasEachFigureUnderItsKey) {
  const auto latency = [](int first) -> nlohmann::json {
    return {{"mean", first},
            {"p50", first + 1},
            {"p99", first + 2},
            {"p99.9", first + 3},
            {"max", first + 4}};
  };
  const auto quartiles = [](double min, double q1, double median, double q3,
                            double max) -> nlohmann::json {
    return {{"min", min}, {"q1", q1}, {"median", median}, {"q3", q3}, {"max", max}};
  };
  const nlohmann::json json = nlohmann::json::parse(to_json(unmistakable(), "lockstep", 2));
  const nlohmann::json due = {
      {"engine", "lockstep"},
      {"seed", 1},
      {"cycle_ns", 2.5},
      {"cycles", 3},
      {"decisions", 4},
      {"compared_decisions", 1},
      {"mismatches", 0},
      {"flits_injected", 50},
      {"flits_delivered", 30},
      {"flits_lost", 5},
      {"flits_in_flight", 15},
      {"flit_hops", 6'000'000},
      {"packet_hops", 7},
      {"reordered", 9},
      {"pause_frames", 8},
      {"max_input_queue_flits", 10},
      {"max_output_queue_flits", 11},
      {"wall_s", 2},
      {"classes", json["classes"]},
      {"hosts", {{{"offered", 0.7}, {"delivered_from", 0.8}}}},
      {"counters", {{"switches", {{"stalls", {20, 21}}}}, {"nics", {{"stalls", {22}}}}}},
      {"traces",
       {{{"name", "t"},
         {"finish_ns", 151},
         {"rank_finish_ns", {151, 150}},
         {"messages", 18},
         {"bytes", 19}}}}};
  EXPECT_EQ(json, due);
  const nlohmann::json of_class = {
      {"name", "a"},
      {"queue", 2},
      {"asked", 0.25},
      {"offered", 0.375},
      {"accepted", 0.125},
      {"share", 0.5},
      {"packets", 16},
      {"packet_latency_ns", latency(101)},
      {"network_latency_ns", latency(111)},
      {"messages", 17},
      {"message_latency_ns", latency(121)},
      {"over_hosts",
       {{"accepted", quartiles(0.1, 0.2, 0.3, 0.4, 0.6)},
        {"packet_latency_ns", quartiles(131, 132, 133, 134, 135)},
        {"longest_packet_latency_ns", quartiles(141, 142, 143, 144, 145)}}}};
  EXPECT_EQ(json["classes"][0], of_class);
  EXPECT_TRUE(json["classes"][1]["network_latency_ns"]["mean"].is_null());
  EXPECT_EQ(json["classes"][1]["message_latency_ns"]["mean"], 2);  // whatever packets there are
}

TEST(Report, HasEachFigureInItsColumn) {
  EXPECT_EQ(to_table(unmistakable(), "lockstep", 2),
            "class   queue   asked  offered     got   share    packet latency, ns         "
            "network latency, ns\n"
            "                    %        %       %       %     mean     p99     max     "
            "mean     p99     max\n"
            "a           2   25.00    37.50   12.50   50.00      101     103     105      "
            "111     113     115\n"
            "silent      0       -    75.00    0.00    0.00        -       -       -        "
            "-       -       -\n"
            "all                     112.50   12.50\n"
            "trace t: done after 151 ns, 18 messages, 19 bytes received\n"
            "\n"
            "engine lockstep, seed 1: 3 cycles of 2.5 ns, 4 decisions, 1 of them compared: "
            "0 mismatches\n"
            "flits: 50 injected, 30 delivered, 15 in flight, 5 lost; 8 PFC frames\n"
            "fullest queue: input 10 of 12 flits, output 11 of 13\n"
            "2.00 s, 3.0 million flit-hops a second\n");
}

// Counters are told of switches and of NICs, whichever have any.
TEST(Report, TellsCountersOfNicsAlone) {
  RunReport report;
  EXPECT_FALSE(nlohmann::json::parse(to_json(report, "model", 0)).contains("counters"));
  report.nic_counters["green_stalls"] = {3, 0};
  const auto counters = nlohmann::json::parse(to_json(report, "model", 0))["counters"];
  EXPECT_EQ(counters["nics"]["green_stalls"], (std::vector{3, 0}));
  EXPECT_TRUE(counters["switches"].empty());
}

// Without delays of wires: 1 cycle, 8 of the switch's pipeline, 2 flits. It comes in cycle 11.
TEST(Report, APacketCountsWhoseLastFlitComesWithinTheWindow) {
  for (const Cycle window : {11U, 12U}) {
    Scenario s;
    s.arbiter.max_packet_flits = 2;
    s.link_delays.fill(0);
    s.traffic = {one_message(0, 128, 1, 2, 0)};
    s.measure = window;
    Network network(s, references());
    network.run(20);
    EXPECT_EQ(report_of(network).classes[0].packets, window - 11);
    EXPECT_EQ(network.totals().delivered, 2U);
  }
}

TEST(Report, OfAClassThatNobodySendsHasNothing) {
  Scenario s;
  s.topology = single_switch(4);
  s.arbiter.max_packet_flits = 16;
  s.traffic = {uniform_traffic(0, 0.5, MessageSizes::fixed(64), 4), {}};
  s.traffic[1].name = "nobody";
  s.warmup = 100;
  s.measure = 1000;
  Network network(s, references());
  network.run(1100);
  const RunReport report = report_of(network);
  EXPECT_GT(report.classes[0].host_accepted->min, 0.0);
  EXPECT_EQ(report.classes[1].packets, 0U);
  EXPECT_FALSE(report.classes[1].host_accepted.has_value());
  EXPECT_FALSE(report.classes[1].host_latency.has_value());
}

TEST(Physics, EveryCycleModeChangesNothingAndSeesEveryCycle) {
  const Scenario s = mixed(3);
  Network network(s, references());
  Cycle due = 0;
  network.every_cycle([&due](Cycle now) { EXPECT_EQ(now, due++); });
  network.run(s.warmup + s.measure);
  EXPECT_EQ(due, s.warmup + s.measure);
  EXPECT_EQ(to_json(report_of(network), "model", 0), json_of(s));
}

TEST(Physics, RunningInPiecesChangesNothing) {
  const Scenario s = mixed(4);
  Network network(s, references());
  for (Cycle end = 0; end < s.warmup + s.measure; end += 777) {
    network.run(end);
    EXPECT_EQ(network.totals().lost(), 0);
  }
  network.run(s.warmup + s.measure);
  EXPECT_EQ(to_json(report_of(network), "model", 0), json_of(s));
}

TEST(LatencyCounts, PercentilesAreNearestRanks) {
  LatencyCounts counts;
  EXPECT_EQ(counts.percentile(99), 0U);
  for (Cycle value = 1; value <= 100; ++value) {
    counts.add(value);
  }
  EXPECT_EQ(counts.percentile(50), 50U);
  EXPECT_EQ(counts.percentile(99), 99U);
  EXPECT_EQ(counts.mean(), 50.5);
  counts.add(Cycle{1} << 33U);  // beyond the table
  EXPECT_EQ(counts.percentile(50), 51U);
  EXPECT_EQ(counts.percentile(99), 100U);
  EXPECT_EQ(counts.percentile(100), Cycle{1} << 33U);
  EXPECT_EQ(counts.max(), Cycle{1} << 33U);
}

// The table grows by doubling, but never over what stands beyond it.
TEST(LatencyCounts, AreInOrderAroundTheEndOfTheTable) {
  LatencyCounts counts;
  for (const Cycle value : {1'100'000U, 600'000U, 1'048'576U, 700'000U, 1'048'575U, 1'150'000U}) {
    counts.add(value);
  }
  std::vector<Cycle> seen;
  counts.for_each(
      [&seen](Cycle value, std::uint64_t times) { seen.insert(seen.end(), times, value); });
  EXPECT_EQ(seen,
            std::vector<Cycle>({600'000, 700'000, 1'048'575, 1'048'576, 1'100'000, 1'150'000}));
  EXPECT_EQ(counts.max(), 1'150'000U);
  EXPECT_EQ(counts.percentile(50), 1'048'575U);
}

}  // namespace
}  // namespace qosarb::test
