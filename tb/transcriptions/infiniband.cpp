#include "qosarb/policy/infiniband.hpp"

#include "Vinfiniband_semantics.h"
#include "transcriptions/transcription.hpp"

namespace qosarb::test {
namespace {

template <typename Build>
class InfiniBandTranscription final : public Transcription<Build> {
 public:
  using Transcription<Build>::Transcription;

  [[nodiscard]] RtlLimits limits() const override {
    RtlLimits limits = Transcription<Build>::limits();
    limits.entries *= 2;  // in both tables
    return limits;
  }
  void program(const ArbiterConfig& config, Random& /*random*/) override {
    const auto& ib = config.parameters.get<InfiniBandConfig>();
    auto& model = this->model_;
    set_field(model.last_entry_i, 0, 32, 0);
    program(0, ib.high);
    program(1, ib.low);
    set_field(model.limit_i, 0, 32, ib.limit_of_high_priority);
    model.low_turn_packet_i = ib.low_turn == InfiniBandConfig::LowTurn::Packet ? 1 : 0;
    set_field(model.flit_bytes_log2_i, 0, 32, std::countr_zero(ib.flit_bytes));
  }
  bool append_state(std::vector<std::uint64_t>& numbers) const override {
    const auto& model = this->model_;
    for (Index t = 0; t < 2; ++t) {
      numbers.push_back(element(model.cur_o, t, kEntryWidth));
      numbers.push_back(element(model.remaining_o, t, 8));
    }
    numbers.push_back(model.hi_bytes_o);
    numbers.push_back(model.in_low_turn_o);
    return true;
  }
  void make_small(ArbiterConfig& config, Random& /*random*/) override {
    auto& ib = config.parameters.get<InfiniBandConfig>();
    const auto shorten = [](std::vector<InfiniBandConfig::Entry>& table) {
      for (InfiniBandConfig::Entry& entry : table) {
        entry.weight = entry.weight == 0 ? 0 : 1 + entry.weight % 3;
      }
    };
    shorten(ib.high);
    shorten(ib.low);
    ib.flit_bytes = 64;
    ib.limit_of_high_priority %= 2;
  }

 private:
  static constexpr Index kEntryWidth = index_width(Build::kEntries);

  void program(Index t, const std::vector<InfiniBandConfig::Entry>& table) {
    auto& model = this->model_;
    set_element(model.last_entry_i, t, kEntryWidth, table.empty() ? 0 : table.size() - 1);
    for (Index e = 0; std::cmp_less(e, Build::kEntries); ++e) {
      const InfiniBandConfig::Entry entry = e < count(table) ? table[e] : InfiniBandConfig::Entry{};
      const Index at = t * static_cast<Index>(Build::kEntries) + e;
      set_element(model.vl_i, at, kQueueWidth<Build>, entry.vl);
      set_element(model.weight_i, at, 8, entry.weight);
    }
  }
};

const Registered kInfiniband({"infiniband", made<InfiniBandTranscription, Vinfiniband_semantics>});

}  // namespace
}  // namespace qosarb::test
