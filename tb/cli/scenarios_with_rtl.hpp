// The scenarios that ship for single policies.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cosim/policy/policy_rtl.hpp"
#include "qosarb/network/scenario.hpp"

namespace qosarb::test {

/// Those whose policy has RTL.
inline std::vector<std::string> scenarios_with_rtl() {
  std::vector<std::string> files;
  for (const auto& file :
       std::filesystem::directory_iterator(QOSARB_SOURCE_DIR "/scenarios/policies")) {
    if (find_rtl(load_scenario(file.path().string()).arbiter.policy) != nullptr) {
      files.push_back(file.path().string());
    }
  }
  return files;
}

}  // namespace qosarb::test
