#include "cosim/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace qosarb {

namespace {

// Formats of GTKWave's trace flags.
constexpr const char* kBinary = "@28";
constexpr const char* kHex = "@22";
constexpr const char* kDecimal = "@24";
constexpr const char* kEnum = "@100000028";
constexpr const char* kGroupBegin = "@800200";
constexpr const char* kClosedGroupBegin = "@c00200";
constexpr const char* kGroupEnd = "@1000200";
constexpr const char* kClosedGroupEnd = "@1401200";

int index_bits(int count) {
  return std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(count - 1))));
}

class Text {
 public:
  explicit Text(std::string& text) : text_(text) {}

  void scope(const std::string& path) { path_ = path; }
  void begin(const std::string& group, bool closed = false) {
    text_ += fmt::format("{}\n-{}\n", closed ? kClosedGroupBegin : kGroupBegin, group);
  }
  void end(const std::string& group, bool closed = false) {
    text_ += fmt::format("{}\n-{}\n", closed ? kClosedGroupEnd : kGroupEnd, group);
  }
  /// `bits` of 0: a signal without a range.
  void signal(const char* format, const std::string& name, int bits = 0) {
    text_ += fmt::format("{}\n{}.{}{}\n", format, path_, name,
                         bits > 0 ? fmt::format("[{}:0]", bits - 1) : "");
  }
  void each(const char* format, const std::string& name, int count, int bits) {
    for (int i = 0; i < count; ++i) {
      signal(format, fmt::format("{}[{}]", name, i), bits);
    }
  }

 private:
  std::string& text_;
  std::string path_;
};

constexpr int kFlitsBits = 10;
constexpr int kTokenBits = 32;
constexpr int kRateBits = 17;
constexpr int kBurstBits = 16;

void table(Text& text, const RtlLimits& limits, std::size_t entries) {
  const int shown = static_cast<int>(entries);
  text.begin("table", true);
  text.each(kDecimal, "entry_queue", shown, index_bits(limits.queues));
  text.each(kDecimal, "entry_quantum", shown, static_cast<int>(limits.quantum_bits));
  text.end("table", true);
}

void remaining(Text& text, const RtlLimits& limits) {
  const std::uint64_t highest = (1ULL << limits.quantum_bits) + limits.packet_flits - 2;
  text.signal(kDecimal, "remaining", static_cast<int>(std::bit_width(highest)));
}

void state(Text& text, const LayoutScope& scope) {
  const RtlLimits& limits = scope.limits;
  const int queues = scope.config.queues;
  const int queue_bits = index_bits(limits.queues);
  text.signal(kDecimal, "current", 8);
  if (const auto* bxi = std::get_if<BxiConfig>(&scope.config.parameters)) {
    remaining(text, limits);
    text.each(kDecimal, "deficit", static_cast<int>(bxi->table.size()), kFlitsBits);
    table(text, limits, bxi->table.size());
  } else if (const auto* sbt = std::get_if<SbtConfig>(&scope.config.parameters)) {
    text.each(kDecimal, "weight_left", static_cast<int>(sbt->table.size()),
              static_cast<int>(limits.quantum_bits));
    text.each(kDecimal, "queue_sl", queues, queue_bits);
    table(text, limits, sbt->table.size());
  } else if (const auto* dtable = std::get_if<DTableConfig>(&scope.config.parameters)) {
    remaining(text, limits);
    text.each(kDecimal, "deficit", static_cast<int>(dtable->sl_mtu.size()), kFlitsBits);
    text.each(kDecimal, "queue_sl", queues, queue_bits);
    table(text, limits, dtable->table.size());
  } else if (std::holds_alternative<InfiniBandConfig>(scope.config.parameters)) {
    remaining(text, limits);
    text.signal(kDecimal, "vl_low_current", 8);
    text.signal(kDecimal, "vl_low_remaining", 8);
    text.signal(kBinary, "vl_low_in_turn");
    text.signal(kDecimal, "vl_high_bytes", 20);
    text.signal(kDecimal, "vl_high_limit", 8);
    table(text, limits, limits.entries);
  } else if (std::holds_alternative<SeastarConfig>(scope.config.parameters)) {
    text.signal(kDecimal, "age_last", queue_bits);
    text.signal(kDecimal, "age_grants", 6);
    text.signal(kDecimal, "age_timestamp_i", 8);
    text.signal(kBinary, "age_epoch_i");
    text.signal(kBinary, "age_inhibit_i");
    text.signal(kBinary, "left_o");
    text.signal(kDecimal, "left_age_o", 8);
    text.signal(kBinary, "age_in_epoch_i", limits.queues);
    text.each(kDecimal, "age_field_i", queues, 9);
  } else if (std::holds_alternative<TrtcmConfig>(scope.config.parameters)) {
    text.signal(kBinary, "u_policies.g_class.green", limits.queues);
    text.signal(kBinary, "u_policies.g_class.yellow", limits.queues);
    text.each(kDecimal, "assured_tokens", queues, kTokenBits);
    text.each(kDecimal, "peak_tokens", queues, kTokenBits);
    text.begin("classes", true);
    text.each(kDecimal, "class_priority", queues, queue_bits);
    text.each(kDecimal, "assured_rate", queues, kRateBits);
    text.each(kDecimal, "peak_rate", queues, kRateBits);
    text.each(kDecimal, "assured_burst", queues, kBurstBits);
    text.each(kDecimal, "peak_burst", queues, kBurstBits);
    text.end("classes", true);
  }
}

void port(Text& text, const LayoutScope& scope) {
  const RtlLimits& limits = scope.limits;
  text.signal(kBinary, "clk_i");
  text.begin("candidates");
  text.signal(kBinary, "valid_i", limits.queues);
  text.signal(kBinary, "pfc_stop_i", limits.queues);
  text.each(kDecimal, "flits_i", scope.config.queues, kFlitsBits);
  text.end("candidates");
  text.begin("decision");
  text.signal(kBinary, "request_i");
  text.signal(kBinary, "grant_valid_o");
  text.signal(kDecimal, "grant_queue_o", index_bits(limits.queues));
  text.signal(kBinary, "grant_o", limits.queues);
  text.end("decision");
  text.begin("state");
  text.signal(kEnum, "policy", 4);
  state(text, scope);
  text.end("state");
  text.begin("commit", true);
  text.signal(kBinary, "table_applied_o");
  text.signal(kEnum, "progress", 2);
  text.signal(kEnum, "outcome", 2);
  text.signal(kEnum, "reason", 4);
  text.signal(kHex, "paddr_i", 12);
  text.signal(kHex, "pwdata_i", 32);
  text.end("commit", true);
}

void age_clock(Text& text) {
  text.signal(kDecimal, "timestamp_o", 8);
  text.signal(kBinary, "epoch_o");
  text.signal(kBinary, "inhibit_o");
  text.signal(kDecimal, "countdown_o", 32);
  text.each(kDecimal, "packet_count_o", 2, 24);
}

}  // namespace

std::string layout_text(std::span<const LayoutScope> scopes, std::uint64_t start,
                        std::optional<std::uint64_t> marker) {
  constexpr double kZoom = -14.0;  // some ten cycles fit the width
  std::string text = fmt::format("[*] GTKWave layout written by qosarb.\n[timestart] {}\n", start);
  text += fmt::format("[size] 1600 1000\n*{:.6f} {}", kZoom, marker.value_or(0));
  constexpr int kOtherMarkers = 26;
  for (int i = 0; i < kOtherMarkers; ++i) {
    text += " -1";
  }
  text += "\n[sst_width] 240\n[signals_width] 330\n[sst_expanded] 1\n";
  Text out(text);
  bool first = true;
  for (const LayoutScope& scope : scopes) {
    // The first port is open, the others are there to be opened.
    const bool closed = !first && scopes.size() > 1;
    out.scope(scope.path);
    out.begin(scope.path, closed);
    if (scope.limits.queues > 0) {
      port(out, scope);
      first = false;
    } else {
      age_clock(out);
    }
    out.end(scope.path, closed);
  }
  return text;
}

}  // namespace qosarb
