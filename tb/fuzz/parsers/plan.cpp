#include "input.hpp"
#include "qosarb/plan/spec.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return qosarb::fuzz::fuzz(data, size,
                            [](const std::string& file) { qosarb::load_plan_spec(file); });
}
