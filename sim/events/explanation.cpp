#include "qosarb/events/explanation.hpp"

#include <fmt/format.h>

#include <utility>

namespace qosarb {

namespace {

std::string in_words(Heads heads) {
  std::string text;
  for (std::size_t q = 0; q < heads.size(); ++q) {
    if (heads[q].flits != 0) {
      text += fmt::format("{}queue {}: {}", text.empty() ? "" : "; ", q, HeadInWords{heads[q]});
    }
  }
  return text.empty() ? "no packet" : text;
}

}  // namespace

void Explanation::listen_to(Port& port) {
  port_ = &port;
  port.observe(this);
  port.arbiter().narrate(this);
  state_ = port.arbiter().describe();
  passage().lines.push_back("state: " + state_);
}

void Explanation::on_commit(Cycle now, const ArbiterConfig& config) {
  port_->arbiter().narrate(this);
  state_ = port_->arbiter().describe();
  passage().lines.push_back(
      fmt::format("cycle {}: a commit brings {} into force, packets of up to {}", now,
                  config.policy.name(), FlitsInWords{config.max_packet_flits}));
  passage().lines.push_back("  state: " + state_);
}

void Explanation::on_stamp(Cycle now, int queue, std::uint8_t age, std::uint32_t /*packet*/) {
  passage().lines.push_back(
      fmt::format("cycle {}: a packet for queue {} is stamped at age {}", now, queue, age));
  tell_early_steps();
}

void Explanation::on_arrive(Cycle now, int queue, std::uint32_t flits, std::uint8_t age) {
  passage().lines.push_back(fmt::format("cycle {}: {} arrive{} at queue {}{}", now,
                                        FlitsInWords{flits}, flits == 1 ? "s" : "", queue,
                                        age == 0 ? "" : fmt::format(", age {}", age)));
  tell_early_steps();
}

void Explanation::tell_early_steps() {
  for (std::string& step : early_steps_) {
    passage().lines.push_back("  " + std::move(step));
  }
  early_steps_.clear();
}

void Explanation::on_stop(Cycle now, int queue, bool stopped) {
  passage().lines.push_back(
      fmt::format("cycle {}: queue {} is {}", now, queue, stopped ? "stopped" : "started again"));
}

void Explanation::on_withdraw(Cycle now, int queue, std::uint32_t /*packet*/) {
  passage().lines.push_back(fmt::format("cycle {}: the head of queue {} is withdrawn", now, queue));
}

void Explanation::on_arbitration(Cycle now, Heads heads) {
  arbitrating_ = true;
  passage().lines.push_back(fmt::format("cycle {}: arbitration; {}", now, in_words(heads)));
  if (std::string state = port_->arbiter().describe(); state != state_) {
    state_ = std::move(state);
    passage().lines.push_back("  state before: " + state_);
  }
}

void Explanation::tell(std::string step) {
  if (arbitrating_) {
    passage().lines.push_back("  " + std::move(step));
  } else {
    early_steps_.push_back(std::move(step));
  }
}

void Explanation::on_decision(Cycle now, const Decision& decision) {
  arbitrating_ = false;
  state_ = port_->arbiter().describe();
  Passage& ended = passage();
  ended.lines.push_back(decision.queue < 0 ? "  outcome: no queue"
                                           : fmt::format("  outcome: queue {}, {}", decision.queue,
                                                         FlitsInWords{decision.flits}));
  ended.lines.push_back("  state after: " + state_);
  ended.decided = true;
  ended.outcome = {now, decision};
}

Explanation::Passage& Explanation::passage() {
  if (passages_.empty() || passages_.back().decided) {
    passages_.emplace_back();
  }
  return passages_.back();
}

std::string to_csv(const std::vector<Explanation::Passage>& passages) {
  std::string text = to_csv(std::vector<TimedDecision>{});
  for (const Explanation::Passage& passage : passages) {
    for (const std::string& line : passage.lines) {
      text += "# " + line + "\n";
    }
    if (passage.decided) {
      text += to_csv_row(passage.outcome);
    }
  }
  return text;
}

}  // namespace qosarb
