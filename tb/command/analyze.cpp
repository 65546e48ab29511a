// qosarb analyze: what a configuration gives to each queue.
#include <map>
#include <memory>
#include <stdexcept>

#include "command/command.hpp"
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
  bool json = false;
};

bool ends_with(const std::string& text, const std::string& ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

Status analyze(const AnalyzeOptions& options) {
  AnalysisRequest request;
  request.limits = options.limits;
  VlTableOptions tables = options.tables;
  if (options.low_turn_packet) {
    tables.low_turn = InfiniBandConfig::LowTurn::Packet;
  }
  if (ends_with(options.config, ".csv")) {
    VlTables loaded = load_vl_tables(options.config, options.low, tables);
    request.config = std::move(loaded.config);
    request.warnings = std::move(loaded.warnings);
  } else if (!options.low.empty()) {
    throw InputError(options.low, 0, "--low goes with a high table in CSV");
  } else if (ends_with(options.config, ".yaml") || ends_with(options.config, ".yml")) {
    request.config = load_arbiter(options.config);
  } else {
    const OpenSmQos qos =
        load_opensm(options.config, options.port,
                    options.as_opensm_does ? OpenSmReading::AsOpenSmDoes : OpenSmReading::Strict);
    request.config = arbiter_config(
        qos, options.port, (tables.packet_bytes + tables.flit_bytes - 1) / tables.flit_bytes,
        tables.flit_bytes);
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
  const AnalysisReport report = report_analysis(request);
  print_result(options.json ? report.json.dump(2) + "\n" : report.text);
  return Status::Done;
}

}  // namespace

void add_analyze(CLI::App& app, Action& action) {
  CLI::App* const subcommand = app.add_subcommand(
      "analyze", "Tell shares, distances and waits that a configuration gives (docs/analyze.md)");
  const auto options = std::make_shared<AnalyzeOptions>();
  subcommand
      ->add_option("config", options->config,
                   "An 'arbiter' (*.yaml, *.yml), the high table as lines vl,weight (*.csv), or "
                   "options of OpenSM (any other name)")
      ->required()
      ->type_name("CONFIG");
  subcommand->add_option("--low", options->low, "The low table, with a high table in CSV")
      ->type_name("LOW.csv");
  subcommand
      ->add_option("--limit", options->tables.limit_of_high_priority,
                   "LimitOfHighPriority for tables in CSV")
      ->check(CLI::Range(0, 255))
      ->capture_default_str();
  subcommand
      ->add_option("--packet-bytes", options->tables.packet_bytes,
                   "Longest packet, for CSV and OpenSM")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  subcommand->add_flag("--low-turn-packet", options->low_turn_packet,
                       "For CSV and OpenSM: a turn of the low table is one packet, not one entry");
  subcommand->add_option("--data-vls", options->port.data_vls, "For OpenSM: data VLs of the port")
      ->check(CLI::IsMember({1, 2, 4, 8, 15}))
      ->capture_default_str();
  const std::map<std::string, OpenSmTarget> targets = {{"ca", OpenSmTarget::Ca},
                                                       {"sw0", OpenSmTarget::SwitchPort0},
                                                       {"swe", OpenSmTarget::SwitchExternal},
                                                       {"rtr", OpenSmTarget::Router}};
  subcommand
      ->add_option("--port-kind", options->port.target,
                   "For OpenSM: whose options are read, qos_ca_, qos_sw0_, qos_swe_ or qos_rtr_ "
                   "(default: swe)")
      ->transform(CLI::CheckedTransformer(targets))
      ->type_name("ca|sw0|swe|rtr");
  subcommand->add_flag(
      "--as-opensm-does", options->as_opensm_does,
      "For OpenSM: take what it would bend or drop as it does, instead of refusing");
  subcommand
      ->add_option("--packets", options->packets,
                   "Packet lengths in flits: one item, or one per queue, separated by commas; an "
                   "item may be a repeating sequence 1+1+16. May be given several times (default: "
                   "the longest packets)")
      ->type_name("MIX")
      ->take_all();
  subcommand
      ->add_option("--curves", options->curves,
                   "Arrival curves of queues, for delay bounds: YAML with the one key 'curves'")
      ->type_name("CURVES.yaml");
  subcommand
      ->add_option("--runs", options->limits.runs,
                   "Table cycles to follow when the state does not repeat in time")
      ->check(CLI::Range(2, 1000000))
      ->capture_default_str();
  subcommand
      ->add_option("--max-decisions", options->limits.max_decisions,
                   "Decisions within which the state must repeat for exact results")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 26U))
      ->capture_default_str();
  subcommand->add_flag("--json", options->json, "Print one JSON object");
  subcommand->callback(
      [options, &action]() { action = [options]() { return analyze(*options); }; });
}

}  // namespace qosarb::command
