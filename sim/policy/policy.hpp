// What a policy is to the library: one object of each, listed in registry.cpp alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "qosarb/policy/arbiter.hpp"
#include "qosarb/policy/config.hpp"
#include "qosarb/policy/config_reader.hpp"

namespace qosarb {

class AgeClock;

/// A number of a policy's parameters that a shrinking config may lower.
struct LowerableNumber {
  std::uint64_t value = 0;
  std::uint64_t lowest = 0;  ///< what it leads to is for parse_arbiter() to say
  std::function<void(std::uint64_t)> set;

  template <std::unsigned_integral Number>
  LowerableNumber(Number& number, std::uint64_t least)
      : value(number),
        lowest(least),
        set([&number](std::uint64_t lower) { number = static_cast<Number>(lower); }) {}
};

/// A table of a policy's parameters out of which a shrinking config may leave entries.
struct EntryList {
  std::size_t entries = 0;
  std::function<void(std::size_t)> erase;  ///< takes the entry with that index out

  template <typename Entry>
  explicit EntryList(std::vector<Entry>& table)
      : entries(table.size()), erase([&table](std::size_t entry) {
          table.erase(table.begin() + static_cast<std::ptrdiff_t>(entry));
        }) {}
};

/// A policy: everything about it that others ask, so that nobody asks which one it is. There is one
/// object of each, which lives as long as the program; equal addresses mean equal policies.
///
/// Wherever a config or parameters are given, they are of this policy.
class Policy {
 public:
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  /// As configuration files spell it, such as "bxi-deficit".
  [[nodiscard]] std::string_view name() const { return facts_.name; }
  /// Where it is published; empty for rr.
  [[nodiscard]] std::string_view paper() const { return facts_.paper; }
  /// The keys of its `arbiter:` section besides those that every policy has (common_keys()).
  [[nodiscard]] std::span<const std::string_view> keys() const { return facts_.keys; }
  /// It has a `variant: printed`, as the pseudocode that a paper prints and its text disagree.
  [[nodiscard]] bool has_printed_variant() const { return facts_.printed_variant; }

  /// The parameters from the section, whose common keys are read already and stand in `config`.
  /// Errors: InputError.
  virtual Parameters parse(ConfigReader& reader, const ArbiterConfig& config) const = 0;
  /// The lines of the section that parse() reads back to equal parameters.
  [[nodiscard]] virtual std::string to_yaml(const Parameters& parameters) const = 0;

  /// The reference for a port that stands alone. Errors: none; a config that parsed can be run.
  [[nodiscard]] virtual std::unique_ptr<Arbiter> make_reference(
      const ArbiterConfig& config) const = 0;
  /// True where the ports of a chip share an age clock. Then make_chip_clock() makes the chip's,
  /// and each of its ports is make_reference(config, clock).
  [[nodiscard]] virtual bool shares_chip_clock() const { return false; }
  /// Errors: std::logic_error where nothing is shared.
  [[nodiscard]] virtual std::shared_ptr<AgeClock> make_chip_clock(
      const ArbiterConfig& config) const;
  [[nodiscard]] virtual std::unique_ptr<Arbiter> make_reference(
      const ArbiterConfig& config, const std::shared_ptr<AgeClock>& clock) const;

  /// The longest packet that `queue` may hold, in flits.
  [[nodiscard]] virtual std::uint32_t longest_packet(const ArbiterConfig& config,
                                                     Index queue) const;
  /// The share that the table promises to `queue` when all queues are backlogged: of the link, or
  /// of what is left of it by queues that always go first. None where the policy promises none (rr,
  /// for one, does not).
  [[nodiscard]] virtual std::optional<double> asked_share(const ArbiterConfig& config,
                                                          Index queue) const;

  /// For a config that shrinks: its numbers, those first on which others depend.
  virtual std::vector<LowerableNumber> numbers(Parameters& parameters) const;
  virtual std::vector<EntryList> tables(Parameters& parameters) const;
  /// The queues that can only be left out together: those whose numbers divided by this are alike.
  [[nodiscard]] virtual int queues_together(const Parameters& parameters) const;
  /// Takes the `count` queues from `first` on out of the parameters, `count` being
  /// queues_together(). The queues behind them move up.
  virtual void leave_out_queues(Parameters& parameters, int first, int count) const;
  /// Makes all quanta the same multiple of weights, 1; false where they are that already.
  virtual bool unscale(Parameters& parameters) const;
  /// Takes a packet of `flits` out of each turn of `queue`; false where that changes none.
  virtual bool shorten_turns(Parameters& parameters, Index queue, std::uint32_t flits) const;

 protected:
  struct Facts {
    std::string_view name;
    std::string_view paper;
    std::span<const std::string_view> keys;
    bool printed_variant = true;
  };
  explicit constexpr Policy(const Facts& facts) : facts_(facts) {}
  constexpr ~Policy() = default;

 private:
  Facts facts_;
};

/// All policies, in the order in which lists show them.
std::span<const PolicyRef> policies();

/// Errors: std::invalid_argument if no policy is called `name`.
PolicyRef policy_named(std::string_view name);

/// The keys that an `arbiter:` section has under every policy.
std::span<const std::string_view> common_keys();

/// For leave_out_queues() of a table whose entries name a queue as their member `queue`.
template <typename Entry>
void leave_queues_out_of(std::vector<Entry>& table, int first, int count, int Entry::*queue) {
  std::erase_if(table, [=](const Entry& entry) {
    return entry.*queue >= first && entry.*queue < first + count;
  });
  for (Entry& entry : table) {
    entry.*queue -= entry.*queue > first ? count : 0;
  }
}

/// For parse(): under strict every queue must be served, and `served` says which ones some entry
/// with a weight names. Errors: InputError at `key`.
void refuse_starved(const ConfigReader& reader, const std::string& key, const ArbiterConfig& config,
                    const std::vector<bool>& served);

}  // namespace qosarb
