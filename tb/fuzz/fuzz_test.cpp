// Mutated inputs against each parser: it takes them or refuses them by one whole line that names
// the file. The corpus is scenarios/. QOSARB_SEED and QOSARB_FUZZ_RUNS set seed and inputs per
// parser; an input that makes the program die is left in the file whose name stands on the last
// line printed.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "qosarb/analyze/arrival_curve.hpp"
#include "qosarb/analyze/packet_mix.hpp"
#include "qosarb/analyze/report.hpp"
#include "qosarb/analyze/vl_tables.hpp"
#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/config/opensm.hpp"
#include "qosarb/events/event_log.hpp"
#include "qosarb/network/scenario.hpp"
#include "qosarb/plan/spec.hpp"
#include "qosarb/traffic/goal.hpp"
#include "qosarb/traffic/random.hpp"
#include "qosarb/traffic/vef.hpp"

namespace qosarb::test {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

const fs::path kScenarios = fs::path(QOSARB_SOURCE_DIR) / "scenarios";

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// The files of `folder` that have `part` in their names, in the order of these.
std::vector<std::string> texts_of(const fs::path& folder, std::string_view part) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().find(part) != std::string::npos) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  texts.reserve(files.size());
  for (const fs::path& file : files) {
    texts.push_back(text_of(file));
  }
  return texts;
}

// What parsers stumble over: ends of ranges, other types, structure, bytes that are no text.
constexpr std::array kWords = {
    "0"sv,     "-1"sv,   "255"sv,  "256"sv,  "65536"sv, "2.5"sv, "4294967295"sv, "4294967296"sv,
    "1e308"sv, "-0"sv,   "nan"sv,  ".inf"sv, "~"sv,     "[]"sv,  "{}"sv,         "[0, 0]"sv,
    "\n"sv,    "\r\n"sv, "\t"sv,   ","sv,    ": "sv,    "- "sv,  "&a "sv,        "*a"sv,
    "<<: "sv,  "\0"sv,   "\xff"sv, "#"sv,    "true"sv,  "0x10"sv};

class Mutator {
 public:
  Mutator(const std::vector<std::string>& corpus, std::uint64_t seed)
      : corpus_(corpus), random_(seed) {}

  std::string next() {
    std::string text = corpus_[below(corpus_.size())];
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
      change(text);
    }
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return random_.below(n); }

  void change(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    switch (below(7)) {
      case 0:
        text.insert(at, kWords[below(kWords.size())]);
        break;
      case 1:
        text.erase(at, 1 + below(12));
        break;
      case 2:
        text.insert(at, text.substr(below(text.size() + 1), 1 + below(40)));
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        replace_number(text, at);
        break;
      case 5:
        swap_lines(text, at);
        break;
      default: {
        const std::string& other = corpus_[below(corpus_.size())];
        text = text.substr(0, at) + other.substr(below(other.size() + 1));
      }
    }
  }

  // The first number behind `at`.
  void replace_number(std::string& text, std::size_t at) {
    constexpr std::string_view kDigits = "0123456789";
    const std::size_t begin = text.find_first_of(kDigits, at);
    if (begin != std::string::npos) {
      const std::size_t end = text.find_first_not_of(kDigits, begin);
      const std::array numbers = {std::string("0"), std::to_string(below(20)),
                                  std::string(kWords[below(kWords.size())])};
      text.replace(begin, end == std::string::npos ? end : end - begin, numbers[below(3)]);
    }
  }

  // A line goes to another place.
  void swap_lines(std::string& text, std::size_t at) {
    const std::size_t begin = text.find('\n', at);
    if (begin != std::string::npos) {
      const std::size_t end = std::min(text.find('\n', begin + 1), text.size());
      const std::string line = text.substr(begin, end - begin);
      text.erase(begin, end - begin);
      text.insert(below(text.size() + 1), line);
    }
  }

  const std::vector<std::string>& corpus_;
  Random random_;
};

/// False for a message that ends early, inside of what it quotes. "port's" is no quotation.
bool quotes_are_closed(const std::string& message) {
  bool open = false;
  for (std::size_t at = 0; at < message.size(); ++at) {
    const bool genitive = !open && at > 0 && std::isalpha(message[at - 1]) != 0 &&
                          message.compare(at + 1, 2, "s ") == 0;
    if (message[at] == '\'' && !genitive) {
      open = !open;
    }
  }
  return !open;
}

struct Parser {
  const char* name;
  std::string suffix;
  std::vector<std::string> (*corpus)();
  std::function<void(const std::string& file)> read;
};

void PrintTo(const Parser& parser, std::ostream* stream) { *stream << parser.name; }

// What analyze does with a configuration once it is read; its warnings and bounds divide by what
// the file says.
void analyze(ArbiterConfig config) {
  AnalysisRequest request;
  request.config = std::move(config);
  request.mixes.push_back(longest_packets(request.config));
  report_analysis(request);
}

std::vector<std::string> scenarios() {
  std::vector<std::string> texts = texts_of(kScenarios / "policies", ".yaml");
  for (const std::string& text : texts_of(kScenarios, "-8.yaml")) {
    texts.push_back(text);
  }
  return texts;
}

// The sections 'arbiter' of the scenarios, each from its line to the next that is not indented.
std::vector<std::string> arbiters() {
  std::vector<std::string> texts = texts_of(kScenarios / "analyze", "bxi-table1.yaml");
  for (const std::string& text : scenarios()) {
    const std::size_t begin = text.find("\narbiter:") + 1;
    std::size_t end = text.find('\n', begin) + 1;
    while (end < text.size() && (text[end] == ' ' || text[end] == '#')) {
      end = text.find('\n', end) + 1;
    }
    texts.push_back(text.substr(begin, end - begin));
  }
  return texts;
}

std::vector<std::string> plans() { return texts_of(kScenarios / "plan", ".yaml"); }

std::vector<std::string> curves() { return texts_of(kScenarios / "analyze", "curves"); }

std::vector<std::string> vl_tables() {
  std::vector<std::string> texts = texts_of(kScenarios / "analyze", ".csv");
  texts.emplace_back("vl,weight\n0,4\n");  // the smallest: one change makes all weights 0
  return texts;
}

std::vector<std::string> opensm() { return texts_of(kScenarios / "analyze", ".conf"); }

std::vector<std::string> goal_traces() { return texts_of(kScenarios / "traces", ".goal"); }

std::vector<std::string> vef_traces() { return texts_of(kScenarios / "traces", ".vef"); }

std::vector<std::string> event_logs() {
  return {
      "cycle,event,queue,flits,age\n0,arrive,2,16,0\n0,stop,1,,\n0,arb,,,\n9,start,1,,\n9,arb,-1,0,"
      "0\n",
      "cycle,event,queue,flits,age\r\n0,arrive,0,1,\r\n7,arrive,7,64,255\r\n8,arb\r\n12,arb\r\n"};
}

void read_events(const std::string& file) {
  static const ArbiterConfig config =
      load_arbiter((kScenarios / "analyze/bxi-table1.yaml").string());
  EventLogReader reader(file, config);
  Event event;
  while (reader.next(event)) {
  }
}

std::vector<std::string> raw_event_logs() {
  std::vector<std::string> logs = event_logs();
  logs.emplace_back(
      "cycle,event,queue,flits,age\n0,arrive,0,0,0\n0,arrive,1,4294967295,\n0,arb\n"
      "5,commit,1,,\n5,arb\n6,commit,0\n7,arrive,2,70000,3\n7,arb\n");
  logs.emplace_back(
      "cycle,event,queue,flits,age\n0,stamp,1,,9\n0,enter,,3,\n4,arrive,1,2,0\n"
      "4,leave,1,2\n4,arb\n");
  return logs;
}

void read_raw_events(const std::string& file) {
  static const ArbiterConfig config =
      load_arbiter((kScenarios / "analyze/bxi-table1.yaml").string());
  EventLogReader reader(file, config, RawLog{.commits = 2, .has_chip = true});
  Event event;
  while (reader.next(event)) {
  }
}

// Each arbiter with those of the other scenarios, as many queues as it has, as its commits.
std::vector<std::string> sections() {
  std::vector<std::string> texts;
  for (const std::string& text : arbiters()) {
    const std::string lines = text.substr(text.find('\n') + 1);
    std::string section = lines;
    for (std::size_t at = section.find("\n "); at != std::string::npos;
         at = section.find("\n ", at + 2)) {
      section.insert(at + 1, "  ");
    }
    texts.push_back(text + "commits:\n  -\n  " + section);
  }
  return texts;
}

void read_curves(const std::string& file) {
  static const ArbiterConfig config =
      load_arbiter((kScenarios / "analyze/bxi-table1.yaml").string());
  load_curves(file, config);
}

void read_opensm(const std::string& file) {
  OpenSmPort port;
  for (const OpenSmReading reading : {OpenSmReading::AsOpenSmDoes, OpenSmReading::Strict}) {
    analyze(arbiter_config(load_opensm(file, port, reading), port, 64));
  }
}

class Fuzz : public ::testing::TestWithParam<Parser> {};

TEST_P(Fuzz, TakesTheInputOrRefusesItByOneLine) {
  const Parser& parser = GetParam();
  const std::vector<std::string> corpus = parser.corpus();
  ASSERT_FALSE(corpus.empty());
  const std::uint64_t runs = setting("QOSARB_FUZZ_RUNS", 1000);
  const std::uint64_t first_seed = setting("QOSARB_SEED", 1);
  const std::string file =
      (fs::temp_directory_path() /
       fmt::format("qosarb_fuzz.{}.{}{}", parser.name, getpid(), parser.suffix))
          .string();
  std::uint64_t taken = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + runs; ++seed) {
    const std::string text = Mutator(corpus, seed).next();
    std::ofstream(file, std::ios::binary) << text;
    SCOPED_TRACE(fmt::format("QOSARB_SEED={} QOSARB_FUZZ_RUNS=1", seed));
    if (seed == first_seed) {
      fmt::print("{} inputs from seed {} (QOSARB_SEED), one after the other in {}\n", runs, seed,
                 file);
      std::fflush(stdout);
    }
    try {
      parser.read(file);
      ++taken;
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(file + ":")) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      if (text.find('\'') == std::string::npos) {
        EXPECT_TRUE(quotes_are_closed(message)) << message;
      }
    } catch (const std::exception& error) {
      ADD_FAILURE() << "no InputError: " << error.what();
    }
    if (HasFailure()) {
      return;  // the file stays
    }
  }
  fs::remove(file);
  fmt::print("{} of {} were taken\n", taken, runs);
  EXPECT_GT(taken, 0U);
  EXPECT_LT(taken, runs);
}

INSTANTIATE_TEST_SUITE_P(
    Parsers, Fuzz,
    ::testing::Values(
        Parser{"arbiter", ".yaml", arbiters,
               [](const std::string& file) { analyze(load_arbiter(file)); }},
        Parser{"scenario", ".yaml", scenarios,
               [](const std::string& file) { load_scenario(file); }},
        Parser{"plan", ".yaml", plans, [](const std::string& file) { load_plan_spec(file); }},
        Parser{"sections", ".yaml", sections, [](const std::string& file) { load_sections(file); }},
        Parser{"event_log", ".csv", event_logs, read_events},
        Parser{"raw_event_log", ".csv", raw_event_logs, read_raw_events},
        Parser{"goal", ".goal", goal_traces, [](const std::string& file) { load_goal(file); }},
        Parser{"vef", ".vef", vef_traces, [](const std::string& file) { load_vef(file); }},
        Parser{"opensm", ".conf", opensm, read_opensm},
        Parser{"curves", ".yaml", curves, read_curves},
        Parser{"vl_tables", ".csv", vl_tables,
               [](const std::string& file) { analyze(load_vl_tables(file, "", {}).config); }}),
    [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace qosarb::test
