#include "transcriptions/walk.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

namespace qosarb::test {
namespace {

using State = std::vector<std::uint64_t>;
constexpr std::size_t kMostStates = 100'000;
constexpr std::int32_t kUnknown = -1;

class Walk {
 public:
  Walk(Module& module, const ArbiterConfig& config, Random& random, WalkFigures& figures)
      : module_(module),
        config_(config),
        random_(random),
        figures_(figures),
        longest_(module.longest_shown() == 0
                     ? 1
                     : std::min(module.longest_shown(), config.max_packet_flits + 1)),
        choices_(module.longest_shown() == 0 ? 2 : longest_ + 2),
        requests_(1) {
    for (Index q = 0; q < config.queues; ++q) {
      requests_ *= choices_;
    }
    module_.reset(random_);
    start_over();
  }

  void run() {
    while (true) {
      if (nodes_[here_].tried <= requests_) {
        step(nodes_[here_].tried);
      } else if (const std::vector<std::uint32_t> way = way_to_untried(); !way.empty()) {
        for (const std::uint32_t input : way) {
          step(input);
        }
      } else if (here_ != 0) {
        start_over();
        if (nodes_[here_].tried > requests_ && way_to_untried().empty()) {
          break;
        }
      } else {
        break;
      }
    }
    ++figures_.configurations;
    figures_.states += nodes_.size();
    figures_.transitions += nodes_.size() * (std::uint64_t{requests_} + 1);
  }

 private:
  struct Node {
    std::uint32_t tried = 0;         // inputs below it are
    std::vector<std::int32_t> next;  // [input]
    // Of the last search that came by: which one, and from where.
    std::uint32_t reached_in = 0;
    std::uint32_t reached_from = 0;
    std::uint32_t reached_by = 0;
  };

  // A load.
  void start_over() {
    module_.ask(false, true);
    module_.settle();
    module_.clock_edge();
    module_.program(config_, random_);
    module_.ask(false, false);
    module_.settle();
    reference_ = module_.reference(config_);
    now_ = 0;
    here_ = node_of(compared_state());
  }

  std::uint32_t node_of(const State& state) {
    const auto [at, is_new] =
        numbers_.try_emplace(state, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) {
      if (nodes_.size() == kMostStates) {
        throw std::runtime_error(fmt::format("more than {} states", kMostStates));
      }
      nodes_.push_back({.next = std::vector<std::int32_t>(requests_ + 1, kUnknown)});
    }
    return at->second;
  }

  // Input requests_ is the one without a request: every queue has a packet of a flit.
  [[nodiscard]] std::vector<Head> heads(std::uint32_t input) const {
    std::vector<Head> heads(config_.queues);
    const bool request = input < requests_;
    for (Head& head : heads) {
      const std::uint32_t choice = request ? input % choices_ : 1;
      input /= choices_;
      if (choice != 0) {
        head.says_zero = choice > longest_;
        head.flits = head.says_zero ? 1 : choice;
      }
    }
    return heads;
  }

  void step(std::uint32_t input) {
    const bool request = input < requests_;
    std::vector<Head> heads = this->heads(input);
    for (Index q = 0; q < module_.limits().queues; ++q) {
      Shown shown;
      if (q < config_.queues && heads[q].active()) {
        shown.flits = heads[q].shown_flits();
      }
      module_.show(q, shown, random_);
    }
    module_.ask(request, false);
    module_.settle();
    const Decision decision = request ? reference_->decide(now_, heads) : Decision{};
    if (module_.granted() != decision.queue) {
      fail(input, fmt::format("the reference grants {}, the module {}", decision.queue,
                              module_.granted()));
    }
    module_.clock_edge();
    ++now_;
    ++figures_.cycles;
    reference_->advance(now_, std::vector<Head>(config_.queues));
    module_.ask(false, false);
    module_.settle();
    const std::uint32_t next = node_of(compared_state());
    Node& node = nodes_[here_];
    node.next[input] = static_cast<std::int32_t>(next);
    while (node.tried <= requests_ && node.next[node.tried] != kUnknown) {
      ++node.tried;
    }
    here_ = next;
  }

  State compared_state() {
    State expected;
    reference_->append_state(expected);
    State state;
    if (!module_.append_state(state) || state != expected) {
      throw Difference(
          fmt::format("the state of the reference is [{}], that of the module [{}]\n{}",
                      fmt::join(expected, " "), fmt::join(state, " "), to_yaml(config_)));
    }
    return state;
  }

  // The inputs that lead from here to the nearest state with an input that was not tried; empty if
  // no way is known.
  std::vector<std::uint32_t> way_to_untried() {
    ++search_;
    std::vector<std::uint32_t> reached = {here_};
    nodes_[here_].reached_in = search_;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const std::uint32_t at = reached[i];
      if (nodes_[at].tried <= requests_) {
        std::vector<std::uint32_t> way;
        for (std::uint32_t node = at; node != here_; node = nodes_[node].reached_from) {
          way.push_back(nodes_[node].reached_by);
        }
        return {way.rbegin(), way.rend()};
      }
      for (std::uint32_t input = 0; input <= requests_; ++input) {
        const auto next = static_cast<std::uint32_t>(nodes_[at].next[input]);
        Node& node = nodes_[next];
        if (node.reached_in != search_) {
          node.reached_in = search_;
          node.reached_from = at;
          node.reached_by = input;
          reached.push_back(next);
        }
      }
    }
    return {};
  }

  [[noreturn]] void fail(std::uint32_t input, const std::string& what) const {
    std::string shown;
    for (const Head& head : heads(input)) {
      shown += head.active() ? fmt::format(" {}", head.shown_flits()) : " -";
    }
    throw Difference(fmt::format("heads of{} flits: {}\n  reference, after its decision: {}\n{}",
                                 shown, what, reference_->describe(), to_yaml(config_)));
  }

  Module& module_;
  const ArbiterConfig& config_;
  Random& random_;
  WalkFigures& figures_;
  std::uint32_t longest_;   // flits
  std::uint32_t choices_;   // of a queue: nothing, 1 .. longest_ flits, 0 flits
  std::uint32_t requests_;  // inputs with a request
  std::unique_ptr<Arbiter> reference_;
  Cycle now_ = 0;
  std::map<State, std::uint32_t> numbers_;
  std::vector<Node> nodes_;  // the first one is that after a load
  std::uint32_t here_ = 0;
  std::uint32_t search_ = 0;
};

}  // namespace

void walk(Module& module, const ArbiterConfig& config, Random& random, WalkFigures& figures) {
  Walk(module, config, random, figures).run();
}

}  // namespace qosarb::test
