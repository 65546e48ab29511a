#include "qosarb/plan/spec.hpp"

#include <stdexcept>

#include "qosarb/config/input_error.hpp"

namespace qosarb {

PlanSpec load_plan_spec(const std::string& file) {
  MapReader top(load_yaml_map(file), file, kWholeFile);
  MapReader reader(top.node("plan"), file, "plan");
  std::vector<std::string_view> names;
  for (const PlanMethod* method : plan_methods()) {
    names.push_back(method->name());
  }
  const PlanMethod& method = *plan_methods()[reader.choice("method", names)];
  PlanSpec spec{file, reader.line(), method.read(reader)};
  reader.finish();
  top.finish();
  return spec;
}

PlanReport report_plan(const PlanSpec& spec) {
  try {
    return spec.request->report();
  } catch (const std::invalid_argument& error) {
    throw InputError(spec.file, spec.line, error.what());
  } catch (const std::overflow_error&) {
    throw InputError(spec.file, spec.line, "the shares need fractions of more than 64 bits");
  }
}

}  // namespace qosarb
