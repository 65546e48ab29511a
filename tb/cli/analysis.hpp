// What qosarb analyze says.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run_command.hpp"

namespace qosarb::test {

inline nlohmann::json analysis_of(const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {"analyze"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.push_back("--json");
  const Outcome outcome = run_command(all);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

}  // namespace qosarb::test
