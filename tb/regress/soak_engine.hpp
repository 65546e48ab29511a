// The engines that jobs of that kind run. Each policy has its own file in tb/regress/engines, with
// its pins, and beside it one that says which modules are Verilated.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernel/pins/state.hpp"

namespace qosarb::test {

/// The size of the engines, which CMakeLists.txt gives them.
template <typename V, Index Latency = 0>
struct SoakBuild {
  using Model = V;
  static constexpr Index kQueues = 8;
  static constexpr std::uint32_t kEntries = 16;
  static constexpr Index kQuantumWidth = 16;
  static constexpr std::uint32_t kMaxPacketFlits = 255;
  static constexpr Index kBurstWidth = 16;
  static constexpr Index kLatency = Latency;
};

struct SoakEngine {
  const char* policy = nullptr;
  Index latency = 0;
  std::function<std::unique_ptr<Module>(VerilatedContext&)> make;

  /// As a file may be named, too.
  [[nodiscard]] std::string name() const {
    return fmt::format("{}{}", policy, latency == 0 ? "" : "-next");
  }
};

/// All of them.
std::vector<SoakEngine>& soak_engines();

/// Adds one; true.
template <template <typename> typename EnginePins, typename Build>
bool add_soak_engine(const char* policy) {
  soak_engines().push_back({policy, Build::kLatency, [](VerilatedContext& context) {
                              return std::make_unique<WithState<EnginePins, Build>>(context);
                            }});
  return true;
}

}  // namespace qosarb::test
