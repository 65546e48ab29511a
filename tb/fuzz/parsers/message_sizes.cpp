#include "input.hpp"
#include "qosarb/traffic/traffic.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return qosarb::fuzz::fuzz(data, size,
                            [](const std::string& file) { qosarb::MessageSizes::from_file(file); });
}
