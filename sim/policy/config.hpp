// The `arbiter:` section of a configuration file, as values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace YAML {
class Node;
}

namespace qosarb {

enum class Policy { Rr, BxiBasic, BxiDeficit };

enum class Variant {
  Corrected,  ///< what the papers mean, and what hardware is built from
  Printed,    ///< the pseudocode as printed, errors included
};

/// bxi-basic and bxi-deficit: one arbitration table (BXIv3 paper, Table 1).
struct BxiConfig {
  struct Entry {
    int queue = 0;
    std::uint32_t weight = 0;
  };
  std::uint32_t quantum_scale = 1;  ///< flits per unit of weight (the paper's k)
  std::vector<Entry> table;

  /// The flits that entry `e` may send in a turn.
  [[nodiscard]] std::uint64_t quantum(std::size_t e) const {
    return std::uint64_t{table[e].weight} * quantum_scale;
  }
};

/// Parameters that only one policy knows; rr has none.
using PolicyConfig = std::variant<std::monostate, BxiConfig>;

/// One arbiter, ready to be built by make_reference() or to be programmed into the RTL.
struct ArbiterConfig {
  Policy policy = Policy::Rr;
  Variant variant = Variant::Corrected;
  int queues = 1;
  std::uint32_t max_packet_flits = 1;  ///< no packet is longer, in flits
  bool strict = true;                  ///< refused what can starve a queue or idle the link
  PolicyConfig parameters;
};

/// The name of a policy as configuration files spell it, such as "bxi-deficit".
std::string_view name_of(Policy policy);
std::string_view name_of(Variant variant);

/// Limits of a configuration, beyond which a number is taken for a mistake.
inline constexpr int kMaxQueues = 1024;
inline constexpr int kMaxTableEntries = 4096;
inline constexpr std::uint32_t kMaxPacketFlits = 1U << 20;
inline constexpr std::uint64_t kMaxQuantumFlits = 1ULL << 32;

/// Reads the `arbiter:` section `node` of `file`.
/// Errors: InputError naming file, line and fault, for whatever interfaces.md does not allow.
ArbiterConfig parse_arbiter(const YAML::Node& node, const std::string& file);

/// Reads a file that holds the one key `arbiter`. Errors: InputError.
ArbiterConfig load_arbiter(const std::string& file);

/// The same section as YAML text that load_arbiter() reads back to an equal config.
std::string to_yaml(const ArbiterConfig& config);

}  // namespace qosarb
