// Rates, bursts and priorities of two-rate classes (dragonfly paper, Sects. III and V-A).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "qosarb/analyze/rational.hpp"
#include "qosarb/analyze/service.hpp"
#include "qosarb/policy/config.hpp"

namespace qosarb {

struct TrtcmRequirements {
  struct Class {
    Index queue = 0;
    Rational assured;  ///< share of the link that it gets whenever it asks for it
    Rational peak;     ///< share up to which its priority counts, at least the assured one
  };
  std::uint32_t max_packet_flits = 1;
  std::vector<Class> classes;  ///< from the most urgent on; queues 0..n-1, each once
};

struct TrtcmPlan {
  struct Class {
    int priority = 0;
    std::uint64_t assured_burst = 0;  ///< flits
    std::uint64_t peak_burst = 0;
    ServiceBound service;
  };
  ArbiterConfig arbiter;
  std::vector<Class> classes;  ///< in the order of the requirements
  Rational unassured;          ///< share of the link that is nobody's right
  std::vector<std::string> warnings;
};

/// Bursts are the smallest with which every assured rate is kept whatever the others send (see
/// sufficient_burst()), and at least four of the longest packets.
/// Errors: std::invalid_argument with a message for the user, if the assured shares sum up to more
/// than the link, or a peak is below its assured share.
TrtcmPlan plan_trtcm(const TrtcmRequirements& requirements);

}  // namespace qosarb
