#include <yaml-cpp/yaml.h>

#include <stdexcept>

#include "input.hpp"
#include "qosarb/config/arbiter_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return qosarb::fuzz::fuzz(data, size, [](const std::string& file) {
    const std::vector<qosarb::ArbiterConfig> sections = qosarb::load_sections(file);
    if (qosarb::parse_sections(YAML::Load(to_yaml(sections)), file) != sections) {
      throw std::logic_error("what is written is read as something else");
    }
  });
}
