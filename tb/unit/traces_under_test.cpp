#include "traces_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "qosarb/config/input_error.hpp"
#include "qosarb/traffic/trace_file.hpp"

namespace qosarb::test {

std::string write_trace(const std::string& kind, const std::string& text,
                        const std::string& suffix) {
  std::string path = testing::TempDir() + kind + "-" +
                     testing::UnitTest::GetInstance()->current_test_info()->name() + suffix;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

Scenario idle_switch(const std::string& file, int ports) {
  Scenario s;
  s.arbiter.queues = 1;
  s.arbiter.max_packet_flits = 16;
  s.topology.ports = ports;
  s.flit_bytes = 100;
  s.link_mbps = 800'000;
  s.link_delays.fill(10);
  s.measure = kNever;
  TrafficEntry entry;
  entry.name = "app";
  entry.trace = std::make_shared<Trace>(load_trace(file));
  for (int host = 0; host < entry.trace->ranks(); ++host) {
    entry.hosts.push_back(host);
  }
  s.traffic.push_back(entry);
  return s;
}

void expect_refused(const BadTrace& trace, const std::string& suffix) {
  const std::string file = testing::TempDir() + "bad-" + trace.name + suffix;
  std::ofstream(file, std::ios::binary) << trace.text;
  try {
    run_to_end(idle_switch(file, 8));
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    const std::string says = error.what();
    EXPECT_EQ(says.substr(0, file.size()), file);
    EXPECT_THAT(says.substr(file.size()), testing::HasSubstr(trace.says));
  }
}

RunReport run_to_end(const Scenario& scenario) {
  Network network(scenario, references());
  network.run(scenario.end());
  RunReport report = report_of(network);
  EXPECT_EQ(report.flits.lost(), 0);
  return report;
}

std::vector<double> rank_ends(const RunReport& report) {
  std::vector<double> ends;
  for (const auto& end : report.traces.at(0).rank_finish_ns) {
    ends.push_back(end.value_or(-1));
  }
  return ends;
}

std::vector<std::set<int>> knowledge_after(const Trace& trace) {
  std::vector<std::set<int>> have(trace.ranks());
  std::vector<std::vector<std::set<int>>> sent(trace.channels());
  std::vector<std::size_t> got(trace.channels(), 0);
  std::vector<int> waits(trace.operations(), 0);
  std::vector<int> rank_of(trace.operations(), 0);
  std::vector<std::uint32_t> ready;
  for (int rank = 0; rank < trace.ranks(); ++rank) {
    have[rank] = {rank};
    for (std::uint32_t one = trace.begin(rank); one < trace.end(rank); ++one) {
      rank_of[one] = rank;
      trace.for_each_successor(one, [&](Trace::Successor s) { ++waits[s.operation]; });
    }
  }
  for (std::uint32_t one = 0; one < trace.operations(); ++one) {
    if (waits[one] == 0) {
      ready.push_back(one);
    }
  }
  std::size_t done = 0;
  for (std::size_t idle = 0; !ready.empty() && idle <= ready.size();) {
    const std::uint32_t one = ready.front();
    ready.erase(ready.begin());
    const Trace::Operation& operation = trace.operation(one);
    std::set<int>& mine = have[rank_of[one]];
    if (operation.kind == Trace::Kind::Send) {
      sent[operation.channel].push_back(mine);
    } else if (operation.kind == Trace::Kind::Receive) {
      if (got[operation.channel] == sent[operation.channel].size()) {
        ready.push_back(one);
        ++idle;
        continue;
      }
      const std::set<int>& data = sent[operation.channel][got[operation.channel]++];
      mine.insert(data.begin(), data.end());
    }
    idle = 0;
    ++done;
    trace.for_each_successor(one, [&](Trace::Successor s) {
      if (--waits[s.operation] == 0) {
        ready.push_back(s.operation);
      }
    });
  }
  EXPECT_EQ(done, trace.operations());
  return have;
}

}  // namespace qosarb::test
