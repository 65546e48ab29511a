#include "qosarb/analyze/vl_tables.hpp"

#include "input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return qosarb::fuzz::fuzz(data, size, [](const std::string& file) {
    qosarb::fuzz::analyze(qosarb::load_vl_tables(file, "", {}).config);
  });
}
