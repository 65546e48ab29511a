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

class Walk {
 public:
  Walk(AnyTranscription& module, const ArbiterConfig& config, Random& random, WalkFigures& figures)
      : module_(module),
        config_(config),
        random_(random),
        figures_(figures),
        longest_(module.longest_shown() == 0
                     ? 1
                     : std::min(module.longest_shown(), config.max_packet_flits + 1)),
        lengths_(module.longest_shown() == 0 ? 1 : longest_ + 1),
        stamps_(module.stamps()),
        choices_(1 + lengths_ * static_cast<std::uint32_t>(stamps_.size())),
        requests_(1) {
    for (Index q = 0; q < config.queues; ++q) {
      requests_ *= choices_;
    }
    inputs_ = module.surroundings() * (requests_ + 1);
    module_.reset(random_);
    start_over();
  }

  void run() {
    while (true) {
      if (nodes_[here_].tried < inputs_) {
        step(nodes_[here_].tried);
      } else if (const std::vector<std::uint32_t> way = way_to_untried(); !way.empty()) {
        for (const std::uint32_t input : way) {
          step(input);
        }
      } else if (here_ != 0) {
        start_over();
        if (nodes_[here_].tried == inputs_ && way_to_untried().empty()) {
          break;
        }
      } else {
        break;
      }
    }
    ++figures_.configurations;
    figures_.states += nodes_.size();
    figures_.transitions += nodes_.size() * std::uint64_t{inputs_};
  }

 private:
  struct Way {
    std::uint32_t to = 0;
    std::uint32_t by = 0;  // the first input that led there
  };
  struct Node {
    std::uint32_t tried = 0;  // inputs below it are
    std::vector<Way> ways;    // one to each node that they lead to
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
    module_.surround(0, now_);
    here_ = node_of(compared_state());
  }

  std::uint32_t node_of(const State& state) {
    const auto [at, is_new] =
        numbers_.try_emplace(state, static_cast<std::uint32_t>(nodes_.size()));
    if (is_new) {
      if (nodes_.size() == kMostStates) {
        throw std::runtime_error(fmt::format("more than {} states", kMostStates));
      }
      nodes_.emplace_back();
    }
    return at->second;
  }

  // The heads of an input of one of the surroundings. Input requests_ is the one without a request:
  // every queue has a packet of a flit.
  [[nodiscard]] std::vector<Head> heads(std::uint32_t input) const {
    std::vector<Head> heads(config_.queues);
    const bool request = input < requests_;
    for (Head& head : heads) {
      const std::uint32_t choice = request ? input % choices_ : 1;
      input /= choices_;
      if (choice != 0) {
        const std::uint32_t length = 1 + (choice - 1) % lengths_;
        head.says_zero = length > longest_;
        head.flits = head.says_zero ? 1 : length;
        head.stamp = stamps_[(choice - 1) / lengths_];
      }
    }
    return heads;
  }

  void step(std::uint32_t input) {
    const bool request = input % (requests_ + 1) < requests_;
    const std::vector<Head> heads = this->heads(input % (requests_ + 1));
    module_.surround(input / (requests_ + 1), now_);
    for (Index q = 0; q < module_.limits().queues; ++q) {
      Shown shown;
      if (q < config_.queues && heads[q].active()) {
        shown.flits = heads[q].shown_flits();
        shown.stamp = heads[q].stamp;
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
    if (const auto age = module_.age_of(decision.queue); age && *age != decision.age) {
      fail(input, fmt::format("it leaves with age {} by the reference, {} by the module",
                              decision.age, *age));
    }
    module_.clock_edge();
    ++now_;
    ++figures_.cycles;
    reference_->advance(now_, std::vector<Head>(config_.queues));
    module_.surround(0, now_);
    module_.ask(false, false);
    module_.settle();
    const std::uint32_t next = node_of(compared_state());
    Node& node = nodes_[here_];
    if (input == node.tried) {
      ++node.tried;
      if (std::none_of(node.ways.begin(), node.ways.end(),
                       [next](const Way& way) { return way.to == next; })) {
        node.ways.push_back({next, input});
      }
    }
    here_ = next;
  }

  State compared_state() {
    State expected;
    reference_->append_state(expected);
    State state;
    module_.watch(*reference_);
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
      if (nodes_[at].tried < inputs_) {
        std::vector<std::uint32_t> way;
        for (std::uint32_t node = at; node != here_; node = nodes_[node].reached_from) {
          way.push_back(nodes_[node].reached_by);
        }
        return {way.rbegin(), way.rend()};
      }
      for (const Way& way : nodes_[at].ways) {
        Node& node = nodes_[way.to];
        if (node.reached_in != search_) {
          node.reached_in = search_;
          node.reached_from = at;
          node.reached_by = way.by;
          reached.push_back(way.to);
        }
      }
    }
    return {};
  }

  [[noreturn]] void fail(std::uint32_t input, const std::string& what) const {
    std::string shown;
    for (const Head& head : heads(input % (requests_ + 1))) {
      shown += head.active() ? fmt::format(" {}", head.shown_flits()) : " -";
      if (head.active() && stamps_.size() > 1) {
        shown += fmt::format(" (field {}, epoch {})", head.stamp.field, head.stamp.epoch ? 1 : 0);
      }
    }
    throw Difference(fmt::format("heads of{} flits: {}\n  reference, after its decision: {}\n{}",
                                 shown, what, reference_->describe(), to_yaml(config_)));
  }

  AnyTranscription& module_;
  const ArbiterConfig& config_;
  Random& random_;
  WalkFigures& figures_;
  std::uint32_t longest_;  // flits
  std::uint32_t lengths_;  // 1 .. longest_ flits, 0 flits
  std::vector<AgeStamp> stamps_;
  std::uint32_t choices_;     // of a queue: nothing, each length with each stamp
  std::uint32_t requests_;    // inputs with a request, of each of the surroundings
  std::uint32_t inputs_ = 0;  // and one without
  std::unique_ptr<Arbiter> reference_;
  Cycle now_ = 0;
  std::map<State, std::uint32_t> numbers_;
  std::vector<Node> nodes_;  // the first one is that after a load
  std::uint32_t here_ = 0;
  std::uint32_t search_ = 0;
};

}  // namespace

void walk(AnyTranscription& module, const ArbiterConfig& config, Random& random,
          WalkFigures& figures) {
  Walk(module, config, random, figures).run();
}

}  // namespace qosarb::test
