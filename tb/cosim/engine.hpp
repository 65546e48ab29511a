// Who decides at a port: the reference, the RTL, or both in lockstep.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "qosarb/policy/arbiter.hpp"

namespace qosarb {

class Waves;

enum class Engine { Model, Rtl, Lockstep };

/// "model", "rtl" or "lockstep", and back. Errors: std::invalid_argument for any other name.
Engine engine_named(std::string_view name);
std::string_view name_of(Engine engine);

/// Why the RTL that is built cannot run `config`, in words; nothing if it can.
std::optional<std::string> rtl_obstacle(const ArbiterConfig& config);
/// The same of one build for all of `configs`, which commits bring into force one after the other.
std::optional<std::string> rtl_obstacle(std::span<const ArbiterConfig> configs);

/// Lockstep where the RTL can run `config`, or all of `configs`, else the model.
Engine default_engine(const ArbiterConfig& config);
Engine default_engine(std::span<const ArbiterConfig> configs);

/// As one of `plusargs`: checks that are bound to the RTL say nothing.
inline constexpr const char* kChecksAreOff = "+verilator+noassert";

struct FactoryOptions {
  /// The file that the configs come from, for messages.
  std::string config_file;
  /// Shows the RTL of every port; must outlive the arbiters. Null: no waveform.
  Waves* waves = nullptr;
  /// Given to the RTL as "+name=value"; only test builds of the RTL look at them.
  std::vector<std::string> plusargs;
  /// Counts the decisions that are compared (lockstep), on all threads; must outlive the arbiters.
  /// Null: nobody does.
  std::atomic<std::uint64_t>* compared = nullptr;
  /// What commits will bring into force, too (RtlArbiter::commit()).
  std::span<const ArbiterConfig> commits{};
};

/// The factory that builds an arbiter of `engine` for any port. The factory throws InputError if
/// the RTL cannot run a port's config. References, those in lockstep too, are built by
/// `references`.
ArbiterFactory make_factory(Engine engine, FactoryOptions options,
                            ArbiterFactory references = make_reference_factory());

}  // namespace qosarb
