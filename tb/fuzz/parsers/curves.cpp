#include "input.hpp"
#include "qosarb/analyze/arrival_curve.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return qosarb::fuzz::fuzz(data, size, [](const std::string& file) {
    qosarb::load_curves(file, qosarb::fuzz::arbiter_of_8_queues());
  });
}
