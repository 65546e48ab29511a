// Age bias and age clock period of a mesh or torus (Cray XT paper, Sects. 2 and 3).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "qosarb/analyze/rational.hpp"
#include "qosarb/policy/config.hpp"

namespace qosarb {

struct SeastarRequirements {
  struct Dimension {
    std::uint32_t radix = 2;  ///< nodes along it, k_i
    bool torus = true;        ///< else mesh
  };
  /// What the performance counters of a running system say (Equation 17).
  struct Measured {
    std::uint64_t stalled_cycles = 0;
    std::uint64_t vc0_packets = 0;
    std::uint64_t vc1_packets = 0;
  };
  std::vector<Dimension> dimensions;  ///< in the order of routing, 1 to 7
  std::uint32_t vcs = 4;              ///< per port: even, half for requests, half for responses
  std::uint32_t packet_flits = 9;     ///< longest packet
  std::uint32_t input_queue_flits = 96;
  std::uint32_t staging_flits = 16;
  std::uint32_t processor_age_bias = 1;  ///< of packets that are injected, 0..7
  Rational channel_gbytes{24, 5};        ///< B_c: 4.8 GB/s
  Rational ejection_gbytes{2};           ///< E_p
  std::optional<Measured> measured;
};

struct SeastarPlan {
  struct Dimension {
    Rational average_hops;        ///< Equations 5 and 7
    std::int64_t whole_hops = 0;  ///< the same, to the nearest integer, as the paper counts
    Rational channel_load;        ///< Equations 8 and 9
    Rational
        ejection_probability;  ///< Equations 10 to 12; half of it at each of the two ports (13)
    Rational ejection_gbytes;  ///< Equations 14 to 16
    std::uint32_t age_bias = 0;
  };
  std::vector<Dimension> dimensions;  ///< in the order of routing
  std::int64_t hops = 0;              ///< sum of the whole hops
  std::int64_t bias_age = 0;          ///< T_bias: what the biases add to a packet's age on its way
  std::int64_t ticks_per_hop = 0;
  std::uint32_t queued_packets = 0;   ///< in front of a packet, in a full network
  std::uint32_t queueing_cycles = 0;  ///< per hop
  std::uint32_t age_clock_period = 0;
  std::optional<Rational> occupancy;  ///< Equation 17, cycles stalled per packet
  ArbiterConfig arbiter;              ///< of one output port: inputs +x -x +y -y ... processor
};

/// Errors: std::invalid_argument with a message for the user, if biases would exceed 7, a queue
/// does not hold a packet, or the biases alone fill the age range.
SeastarPlan plan_seastar(const SeastarRequirements& requirements);

}  // namespace qosarb
