// The pins that the transcriptions of tb/formal, NAME_semantics.sv, have in common, and a list of
// them, in which each file here puts its own. `Build` has the class that Verilator made, Model, and
// the module's parameters.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "kernel/pins/pins.hpp"

namespace qosarb::test {

/// A transcription beside the reference: no design, so that it has no one-hot grant of its own and
/// shows its whole state.
class AnyTranscription : public Module {
 public:
  /// Makes of a random configuration one that has few states.
  virtual void make_small(ArbiterConfig& /*config*/, Random& /*random*/) {}

  /// What a decision depends on besides heads and state, as a chip's clock; so many of them.
  [[nodiscard]] virtual std::uint32_t surroundings() const { return 1; }
  /// One of them stands in cycle `now`, also around the reference.
  virtual void surround(std::uint32_t /*number*/, Cycle /*now*/) {}
  /// The stamps that a packet can have.
  [[nodiscard]] virtual std::vector<AgeStamp> stamps() const { return {{}}; }
  /// The age with which the head of a queue would leave, where that is said.
  [[nodiscard]] virtual std::optional<std::uint8_t> age_of(Index /*queue*/) const { return {}; }
};

template <typename Build>
class Transcription : public AnyTranscription {
 public:
  using Model = typename Build::Model;

  explicit Transcription(VerilatedContext& context) : model_(&context, "") {}

  [[nodiscard]] RtlLimits limits() const override {
    return {.queues = Build::kQueues,
            .entries = Build::kEntries,
            .quantum_bits = Build::kQuantumWidth,
            .packet_flits = Build::kMaxPacketFlits,
            .vcs = 2};
  }
  [[nodiscard]] std::uint32_t longest_shown() const override {
    return requires(Model & model) { model.flits_i; }
    ? (1U << kFlitsWidth<Build>)-1 : 0;
  }

  void reset(Random& random) override {
    for (Index q = 0; q < Build::kQueues; ++q) {
      show(q, {}, random);
    }
    ask(false, false);
    model_.rst_ni = 1;
    settle();
    model_.rst_ni = 0;
    settle();
    clock_edge();
    model_.rst_ni = 1;
    settle();
  }
  void show(Index queue, const Shown& shown, Random& random) override {
    set_field(model_.active_i, queue, 1, shown.flits && !shown.stopped ? 1 : 0);
    show_length(model_, queue, shown, random);
  }
  void ask(bool request, bool load) override {
    model_.request_i = request ? 1 : 0;
    model_.load_i = load ? 1 : 0;
  }
  void settle() override {
    model_.clk_i = 0;
    model_.eval();
  }
  void clock_edge() override {
    model_.clk_i = 1;
    model_.eval();
  }
  [[nodiscard]] Index granted() const override {
    return model_.grant_valid_o != 0 ? Index{model_.grant_queue_o} : -1;
  }
  [[nodiscard]] std::uint64_t one_hot() const override {
    return granted() < 0 ? 0 : std::uint64_t{1} << granted();
  }

 protected:
  /// Before its first grant a round robin stands at the last queue, which the module has more of.
  static std::uint64_t last_of(std::uint64_t last, Index queues) {
    return std::min<std::uint64_t>(last, queues - 1);
  }
  static constexpr Index kRemainingWidth =
      std::bit_width((1U << Build::kQuantumWidth) + Build::kMaxPacketFlits - 2);

  Model model_;

 private:
  static void show_length(auto& model, Index queue, const Shown& shown, Random& random) {
    if constexpr (requires { model.flits_i; }) {
      constexpr Index kWidth = kFlitsWidth<Build>;
      set_element(model.flits_i, queue, kWidth,
                  shown.flits ? *shown.flits : random.below(1U << kWidth));
    }
  }
};

/// The parameters that CMakeLists.txt gives.
template <typename V>
struct Build {
  using Model = V;
  static constexpr Index kQueues = 5;
  static constexpr std::uint32_t kEntries = 13;
  static constexpr Index kQuantumWidth = 5;
  static constexpr std::uint32_t kMaxPacketFlits = 21;
};

/// A transcription, and of how many small configurations each state is visited.
struct Transcribed {
  std::string policy;
  std::function<std::unique_ptr<AnyTranscription>(VerilatedContext&)> make;
  std::uint64_t configurations = 60;
};
inline void PrintTo(const Transcribed& transcribed, std::ostream* out) {
  *out << transcribed.policy;
}

template <template <typename> typename Adapter, typename Model>
std::unique_ptr<AnyTranscription> made(VerilatedContext& context) {
  return std::make_unique<Adapter<Build<Model>>>(context);
}

inline std::vector<Transcribed>& transcriptions() {
  static std::vector<Transcribed> all;
  return all;
}

struct Registered {
  explicit Registered(Transcribed transcribed) {
    transcriptions().push_back(std::move(transcribed));
  }
};

}  // namespace qosarb::test
