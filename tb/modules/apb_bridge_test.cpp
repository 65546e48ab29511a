// qosarb_apb_bridge between clocks of any ratio: nothing is lost, doubled or reordered, and nobody
// waits for ever, whichever side is reset.
//
// QOSARB_SEED=n replays a run or makes a new one; QOSARB_DECISIONS=n makes it shorter or longer.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <vector>

#include "../ages/bench.hpp"
#include "Vapb_bridge.h"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb::test {
namespace {

struct Transfer {
  bool write = false;
  std::uint32_t address = 0;
  std::uint32_t data = 0;
  std::uint32_t strobes = 0;

  friend bool operator==(const Transfer&, const Transfer&) = default;
};

struct Seen {
  std::uint64_t transfers = 0;  // that the bus saw end without an error of the bridge
  std::uint64_t aborted = 0;    // that ended with an error of the bridge
  std::uint64_t orphans = 0;    // made at the port, but dropped by a reset of the bus or given up
  std::uint64_t given_up = 0;   // by the bus, before their end
  std::uint64_t refused = 0;    // to which the port answered with an error
  std::uint64_t bus_resets = 0;
  std::uint64_t port_resets = 0;
};

// Edges of both clocks for which something has lasted. What each side waits for takes no more than
// a few of its own, so that never both are many.
class Edges {
 public:
  void start() { bus_ = port_ = 0; }
  void count(bool lasts, bool bus, bool port) {
    bus_ = lasts ? bus_ + (bus ? 1 : 0) : 0;
    port_ = lasts ? port_ + (port ? 1 : 0) : 0;
  }
  [[nodiscard]] bool are_too_many() const { return std::min(bus_, port_) > kMost; }

 private:
  static constexpr std::uint64_t kMost = 32;
  std::uint64_t bus_ = 0;
  std::uint64_t port_ = 0;
};

// Two clocks from both resets on. A step is a moment in which one of the clocks, or both, rises.
class Life {
 public:
  Life(Random& random, Vapb_bridge& rtl, Seen& seen)
      : random_(random),
        rtl_(rtl),
        seen_(seen),
        bus_period_(random.one_of(std::array<std::uint64_t, 5>{1, 10, 11, 37, 400})),
        port_period_(random.one_of(std::array<std::uint64_t, 5>{1, 10, 11, 37, 400})),
        jitter_(random.one_of(std::array<std::uint64_t, 3>{0, 3, 30})),
        idle_(random.one_of(std::array<std::uint64_t, 3>{0, 2, 20})),
        port_wait_(random.one_of(std::array<std::uint64_t, 3>{0, 2, 9})),
        reset_(random.one_of(std::array<std::uint64_t, 4>{0, 0, 300, 30})),
        give_up_(random.one_of(std::array<std::uint64_t, 4>{0, 0, 40, 5})),
        bus_next_(random.below(bus_period_)),
        port_next_(random.below(port_period_)) {
    rtl_.s_clk_i = 0;
    rtl_.m_clk_i = 0;
    rtl_.s_psel_i = 0;
    rtl_.s_penable_i = 0;
    rtl_.m_pready_i = 0;
    set_resets(true, true);
    set_resets(false, false);
    set_resets(true, true);
  }

  void run(std::uint64_t steps) {
    for (std::uint64_t step = 0; step < steps && !::testing::Test::HasFailure(); ++step) {
      if (reset_ != 0 && random_.once_in(reset_)) {
        reset();
      }
      const bool bus = bus_next_ <= port_next_;
      const bool port = port_next_ <= bus_next_;
      const std::uint64_t now = std::min(bus_next_, port_next_);
      // The pins of a side change after its edge, or at any time before the next one.
      rise(bus, port);
      if (bus) {
        bus_next_ = now + bus_period_ + random_.below(jitter_ + 1);
      }
      if (port) {
        port_next_ = now + port_period_ + random_.below(jitter_ + 1);
      }
    }
  }

 private:
  void set_resets(bool bus, bool port) {
    rtl_.s_rst_ni = bus ? 1 : 0;
    rtl_.m_rst_ni = port ? 1 : 0;
    rtl_.eval();
  }

  void reset() {
    const bool bus = random_.below(2) == 0;
    seen_.bus_resets += bus ? 1 : 0;
    seen_.port_resets += bus ? 0 : 1;
    // No clock edge is needed in it.
    set_resets(!bus, bus);
    if (bus) {
      idle_bus();
      give_up();
    } else {
      EXPECT_EQ(rtl_.m_psel_o, 0);
      open_.reset();
    }
    set_resets(true, true);
    down_.start();
  }

  // What was taken may still be made, once.
  void give_up() {
    for (std::optional<Asked>* const asked : {&taken_, &open_}) {
      if (*asked) {
        (*asked)->wanted = false;
      }
    }
    made_.reset();
  }

  void idle_bus() {
    rtl_.s_psel_i = 0;
    rtl_.s_penable_i = 0;
    rtl_.eval();
  }

  void rise(bool bus, bool port) {
    rtl_.eval();
    // What each side sees at its edge.
    const bool bus_selects = rtl_.s_psel_i != 0;
    const bool bus_accesses = bus_selects && rtl_.s_penable_i != 0;
    const bool bus_ends = bus_accesses && rtl_.s_pready_o != 0;
    const bool bus_error = rtl_.s_pslverr_o != 0;
    const std::uint32_t bus_data = rtl_.s_prdata_o;
    const bool up = rtl_.s_up_o != 0;
    if (!bus_ends) {
      EXPECT_FALSE(bus_error) << "an error before the end";
    }
    const bool port_goes_on = port && (rtl_.m_penable_o == 0 || rtl_.m_pready_i != 0);
    down_.count(!up, bus, port_goes_on);
    EXPECT_FALSE(down_.are_too_many()) << "transfers do not go through again";
    transfer_.count(bus_accesses, bus, port_goes_on);
    EXPECT_FALSE(transfer_.are_too_many()) << "the bus waits for ever";
    if (port) {
      port_sees();
    }
    if (bus) {
      // While one that was given up has not come to the port the bridge takes no other; while the
      // port has it neither, but that is told by the end.
      if (bus_selects && !bus_accesses && up && !(taken_ && taken_->stands)) {
        taken_ = Asked{bus_shows()};
        made_.reset();
      }
      if (!up && taken_) {
        taken_->stands = false;
      }
      if (bus_ends) {
        end_of_transfer(bus_error, bus_data);
      }
    }
    rtl_.s_clk_i = bus ? 1 : 0;
    rtl_.m_clk_i = port ? 1 : 0;
    rtl_.eval();
    rtl_.s_clk_i = 0;
    rtl_.m_clk_i = 0;
    rtl_.eval();
    if (bus) {
      drive_bus(bus_selects, bus_accesses, bus_ends);
    }
    if (port) {
      rtl_.m_pready_i = port_wait_ == 0 || random_.below(port_wait_ + 1) == 0 ? 1 : 0;
      rtl_.m_prdata_i = static_cast<IData>(random_.bits());
      rtl_.m_pslverr_i = random_.once_in(8) ? 1 : 0;
    }
  }

  [[nodiscard]] Transfer bus_shows() const {
    return {rtl_.s_pwrite_i != 0, rtl_.s_paddr_i, rtl_.s_pwdata_i, rtl_.s_pstrb_i};
  }
  [[nodiscard]] Transfer port_shows() const {
    return {rtl_.m_pwrite_o != 0, rtl_.m_paddr_o, rtl_.m_pwdata_o, rtl_.m_pstrb_o};
  }

  void drive_bus(bool selects, bool accesses, bool ends) {
    // Whether a setup phase behind one that was given up is taken is told by the access phase: not
    // given up before.
    const bool gives_up = selects && !ends && (accesses || !after_one_given_up_) && give_up_ != 0 &&
                          random_.once_in(give_up_);
    if (gives_up) {
      ++seen_.given_up;
      after_one_given_up_ = true;
      give_up();
    }
    if (selects && !accesses && !gives_up) {
      rtl_.s_penable_i = 1;
    } else if (!selects || ends || gives_up) {
      rtl_.s_penable_i = 0;
      rtl_.s_psel_i = random_.below(idle_ + 1) == 0 ? 1 : 0;
      rtl_.s_pwrite_i = random_.below(2) == 0 ? 1 : 0;
      rtl_.s_paddr_i = static_cast<SData>(random_.below(QOSARB_PORT_WINDOW_BYTES));
      rtl_.s_pwdata_i = static_cast<IData>(random_.bits());
      rtl_.s_pstrb_i = static_cast<CData>(random_.below(16));
    }
    rtl_.eval();
  }

  // The port's side of APB: setup, access until ready, and the same transfer all the time.
  void port_sees() {
    if (rtl_.m_psel_o == 0) {
      EXPECT_EQ(rtl_.m_penable_o, 0);
      EXPECT_FALSE(open_.has_value()) << "a transfer at the port was cut short";
      return;
    }
    if (!open_) {
      EXPECT_EQ(rtl_.m_penable_o, 0) << "an access without a setup";
      ASSERT_TRUE(taken_.has_value()) << "a transfer that the bus did not ask for, or twice";
      EXPECT_EQ(port_shows(), taken_->transfer);
      open_ = taken_;
      taken_.reset();
      return;
    }
    EXPECT_EQ(rtl_.m_penable_o, 1);
    EXPECT_EQ(port_shows(), open_->transfer);
    if (rtl_.m_pready_i != 0) {
      if (open_->wanted) {
        made_ = Made{open_->transfer, rtl_.m_prdata_i, rtl_.m_pslverr_i != 0};
      } else {
        ++seen_.orphans;
      }
      open_.reset();
    }
  }

  void end_of_transfer(bool error, std::uint32_t data) {
    if (error && !(made_ && made_->refused)) {
      if (taken_ && taken_->wanted) {
        taken_.reset();  // it must not be made any more
      }
      if (open_) {
        open_->wanted = false;
      }
      ++seen_.aborted;  // the link went down, or was not up, or busy with one that was given up
      made_.reset();
      return;
    }
    ASSERT_TRUE(made_.has_value()) << "the bus sees a transfer end that the port has not seen";
    EXPECT_EQ(made_->transfer, bus_shows());
    EXPECT_EQ(error, made_->refused);
    EXPECT_EQ(data, made_->data);
    seen_.refused += error ? 1 : 0;
    after_one_given_up_ = false;
    ++seen_.transfers;
    made_.reset();
  }

  struct Asked {
    Transfer transfer;
    bool wanted = true;  // the bus waits for it
    bool stands = true;  // the bridge has been up since
  };
  struct Made {
    Transfer transfer;
    std::uint32_t data = 0;
    bool refused = false;
  };

  Random& random_;
  Vapb_bridge& rtl_;
  Seen& seen_;
  std::uint64_t bus_period_;
  std::uint64_t port_period_;
  std::uint64_t jitter_;
  std::uint64_t idle_;
  std::uint64_t port_wait_;
  std::uint64_t reset_;    // once in so many steps; 0: never
  std::uint64_t give_up_;  // once in so many edges of the bus; 0: never
  std::uint64_t bus_next_;
  std::uint64_t port_next_;
  std::optional<Asked> taken_;       // by the bridge, and not begun at the port
  std::optional<Asked> open_;        // at the port
  std::optional<Made> made_;         // at the port, and the bus has not seen it
  bool after_one_given_up_ = false;  // and no transfer since
  Edges down_;                       // without a reset, but the bridge not up
  Edges transfer_;                   // in the access phase of the bus, the port's waits left out
};

TEST(ApbBridge, LosesDoublesAndReordersNothing) {
  const std::uint64_t seed = from_environment("QOSARB_SEED", 1);
  const std::uint64_t steps = from_environment("QOSARB_DECISIONS", 400'000);
  std::cout << "seed " << seed << " (QOSARB_SEED)\n";
  Random random(seed);
  VerilatedContext context;
  prepare(context);
  Vapb_bridge rtl(&context);
  Seen seen;
  for (std::uint64_t done = 0; done < steps && !HasFailure();) {
    const std::uint64_t length = random.within(100, 3000);
    Life(random, rtl, seen).run(length);
    done += length;
  }
  std::cout << seen.transfers << " transfers, " << seen.refused << " refused by the port, "
            << seen.aborted << " by the bridge, " << seen.given_up << " given up, " << seen.orphans
            << " orphans, " << seen.bus_resets << " resets of the bus, " << seen.port_resets
            << " of the port\n";
  if (!HasFailure()) {
    EXPECT_GT(seen.transfers, steps / 400);
    EXPECT_GT(seen.refused, seen.transfers / 20);
    EXPECT_GT(seen.aborted, steps / 5000);
    EXPECT_GT(seen.orphans, 0U);
    EXPECT_GT(seen.given_up, steps / 1000);
    EXPECT_GT(seen.bus_resets, steps / 4000);
    EXPECT_GT(seen.port_resets, steps / 4000);
  }
}

// Two transfers, back to back: each crosses within two to three periods of the clock that it comes
// to, and so does its answer; before the next one both ways are gone once more.
TEST(ApbBridge, TakesTwoToThreePeriodsOfEachClockEachWay) {
  VerilatedContext context;
  prepare(context);
  Vapb_bridge rtl(&context);
  constexpr std::uint64_t kPortTakes = 2;  // periods: setup and access
  for (const std::uint64_t bus : {10U, 11U, 37U, 100U}) {
    for (const std::uint64_t port : {10U, 11U, 37U, 100U}) {
      for (std::uint64_t phase = 0; phase < port; ++phase) {
        rtl.m_pready_i = 1;
        rtl.m_pslverr_i = 0;
        rtl.s_psel_i = 0;
        rtl.s_penable_i = 0;
        for (const auto reset : std::array<CData, 3>{1, 0, 1}) {
          rtl.s_rst_ni = reset;
          rtl.m_rst_ni = reset;
          rtl.eval();
        }
        std::vector<std::uint64_t> setups;  // when the edge at the bus' end of each comes,
        std::vector<std::uint64_t> begins;  // and the one with which it begins at the port
        std::vector<std::uint64_t> ends;
        const std::uint64_t up = 20 * (bus + port);  // and nothing under way
        for (std::uint64_t now = 0; ends.size() < 2 && now < 10 * up; ++now) {
          const bool bus_rises = now % bus == 0;
          const bool port_rises = now % port == phase;
          const bool selects = rtl.s_psel_i != 0;
          const bool accesses = rtl.s_penable_i != 0;
          const bool ready = rtl.s_pready_o != 0;
          const bool error = rtl.s_pslverr_o != 0;
          const bool open = rtl.m_psel_o != 0;
          rtl.s_clk_i = bus_rises ? 1 : 0;
          rtl.m_clk_i = port_rises ? 1 : 0;
          rtl.eval();
          rtl.s_clk_i = 0;
          rtl.m_clk_i = 0;
          if (bus_rises) {
            const bool over = selects && accesses && ready;
            if (selects && !accesses) {
              setups.push_back(now);
            }
            if (over) {
              EXPECT_FALSE(error);
              ends.push_back(now);
            }
            rtl.s_psel_i = now >= up ? 1 : 0;
            rtl.s_penable_i = selects && !over ? 1 : 0;
          }
          rtl.eval();
          if (!open && rtl.m_psel_o != 0) {
            begins.push_back(now);
          }
        }
        SCOPED_TRACE(::testing::Message() << bus << ", " << port << ", " << phase);
        ASSERT_EQ(ends.size(), 2U);
        for (std::size_t i = 0; i < 2; ++i) {
          const std::uint64_t answers = ends[i] - begins[i] - kPortTakes * port;
          EXPECT_GE(answers, 2 * bus);
          EXPECT_LE(answers, 3 * bus);
        }
        EXPECT_GE(begins[0] - setups[0], 2 * port);
        EXPECT_LE(begins[0] - setups[0], 3 * port);
        EXPECT_GE(begins[1] - ends[0], 4 * port + 2 * bus);
        EXPECT_LE(begins[1] - ends[0], 6 * port + 3 * bus);
      }
    }
  }
}

// Software may not write anything while its answer is on its way.
TEST(ApbBridge, AnswersWithAnErrorWhileThePortIsInReset) {
  VerilatedContext context;
  prepare(context);
  Vapb_bridge rtl(&context);
  rtl.s_rst_ni = 0;
  rtl.m_rst_ni = 0;
  rtl.eval();
  rtl.s_rst_ni = 1;
  const auto edges = [&rtl](int count) {
    for (int i = 0; i < count; ++i) {
      rtl.s_clk_i = 1;
      rtl.m_clk_i = 1;
      rtl.eval();
      rtl.s_clk_i = 0;
      rtl.m_clk_i = 0;
      rtl.eval();
    }
  };
  edges(50);
  rtl.s_psel_i = 1;
  edges(1);
  rtl.s_penable_i = 1;
  rtl.eval();
  EXPECT_EQ(rtl.s_pready_o, 1);
  EXPECT_EQ(rtl.s_pslverr_o, 1);
  edges(1);
  rtl.s_psel_i = 0;
  rtl.s_penable_i = 0;
  EXPECT_EQ(rtl.s_up_o, 0);
  rtl.m_rst_ni = 1;
  edges(8);
  EXPECT_EQ(rtl.s_up_o, 1);
  EXPECT_EQ(rtl.m_psel_o, 0);
}

}  // namespace
}  // namespace qosarb::test
