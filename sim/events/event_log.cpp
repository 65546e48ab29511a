#include "qosarb/events/event_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <iterator>
#include <utility>

#include "qosarb/policy/chip_clock.hpp"

namespace qosarb {

namespace {

constexpr std::string_view kHeader = "cycle,event,queue,flits,age";
constexpr std::array<std::string_view, 9> kKindNames = {
    "arrive", "stop", "start", "arb", "commit", "withdraw", "stamp", "enter", "leave"};
std::string_view name_of(EventKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }
constexpr std::uint32_t kMostPorts = 64;  ///< of a chip
constexpr std::size_t kBufferBytes = std::size_t{1} << 16;
// Far longer than any row can be; what is longer is not an event log.
constexpr std::size_t kLongestLine = 256;
constexpr std::size_t kFields = 5;

// A text from a file, made fit for a one-line message.
std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 40;
  std::string result = "'";
  for (const char c : text.substr(0, kShown)) {
    result += c >= ' ' && c <= '~' ? c : '?';
  }
  return result + (text.size() > kShown ? "...'" : "'");
}

}  // namespace

std::size_t lying_arrivals(const LogCase& log_case) {
  const ArbiterConfig* in_force = &log_case.config;
  std::size_t lying = 0;
  for (const Event& event : log_case.events) {
    if (event.kind == EventKind::Commit) {
      in_force = &log_case.commits[event.queue];
    } else if (event.kind == EventKind::Arrive) {
      lying += event.flits == 0 || event.flits > max_packet_flits(*in_force, event.queue) ? 1U : 0U;
    }
  }
  return lying;
}

bool is_raw(const LogCase& log_case) {
  return !log_case.commits.empty() || lying_arrivals(log_case) > 0 ||
         std::any_of(log_case.events.begin(), log_case.events.end(), [](const Event& event) {
           return event.kind == EventKind::Withdraw || is_of_chip(event.kind);
         });
}

EventLogReader::EventLogReader(const std::string& file, const ArbiterConfig& config,
                               const std::optional<RawLog>& raw)
    : name_(file),
      queues_(config.queues),
      stamped_(config.queues),
      raw_(raw),
      file_(std::fopen(file.c_str(), "rb")),
      buffer_(kBufferBytes) {
  for (int queue = 0; queue < config.queues; ++queue) {
    max_packet_flits_.push_back(max_packet_flits(config, queue));
  }
  if (file_ == nullptr) {
    throw InputError(name_, 0, "cannot be opened for reading");
  }
  std::string_view line;
  if (!read_line(line)) {
    throw InputError(name_, 1, fmt::format("is empty; the header '{}' is expected", kHeader));
  }
  if (line != kHeader) {
    throw error(fmt::format("is {} instead of the header '{}'", quoted(line), kHeader));
  }
}

bool EventLogReader::next(Event& event) {
  std::string_view line;
  if (!read_line(line)) {
    return false;
  }
  std::array<std::string_view, kFields> field;
  const std::size_t fields = split(line, field);
  event = Event{};
  event.cycle = number_64(field[0], "the cycle", 0, UINT64_MAX - 1);
  event.kind = kind_of(field[1]);
  if (!line_ended_ && fields < kFields && event.kind != EventKind::Arb) {
    throw error("the last line is cut off");
  }
  read_queue(event, field[2]);
  read_flits(event, field[3]);
  read_age(event, field[4]);
  if (event.kind == EventKind::Stamp) {
    stamped_[event.queue] = true;
  }
  check_order(event);
  return true;
}

std::size_t EventLogReader::split(std::string_view line, std::span<std::string_view> field) const {
  for (std::size_t fields = 0; fields < field.size();) {
    const std::size_t comma = line.find(',');
    field[fields++] = line.substr(0, comma);
    if (comma == std::string_view::npos) {
      return fields;
    }
    line.remove_prefix(comma + 1);
  }
  throw error(fmt::format("has more than {} fields", field.size()));
}

EventKind EventLogReader::kind_of(std::string_view name) const {
  const auto found = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (found == kKindNames.end()) {
    throw error(
        fmt::format("the event is {}; it must be arrive, stop, start or arb", quoted(name)));
  }
  const auto kind = static_cast<EventKind>(found - kKindNames.begin());
  if (kind == EventKind::Commit && (!raw_ || raw_->commits == 0)) {
    throw error(raw_ ? "the config has no 'commits' that a commit could bring into force"
                     : "the event is 'commit', which only a raw log may have (--raw)");
  }
  if (kind == EventKind::Withdraw && !raw_) {
    throw error("the event is 'withdraw', which only a raw log may have (--raw)");
  }
  if (is_of_chip(kind) && !(raw_ && raw_->has_chip)) {
    throw error(fmt::format(
        "the event is '{}', which only a raw log (--raw) of seastar-age may have", name));
  }
  return kind;
}

void EventLogReader::read_queue(Event& event, std::string_view text) const {
  switch (event.kind) {
    case EventKind::Arb:
      if (text == "-1") {
        return;
      }
      [[fallthrough]];
    case EventKind::Enter:
      return unused(text, "queue", event.kind);
    case EventKind::Commit:
      event.queue = number(text, "the commit", 0, raw_->commits - 1);
      return;
    case EventKind::Leave:
      event.queue = number(text, "the epoch", 0, 1);
      return;
    default:
      event.queue = number(text, "the queue", 0, queues_ - 1);
  }
}

// All inputs of a chip may have a packet for other ports, and all other ports let one go.
void EventLogReader::read_flits(Event& event, std::string_view text) const {
  switch (event.kind) {
    case EventKind::Arrive:
      event.flits = raw_ ? number(text, "flits", 0, raw_->longest)
                         : number(text, "flits", 1, max_packet_flits_[event.queue]);
      return;
    case EventKind::Enter:
      event.flits = number(text, "the number of packets", 1, kMostPorts);
      return;
    case EventKind::Leave:
      event.flits = number(text, "the number of packets", 1, kMostPorts - 1);
      return;
    default:
      unused(text, "flits", event.kind);
  }
}

void EventLogReader::read_age(Event& event, std::string_view text) const {
  if (event.kind != EventKind::Arrive && event.kind != EventKind::Stamp) {
    unused(text, "age", event.kind);
  } else if (!text.empty()) {
    const bool is_place = event.kind == EventKind::Arrive && stamped_[event.queue];
    event.age = number(text, is_place ? "the place" : "the age", 0,
                       is_place ? UINT32_MAX : std::uint32_t{UINT8_MAX});
  }
}

bool EventLogReader::read_line(std::string_view& line) {
  const auto line_feed = [this]() {
    return static_cast<const char*>(std::memchr(buffer_.data() + begin_, '\n', end_ - begin_));
  };
  const char* feed = line_feed();
  if (feed == nullptr) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    while (feed == nullptr && end_ <= kLongestLine) {
      const std::size_t got =
          std::fread(buffer_.data() + end_, 1, buffer_.size() - end_, file_.get());
      end_ += got;
      if (got == 0) {
        if (std::ferror(file_.get()) != 0) {
          throw InputError(name_, line_ + 1, "cannot be read");
        }
        break;
      }
      feed = line_feed();
    }
  }
  if (begin_ == end_) {
    return false;
  }
  ++line_;
  line_ended_ = feed != nullptr;
  const std::size_t length =
      (line_ended_ ? feed : buffer_.data() + end_) - (buffer_.data() + begin_);
  if (length > kLongestLine) {
    throw error("the line is too long for a row");
  }
  line = {buffer_.data() + begin_, length};
  begin_ += length + (line_ended_ ? 1 : 0);
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return true;
}

InputError EventLogReader::error(const std::string& fault) const { return {name_, line_, fault}; }

std::uint64_t EventLogReader::number_64(std::string_view text, const char* what, std::uint64_t low,
                                        std::uint64_t high) const {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped_at, fault] = std::from_chars(text.data(), end, value);
  if (text.empty() || stopped_at != end) {
    const bool cut = !line_ended_ && text.empty();
    throw error(cut ? "the last line is cut off"
                    : fmt::format("{} is {}, which is not a number", what, quoted(text)));
  }
  if (fault == std::errc::result_out_of_range || value < low || value > high) {
    const bool is_length = std::string_view(what) == "flits";
    throw error(fmt::format("{} is {}, which is not within {}..{}{}", what, quoted(text), low, high,
                            raw_ && is_length ? raw_->beyond : ""));
  }
  return value;
}

void EventLogReader::unused(std::string_view text, const char* what, EventKind kind) const {
  if (!text.empty() && text != "0") {
    throw error(fmt::format("{} has no {}, but the field is {}; it must be empty or 0",
                            name_of(kind), what, quoted(text)));
  }
}

void EventLogReader::check_order(const Event& event) {
  if (event.cycle < cycle_) {
    throw error(fmt::format("cycle {} stands after cycle {}", event.cycle, cycle_));
  }
  if (event.cycle > cycle_) {
    begun_ = false;
    arbitrated_ = false;
    cycle_ = event.cycle;
  }
  if (arbitrated_) {
    throw error(event.kind == EventKind::Arb
                    ? fmt::format("a second arb in cycle {}", event.cycle)
                    : fmt::format("an event after the arb of cycle {}", event.cycle));
  }
  if (begun_ && event.kind == EventKind::Commit) {
    throw error(fmt::format("a commit after another event of cycle {}", event.cycle));
  }
  begun_ = true;
  arbitrated_ = event.kind == EventKind::Arb;
}

StoredEvents::StoredEvents(EventSource& source) {
  for (Event event; source.next(event);) {
    events_.push_back(event);
  }
}

bool StoredEvents::next(Event& event) {
  if (at_ == events_.size()) {
    return false;
  }
  event = events_[at_++];
  return true;
}

void happen(const Event& event, Port& port, std::uint64_t handle) {
  const Cycle now = event.cycle;
  switch (event.kind) {
    case EventKind::Arrive:
      return port.arrive(now, event.queue, event.flits, event.age, handle);
    case EventKind::Stop:
    case EventKind::Start:
      return port.stop(now, event.queue, event.kind == EventKind::Stop);
    case EventKind::Withdraw:
      return port.withdraw(now, event.queue);
    case EventKind::Stamp:
      return port.stamp(now, event.queue, static_cast<std::uint8_t>(event.age));
    case EventKind::Enter:
      port.reach(now);
      return dynamic_cast<SharesChipClock&>(port.arbiter()).enter_elsewhere(now, event.flits);
    case EventKind::Leave:
      port.reach(now);
      return dynamic_cast<SharesChipClock&>(port.arbiter())
          .leave_elsewhere(now, event.queue != 0, event.flits);
    default:  // an arb has a result, a commit needs more
      return;
  }
}

std::vector<TimedDecision> replay(EventSource& source, Port& port, const CycleHook& end_of_cycle,
                                  const CommitHook& commit) {
  std::vector<TimedDecision> decisions;
  Cycle now = 0;
  for (Event event; source.next(event);) {
    if (end_of_cycle) {
      while (now < event.cycle) {
        now = std::min(event.cycle, end_of_cycle(now));
      }
    }
    now = event.cycle;
    if (event.kind == EventKind::Arb) {
      decisions.push_back({now, port.arbitrate(now).decision});
    } else if (event.kind == EventKind::Commit) {
      port.reach(now);
      commit(now, event.queue);
    } else {
      happen(event, port);
    }
  }
  if (end_of_cycle) {
    end_of_cycle(now);
  }
  port.reach(now + 1);
  return decisions;
}

void EventRecorder::on_stamp(Cycle now, int queue, std::uint8_t age, std::uint32_t packet) {
  if (!stamps_) {
    return;
  }
  stamped_[queue].push_back(packet);
  events_.push_back({.cycle = now, .kind = EventKind::Stamp, .age = age, .queue = queue});
}

void EventRecorder::on_stamped_arrival(int queue, std::uint32_t packet) {
  if (!stamps_) {
    return;
  }
  std::vector<std::uint32_t>& waiting = stamped_[queue];
  const auto place = std::find(waiting.begin(), waiting.end(), packet);
  place_ = static_cast<std::uint32_t>(place - waiting.begin());
  waiting.erase(place);
}

void EventRecorder::on_arrive(Cycle now, int queue, std::uint32_t flits, std::uint8_t age) {
  events_.push_back({.cycle = now,
                     .kind = EventKind::Arrive,
                     .age = std::exchange(place_, std::nullopt).value_or(age),
                     .queue = queue,
                     .flits = flits});
}

void EventRecorder::on_stop(Cycle now, int queue, bool stopped) {
  events_.push_back(
      {.cycle = now, .kind = stopped ? EventKind::Stop : EventKind::Start, .queue = queue});
}

void EventRecorder::on_withdraw(Cycle now, int queue, std::uint32_t packet) {
  if (const auto stamped = stamped_.find(queue); stamped != stamped_.end()) {
    stamped->second.push_back(packet);
  }
  events_.push_back({.cycle = now, .kind = EventKind::Withdraw, .queue = queue});
}

void EventRecorder::on_decision(Cycle now, const Decision& /*decision*/) {
  events_.push_back({.cycle = now, .kind = EventKind::Arb});
}

void ChipRecorder::count(Cycle now, EventKind kind, int epoch) {
  if (!events_.empty() &&
      events_.back() ==
          Event{.cycle = now, .kind = kind, .queue = epoch, .flits = events_.back().flits}) {
    ++events_.back().flits;
  } else {
    events_.push_back({.cycle = now, .kind = kind, .queue = epoch, .flits = 1});
  }
}

void ChipRecorder::on_stamp(Cycle now, int /*queue*/, std::uint8_t /*age*/,
                            std::uint32_t /*packet*/) {
  count(now, EventKind::Enter, 0);
}

void ChipRecorder::on_stamped_arrival(int /*queue*/, std::uint32_t /*packet*/) { stamped_ = true; }

void ChipRecorder::on_arrive(Cycle now, int /*queue*/, std::uint32_t /*flits*/,
                             std::uint8_t /*age*/) {
  if (!std::exchange(stamped_, false)) {
    count(now, EventKind::Enter, 0);
  }
}

void ChipRecorder::on_arbitration(Cycle /*now*/, Heads heads) {
  epochs_.clear();
  for (const Head& head : heads) {
    epochs_.push_back(head.stamp.epoch);
  }
}

void ChipRecorder::on_decision(Cycle now, const Decision& decision) {
  if (decision.queue >= 0) {
    count(now, EventKind::Leave, epochs_[decision.queue] ? 1 : 0);
  }
}

std::vector<Event> ChipRecorder::with(const std::vector<Event>& events) const {
  std::vector<Event> all;
  std::merge(events_.begin(), events_.end(), events.begin(), events.end(), std::back_inserter(all),
             [](const Event& a, const Event& b) { return a.cycle < b.cycle; });
  return all;
}

std::string to_csv(const std::vector<Event>& events) {
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "{}\n", kHeader);
  for (const Event& event : events) {
    fmt::format_to(std::back_inserter(text), "{},{},", event.cycle, name_of(event.kind));
    switch (event.kind) {
      case EventKind::Arb:
        fmt::format_to(std::back_inserter(text), ",,\n");
        break;
      case EventKind::Arrive:
        fmt::format_to(std::back_inserter(text), "{},{},{}\n", event.queue, event.flits, event.age);
        break;
      case EventKind::Stamp:
        fmt::format_to(std::back_inserter(text), "{},,{}\n", event.queue, event.age);
        break;
      case EventKind::Enter:
        fmt::format_to(std::back_inserter(text), ",{},\n", event.flits);
        break;
      case EventKind::Leave:
        fmt::format_to(std::back_inserter(text), "{},{},\n", event.queue, event.flits);
        break;
      default:
        fmt::format_to(std::back_inserter(text), "{},,\n", event.queue);
    }
  }
  return fmt::to_string(text);
}

namespace {

void append_row(fmt::memory_buffer& text, const TimedDecision& row) {
  fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", row.cycle, row.decision.queue,
                 row.decision.flits, row.decision.age);
}

}  // namespace

std::string to_csv(const std::vector<TimedDecision>& decisions) {
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "cycle,queue,flits,age\n");
  for (const TimedDecision& decision : decisions) {
    append_row(text, decision);
  }
  return fmt::to_string(text);
}

std::string to_csv_row(const TimedDecision& decision) {
  fmt::memory_buffer text;
  append_row(text, decision);
  return fmt::to_string(text);
}

}  // namespace qosarb
