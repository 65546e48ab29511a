// How GTKWave shows a port.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "cosim/rtl_limits.hpp"
#include "qosarb/policy/config.hpp"

namespace qosarb {

/// A port in a waveform, or the age clock of a chip.
struct LayoutScope {
  std::string path;      ///< of the module, such as "switch0.port3.port_pins.qosarb_port"
  RtlLimits limits;      ///< of the port's build; no queues for an age clock
  ArbiterConfig config;  ///< what the port runs
};

/// A GTKWave save file: a group for each scope with what the port is offered, what it grants, and
/// the state and table of its policy. `start` and `marker` are times in ps.
std::string layout_text(std::span<const LayoutScope> scopes, std::uint64_t start,
                        std::optional<std::uint64_t> marker);

}  // namespace qosarb
