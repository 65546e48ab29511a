// What makes messages at one host: the one interface of all kinds of traffic.
#pragma once

#include <cstdint>

#include "qosarb/policy/types.hpp"

namespace qosarb {

struct Message {
  int destination = 0;       ///< host
  std::uint32_t flits = 0;   ///< >= 1
  std::uint32_t number = 0;  ///< what arrived() of the receiving source is told
};

/// The messages of one traffic entry at one host.
class Source {
 public:
  virtual ~Source() = default;

  /// The cycle in which something happens next, a message for example; kNever if nothing will
  /// unless a message arrives.
  [[nodiscard]] virtual Cycle next() const = 0;
  /// Lets it happen: one message, or none (null). To be called in cycle next(), until that is
  /// later. The message lasts until the next call.
  virtual const Message* take() = 0;
  /// The last flit of a message of the same traffic entry for this host is in.
  virtual void arrived(std::uint32_t /*number*/, Cycle /*now*/) {}
};

}  // namespace qosarb
