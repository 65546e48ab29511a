// qosarb plan: from requirements to tables and parameters.
#include <memory>

#include "command/command.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/plan/spec.hpp"

namespace qosarb::command {

namespace {

struct PlanOptions {
  std::string spec;
  bool json = false;
  bool yaml = false;
  bool opensm = false;
};

Status plan(const PlanOptions& options) {
  const PlanSpec spec = load_plan_spec(options.spec);
  const PlanReport report = report_plan(spec);
  if (options.json) {
    print_result(to_text(report.json));
  } else if (options.yaml) {
    if (!report.arbiter.has_value()) {
      throw InputError(options.spec, spec.line, "--yaml: this method plans no arbiter");
    }
    print_result(to_yaml(*report.arbiter));
  } else if (options.opensm) {
    if (report.opensm.empty()) {
      throw InputError(options.spec, spec.line, "--opensm is for the method infiniband");
    }
    print_result(report.opensm);
  } else {
    print_result(report.text);
  }
  return Status::Done;
}

}  // namespace

void add_plan(CLI::App& app, Action& action) {
  CLI::App* const subcommand =
      app.add_subcommand("plan", "Turn requirements into tables and parameters (docs/plan.md)");
  const auto options = std::make_shared<PlanOptions>();
  subcommand->add_option("spec", options->spec, "What is wanted: YAML with the one key 'plan'")
      ->required()
      ->type_name("SPEC.yaml");
  CLI::Option* const json = subcommand->add_flag("--json", options->json, "Print one JSON object");
  CLI::Option* const yaml =
      subcommand->add_flag("--yaml", options->yaml, "Print the 'arbiter' section, ready for use");
  subcommand->add_flag("--opensm", options->opensm, "Print options of OpenSM (method infiniband)")
      ->excludes(json)
      ->excludes(yaml);
  json->excludes(yaml);
  subcommand->callback([options, &action]() { action = [options]() { return plan(*options); }; });
}

}  // namespace qosarb::command
