#include "qosarb/analyze/packet_mix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "qosarb/config/split.hpp"

namespace qosarb {

std::uint64_t PacketMix::longest() const {
  std::uint64_t longest = 0;
  for (const std::vector<std::uint32_t>& lengths : flits) {
    for (const std::uint32_t length : lengths) {
      longest = std::max<std::uint64_t>(longest, length);
    }
  }
  return longest;
}

PacketMix longest_packets(const ArbiterConfig& config) {
  PacketMix mix{"longest", {}};
  for (Index queue = 0; queue < config.queues; ++queue) {
    mix.flits.push_back({max_packet_flits(config, queue)});
  }
  return mix;
}

PacketMix parse_mix(const std::string& text, const ArbiterConfig& config) {
  PacketMix mix{text, {}};
  for (const std::string& item : split(text, ',')) {
    std::vector<std::uint32_t>& lengths = mix.flits.emplace_back();
    for (const std::string& length : split(item, '+')) {
      const bool digits = !length.empty() && length.size() <= 9 &&
                          length.find_first_not_of("0123456789") == std::string::npos;
      if (!digits) {
        throw std::invalid_argument(
            fmt::format("packets '{}': '{}' is not a length in flits", text, length));
      }
      lengths.push_back(static_cast<std::uint32_t>(std::stoul(length)));
    }
  }
  const int queues = config.queues;
  if (mix.flits.size() == 1) {
    mix.flits.resize(queues, mix.flits[0]);
  }
  if (count(mix.flits) != queues) {
    throw std::invalid_argument(
        fmt::format("packets '{}' has {} items; one, or one for each of {} queues, is expected",
                    text, mix.flits.size(), queues));
  }
  for (Index q = 0; q < queues; ++q) {
    const std::uint32_t longest = max_packet_flits(config, q);
    for (const std::uint32_t flits : mix.flits[q]) {
      if (flits < 1 || flits > longest) {
        throw std::invalid_argument(
            fmt::format("packets '{}': queue {} holds lengths of 1..{} "
                        "flits, not {}",
                        text, q, longest, flits));
      }
    }
  }
  return mix;
}

}  // namespace qosarb
