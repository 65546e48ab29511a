#include "qosarb/traffic/vef.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "qosarb/config/input_error.hpp"
#include "qosarb/traffic/collective.hpp"
#include "qosarb/traffic/text_file.hpp"

namespace qosarb {

namespace {

constexpr std::uint32_t kMaxRecords = (1U << 31U) - 2;
constexpr std::uint32_t kMaxVefBytes = 1U << 30U;
constexpr std::uint32_t kNoOperation = ~std::uint32_t{0};

// Tags: messages that somebody waits for have one each, so that it is them that he waits for.
constexpr std::uint32_t kOfCollectives = 1U << 31U;
constexpr std::uint32_t kOfTheOthers = ~std::uint32_t{0};

/// Words of a file, line by line.
class Words {
 public:
  explicit Words(const std::string& file) : name_(file), file_(file), buffer_(1U << 16U) {}

  /// Goes to the next line that is not blank. False at the end of the file.
  bool next_line() {
    while (peek() == '\n') {
      ++line_;
      ++at_;
    }
    return peek() != kEnd;
  }
  /// The next word of the line; empty if there is none. Holds until the next call of anything.
  std::string_view word() {
    std::size_t length = 0;
    for (int c = peek(); c != kEnd && c != '\n' && c != ' '; c = here()) {
      if (c < ' ' || c > '~') {
        throw error("this is no text");
      }
      if (length == word_.size()) {
        throw error(fmt::format("a word has more than {} letters", word_.size()));
      }
      word_[length++] = static_cast<char>(c);
      ++at_;
    }
    return {word_.data(), length};
  }
  /// A number within 0..`most`.
  template <std::integral Number>
  Number number(std::string_view what, Number most) {
    return static_cast<Number>(number_in(word(), what, most));
  }
  /// The number behind `letter`, as in "C0".
  std::uint32_t number_behind(char letter, std::string_view what, std::uint32_t most) {
    const std::string_view text = word();
    if (text.empty() || text.front() != letter) {
      throw expected(what, text);
    }
    return static_cast<std::uint32_t>(number_in(text.substr(1), what, most));
  }
  [[nodiscard]] std::uint64_t number_in(std::string_view text, std::string_view what,
                                        std::uint64_t most) const {
    std::uint64_t value = 0;
    for (const char c : text) {
      if (c < '0' || c > '9') {
        throw expected(what, text);
      }
      if (value > most / 10) {
        throw error(fmt::format("{} is {}, which is not within 0..{}", what, text, most));
      }
      value = value * 10 + (c - '0');
    }
    if (text.empty()) {
      throw expected(what, text);
    }
    if (value > most) {
      throw error(fmt::format("{} is {}, which is not within 0..{}", what, text, most));
    }
    return value;
  }
  void end_of_line() {
    if (const std::string_view more = word(); !more.empty()) {
      throw error(fmt::format("the line goes on with '{}'", more));
    }
  }
  [[nodiscard]] bool line_ends() {
    const int c = peek();
    return c == '\n' || c == kEnd;
  }
  /// The first character of the next word.
  int first() { return peek(); }

  [[nodiscard]] int line() const { return line_; }
  [[nodiscard]] InputError error(const std::string& fault) const { return {name_, line_, fault}; }
  [[nodiscard]] InputError expected(std::string_view what, std::string_view found) const {
    return error(found.empty() ? fmt::format("{} is expected, but the line ends", what)
                               : fmt::format("{} is expected, not '{}'", what, found));
  }

 private:
  static constexpr int kEnd = -1;

  /// The next character that is no blank, which is not taken.
  int peek() {
    int c = here();
    while (c == ' ') {
      ++at_;
      c = here();
    }
    return c;
  }
  int here() {
    if (at_ == end_) {
      at_ = 0;
      end_ = ended_ ? 0 : file_.read(buffer_, line_);
      ended_ = end_ == 0;
    }
    if (ended_) {
      return kEnd;
    }
    const char c = buffer_[at_];
    return c == '\t' || c == '\r' ? ' ' : static_cast<unsigned char>(c);
  }

  std::string name_;
  TextFile file_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  bool ended_ = false;
  int line_ = 1;
  std::array<char, 64> word_{};
};

enum class After : std::uint8_t { Start, Sending, Arrival, Collective };

struct Dependency {
  std::uint64_t ns : 48 = 0;
  After after = After::Start;
  std::uint32_t number = 0;  ///< of the message or the collective
};

struct MessageOfTrace {
  std::uint32_t number = 0;
  int line = 0;
  Index source = 0;       ///< task
  Index destination = 0;  ///< task
  std::uint32_t bytes = 0;
  std::uint32_t send = kNoOperation;     ///< operation
  std::uint32_t receive = kNoOperation;  ///< operation
  bool awaited = false;                  ///< something waits for its arrival
  Dependency dependency;
};

/// What one task has to do with a collective operation.
struct Part {
  std::uint32_t number = 0;
  int line = 0;
  std::uint32_t communicator = 0;
  std::uint32_t operation : 8 = 0;
  std::uint32_t root : 24 = 0;  ///< place; where there is none, or nothing to send, the first
  Index task = 0;
  Index place = 0;  ///< in the communicator
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint32_t begin = kNoOperation;  ///< operation
  std::uint32_t end = kNoOperation;    ///< operation
  Dependency dependency;
};

/// All parts of one collective operation, by their places.
struct Group {
  std::span<const int> ranks;
  std::span<const Part> parts;
  std::uint32_t tag = 0;

  [[nodiscard]] Index root() const { return static_cast<Index>(parts.front().root); }
  /// What is sent, or received, of each place.
  [[nodiscard]] BytesOf bytes(std::uint64_t Part::*of) const {
    return [parts = parts, of](int place) { return parts[place].*of; };
  }
};

/// The messages of one member.
using Collective = void (*)(Steps& steps, const Member& member, const Group& group);

constexpr std::uint32_t kBroadcast = 0;
constexpr std::uint32_t kReduce = 1;
constexpr std::uint32_t kScatter = 4;

constexpr std::array<Collective, 8> kCollectives = {
    [](Steps& steps, const Member& member, const Group& group) {
      broadcast(steps, member, group.root(), group.parts[group.root()].sent);
    },
    [](Steps& steps, const Member& member, const Group& group) {
      reduce(steps, member, group.root(), group.parts[group.root()].received);
    },
    [](Steps& steps, const Member& member, const Group& group) {
      allreduce(steps, member, group.parts[member.place].sent);
    },
    [](Steps& steps, const Member& member, const Group& group) {
      gather(steps, member, group.root(), group.bytes(&Part::sent));
    },
    [](Steps& steps, const Member& member, const Group& group) {
      scatter(steps, member, group.root(), group.bytes(&Part::received));
    },
    [](Steps& steps, const Member& member, const Group& group) {
      allgather(steps, member, group.bytes(&Part::sent));
    },
    [](Steps& steps, const Member& member, const Group& /*group*/) { barrier(steps, member); },
    [](Steps& steps, const Member& member, const Group& group) {
      const Part& part = group.parts[member.place];
      const std::uint64_t size = member.size();
      all_to_all(steps, member, [&](std::uint64_t place) {
        const std::uint64_t rest = place < part.sent % size ? 1 : 0;
        return part.received == 0 ? part.sent : part.sent / size + rest;
      });
    }};

/// Records by what they belong to: begins[key] to begins[key + 1] - 1 of `items`.
struct ByTask {
  std::vector<std::uint32_t> begins;
  std::vector<std::uint32_t> items;

  template <typename Record>
  ByTask(const std::vector<Record>& records, std::size_t keys, Index Record::*key)
      : begins(keys + 1), items(records.size()) {
    for (const Record& record : records) {
      ++begins[record.*key + 1];
    }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<std::uint32_t> next(begins.begin(), begins.end() - 1);
    for (std::uint32_t i = 0; i < records.size(); ++i) {
      items[next[records[i].*key]++] = i;
    }
  }
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t key) const {
    return std::span(items).subspan(begins[key], begins[key + 1] - begins[key]);
  }
};

class VefReader {
 public:
  explicit VefReader(const std::string& file) : file_(file), words_(file) {}

  Trace read() {
    read_file();
    check_collectives();
    check_dependencies();
    TraceBuilder builder(tasks_);
    try {
      build(builder, kNoOperation);
      Trace trace = builder.finish();
      trace.file = file_;
      return trace;
    } catch (const TraceFault& fault) {
      throw InputError(file_, line_in_vef(file_, fault.operation), fault.says);
    }
  }

  int line_of(std::uint32_t operation) {
    read_file();
    check_collectives();
    check_dependencies();
    TraceBuilder builder(tasks_);
    build(builder, operation);
    return line_;
  }

 private:
  [[nodiscard]] InputError error(int line, const std::string& fault) const {
    return {file_, line, fault};
  }

  void read_file() {
    words_.next_line();
    const std::string_view magic = words_.word();
    if (!magic.starts_with("VEF") ||
        magic.find_first_not_of("0123456789", 3) != std::string_view::npos) {
      throw words_.error("'VEF' is expected first");
    }
    tasks_ = words_.number("the number of tasks", kMostRanks);
    if (tasks_ == 0) {
      throw words_.error("there are no tasks");
    }
    const std::uint32_t messages = words_.number("the number of messages", kMaxRecords);
    const std::uint32_t communicators = words_.number("the number of communicators", kMaxRecords);
    collectives_ = words_.number("the number of collective operations", kMaxRecords);
    const std::uint32_t parts =
        words_.number("the number of parts in collective operations", kMaxRecords);
    const std::string_view flag = words_.word();
    if (flag != "TRUE" && flag != "FALSE") {
      throw words_.expected("TRUE or FALSE", flag);
    }
    words_.end_of_line();
    header_line_ = words_.line();
    std::vector<std::uint32_t> seen(tasks_, kNoOperation);
    for (std::uint32_t i = 0; i < communicators; ++i) {
      read_communicator(i, communicators, seen);
    }
    while (words_.next_line()) {
      const bool collective = words_.first() == 'G';
      if (collective ? parts_.size() == parts : messages_.size() == messages) {
        throw words_.error(
            fmt::format("this is one more than the {} {} of line {}", collective ? parts : messages,
                        collective ? "parts in collectives" : "messages", header_line_));
      }
      collective ? read_part() : read_message();
      words_.end_of_line();
    }
    if (messages_.size() < messages || parts_.size() < parts) {
      throw words_.error(
          fmt::format("the file ends after {} of {} messages and {} of {} parts in "
                      "collectives",
                      messages_.size(), messages, parts_.size(), parts));
    }
    sort_by_number(messages_, [](const MessageOfTrace& one) { return std::pair(one.number, 0U); });
    for (std::size_t i = 1; i < messages_.size(); ++i) {
      if (messages_[i - 1].number == messages_[i].number) {
        throw error(messages_[i].line, fmt::format("message {} is given twice, first in line {}",
                                                   messages_[i].number, messages_[i - 1].line));
      }
    }
  }

  void read_communicator(std::uint32_t number, std::uint32_t all,
                         std::vector<std::uint32_t>& seen) {
    if (!words_.next_line()) {
      throw words_.error(fmt::format("the file ends after {} of {} communicators", number, all));
    }
    if (words_.number_behind('C', "a communicator such as 'C0'", kMaxRecords) != number) {
      throw words_.error(fmt::format("communicator C{} is expected", number));
    }
    do {
      const Index task = words_.number("a task", tasks_ - 1);
      if (std::exchange(seen[task], number) == number) {
        throw words_.error(fmt::format("task {} is given twice", task));
      }
      members_.push_back(task);
    } while (!words_.line_ends());
    communicator_ends_.push_back(members_.size());
    const std::span<const int> ranks = ranks_of(number);
    by_task_.resize(members_.size());
    const auto places = by_task_.end() - count(ranks);
    std::iota(places, by_task_.end(), 0);
    std::sort(places, by_task_.end(), [&](Index a, Index b) { return ranks[a] < ranks[b]; });
  }

  void read_message() {
    MessageOfTrace one;
    one.line = words_.line();
    one.number = words_.number("a message's number", kMaxRecords);
    one.source = words_.number("the sending task", tasks_ - 1);
    one.destination = words_.number("the receiving task", tasks_ - 1);
    one.bytes = words_.number("a size in bytes", kMaxVefBytes);
    one.dependency = read_dependency();
    messages_.push_back(one);
  }

  void read_part() {
    Part one;
    one.line = words_.line();
    one.number = words_.number_behind('G', "a collective such as 'G0'", kMaxRecords);
    const std::uint32_t communicators = count(communicator_ends_);
    if (communicators == 0) {
      throw words_.error("there are no communicators");
    }
    one.communicator = words_.number("a communicator", communicators - 1);
    one.operation =
        words_.number("a collective operation", std::uint32_t{kCollectives.size() - 1}) & 0xffU;
    one.task = words_.number("a task", tasks_ - 1);
    one.sent = words_.number("the bytes sent", kMaxVefBytes);
    // What is received in these comes in one message.
    const bool in_one = one.operation == kReduce || one.operation == kScatter;
    one.received = words_.number("the bytes received",
                                 std::uint64_t{kMaxVefBytes} * (in_one ? 1 : kMostRanks));
    one.dependency = read_dependency();
    const std::optional<Index> place = place_of(one.task, one.communicator);
    if (!place) {
      throw words_.error(
          fmt::format("task {} is not in communicator C{}", one.task, one.communicator));
    }
    one.place = *place;
    parts_.push_back(one);
  }

  Dependency read_dependency() {
    Dependency dependency;
    dependency.after = static_cast<After>(words_.number("a kind of dependency", 3));
    dependency.ns = words_.number("a time in ns", TraceBuilder::kMaxAmount) & ((1ULL << 48U) - 1);
    if (dependency.after == After::Start) {
      if (const std::string_view none = words_.word(); none != "-1") {
        throw words_.expected("-1, for nothing is waited for,", none);
      }
    } else {
      dependency.number = dependency.after == After::Collective
                              ? words_.number_behind('G', "a collective such as 'G0'", kMaxRecords)
                              : words_.number("a message's number", kMaxRecords);
    }
    return dependency;
  }

  template <typename Record, typename Key>
  static void sort_by_number(std::vector<Record>& records, Key&& key) {
    const auto before = [&](const Record& a, const Record& b) { return key(a) < key(b); };
    if (!std::is_sorted(records.begin(), records.end(), before)) {
      std::stable_sort(records.begin(), records.end(), before);
    }
  }

  [[nodiscard]] std::span<const int> ranks_of(std::uint32_t communicator) const {
    const std::size_t begin = communicator == 0 ? 0 : communicator_ends_[communicator - 1];
    return std::span(members_).subspan(begin, communicator_ends_[communicator] - begin);
  }

  [[nodiscard]] std::optional<Index> place_of(Index task, std::uint32_t communicator) const {
    const std::span<const int> ranks = ranks_of(communicator);
    const auto end =
        by_task_.begin() + static_cast<std::ptrdiff_t>(communicator_ends_[communicator]);
    const auto found =
        std::lower_bound(end - count(ranks), end, task,
                         [&](Index place, Index wanted) { return ranks[place] < wanted; });
    return found == end || ranks[*found] != task ? std::nullopt : std::optional(*found);
  }

  // The parts of a collective follow each other then, by their places, and know their root.
  void check_collectives() {
    sort_by_number(parts_, [](const Part& one) { return std::pair(one.number, one.place); });
    std::uint64_t groups = 0;
    for (std::size_t begin = 0; begin < parts_.size(); ++groups) {
      const Part& first = parts_[begin];
      const std::size_t size = ranks_of(first.communicator).size();
      std::size_t end = begin;
      for (; end < parts_.size() && parts_[end].number == first.number; ++end) {
        const Part& one = parts_[end];
        if (one.communicator != first.communicator || one.operation != first.operation) {
          throw error(one.line, fmt::format("G{} has another communicator or operation in line {}",
                                            one.number, first.line));
        }
        if (end > begin && parts_[end - 1].place == one.place) {
          throw error(one.line, fmt::format("task {} is in G{} twice, first in line {}", one.task,
                                            one.number, parts_[end - 1].line));
        }
      }
      if (end - begin != size) {
        throw error(first.line, fmt::format("G{} has {} parts for the {} tasks of C{}",
                                            first.number, end - begin, size, first.communicator));
      }
      find_root(std::span(parts_).subspan(begin, size));
      begin = end;
    }
    if (groups != collectives_) {
      throw error(header_line_, fmt::format("{} collective operations are announced, there are {}",
                                            collectives_, groups));
    }
  }

  // Only bytes tell the root.
  static void find_root(std::span<Part> parts) {
    const std::uint32_t operation = parts.front().operation;
    const bool sends = operation == kBroadcast || operation == kScatter;
    const auto root = std::find_if(parts.begin(), parts.end(), [sends](const Part& one) {
      return (sends ? one.sent : one.received) > 0;
    });
    for (Part& one : parts) {
      one.root = root == parts.end() ? 0 : static_cast<std::uint32_t>(root->place) & 0xffffffU;
    }
  }

  [[nodiscard]] MessageOfTrace* find_message(std::uint32_t number) {
    if (number < messages_.size() && messages_[number].number == number) {
      return &messages_[number];
    }
    const auto found = std::lower_bound(
        messages_.begin(), messages_.end(), number,
        [](const MessageOfTrace& one, std::uint32_t wanted) { return one.number < wanted; });
    return found == messages_.end() || found->number != number ? nullptr : &*found;
  }
  [[nodiscard]] const Part* find_part(std::uint32_t number, Index task) const {
    const auto begin =
        std::lower_bound(parts_.begin(), parts_.end(), number,
                         [](const Part& one, std::uint32_t wanted) { return one.number < wanted; });
    if (begin == parts_.end() || begin->number != number) {
      return nullptr;
    }
    const std::optional<Index> place = place_of(task, begin->communicator);
    return place ? &begin[*place] : nullptr;
  }

  void check_dependencies() {
    for (const MessageOfTrace& one : messages_) {
      check(one.dependency, one.source, one.line);
    }
    for (const Part& one : parts_) {
      check(one.dependency, one.task, one.line);
    }
  }

  void check(const Dependency& dependency, Index task, int line) {
    if (dependency.after == After::Start) {
      return;
    }
    if (dependency.after == After::Collective) {
      if (find_part(dependency.number, task) == nullptr) {
        throw error(line, fmt::format("task {} has no part in G{}", task, dependency.number));
      }
      return;
    }
    MessageOfTrace* const message = find_message(dependency.number);
    if (message == nullptr) {
      throw error(line, fmt::format("there is no message {}", dependency.number));
    }
    const bool arrival = dependency.after == After::Arrival;
    if ((arrival ? message->destination : message->source) != task) {
      throw error(line, fmt::format("message {} does not {} task {}, which waits for it",
                                    dependency.number, arrival ? "go to" : "come from", task));
    }
    message->awaited = message->awaited || arrival;
  }

  // Operations first, then what waits for what. Stops behind the one that is `sought`.
  void build(TraceBuilder& builder, std::uint32_t sought) {
    const ByTask sent(messages_, tasks_, &MessageOfTrace::source);
    const ByTask received(messages_, tasks_, &MessageOfTrace::destination);
    const ByTask taken_part(parts_, tasks_, &Part::task);
    const auto found = [&](int line) {
      line_ = line_ == 0 && builder.operations() > sought ? line : line_;
      return line_ != 0;
    };
    for (Index task = 0; task < tasks_; ++task) {
      builder.begin_rank(task);
      for (const std::uint32_t i : sent.of(task)) {
        MessageOfTrace& one = messages_[i];
        if (one.dependency.ns > 0) {
          builder.delay(one.dependency.ns);
        }
        one.send = builder.send(one.destination, one.bytes, tag_of(i));
        if (one.dependency.ns > 0) {
          builder.depends(one.send, one.send - 1);
        }
        if (found(one.line)) {
          return;
        }
      }
      for (const std::uint32_t i : received.of(task)) {
        MessageOfTrace& one = messages_[i];
        one.receive = builder.receive(one.source, tag_of(i));
        if (found(one.line)) {
          return;
        }
      }
      for (const std::uint32_t i : taken_part.of(task)) {
        take_part(builder, i);
        if (found(parts_[i].line)) {
          return;
        }
      }
      for (const std::uint32_t i : sent.of(task)) {
        const MessageOfTrace& one = messages_[i];
        wait(builder, one.dependency.ns > 0 ? one.send - 1 : one.send, one.dependency, task);
      }
      for (const std::uint32_t i : taken_part.of(task)) {
        wait(builder, parts_[i].begin, parts_[i].dependency, task);
      }
      builder.end_rank();
    }
  }

  [[nodiscard]] std::uint32_t tag_of(std::uint32_t message) const {
    return messages_[message].awaited ? message : kOfTheOthers;
  }

  void take_part(TraceBuilder& builder, std::uint32_t index) {
    Part& part = parts_[index];
    const std::uint32_t first = index - part.place;  // all places are there
    const std::span<const int> ranks = ranks_of(part.communicator);
    const Group group{ranks, std::span(parts_).subspan(first, ranks.size()),
                      kOfCollectives + first};
    part.begin = builder.delay(part.dependency.ns);
    Steps steps(builder, part.begin);
    kCollectives[part.operation](steps, {.ranks = ranks, .place = part.place, .tag = group.tag},
                                 group);
    part.end = builder.delay(0);
    for (const std::uint32_t last : steps.last()) {
      builder.depends(part.end, last);
    }
  }

  void wait(TraceBuilder& builder, std::uint32_t later, const Dependency& dependency, Index task) {
    switch (dependency.after) {
      case After::Start:
        return;
      case After::Sending:
        return builder.depends(later, find_message(dependency.number)->send);
      case After::Arrival:
        return builder.depends(later, find_message(dependency.number)->receive);
      case After::Collective:
        return builder.depends(later, find_part(dependency.number, task)->end);
    }
  }

  std::string file_;
  Words words_;
  int tasks_ = 0;
  std::uint64_t collectives_ = 0;
  int header_line_ = 1;
  std::vector<int> members_;                    ///< of all communicators
  std::vector<Index> by_task_;                  ///< of each communicator the places, by their tasks
  std::vector<std::size_t> communicator_ends_;  ///< in both of these
  std::vector<MessageOfTrace> messages_;        ///< by their numbers
  std::vector<Part> parts_;                     ///< by their numbers, then places
  int line_ = 0;                                ///< of the operation that is sought
};

}  // namespace

Trace load_vef(const std::string& file) { return VefReader(file).read(); }

int line_in_vef(const std::string& file, std::uint32_t operation) {
  return VefReader(file).line_of(operation);
}

}  // namespace qosarb
