#include "input.hpp"
#include "qosarb/plan/spec.hpp"

// What is asked for, and what cannot be had is an InputError, too.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return qosarb::fuzz::fuzz(data, size, [](const std::string& file) {
    qosarb::report_plan(qosarb::load_plan_spec(file));
  });
}
