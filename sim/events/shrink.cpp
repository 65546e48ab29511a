#include "qosarb/events/shrink.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "qosarb/config/arbiter_file.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/policy/policy.hpp"

namespace qosarb {

namespace {

// Any two and three events are left out only in logs up to this length.
constexpr std::size_t kShortLog = 24;
// A log that stays longer than this needs its length: nobody waits for its last event to go.
constexpr std::size_t kLongLog = 100;

/// Visits the config of a case and those of its commits.
template <typename Case, typename Visitor>
void for_each_section(Case& log_case, const Visitor& visit) {
  visit(log_case.config);
  for (auto& section : log_case.commits) {
    visit(section);
  }
}

bool sections_are_valid(const LogCase& log_case) {
  std::vector<ArbiterConfig> sections;
  for_each_section(log_case,
                   [&sections](const ArbiterConfig& section) { sections.push_back(section); });
  try {
    return parse_sections(YAML::Load(to_yaml(sections)), "") == sections;
  } catch (const InputError&) {
    return false;
  }
}

bool same_sections(const LogCase& a, const LogCase& b) {
  return a.config == b.config && a.commits == b.commits;
}

/// Whether the log has the queues that it names, and no more than `lying` packets whose length
/// lies.
bool suits(const LogCase& log_case, std::size_t lying) {
  return std::all_of(log_case.events.begin(), log_case.events.end(),
                     [&log_case](const Event& event) {
                       return !has_queue(event.kind) || event.queue < log_case.config.queues;
                     }) &&
         lying_arrivals(log_case) <= lying;
}

/// Takes the `count` queues from `first` on out of a case, with all that belongs to them.
void leave_out_queues(LogCase& log_case, int first, int count) {
  std::erase_if(log_case.events, [first, count](const Event& event) {
    return has_queue(event.kind) && event.queue >= first && event.queue < first + count;
  });
  for (Event& event : log_case.events) {
    event.queue -= has_queue(event.kind) && event.queue > first ? count : 0;
  }
  for_each_section(log_case, [first, count](ArbiterConfig& section) {
    section.queues -= count;
    section.policy->leave_out_queues(section.parameters, first, count);
  });
}

/// Takes the sections out that no commit names.
void leave_out_unused_sections(LogCase& log_case) {
  std::vector<ArbiterConfig> used;
  std::vector<int> number(log_case.commits.size(), -1);
  for (Event& event : log_case.events) {
    if (event.kind == EventKind::Commit) {
      const Index section = event.queue;
      if (number[section] < 0) {
        number[section] = count(used);
        used.push_back(log_case.commits[section]);
      }
      event.queue = number[section];
    }
  }
  log_case.commits = std::move(used);
}

/// The numbers of a case's sections that can be made smaller, those first on which others depend.
std::vector<LowerableNumber> numbers_of(LogCase& log_case) {
  std::vector<LowerableNumber> numbers;
  for_each_section(log_case, [&numbers](ArbiterConfig& section) {
    numbers.emplace_back(section.max_packet_flits, 1);
    for (LowerableNumber& number : section.policy->numbers(section.parameters)) {
      numbers.push_back(std::move(number));
    }
  });
  return numbers;
}

/// For each event, the place of the arrival whose packet it sends if it is an arb that the
/// reference grants; else its own.
std::vector<std::size_t> served_arrivals(const LogCase& log_case) {
  const ArbiterFactory references = make_reference_factory();  // whose age clock goes on
  Port port(log_case.config.queues, references(log_case.config, {}));
  std::vector<std::size_t> served;
  for (std::size_t i = 0; i < log_case.events.size(); ++i) {
    const Event& event = log_case.events[i];
    served.push_back(i);
    if (event.kind == EventKind::Arb) {
      const Port::Grant grant = port.arbitrate(event.cycle);
      served.back() = grant.decision.queue >= 0 ? grant.packet.handle : i;
    } else if (event.kind == EventKind::Commit) {
      port.reach(event.cycle);
      port.restart(references(log_case.commits[event.queue], {}));
    } else {
      happen(event, port, i);
    }
  }
  return served;
}

class Shrinker {
 public:
  Shrinker(LogCase failing, const Fails& fails,
           const std::function<void(const ShrinkProgress&)>& progress)
      : smallest_(std::move(failing)), fails_(fails), progress_(progress) {}

  std::optional<Shrunk> shrink() {
    const std::optional<Cycle> failed = run(smallest_);
    if (!failed) {
      return {};
    }
    cut_off(*failed);
    leave_out();
    // Numbers are lowered once each time that something could be left out: one lowered a little
    // often lets the next be lowered a little, and there would be no end to it.
    do {
      lower_packets();
      lower_numbers();
      lower_cycles();
    } while (leave_out());
    return Shrunk{std::move(smallest_), runs_};
  }

 private:
  /// Leaves out all that can be, as long as that goes on; true if it went on at all.
  bool leave_out() {
    bool any = false;
    for (bool goes_on = true; goes_on; any = any || goes_on) {
      const std::size_t before = smallest_.events.size();
      bool smaller = leave_out_chunks();
      smaller = leave_out_packets() || smaller;
      smaller = leave_out_few() || smaller;
      smaller = leave_out_queues_and_entries() || smaller;
      goes_on = smaller && (!is_long() || smallest_.events.size() <= before - before / 10);
    }
    return any;
  }

  [[nodiscard]] bool is_long() const { return smallest_.events.size() > kLongLog; }

  std::optional<Cycle> run(const LogCase& log_case) {
    ++runs_;
    const std::optional<Cycle> failed = fails_(log_case);
    if (progress_) {
      progress_({smallest_.events.size(), runs_});
    }
    return failed;
  }

  /// `smaller` is the smallest case from now on, if it fails.
  bool keep_if_failing(LogCase smaller) {
    if (!smaller.commits.empty() && lying_arrivals(smaller) > lying_arrivals(smallest_)) {
      return false;  // a commit that allows them has gone
    }
    const std::optional<Cycle> failed = run(smaller);
    if (failed) {
      smallest_ = std::move(smaller);
      cut_off(*failed);
    }
    return failed.has_value();
  }

  /// As keep_if_failing(), for a case whose config may be none or may not suit its events.
  bool keep_if_valid_and_failing(LogCase smaller) {
    return (same_sections(smaller, smallest_) || sections_are_valid(smaller)) &&
           suits(smaller, lying_arrivals(smallest_)) && keep_if_failing(std::move(smaller));
  }

  /// Leaves out what follows the cycle of the failure, if that is not needed for it.
  void cut_off(Cycle failed) {
    const auto& events = smallest_.events;
    const auto behind = std::find_if(events.begin(), events.end(),
                                     [failed](const Event& event) { return event.cycle > failed; });
    if (behind != events.end()) {
      LogCase cut{smallest_.config, {events.begin(), behind}, smallest_.commits};
      if (run(cut)) {
        smallest_ = std::move(cut);
      }
    }
  }

  /// The smallest case without the events for which `left_out(place)` is true.
  template <typename LeftOut>
  [[nodiscard]] LogCase without(const LeftOut& left_out) const {
    LogCase smaller{smallest_.config, {}, smallest_.commits};
    for (std::size_t i = 0; i < smallest_.events.size(); ++i) {
      if (!left_out(i)) {
        smaller.events.push_back(smallest_.events[i]);
      }
    }
    return smaller;
  }

  bool leave_out_chunks() {
    bool any = false;
    for (std::size_t size = std::max<std::size_t>(smallest_.events.size() / 2, 1); size > 0;
         size = std::min(size, smallest_.events.size()) / 2) {
      for (std::size_t at = 0; at < smallest_.events.size();) {
        if (keep_if_failing(
                without([at, size](std::size_t i) { return i >= at && i < at + size; }))) {
          any = true;
        } else {
          at += size;
        }
      }
    }
    return any;
  }

  bool leave_out_packets() {
    bool any = false;
    std::vector<std::size_t> served = served_arrivals(smallest_);
    for (std::size_t at = 0; at < served.size();) {
      const std::size_t arrival = served[at];
      if (arrival != at && leave_out_packet(arrival, at)) {
        any = true;
        served = served_arrivals(smallest_);
        at -= 1;  // the arrival stood before it
      } else {
        ++at;
      }
    }
    return any;
  }

  /// Leaves out the packet of the event `arrival` and the event `arb` that serves it; where that
  /// does not fail, together with the flits that it takes from its queue's turns.
  bool leave_out_packet(std::size_t arrival, std::size_t arb) {
    const auto either = [=](std::size_t i) { return i == arb || i == arrival; };
    if (keep_if_failing(without(either))) {
      return true;
    }
    LogCase smaller = without(either);
    const Event& packet = smallest_.events[arrival];
    bool shorter = false;
    for_each_section(smaller, [&](ArbiterConfig& section) {
      shorter =
          section.policy->shorten_turns(section.parameters, packet.queue, packet.flits) || shorter;
    });
    return shorter && keep_if_valid_and_failing(std::move(smaller));
  }

  /// Any two and any three events of a short log.
  bool leave_out_few() {
    bool any = false;
    const auto& events = smallest_.events;
    for (std::size_t a = 0; events.size() <= kShortLog && a < events.size(); ++a) {
      for (std::size_t b = a + 1; b < events.size(); ++b) {
        // With c == b it is two.
        for (std::size_t c = b; c < events.size();) {
          if (keep_if_failing(without([=](std::size_t i) { return i == a || i == b || i == c; }))) {
            any = true;
          } else {
            ++c;
          }
        }
      }
    }
    return any;
  }

  bool leave_out_queues_and_entries() {
    bool any = leave_out_sections();
    int step = 1;
    for_each_section(smallest_, [&step](const ArbiterConfig& section) {
      step = std::lcm(step, section.policy->queues_together(section.parameters));
    });
    for (int queue = smallest_.config.queues - step; queue >= 0 && smallest_.config.queues > step;
         queue -= step) {
      LogCase smaller = smallest_;
      leave_out_queues(smaller, queue, step);
      any = keep_if_valid_and_failing(std::move(smaller)) || any;
    }
    return leave_out_entries() || any;
  }

  /// What precedes a commit, and the sections that nothing names.
  bool leave_out_sections() {
    bool any = false;
    for (std::size_t i = 0; i < smallest_.events.size(); ++i) {
      if (smallest_.events[i].kind == EventKind::Commit) {
        LogCase smaller = smallest_;
        smaller.config = smaller.commits[smaller.events[i].queue];
        smaller.events.erase(smaller.events.begin() + static_cast<std::ptrdiff_t>(i));
        any = keep_if_valid_and_failing(std::move(smaller)) || any;
      }
    }
    leave_out_unused_sections(smallest_);
    return any;
  }

  void lower_numbers() {
    unscale();
    const std::vector<LowerableNumber> numbers = numbers_of(smallest_);
    for (std::size_t number = 0; number < numbers.size(); ++number) {
      // Lowering one leaves the others as they are.
      lower(numbers[number].value, numbers[number].lowest,
            [number](LogCase& log_case, std::uint64_t value) {
              numbers_of(log_case)[number].set(value);
            });
    }
  }

  [[nodiscard]] std::vector<EntryList> tables_of(LogCase& log_case) const {
    std::vector<EntryList> tables;
    for_each_section(log_case, [&tables](ArbiterConfig& section) {
      for (EntryList& table : section.policy->tables(section.parameters)) {
        tables.push_back(std::move(table));
      }
    });
    return tables;
  }

  bool leave_out_entries() {
    bool any = false;
    const std::vector<EntryList> tables = tables_of(smallest_);
    for (std::size_t table = 0; table < tables.size(); ++table) {
      for (std::size_t entry = tables[table].entries; entry > 0;) {
        --entry;
        LogCase smaller = smallest_;
        tables_of(smaller)[table].erase(entry);
        any = keep_if_valid_and_failing(std::move(smaller)) || any;
      }
    }
    return any;
  }

  /// Quanta are easier to read, and can be lowered further, when they are the weights.
  void unscale() {
    LogCase smaller = smallest_;
    bool unscaled = false;
    for_each_section(smaller, [&unscaled](ArbiterConfig& section) {
      unscaled = section.policy->unscale(section.parameters) || unscaled;
    });
    if (unscaled) {
      keep_if_valid_and_failing(std::move(smaller));
    }
  }

  void lower_packets() {
    for (std::size_t i = 0; i < smallest_.events.size(); ++i) {
      if (has_queue(smallest_.events[i].kind)) {
        lower(static_cast<std::uint64_t>(smallest_.events[i].queue), 0,
              [i](LogCase& log_case, std::uint64_t value) {
                log_case.events[i].queue = static_cast<int>(value);
              });
      }
      if (i < smallest_.events.size() && smallest_.events[i].flits > 1) {
        lower(smallest_.events[i].flits, 1, [i](LogCase& log_case, std::uint64_t value) {
          log_case.events[i].flits = static_cast<std::uint32_t>(value);
        });
      }
      if (i < smallest_.events.size() && smallest_.events[i].age > 0) {
        lower(smallest_.events[i].age, 0, [i](LogCase& log_case, std::uint64_t value) {
          log_case.events[i].age = static_cast<std::uint32_t>(value);
        });
      }
    }
  }

  /// First all events as early as they can be, then one gap after the other.
  void lower_cycles() {
    LogCase tight = smallest_;
    Cycle next = 0;
    for (std::size_t i = 0; i < tight.events.size(); ++i) {
      Event& event = tight.events[i];
      // A commit is the first event of its cycle.
      next += event.kind == EventKind::Commit && i > 0 && tight.events[i - 1].cycle == next ? 1 : 0;
      event.cycle = next;
      next += event.kind == EventKind::Arb ? 1 : 0;
    }
    if (tight == smallest_ || keep_if_failing(std::move(tight))) {
      return;
    }
    for (std::size_t i = 0; i < smallest_.events.size(); ++i) {
      const Cycle before = i == 0 ? 0 : smallest_.events[i - 1].cycle;
      const bool next_cycle = i > 0 && (smallest_.events[i - 1].kind == EventKind::Arb ||
                                        smallest_.events[i].kind == EventKind::Commit);
      lower(smallest_.events[i].cycle - before, next_cycle ? 1 : 0,
            [i, before](LogCase& log_case, std::uint64_t gap) {
              const Cycle earlier = log_case.events[i].cycle - before - gap;
              for (std::size_t k = i; k < log_case.events.size(); ++k) {
                log_case.events[k].cycle -= earlier;
              }
            });
    }
  }

  /// Lowers a number that is `now`: to `lowest` at once, or by bisection as far as that leads.
  template <typename Set>
  void lower(std::uint64_t now, std::uint64_t lowest, const Set& set) {
    // A smaller case may fail earlier and be cut off; then the places in it are no longer those.
    const std::size_t events = smallest_.events.size();
    const auto fails_with = [this, &set, events](std::uint64_t value) {
      LogCase smaller = smallest_;
      if (smaller.events.size() != events) {
        return false;
      }
      set(smaller, value);
      return keep_if_valid_and_failing(std::move(smaller));
    };
    if (now <= lowest || fails_with(lowest)) {
      return;
    }
    while (now - lowest > 1 && !is_long()) {
      const std::uint64_t middle = lowest + (now - lowest) / 2;
      if (fails_with(middle)) {
        now = middle;
      } else {
        lowest = middle;
      }
    }
  }

  LogCase smallest_;
  const Fails& fails_;
  const std::function<void(const ShrinkProgress&)>& progress_;
  int runs_ = 0;
};

}  // namespace

std::optional<Shrunk> shrink(const LogCase& failing, const Fails& fails,
                             const std::function<void(const ShrinkProgress&)>& progress) {
  return Shrinker(failing, fails, progress).shrink();
}

}  // namespace qosarb
