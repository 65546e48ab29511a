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

enum class Policy { Rr, BxiBasic, BxiDeficit, Sbt, DTable, InfiniBand, SeastarAge, Trtcm };

enum class Variant {
  Corrected,  ///< what the papers mean, and what hardware is built from
  Printed,    ///< the pseudocode as printed, errors included
};

/// bxi-basic and bxi-deficit: one arbitration table (BXIv3 paper, Table 1).
struct BxiConfig {
  struct Entry {
    int queue = 0;
    std::uint32_t weight = 0;

    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::uint32_t quantum_scale = 1;  ///< flits per unit of weight (the paper's k)
  std::vector<Entry> table;

  /// The flits that entry `e` may send in a turn.
  [[nodiscard]] std::uint64_t quantum(std::size_t e) const {
    return std::uint64_t{table[e].weight} * quantum_scale;
  }

  friend bool operator==(const BxiConfig&, const BxiConfig&) = default;
};

/// An entry of a table whose entries are service levels: sbt, dtable.
struct SlEntry {
  int sl = 0;
  std::uint32_t weight = 0;

  friend bool operator==(const SlEntry&, const SlEntry&) = default;
};

/// sbt: simple bandwidth table (Omni-Path paper, Table 2).
struct SbtConfig {
  using Entry = SlEntry;      ///< weight in packets, at least 1
  std::vector<int> queue_sl;  ///< the SL of each queue
  std::vector<Entry> table;   ///< no two entries of one SL

  friend bool operator==(const SbtConfig&, const SbtConfig&) = default;
};

/// dtable: deficit table (Omni-Path paper, Sect. 3.3).
struct DTableConfig {
  using Entry = SlEntry;              ///< weight in flits, at least the SL's MTU
  std::vector<int> queue_sl;          ///< the SL of each queue
  std::vector<std::uint32_t> sl_mtu;  ///< the longest packet of each SL, in flits
  std::vector<Entry> table;

  friend bool operator==(const DTableConfig&, const DTableConfig&) = default;
};

/// infiniband: VL arbitration (InfiniBand paper, Sect. 2). A queue is a VL.
struct InfiniBandConfig {
  struct Entry {
    int vl = 0;
    std::uint32_t weight = 0;  ///< units of 64 bytes, 0..255; 0: the entry is skipped

    friend bool operator==(const Entry&, const Entry&) = default;
  };
  enum class LowTurn {
    Entry,   ///< the low table sends until its entry's weight is used up
    Packet,  ///< the low table sends one packet
  };
  std::uint32_t flit_bytes = 64;
  std::uint32_t limit_of_high_priority = 0;  ///< units of 4096 bytes; 255: none, 0: one packet
  LowTurn low_turn = LowTurn::Entry;
  std::vector<Entry> high;
  std::vector<Entry> low;

  friend bool operator==(const InfiniBandConfig&, const InfiniBandConfig&) = default;
};

/// seastar-age: age-based arbitration (Cray XT paper, Sect. 2.1). Queues are input ports x vcs.
struct SeastarConfig {
  int vcs = 2;                              ///< even; the lower half carries requests
  std::vector<std::uint32_t> req_age_bias;  ///< of each input port, 0..7
  std::vector<std::uint32_t> rsp_age_bias;  ///< of each input port, 0..7
  std::uint32_t age_clock_period = 1;       ///< cycles per unit of age, at least 1
  std::uint64_t age_rr_select = 0;          ///< bit g: grant g mod 64 goes by age, not round robin

  friend bool operator==(const SeastarConfig&, const SeastarConfig&) = default;
};

/// trtcm: two rates, three colours (dragonfly paper, Sect. III-A). A queue is a class.
struct TrtcmConfig {
  struct Class {
    int priority = 0;                 ///< 0 is the highest; no two alike
    std::uint32_t assured_rate = 0;   ///< 1/65536 flits per cycle
    std::uint32_t peak_rate = 0;      ///< 1/65536 flits per cycle, at least the assured rate
    std::uint64_t assured_burst = 0;  ///< flits; counts for nothing where the rate is 0
    std::uint64_t peak_burst = 0;     ///< flits

    friend bool operator==(const Class&, const Class&) = default;
  };
  std::vector<Class> classes;  ///< one for each queue

  friend bool operator==(const TrtcmConfig&, const TrtcmConfig&) = default;
};

/// Parameters that only one policy knows; rr has none.
using PolicyConfig = std::variant<std::monostate, BxiConfig, SbtConfig, DTableConfig,
                                  InfiniBandConfig, SeastarConfig, TrtcmConfig>;

/// One arbiter, ready to be built by make_reference() or to be programmed into the RTL.
struct ArbiterConfig {
  Policy policy = Policy::Rr;
  Variant variant = Variant::Corrected;
  int queues = 1;
  std::uint32_t max_packet_flits = 1;  ///< no packet is longer, in flits
  bool strict = true;                  ///< refused what can starve a queue or idle the link
  PolicyConfig parameters;

  friend bool operator==(const ArbiterConfig&, const ArbiterConfig&) = default;
};

/// The longest packet that `queue` may hold, in flits: max_packet_flits, and under dtable no more
/// than its SL's MTU. A longer one is bad input.
std::uint32_t max_packet_flits(const ArbiterConfig& config, int queue);

/// The name of a policy as configuration files spell it, such as "bxi-deficit".
std::string_view name_of(Policy policy);
std::string_view name_of(Variant variant);

/// Limits of a configuration, beyond which a number is taken for a mistake.
inline constexpr int kMaxQueues = 1024;
inline constexpr int kMaxTableEntries = 4096;
inline constexpr std::uint32_t kMaxPacketFlits = 1U << 20;
inline constexpr std::uint64_t kMaxQuantumFlits = 1ULL << 32;
inline constexpr int kMaxDataVls = 15;  ///< VL15 is for subnet management
inline constexpr int kMaxVlArbitrationEntries = 64;

/// Reads the `arbiter:` section `node` of `file`.
/// Errors: InputError naming file, line and fault, for whatever interfaces.md does not allow.
ArbiterConfig parse_arbiter(const YAML::Node& node, const std::string& file);

/// Reads a file that holds the one key `arbiter`. Errors: InputError.
ArbiterConfig load_arbiter(const std::string& file);

/// The same section as YAML text that load_arbiter() reads back to an equal config.
std::string to_yaml(const ArbiterConfig& config);

}  // namespace qosarb
