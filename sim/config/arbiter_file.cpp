#include "qosarb/config/arbiter_file.hpp"

#include "qosarb/config/yaml_reader.hpp"

namespace qosarb {

ArbiterConfig parse_arbiter(const YAML::Node& node, const std::string& file) {
  MapReader reader(node, file, "arbiter");
  return parse_arbiter(reader);
}

ArbiterConfig load_arbiter(const std::string& file) {
  MapReader top(load_yaml_map(file), file, kWholeFile);
  ArbiterConfig config = parse_arbiter(top.node("arbiter"), file);
  top.finish();
  return config;
}

}  // namespace qosarb
