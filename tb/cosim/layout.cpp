#include "cosim/layout.hpp"

#include <fmt/format.h>

#include <bit>

#include "cosim/policy/policy_rtl.hpp"
#include "cosim/wave_text.hpp"
#include "qosarb/port/qosarb_port_regs.h"

namespace qosarb {

namespace {

void port(WaveText& text, const LayoutScope& scope) {
  const RtlLimits& limits = scope.limits;
  const auto queues = static_cast<std::uint64_t>(limits.queues);
  text.signal(WaveText::kBinary, "clk_i");
  text.begin("candidates");
  text.signal(WaveText::kBinary, "valid_i", queues);
  text.signal(WaveText::kBinary, "pfc_stop_i", queues);
  text.each(WaveText::kDecimal, "flits_i", scope.config.queues, WaveText::kFlitsBits);
  text.end("candidates");
  text.begin("decision");
  text.signal(WaveText::kBinary, "request_i");
  text.signal(WaveText::kBinary, "grant_valid_o");
  text.signal(WaveText::kDecimal, "grant_queue_o", index_bits(limits.queues));
  text.signal(WaveText::kBinary, "grant_o", queues);
  text.end("decision");
  text.begin("state");
  text.signal(WaveText::kEnum, "u_ports.policy", 4);
  text.each(WaveText::kDecimal, "u_ports.state[0]", 2, 32);  // registers CURRENT and REMAINING
  rtl_of(scope.config.policy).show(text, scope.config, limits);
  text.end("state");
  text.begin("commit", true);
  text.signal(WaveText::kBinary, "table_applied_o");
  text.signal(WaveText::kEnum, "u_ports.progress", 2);
  text.signal(WaveText::kEnum, "u_ports.outcome", 2);
  text.signal(WaveText::kEnum, "u_ports.reason", 4);
  text.signal(WaveText::kHex, "paddr_i", std::bit_width(QOSARB_PORT_WINDOW_BYTES - 1));
  text.signal(WaveText::kHex, "pwdata_i", 32);
  text.end("commit", true);
}

void age_clock(WaveText& text) {
  text.signal(WaveText::kDecimal, "timestamp_o", 8);
  text.signal(WaveText::kBinary, "epoch_o");
  text.signal(WaveText::kBinary, "inhibit_o");
  text.signal(WaveText::kDecimal, "countdown_o", 32);
  text.each(WaveText::kDecimal, "packet_count_o", 2, 24);
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
  WaveText out(text);
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
