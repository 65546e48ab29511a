#include "qosarb/config/opensm.hpp"

#include "input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return qosarb::fuzz::fuzz(data, size, [](const std::string& file) {
    const qosarb::OpenSmPort port;
    for (const auto reading :
         {qosarb::OpenSmReading::AsOpenSmDoes, qosarb::OpenSmReading::Strict}) {
      arbiter_config(load_opensm(file, port, reading), port, 64);
    }
  });
}
