#include "input.hpp"
#include "qosarb/config/arbiter_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return qosarb::fuzz::fuzz(data, size, [](const std::string& file) {
    qosarb::fuzz::analyze(qosarb::load_arbiter(file));
  });
}
