// Event logs: everything that one arbiter was shown, as a CSV file.
//
//   cycle,event,queue,flits,age
//   0,arrive,2,16,0
//   0,stop,1,,
//   0,arb,,,
//
// A raw one (`qosarb decide --raw`) may show packets of any length, and has rows that bring another
// arbiter into force, by its number in the list `commits` of the config:
//   7,commit,0,,
// and where the head of a queue goes without a grant, as the next arrival takes its place or none:
//   7,withdraw,2,,
// and, under seastar-age, rows of what a port of a chip does not see by itself: a packet that will
// come to queue 2 is stamped, at age 9, before it does (`age` of an arrival is then its place among
// those that are stamped for its queue); 3 packets that go to other ports of the chip are stamped;
// 2 packets of epoch 1 leave by other ports:
//   7,stamp,2,,9
//   7,enter,,3,
//   7,leave,1,2,
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "qosarb/config/input_error.hpp"
#include "qosarb/policy/port.hpp"

namespace qosarb {

enum class EventKind : std::uint8_t {
  Arrive,
  Stop,
  Start,
  Arb,
  Commit,
  Withdraw,
  Stamp,
  Enter,
  Leave
};

/// Whether events of a kind happen to a queue.
constexpr bool has_queue(EventKind kind) {
  return kind == EventKind::Arrive || kind == EventKind::Stop || kind == EventKind::Start ||
         kind == EventKind::Withdraw || kind == EventKind::Stamp;
}
/// Whether events of a kind are of a chip's ports, which only a raw log has.
constexpr bool is_of_chip(EventKind kind) {
  return kind == EventKind::Stamp || kind == EventKind::Enter || kind == EventKind::Leave;
}

/// One row of an event log. `queue` counts for those that have one, and is the number of the
/// section for commit, the epoch for leave; `flits` counts for arrive, and is the number of packets
/// for enter and leave; `age` counts for arrive and stamp.
struct Event {
  Cycle cycle = 0;
  EventKind kind = EventKind::Arb;
  std::uint32_t age = 0;  ///< or place among the stamped packets, which may be above 255
  Index queue = 0;
  std::uint32_t flits = 0;

  friend bool operator==(const Event&, const Event&) = default;
};

/// Where events come from, in order of time.
class EventSource {
 public:
  EventSource() = default;
  EventSource(const EventSource&) = delete;
  EventSource& operator=(const EventSource&) = delete;
  virtual ~EventSource() = default;

  /// The next event, or false after the last one.
  virtual bool next(Event& event) = 0;
};

/// An event log and the arbiter that it is for.
struct LogCase {
  ArbiterConfig config;
  std::vector<Event> events;
  std::vector<ArbiterConfig> commits{};  ///< what commit events bring into force, by their number

  friend bool operator==(const LogCase&, const LogCase&) = default;
};

/// Arrivals of 0 flits, or of more than the arbiter in force allows in their queue.
std::size_t lying_arrivals(const LogCase& log_case);

/// Whether only `decide --raw` takes the log.
bool is_raw(const LogCase& log_case);

/// What a raw log may hold beyond what its arbiter allows.
struct RawLog {
  std::uint32_t longest = UINT32_MAX;  ///< flits of a packet
  int commits = 0;                     ///< how many sections there are for commit to name
  bool has_chip = false;               ///< the arbiter shares the age clock of a chip
  std::string_view beyond;             ///< what the fault of a longer packet ends with
};

/// Reads an event log row by row, in constant memory, and checks each row before it is given out.
///
/// Cycles never fall; at most one arb stands in a cycle and is its last event. A field that its
/// event does not use may be empty, 0, or be left out together with all behind it; the queue of an
/// arb may also be -1. The age of an arrival may be empty, which is 0. A commit stands before all
/// other events of its cycle. Lines end with LF or CR LF. A last line without its end is taken only
/// if nothing that counts can have been cut from it: all five fields are there, or it is an arb.
class EventLogReader final : public EventSource {
 public:
  /// The log must suit `config`: its queues and, unless it is `raw`, its longest packet.
  /// Errors: InputError if the file cannot be read or does not begin with the header.
  EventLogReader(const std::string& file, const ArbiterConfig& config,
                 const std::optional<RawLog>& raw = {});

  /// Errors: InputError naming file and line.
  bool next(Event& event) override;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  bool read_line(std::string_view& line);
  /// The fields of a row, and how many they are.
  [[nodiscard]] std::size_t split(std::string_view line, std::span<std::string_view> field) const;
  [[nodiscard]] EventKind kind_of(std::string_view name) const;
  // The fields of an event whose kind is known, and for flits and age its queue.
  void read_queue(Event& event, std::string_view text) const;
  void read_flits(Event& event, std::string_view text) const;
  void read_age(Event& event, std::string_view text) const;
  [[nodiscard]] InputError error(const std::string& fault) const;
  [[nodiscard]] std::uint64_t number_64(std::string_view text, const char* what, std::uint64_t low,
                                        std::uint64_t high) const;
  /// The same, of the type that holds `high`.
  template <std::integral Number>
  [[nodiscard]] Number number(std::string_view text, const char* what,
                              std::type_identity_t<Number> low, Number high) const {
    return static_cast<Number>(number_64(text, what, low, high));
  }
  void unused(std::string_view text, const char* what, EventKind kind) const;
  void check_order(const Event& event);

  std::string name_;
  int queues_;
  std::vector<std::uint32_t> max_packet_flits_;  ///< of each queue
  std::vector<bool> stamped_;                    ///< [queue]: a packet was, for it
  std::optional<RawLog> raw_;
  std::unique_ptr<std::FILE, Close> file_;

  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< of what is read but not yet given out, in buffer_
  std::size_t end_ = 0;
  bool line_ended_ = true;  ///< the line read last had its line feed
  int line_ = 0;

  Cycle cycle_ = 0;
  bool begun_ = false;       ///< the cycle cycle_ had an event
  bool arbitrated_ = false;  ///< the cycle cycle_ had its arb
};

/// Events that are in memory already.
class StoredEvents final : public EventSource {
 public:
  explicit StoredEvents(std::vector<Event> events) : events_(std::move(events)) {}
  /// Reads `source` to its end. Errors: those of `source`.
  explicit StoredEvents(EventSource& source);

  bool next(Event& event) override;
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }

 private:
  std::vector<Event> events_;
  std::size_t at_ = 0;
};

/// A decision and its cycle.
struct TimedDecision {
  Cycle cycle = 0;
  Decision decision;

  friend bool operator==(const TimedDecision&, const TimedDecision&) = default;
};

/// Lets an event happen at `port` that is neither an arb nor a commit. `handle` is that of an
/// arrival. Errors: those of the port's arbiter.
void happen(const Event& event, Port& port, std::uint64_t handle = 0);

/// Called when everything of a cycle has happened, of cycles in order; tells which later one is the
/// next that it is there for.
using CycleHook = std::function<Cycle(Cycle)>;

/// Called for a commit in a cycle, which the port has reached; it brings the section of that number
/// into force.
using CommitHook = std::function<void(Cycle, std::size_t section)>;

/// Lets all events happen at `port`, and the last one's cycle end; the outcome of each arb, in
/// order. `end_of_cycle` may be empty; else it is called for cycle 0, for each cycle with
/// events, and for those between that it asks for. `commit` may be empty if the log has no commit.
/// Errors: those of `source`, of the port's arbiter, of `end_of_cycle` and `commit`.
std::vector<TimedDecision> replay(EventSource& source, Port& port,
                                  const CycleHook& end_of_cycle = {},
                                  const CommitHook& commit = {});

/// Writes down what a port's arbiter is shown, so that replay() asks the same again.
class EventRecorder final : public PortObserver {
 public:
  /// `stamps`: the port's policy looks at stamps; else a log has none, though packets may be shown
  /// to be stamped before they come.
  explicit EventRecorder(bool stamps = true) : stamps_(stamps) {}

  void on_stamp(Cycle now, Index queue, std::uint8_t age, std::uint32_t packet) override;
  void on_stamped_arrival(Index queue, std::uint32_t packet) override;
  void on_arrive(Cycle now, Index queue, std::uint32_t flits, std::uint8_t age) override;
  void on_stop(Cycle now, Index queue, bool stopped) override;
  void on_withdraw(Cycle now, Index queue, std::uint32_t packet) override;
  void on_decision(Cycle now, const Decision& decision) override;

  [[nodiscard]] const std::vector<Event>& events() const { return events_; }

 private:
  bool stamps_;
  std::vector<Event> events_;
  std::map<Index, std::vector<std::uint32_t>> stamped_;  ///< [queue]: packets that did not come yet
  std::optional<std::uint32_t> place_;                   ///< of the next arrival among these
};

/// Writes down what the other ports of a chip do to its age clock: it observes all of them.
class ChipRecorder final : public PortObserver {
 public:
  void on_stamp(Cycle now, Index queue, std::uint8_t age, std::uint32_t packet) override;
  void on_stamped_arrival(Index queue, std::uint32_t packet) override;
  void on_arrive(Cycle now, Index queue, std::uint32_t flits, std::uint8_t age) override;
  void on_stop(Cycle /*now*/, Index /*queue*/, bool /*stopped*/) override {}
  void on_arbitration(Cycle now, Heads heads) override;
  void on_decision(Cycle now, const Decision& decision) override;

  /// Together with those of a port, in order of time, as its log has them.
  [[nodiscard]] std::vector<Event> with(const std::vector<Event>& events) const;

 private:
  void count(Cycle now, EventKind kind, Index epoch);

  std::vector<Event> events_;
  bool stamped_ = false;      ///< what arrives next has been counted
  std::vector<bool> epochs_;  ///< of the heads in an arbitration
};

/// The events as the text of a log that EventLogReader reads back to the same events.
std::string to_csv(const std::vector<Event>& events);

/// One decision as a row of CSV text, with its line feed.
std::string to_csv_row(const TimedDecision& decision);

/// The decisions as CSV text, with the header "cycle,queue,flits,age".
std::string to_csv(const std::vector<TimedDecision>& decisions);

}  // namespace qosarb
