#include "qosarb/traffic/goal.hpp"

#include <fmt/format.h>

#include <array>
#include <concepts>
#include <cstring>
#include <string_view>
#include <utility>

#include "qosarb/config/input_error.hpp"
#include "qosarb/traffic/text_file.hpp"

namespace qosarb {

namespace {

constexpr std::size_t kLongestWord = 256;
constexpr std::uint64_t kMaxGoalBytes = std::uint64_t{1} << 30U;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_of_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Words, numbers and signs of a file, with their lines.
class Tokens {
 public:
  explicit Tokens(std::string name) : name_(std::move(name)), file_(name_), buffer_(kSize + 1) {
    fill();
  }

  /// The next character that is no blank and not of a comment; '\0' at the end of the file.
  char peek() {
    for (;;) {
      switch (*at_) {
        case '\n':
          ++line_;
          [[fallthrough]];
        case ' ':
        case '\t':
        case '\r':
          ++at_;
          break;
        case '/':
          skip_comment();
          break;
        case '\0':
          if (at_ != end_) {
            throw error("this is no text");
          }
          if (!fill()) {
            return '\0';
          }
          break;
        default:
          return *at_;
      }
    }
  }

  /// Takes what peek() showed.
  void skip() { ++at_; }
  bool skip_if(char c) {
    const bool is = peek() == c;
    at_ += is ? 1 : 0;
    return is;
  }
  void expect(char c) {
    if (!skip_if(c)) {
      throw expected(fmt::format("'{}'", c));
    }
  }

  /// Letters, digits and '_'; empty if there are none. Holds until the next call of anything.
  std::string_view word() {
    peek();
    have(kLongestWord + 1);
    const char* end = at_;
    while (is_of_word(*end)) {
      ++end;
    }
    const std::size_t length = end - at_;
    if (length > kLongestWord) {
      throw error(fmt::format("a word has more than {} letters", kLongestWord));
    }
    const std::string_view word(at_, length);
    at_ = end;
    return word;
  }

  /// Takes the next word if it is this one.
  bool next_is(std::string_view word) {
    if (peek() != word.front()) {
      return false;
    }
    have(word.size() + 1);
    if (std::string_view(at_, word.size()) != word || is_of_word(at_[word.size()])) {
      return false;
    }
    at_ += word.size();
    return true;
  }

  /// A decimal number within 0..`most`, which ends where a word would, or before `unit` if that is
  /// not '\0'; blanks may stand between them.
  template <std::integral Number>
  Number number(std::string_view what, Number most, char unit = '\0') {
    const std::string_view text = word();
    std::uint64_t value = 0;
    std::size_t digits = 0;
    while (digits < text.size() && is_digit(text[digits]) && digits < 19) {
      value = value * 10 + (text[digits++] - '0');
    }
    const std::size_t rest = text.size() - digits;
    const bool whole = digits > 0 && rest == 0;
    const bool with_unit = unit != '\0' && digits > 0 && rest == 1 && text.back() == unit;
    if (!whole && !with_unit) {
      throw text.empty() ? expected(what)
                         : error(fmt::format("{} is expected, not '{}'", what, text));
    }
    const int line = line_;
    if (unit != '\0' && whole && !next_is({&unit, 1})) {
      throw InputError(name_, line, fmt::format("{} is expected, not '{}'", what, value));
    }
    if (std::cmp_greater(value, most)) {
      throw error(fmt::format("{} is {}, which is not within 0..{}", what, value, most));
    }
    return static_cast<Number>(value);
  }

  [[nodiscard]] int line() const { return line_; }
  [[nodiscard]] InputError error(const std::string& fault) const { return {name_, line_, fault}; }
  /// For what is there instead of `what`.
  InputError expected(std::string_view what) {
    const char c = peek();
    if (c == '\0') {
      return error(fmt::format("{} is expected, but the file ends", what));
    }
    if (is_of_word(c)) {
      return error(fmt::format("{} is expected, not '{}'", what, word()));
    }
    if (static_cast<unsigned char>(c) >= 0x7f || static_cast<unsigned char>(c) < ' ') {
      return error("this is no text");
    }
    return error(fmt::format("{} is expected, not '{}'", what, c));
  }

 private:
  static constexpr std::size_t kSize = std::size_t{1} << 16U;

  /// What is left moves to the front, and as much as fits comes behind it. False if nothing did.
  bool fill() {
    const std::size_t left = end_ - at_;
    std::memmove(buffer_.data(), at_, left);
    const std::size_t got = file_.read({buffer_.data() + left, kSize - left}, line_);
    at_ = buffer_.data();
    end_ = at_ + left + got;
    buffer_[left + got] = '\0';
    return got > 0;
  }

  /// So many characters are in the buffer, unless the file ends before.
  void have(std::size_t characters) {
    while (std::cmp_less(end_ - at_, characters) && fill()) {
    }
  }

  void skip_comment() {
    have(2);
    if (at_[1] != '/' && at_[1] != '*') {
      throw error("a statement is expected, not '/'");
    }
    const bool to_end_of_line = at_[1] == '/';
    const int begin = line_;
    at_ += 2;
    for (;;) {
      have(2);
      if (*at_ == '\0') {
        if (at_ != end_) {
          throw error("this is no text");
        }
        if (to_end_of_line) {
          return;
        }
        throw InputError(name_, begin, "a comment does not end");
      }
      if (to_end_of_line ? *at_ == '\n' : at_[0] == '*' && at_[1] == '/') {
        at_ += to_end_of_line ? 0 : 2;
        return;
      }
      line_ += *at_++ == '\n' ? 1 : 0;
    }
  }

  std::string name_;
  TextFile file_;
  std::vector<char> buffer_;
  const char* at_ = buffer_.data();
  const char* end_ = at_;  ///< a '\0' stands here
  int line_ = 1;
};

/// The labels of one rank and their operations.
class Labels {
 public:
  Labels() { clear(); }

  void clear() {
    names_.clear();
    items_.clear();
    table_.assign(64, 0);
  }

  /// False if it is there already.
  bool insert(std::string_view label, std::uint32_t operation) {
    if ((items_.size() + 1) * 3 > table_.size() * 2) {
      table_.assign(table_.size() * 2, 0);
      for (std::uint32_t i = 0; i < items_.size(); ++i) {
        table_[place_of(name(i))] = i + 1;
      }
    }
    std::uint32_t& place = table_[place_of(label)];
    if (place != 0) {
      return false;
    }
    items_.push_back({static_cast<std::uint32_t>(names_.size()), operation});
    names_.insert(names_.end(), label.begin(), label.end());
    names_.push_back('\0');
    place = static_cast<std::uint32_t>(items_.size());
    return true;
  }

  /// Null if there is none.
  [[nodiscard]] const std::uint32_t* find(std::string_view label) const {
    const std::uint32_t place = table_[place_of(label)];
    return place == 0 ? nullptr : &items_[place - 1].operation;
  }

 private:
  struct Item {
    std::uint32_t name = 0;  ///< its beginning in names_
    std::uint32_t operation = 0;
  };

  [[nodiscard]] bool is(std::uint32_t item, std::string_view label) const {
    std::size_t at = items_[item].name;
    for (const char c : label) {
      if (names_[at++] != c) {
        return false;
      }
    }
    return names_[at] == '\0';
  }
  [[nodiscard]] std::string name(std::uint32_t item) const {
    std::string text;
    for (std::size_t at = items_[item].name; names_[at] != '\0'; ++at) {
      text += names_[at];
    }
    return text;
  }
  [[nodiscard]] std::size_t place_of(std::string_view label) const {
    std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
    for (const char c : label) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    for (std::size_t at = (hash ^ (hash >> 32U)) & (table_.size() - 1);;
         at = (at + 1) & (table_.size() - 1)) {
      if (table_[at] == 0 || is(table_[at] - 1, label)) {
        return at;
      }
    }
  }

  std::deque<char> names_;
  std::deque<Item> items_;
  std::vector<std::uint32_t> table_;  ///< item + 1, or 0; open addressing, a power of two
};

class GoalReader {
 public:
  /// `sought`: read() only goes to this operation and returns its line.
  GoalReader(const std::string& file, std::uint32_t sought)
      : file_(file), tokens_(file), sought_(sought) {}

  Trace read() {
    if (tokens_.word() != "num_ranks") {
      throw tokens_.error("'num_ranks' is expected first");
    }
    ranks_ = tokens_.number("the number of ranks", kMostRanks);
    if (ranks_ == 0) {
      throw tokens_.error("there are no ranks");
    }
    TraceBuilder builder(ranks_);
    try {
      while (tokens_.peek() != '\0' && line_ == 0) {
        read_rank(builder);
      }
      if (line_ != 0) {
        return {};
      }
      for (int rank = 0; rank < ranks_; ++rank) {
        if (!builder.has(rank)) {
          throw tokens_.error(fmt::format("rank {} of {} is missing", rank, ranks_));
        }
      }
      Trace trace = builder.finish();
      trace.file = file_;
      return trace;
    } catch (const TraceFault& fault) {
      throw InputError(file_, line_in_goal(file_, fault.operation), fault.says);
    }
  }

  [[nodiscard]] int line() const { return line_; }

 private:
  void read_rank(TraceBuilder& builder) {
    if (tokens_.word() != "rank") {
      throw tokens_.error("'rank' is expected");
    }
    const int rank = peer("a rank");
    if (builder.has(rank)) {
      throw tokens_.error(fmt::format("rank {} is given twice", rank));
    }
    tokens_.expect('{');
    labels_.clear();
    later_.clear();
    builder.begin_rank(rank);
    while (!tokens_.skip_if('}')) {
      statement(builder);
      if (line_ != 0) {
        return;
      }
    }
    for (const Dependency& one : later_) {
      builder.depends(operation_of(one.later, one.line), operation_of(one.earlier, one.line),
                      one.on_start);
    }
    builder.end_rank();
  }

  // operation | label ':' operation | label ('requires' | 'irequires') label
  void statement(TraceBuilder& builder) {
    if (tokens_.skip_if(';')) {
      return;
    }
    const std::string_view first = label_.empty() ? tokens_.word() : std::exchange(label_, {});
    if (first.empty()) {
      throw tokens_.expected("a statement or '}'");
    }
    std::array<char, kLongestWord> copy;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    std::memcpy(copy.data(), first.data(), first.size());
    const std::string_view label(copy.data(), first.size());
    if (tokens_.skip_if(':')) {
      const int line = tokens_.line();
      const std::uint32_t number = builder.operations();
      operation(builder, tokens_.word());
      if (!labels_.insert(label, number)) {
        throw InputError(file_, line, fmt::format("the label '{}' is given twice", label));
      }
    } else if (label == "send" || label == "recv" || label == "calc") {
      operation(builder, label);
    } else {
      dependency(builder, label);
    }
  }

  void operation(TraceBuilder& builder, std::string_view kind) {
    if (builder.operations() == sought_) {
      line_ = tokens_.line();
      return;
    }
    if (kind == "calc") {
      const std::uint64_t ns = tokens_.number("a time in ns", TraceBuilder::kMaxAmount);
      const Options options = read_options(false);
      builder.calculate(ns, options.cpu);
    } else if (kind == "send") {
      const std::uint64_t bytes = tokens_.number("a size such as '8b'", kMaxGoalBytes, 'b');
      keyword("to");
      const int to = peer("the receiving rank");
      const Options options = read_options(true);
      builder.send(to, bytes, options.tag);
    } else if (kind == "recv") {
      tokens_.number("a size such as '8b'", kMaxGoalBytes, 'b');
      keyword("from");
      const int from = peer("the sending rank");
      const Options options = read_options(true);
      builder.receive(from, options.tag);
    } else {
      throw tokens_.error(fmt::format("'send', 'recv' or 'calc' is expected{}",
                                      kind.empty() ? "" : fmt::format(", not '{}'", kind)));
    }
  }

  void keyword(std::string_view word) {
    const std::string_view found = tokens_.word();
    if (found != word) {
      throw found.empty() ? tokens_.expected(fmt::format("'{}'", word))
                          : tokens_.error(fmt::format("'{}' is expected, not '{}'", word, found));
    }
  }

  int peer(std::string_view what) { return tokens_.number(what, ranks_ - 1); }

  struct Options {
    std::uint32_t tag = 0;
    std::uint8_t cpu = 0;
  };
  // A word that is none of these begins the next statement: it is kept for that.
  Options read_options(bool message) {
    Options options;
    for (;;) {
      if (message && option("tag")) {
        options.tag = tokens_.number("a tag", 0xffffffffU);
      } else if (option("cpu")) {
        options.cpu = tokens_.number("a CPU", std::uint8_t{255});
      } else if (option("nic")) {
        tokens_.number("a NIC", 255);
      } else {
        return options;
      }
    }
  }

  // Takes the option `name` but for its number. A label of this name may follow instead: it is kept
  // for its statement.
  bool option(const char* name) {
    if (!label_.empty() || !tokens_.next_is(name)) {
      return false;
    }
    const char c = tokens_.peek();
    if (c == ':' || c == 'r' || c == 'i') {  // as 'requires' and 'irequires' begin
      label_ = name;
      return false;
    }
    return true;
  }

  void dependency(TraceBuilder& builder, std::string_view label) {
    const std::string_view how = tokens_.word();
    const bool on_start = how == "irequires";
    if (!on_start && how != "requires") {
      throw tokens_.error(
          fmt::format("an operation, a label with ':' or 'requires' is expected at '{}'", label));
    }
    const int line = tokens_.line();
    const std::string_view other = tokens_.word();
    if (other.empty()) {
      throw tokens_.expected("a label");
    }
    const std::uint32_t* const later = labels_.find(label);
    const std::uint32_t* const earlier = labels_.find(other);
    if (later != nullptr && earlier != nullptr) {
      builder.depends(*later, *earlier, on_start);
    } else {
      later_.push_back({std::string(label), std::string(other), line, on_start});
    }
  }

  [[nodiscard]] std::uint32_t operation_of(const std::string& label, int line) const {
    const std::uint32_t* const operation = labels_.find(label);
    if (operation == nullptr) {
      throw InputError(file_, line, fmt::format("there is no label '{}' in this rank", label));
    }
    return *operation;
  }

  struct Dependency {  ///< on a label that comes further down
    std::string later;
    std::string earlier;
    int line = 0;
    bool on_start = false;
  };

  std::string file_;
  Tokens tokens_;
  std::uint32_t sought_;
  int line_ = 0;  ///< of the sought operation, once it is found
  int ranks_ = 0;
  Labels labels_;
  std::vector<Dependency> later_;
  std::string_view label_;  ///< of the next statement, if it is read already
};

}  // namespace

Trace load_goal(const std::string& file) { return GoalReader(file, ~std::uint32_t{0}).read(); }

int line_in_goal(const std::string& file, std::uint32_t operation) {
  GoalReader reader(file, operation);
  reader.read();
  return reader.line();
}

}  // namespace qosarb
