// The line of the Cray XT paper's Fig. 4(a): P0 to P6 all send to P7, and at each node the packets
// that come from behind merge with the node's own.
#pragma once

#include <cstdint>
#include <vector>

#include "policy_under_test.hpp"

namespace qosarb::test::chain {

inline constexpr int kSources = 7;
inline constexpr int kPorts = 8;            // the links out of P0 to P6, and P7's own ejection
inline constexpr std::size_t kBuffer = 16;  // packets in a staging buffer (16 entries in SeaStar)

/// When a packet's age begins.
enum class AgeFrom {
  Entry,     ///< at age 0 where it enters the network, as SeaStar has it
  Creation,  ///< when its source made it; the wait in the source counts
};

struct Line {
  ArbiterConfig config;
  int through = 0;  ///< the queue of packets from behind
  int local = 1;    ///< the queue of the node's own
  AgeFrom age_from = AgeFrom::Entry;
  std::uint64_t age_period = 1;  ///< cycles per unit of an age counted from creation
  std::size_t window = kBuffer;  ///< Creation: packets of a source that are under way or wait
};

/// The share of each source in what P7 receives. One-flit packets, one cycle from port to port;
/// each source always has packets. A source whose ages count from creation makes a new packet when
/// an earlier one is received, so that it always has `window` of them.
std::vector<double> shares(const Line& line, Cycle cycles);

/// seastar-age with an age of one for each `period` cycles, and `bias` at each hop.
ArbiterConfig by_age(std::uint32_t period, int bias);

}  // namespace qosarb::test::chain
