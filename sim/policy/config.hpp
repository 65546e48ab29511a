// The `arbiter:` section of a configuration file, as values.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "qosarb/policy/parameters.hpp"
#include "qosarb/policy/types.hpp"

namespace qosarb {

class ConfigReader;
class Policy;

/// One of the registered policies (sim/policy/policy.hpp); rr unless another is given.
class PolicyRef {
 public:
  PolicyRef();
  PolicyRef(const Policy& policy) : policy_(&policy) {}  // NOLINT(google-explicit-constructor)

  /// As configuration files spell it, such as "bxi-deficit".
  [[nodiscard]] std::string_view name() const;
  const Policy* operator->() const { return policy_; }

  friend bool operator==(PolicyRef, PolicyRef) = default;

 private:
  const Policy* policy_;
};

/// Prints the policy's name.
std::ostream& operator<<(std::ostream& out, PolicyRef policy);

enum class Variant {
  Corrected,  ///< what the papers mean, and what hardware is built from
  Printed,    ///< the pseudocode as printed, errors included
};
/// As the key `variant` has it.
std::string_view name_of(Variant variant);

/// Where something was read, for messages: nothing is different for that.
struct LineRead {
  int line = 0;  ///< counts from 1; 0 if it was not read from a file

  friend bool operator==(LineRead, LineRead) { return true; }
};

/// One arbiter, ready to be built by make_reference() or to be programmed into the RTL.
struct ArbiterConfig {
  PolicyRef policy;
  Variant variant = Variant::Corrected;
  int queues = 1;
  std::uint32_t max_packet_flits = 1;  ///< no packet is longer, in flits
  bool strict = true;                  ///< refused what can starve a queue or idle the link
  Parameters parameters;               ///< those of the policy, such as BxiConfig
  LineRead section{};

  friend bool operator==(const ArbiterConfig&, const ArbiterConfig&) = default;
};

/// The longest packet that `queue` may hold, in flits: max_packet_flits, and under dtable no more
/// than its SL's MTU. A longer one is bad input.
std::uint32_t max_packet_flits(const ArbiterConfig& config, Index queue);

/// Limits of a configuration, beyond which a number is taken for a mistake.
inline constexpr int kMaxQueues = 1024;
inline constexpr int kMaxTableEntries = 4096;
inline constexpr std::uint32_t kMaxPacketFlits = 1U << 20;
inline constexpr std::uint64_t kMaxQuantumFlits = 1ULL << 32;

/// Reads an `arbiter:` section. Errors: InputError naming file, line and fault, for whatever is
/// not allowed.
ArbiterConfig parse_arbiter(ConfigReader& reader);

/// The section as YAML text that load_arbiter() reads back to an equal config.
std::string to_yaml(const ArbiterConfig& config);

}  // namespace qosarb
