// What every subcommand owes to bad input.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "run_command.hpp"

namespace qosarb::test {

/// Exit status 2, no result, and one line that has both texts.
inline void expect_refused(const Outcome& outcome, const std::string& where,
                           const std::string& fault = "") {
  using namespace testing;
  EXPECT_EQ(outcome.status, 2) << where << fault;
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, AllOf(StartsWith("qosarb: "), HasSubstr(where), HasSubstr(fault)));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

}  // namespace qosarb::test
