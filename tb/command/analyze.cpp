// qosarb analyze: what a configuration gives to each queue.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "command/command.hpp"
#include "qosarb/analyze/policy_analysis.hpp"
#include "qosarb/analyze/report.hpp"
#include "qosarb/analyze/vl_tables.hpp"
#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/config/opensm.hpp"
#include "qosarb/policy/infiniband.hpp"

namespace qosarb::command {

namespace {

struct AnalyzeOptions {
  std::string config;
  std::string low;
  VlTableOptions tables;
  bool low_turn_packet = false;
  OpenSmPort port;
  bool as_opensm_does = false;
  std::vector<std::string> packets;
  std::string curves;
  AnalysisLimits limits;
  std::string strict_load;
  std::optional<std::uint64_t> strict_burst;
  bool json = false;
};

// What the options say of the strict-priority queues of `config`.
std::optional<StrictLoad> strict_load_of(const AnalyzeOptions& options,
                                         const ArbiterConfig& config) {
  if (options.strict_load.empty()) {
    return std::nullopt;
  }
  const std::size_t strict = analysis_of(config.policy).strict_queues(config).size();
  if (strict == 0) {
    throw InputError("--strict-load", 0, "this arbiter has no strict-priority queue");
  }
  StrictLoad load{.burst_flits = options.strict_burst.value_or(strict * config.max_packet_flits)};
  try {
    load.rate = Rational::parse(options.strict_load);
  } catch (const std::invalid_argument& error) {
    throw InputError("--strict-load", 0, error.what());
  }
  if (load.rate < Rational(0) || load.rate > Rational(1)) {
    throw InputError("--strict-load", 0, "must be a share of the link, 0 to 1");
  }
  return load;
}

// What CONFIG holds, as bits: each option that goes with some forms only names them.
enum Form : unsigned { kArbiter = 0, kCsv = 1, kOpenSm = 2 };
constexpr std::pair<const char*, unsigned> kFormOptions[] = {{"--low", kCsv},
                                                             {"--limit", kCsv},
                                                             {"--packet-bytes", kCsv | kOpenSm},
                                                             {"--data-vls", kOpenSm},
                                                             {"--port-kind", kOpenSm},
                                                             {"--low-turn-packet", kCsv | kOpenSm},
                                                             {"--as-opensm-does", kOpenSm}};

Form form_of(const std::string& config) {
  return config.ends_with(".csv")                                ? kCsv
         : config.ends_with(".yaml") || config.ends_with(".yml") ? kArbiter
                                                                 : kOpenSm;
}

// An option that does not count is a mistake.
void check_options(const CLI::App& subcommand, const std::string& config) {
  for (const auto& [option, forms] : kFormOptions) {
    if (subcommand.count(option) > 0 && (forms & form_of(config)) == 0) {
      throw InputError(option, 0,
                       fmt::format("goes with {}{}{}, which {} is not",
                                   (forms & kCsv) != 0 ? "tables in CSV" : "",
                                   forms == (kCsv | kOpenSm) ? " or " : "",
                                   (forms & kOpenSm) != 0 ? "options of OpenSM" : "", config));
    }
  }
}

/// As report_analysis(). Errors: InputError naming `file` if it cannot be told exactly.
AnalysisReport analysis_of(const AnalysisRequest& request, const std::string& file) {
  try {
    return report_analysis(request);
  } catch (const std::overflow_error&) {
    throw InputError(file, 0,
                     "the weights or lengths are so large that the guarantees need fractions of "
                     "more than 64 bits");
  }
}

Status analyze(const AnalyzeOptions& options) {
  AnalysisRequest request;
  request.limits = options.limits;
  VlTableOptions tables = options.tables;
  if (options.low_turn_packet) {
    tables.low_turn = InfiniBandConfig::LowTurn::Packet;
  }
  const Form form = form_of(options.config);
  if (form == kCsv) {
    VlTables loaded = load_vl_tables(options.config, options.low, tables);
    request.config = std::move(loaded.config);
    request.warnings = std::move(loaded.warnings);
  } else if (form == kArbiter) {
    request.config = load_arbiter(options.config);
  } else {
    const OpenSmQos qos =
        load_opensm(options.config, options.port,
                    options.as_opensm_does ? OpenSmReading::AsOpenSmDoes : OpenSmReading::Strict);
    request.config =
        arbiter_config(qos, options.port, tables.max_packet_flits(), tables.flit_bytes);
    request.config.parameters.get<InfiniBandConfig>().low_turn = tables.low_turn;
  }
  if (options.packets.empty()) {
    request.mixes.push_back(longest_packets(request.config));
  }
  for (const std::string& text : options.packets) {
    try {
      request.mixes.push_back(parse_mix(text, request.config));
    } catch (const std::invalid_argument& error) {
      throw InputError("--packets", 0, error.what());
    }
  }
  if (!options.curves.empty()) {
    request.curves = load_curves(options.curves, request.config);
  }
  request.strict_load = strict_load_of(options, request.config);
  const AnalysisReport report = analysis_of(request, options.config);
  print_result(options.json ? to_text(report.json) : report.text);
  return Status::Done;
}

/// What says what the configuration is.
void add_config_options(CLI::App& subcommand, AnalyzeOptions& options) {
  subcommand
      .add_option("config", options.config,
                  "An 'arbiter' (*.yaml, *.yml), the high table as lines vl,weight (*.csv), or "
                  "options of OpenSM (any other name)")
      ->required()
      ->type_name("CONFIG");
  subcommand.add_option("--low", options.low, "The low table, with a high table in CSV")
      ->type_name("LOW.csv");
  subcommand
      .add_option("--limit", options.tables.limit_of_high_priority,
                  "LimitOfHighPriority for tables in CSV")
      ->transform(whole_number(0, 255))
      ->type_name("0..255")
      ->capture_default_str();
  subcommand
      .add_option("--packet-bytes", options.tables.packet_bytes,
                  "Longest packet, for CSV and OpenSM")
      ->transform(whole_number(1, 1 << 20))
      ->type_name("BYTES")
      ->capture_default_str();
  subcommand.add_flag("--low-turn-packet", options.low_turn_packet,
                      "For CSV and OpenSM: a turn of the low table is one packet, not one entry");
  // They are texts: of a text that is no number a set of numbers does not say which there are.
  subcommand.add_option("--data-vls", options.port.data_vls, "For OpenSM: data VLs of the port")
      ->check(CLI::IsMember({"1", "2", "4", "8", "15"}))
      ->capture_default_str();
  const std::map<std::string, OpenSmTarget> targets = {{"ca", OpenSmTarget::Ca},
                                                       {"sw0", OpenSmTarget::SwitchPort0},
                                                       {"swe", OpenSmTarget::SwitchExternal},
                                                       {"rtr", OpenSmTarget::Router}};
  subcommand
      .add_option_function<std::string>(
          "--port-kind",
          [&options, targets](const std::string& kind) { options.port.target = targets.at(kind); },
          "For OpenSM: whose options are read, qos_ca_, qos_sw0_, qos_swe_ or qos_rtr_ "
          "(default: swe)")
      ->check(CLI::IsMember(targets).description(""))
      ->type_name("ca|sw0|swe|rtr");
  subcommand.add_flag(
      "--as-opensm-does", options.as_opensm_does,
      "For OpenSM: take what it would bend or drop as it does, instead of refusing");
}

/// What says under which traffic it is looked at, and how far.
void add_traffic_options(CLI::App& subcommand, AnalyzeOptions& options) {
  subcommand
      .add_option("--packets", options.packets,
                  "Packet lengths in flits: one item, or one per queue, separated by commas; an "
                  "item may be a repeating sequence 1+1+16. May be given several times (default: "
                  "the longest packets)")
      ->type_name("MIX")
      ->take_all();
  subcommand
      .add_option("--curves", options.curves,
                  "Arrival curves of queues, for delay bounds: YAML with the one key 'curves'")
      ->type_name("CURVES.yaml");
  CLI::Option* const load =
      subcommand
          .add_option(
              "--strict-load", options.strict_load,
              "Where queues have strict priority: the share of the link that they take, such as "
              "0.2 (default: they are backlogged)")
          ->type_name("SHARE");
  subcommand
      .add_option("--strict-burst", options.strict_burst,
                  "The flits that may come to them at once beyond that (default: a "
                  "longest packet for each)")
      ->transform(whole_number(1, std::uint64_t{1} << 32U))
      ->type_name("FLITS")
      ->needs(load);
  subcommand
      .add_option("--runs", options.limits.runs,
                  "Table cycles to follow when the state does not repeat in time")
      ->transform(whole_number(2, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  subcommand
      .add_option("--max-decisions", options.limits.max_decisions,
                  "Decisions within which the state must repeat for exact results")
      ->transform(whole_number(1, std::uint64_t{1} << 26U))
      ->type_name("N")
      ->capture_default_str();
}

}  // namespace

void add_analyze(CLI::App& app, Action& action) {
  CLI::App* const subcommand = app.add_subcommand(
      "analyze", "Tell shares, distances and waits that a configuration gives (docs/analyze.md)");
  const auto options = std::make_shared<AnalyzeOptions>();
  add_config_options(*subcommand, *options);
  add_traffic_options(*subcommand, *options);
  subcommand->add_flag("--json", options->json, "Print one JSON object");
  subcommand->callback([subcommand, options, &action]() {
    action = [subcommand, options]() {
      check_options(*subcommand, options->config);
      return analyze(*options);
    };
  });
}

}  // namespace qosarb::command
