#include "cosim/age_chip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "Vage_chip__evaluate.h"
#include "cosim/clocked.hpp"
#include "cosim/context.hpp"
#include "cosim/coverage.hpp"
#include "cosim/waves.hpp"
#include "verilated.h"
#include "verilated_fst_c.h"

namespace qosarb {

namespace {
constexpr unsigned kOutputs = 64;
}

class RtlAgeChip::Rtl final : public Clocked {
 public:
  Rtl(const std::string& name, Waves* waves, const std::vector<std::string>& plusargs);
  ~Rtl() override;
  Rtl(const Rtl&) = delete;
  Rtl& operator=(const Rtl&) = delete;

  void advance(Cycle now);
  void must_be_now(Cycle now) const;
  [[nodiscard]] bool failed_a_check() const { return chip_->contextp()->gotError(); }
  void clock_edge() override;
  void trace(VerilatedFstC& fst) override { chip_->trace(&fst, 99); }

  void settle() {
    chip_->clk_i = 0;
    evaluate();
    settled_ = true;
  }
  void arrive(std::uint32_t packets) {
    arrived_ += packets;
    chip_->arrived_i = arrived_;
    settled_ = false;
  }
  [[nodiscard]] std::uint64_t count(std::size_t epoch) {
    constexpr std::size_t kBits = 24;
    if (!settled_) {
      settle();
    }
    return chip_->packet_count_o >> (kBits * epoch) & ((1U << kBits) - 1);
  }
  /// With what came and left in the present cycle.
  [[nodiscard]] std::uint64_t present(std::size_t epoch) {
    const bool now = (chip_->epoch_o != 0) == (epoch != 0);
    const std::uint64_t left = leaving_ & (epoch != 0 ? leaving_epoch_ : ~leaving_epoch_);
    return count(epoch) + (now ? arrived_ : 0) - static_cast<unsigned>(std::popcount(left));
  }

  Waves* waves_;
  std::unique_ptr<VerilatedContext> own_context_;
  std::unique_ptr<Vage_chip> chip_;
  unsigned ports_ = 0;
  Cycle now_ = 0;

  // Of the present cycle; the ports tell of a grant one cycle later.
  std::uint32_t arrived_ = 0;
  std::uint64_t leaving_ = 0;
  std::uint64_t leaving_epoch_ = 0;

  // What follows from the inputs alone, which are the counts, is that of the present inputs. It is
  // worked out when somebody asks, and before a clock edge: in most cycles once.
  bool settled_ = false;

 private:
  Cycle leap(Cycle cycles);
  void evaluate() {
    fails_in(*chip_->contextp());
    if (waves_ != nullptr) {
      chip_->eval();
    } else {
      evaluate_alone(*chip_);
    }
  }

  std::uint32_t period_ = 0;  // that of the cycle before
  bool counted_ = true;       // the counts have all that came and left in the cycles before
};

RtlAgeChip::Rtl::Rtl(const std::string& name, Waves* waves,
                     const std::vector<std::string>& plusargs)
    : waves_(waves),
      own_context_(waves == nullptr ? single_threaded() : nullptr),
      chip_(std::make_unique<Vage_chip>(
          &prepare(own_context_ ? *own_context_ : waves->context(), plusargs), name.c_str())) {
  chip_->rst_ni = 1;
  chip_->clk_i = 0;
  chip_->eval();      // for the first time, which is more than an evaluation
  chip_->rst_ni = 0;  // the assertion is asynchronous
  settle();
  chip_->rst_ni = 1;
  settle();
  if (waves != nullptr) {
    waves->add(*this);
    std::string path = name;
    std::replace(path.begin(), path.end(), ' ', '.');
    waves->show({path + ".age_chip", {}, {}});
  }
}

RtlAgeChip::Rtl::~Rtl() {
  // A model of Verilator 5.006 takes its scopes out of the thread's context, whichever that is.
  Verilated::threadContextp(chip_->contextp());
  collect_coverage(*chip_->contextp());
  chip_.reset();
  Verilated::threadContextp(Verilated::defaultContextp());
}

void RtlAgeChip::Rtl::clock_edge() {
  if (!settled_) {
    settle();
  }
  chip_->clk_i = 1;
  evaluate();
  ++now_;
  period_ = chip_->period_i;
  counted_ = arrived_ == 0 && leaving_ == 0;
  chip_->left_i = leaving_;
  chip_->left_epoch_i = leaving_epoch_;
  chip_->arrived_i = 0;
  arrived_ = 0;
  leaving_ = 0;
  leaving_epoch_ = 0;
  settled_ = false;
  if (waves_ != nullptr) {
    settle();
  }
}

// How many of the next `cycles` cycles pass without an edge, as at most the countdown changes in
// them.
Cycle RtlAgeChip::Rtl::leap(Cycle cycles) {
  const bool new_period = chip_->period_i != period_;
  if (!counted_ || new_period || arrived_ != 0 || leaving_ != 0) {
    return 0;
  }
  if (chip_->inhibit_o != 0) {
    return count(chip_->epoch_o != 0 ? 0 : 1) > 0 ? cycles : 0;
  }
  const std::uint32_t countdown = chip_->countdown_o;
  if (countdown == 0) {
    return cycles;  // the clock stands
  }
  // An empty chip is back where it was after two epochs.
  const Cycle two_epochs = Cycle{512} * chip_->period_i;
  if (count(0) == 0 && count(1) == 0 && cycles >= two_epochs) {
    return cycles - cycles % two_epochs;
  }
  const Cycle leapt = std::min<Cycle>(cycles, countdown - 1);
  chip_->rootp->age_chip__DOT__u_clock__DOT__countdown_q =
      countdown - static_cast<std::uint32_t>(leapt);
  settle();
  return leapt;
}

void RtlAgeChip::Rtl::advance(Cycle now) {
  if (waves_ != nullptr && waves_->clocks()) {
    return;
  }
  if (now < now_) {
    throw std::logic_error(fmt::format("cycle {} has passed at the chip, it is {}", now, now_));
  }
  while (now_ < now) {
    now_ += leap(now - now_);
    if (now_ < now) {
      clock_edge();
    }
  }
}

void RtlAgeChip::Rtl::must_be_now(Cycle now) const {
  if (now != now_) {
    throw std::logic_error(fmt::format("cycle {} is not that of the chip, {}", now, now_));
  }
}

RtlAgeChip::RtlAgeChip(const std::string& name, Waves* waves,
                       const std::vector<std::string>& plusargs)
    : rtl_(std::make_unique<Rtl>(name, waves, plusargs)) {}

RtlAgeChip::~RtlAgeChip() = default;

unsigned RtlAgeChip::add_port() {
  if (rtl_->ports_ == kOutputs) {
    throw std::length_error(fmt::format("the RTL of a chip has {} ports", kOutputs));
  }
  return rtl_->ports_++;
}

void RtlAgeChip::set_period(std::uint32_t period, Cycle since) {
  if (rtl_->chip_->period_i == period) {
    return;
  }
  if (since > rtl_->now_) {
    rtl_->advance(since);
  }
  rtl_->chip_->period_i = period;
  rtl_->settled_ = false;
  if (rtl_->now_ == 0) {  // time has not begun; the clock takes the period over at an edge
    rtl_->clock_edge();
    rtl_->now_ = 0;
  }
}

void RtlAgeChip::advance(Cycle now) { rtl_->advance(now); }

AgeStamp RtlAgeChip::arrive(Cycle now, std::uint8_t age, bool response, std::uint8_t request_bias,
                            std::uint8_t response_bias) {
  rtl_->must_be_now(now);
  Vage_chip& chip = *rtl_->chip_;
  chip.age_i = age;
  chip.response_i = response ? 1 : 0;
  chip.req_age_bias_i = request_bias;
  chip.rsp_age_bias_i = response_bias;
  rtl_->arrive(1);
  rtl_->settle();
  return {chip.field_o, chip.in_epoch_o != 0};
}

void RtlAgeChip::leave(Cycle now, unsigned port, bool epoch) {
  rtl_->must_be_now(now);
  rtl_->leaving_ |= std::uint64_t{1} << port;
  rtl_->leaving_epoch_ |= static_cast<std::uint64_t>(epoch) << port;
}

void RtlAgeChip::enter(Cycle now, std::uint32_t packets) {
  rtl_->must_be_now(now);
  rtl_->arrive(packets);
}

// By the outputs that have no port, the last ones first.
void RtlAgeChip::leave_elsewhere(Cycle now, bool epoch, std::uint32_t packets) {
  for (unsigned port = kOutputs; packets > 0 && port-- > rtl_->ports_;) {
    if ((rtl_->leaving_ >> port & 1U) == 0 && rtl_->present(epoch ? 1 : 0) > 0) {
      leave(now, port, epoch);
      --packets;
    }
  }
}

std::uint8_t RtlAgeChip::timestamp() const { return rtl_->chip_->timestamp_o; }
bool RtlAgeChip::epoch() const { return rtl_->chip_->epoch_o != 0; }
bool RtlAgeChip::inhibit() const { return rtl_->chip_->inhibit_o != 0; }

bool RtlAgeChip::failed_a_check() const { return rtl_->failed_a_check(); }

std::string RtlAgeChip::describe() const {
  return fmt::format("timestamp={} epoch={} inhibit={} countdown={} packet_count=[{} {}]",
                     timestamp(), epoch() ? 1 : 0, inhibit(), rtl_->chip_->countdown_o,
                     rtl_->count(0), rtl_->count(1));
}

void RtlAgeChip::append_state(std::vector<std::uint64_t>& numbers) const {
  // As they stood when the present cycle began, and with what came and left in it.
  numbers.insert(numbers.end(),
                 {timestamp(), epoch() ? 1U : 0U, inhibit() ? 1U : 0U, rtl_->chip_->countdown_o,
                  rtl_->present(0), rtl_->present(1), rtl_->count(0), rtl_->count(1)});
}

}  // namespace qosarb
