// Who sends what to whom and when: the `traffic:` list of a scenario, and the sources it makes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "qosarb/policy/types.hpp"
#include "qosarb/switch/link_rate.hpp"
#include "qosarb/traffic/random.hpp"
#include "qosarb/traffic/source.hpp"
#include "qosarb/traffic/trace.hpp"

namespace qosarb {

/// Sizes of messages: fixed, uniform over a range, or an empirical distribution.
class MessageSizes {
 public:
  /// All messages have `bytes` >= 1.
  static MessageSizes fixed(std::uint32_t bytes) { return range(bytes, bytes); }
  /// Uniform over low..high, both included, 1 <= low <= high.
  static MessageSizes range(std::uint32_t low, std::uint32_t high);
  /// First line the mean in bytes, then lines `size cumulative-probability`, both increasing, the
  /// last probability 1. A message has one of the sizes listed.
  /// Errors: InputError naming file and line, also if the mean does not fit the list (a
  /// truncated file).
  static MessageSizes from_file(const std::string& file);

  /// The bytes of the next message. Draws from `random` only if there is a choice.
  std::uint32_t next(Random& random) const;
  /// There is none.
  [[nodiscard]] bool fixed() const { return steps_.empty() && low_ == high_; }

  /// Mean flits of a message in units of 2^-32, each message rounded up to whole flits.
  [[nodiscard]] std::uint64_t mean_flits(std::uint32_t flit_bytes) const;
  [[nodiscard]] std::uint32_t largest() const;
  /// That they were read from; empty: none.
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::uint32_t low_ = 1;
  std::uint32_t high_ = 1;
  struct Step {
    std::uint64_t below =
        0;  ///< chosen if a 53-bit number is below this and not below the previous
    std::uint32_t bytes = 0;
  };
  std::vector<Step> steps_;  ///< empty unless from a file
};

enum class Pattern { Uniform, Permutation, HotSpot };
enum class PermutationKind { Random, Shift, BitComplement, BitReverse, Transpose };
enum class Arrival { Even, Poisson, Burst, OnOff };

/// One item of the `traffic:` list. Loads count flits, so a message is rounded up to whole ones.
struct TrafficEntry {
  std::string name;
  int queue = 0;
  Pattern pattern = Pattern::Uniform;
  PermutationKind permutation = PermutationKind::Random;
  int shift = 1;               ///< of Shift
  int hot_spot = 0;            ///< the destination of HotSpot
  std::vector<int> hosts;      ///< that send
  bool among_hosts = false;    ///< Uniform: to the others of `hosts` only
  std::uint64_t messages = 0;  ///< of each host; 0: without end
  Arrival arrival = Arrival::Even;
  std::uint64_t load_ppm = 0;  ///< millionths of a host link's rate; OnOff: while it is on
  Cycle mean_on = 1;           ///< OnOff
  Cycle mean_off = 1;          ///< OnOff
  std::uint64_t burst_bytes = 0;
  Cycle burst_period = 1;
  Cycle burst_offset = 0;
  MessageSizes sizes = MessageSizes::fixed(1);

  /// Instead of all this but name, queue and hosts, on which its ranks are: who sends what and when
  /// follows from what arrives.
  std::shared_ptr<const Trace> trace;
};

/// Destination of each host under a permutation. Hosts that a formula maps to themselves have -1
/// and send nothing; a random permutation is one cycle through all hosts (Sattolo), so none has.
/// Errors: std::invalid_argument if the formula needs a power of two (Transpose: of four).
std::vector<int> permutation_of(const TrafficEntry& entry, int hosts, std::uint64_t seed,
                                std::uint64_t stream);

/// Messages that depend on nothing but the clock and chance. Each source draws from its own stream,
/// so what one does never changes another.
class TrafficSource final : public Source {
 public:
  /// `index` of the entry in the list, `host` of `hosts`; `permutation` as permutation_of() gives
  /// it, for that pattern; `rate` is that of the host's link.
  TrafficSource(const TrafficEntry& entry, int index, int host, int hosts, std::uint32_t flit_bytes,
                std::uint64_t seed, const std::vector<int>& permutation, const LinkRate& rate = {});

  [[nodiscard]] Cycle next() const override { return next_; }
  const Message* take() override;
  [[nodiscard]] int index() const { return index_; }

 private:
  std::uint32_t next_flits();
  void plan(std::uint32_t flits);
  void start_evenly();
  void skip_off_times();
  Cycle exponential(Cycle mean);

  const TrafficEntry* entry_;
  int index_;
  int hosts_;  ///< that it may send to, itself among them
  std::uint32_t flit_bytes_;
  std::uint32_t fixed_flits_ = 0;  ///< of each message; 0: they differ
  int partner_ = -1;               ///< fixed destination, or -1
  int place_;                      ///< its own among those hosts
  Random random_;
  Message message_;
  Cycle next_ = 0;
  std::uint64_t load_;  ///< flits in `per_` cycles
  std::uint64_t per_;
  std::uint64_t fraction_ = 0;    ///< of the next cycle: 1/load_ (Even), 2^-32 (Poisson)
  std::uint64_t mean_gap_ = 0;    ///< Poisson: in 2^-32 cycles
  std::uint64_t burst_left_ = 0;  ///< bytes
  std::uint64_t messages_left_;
  Cycle on_end_ = kNever;  ///< OnOff: it is off from then on
};

}  // namespace qosarb
