#include "qosarb/switch/ids.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "qosarb/config/check_failure.hpp"

namespace qosarb {

namespace {
constexpr std::uint32_t kAtOnce = 64;  // neighbours are used by one thread, at least at first
constexpr std::size_t kMany = 4096;    // what is not worth moving
}  // namespace

void Ids::take_new() {
  const std::uint32_t first = never_used_->fetch_add(kAtOnce, std::memory_order_relaxed);
  if (first > limit_ - kAtOnce) {
    throw CheckFailure(
        fmt::format("{} packets or messages are under way: more than there may be", limit_));
  }
  for (std::uint32_t id = first + kAtOnce; id > first; --id) {
    free_.push_back(id - 1);
  }
}

void Ids::even_out(std::span<Ids* const> all) {
  const auto fewer = [](const Ids* a, const Ids* b) { return a->free_.size() < b->free_.size(); };
  const auto [least, most] = std::minmax_element(all.begin(), all.end(), fewer);
  std::vector<std::uint32_t>& from = (*most)->free_;
  std::vector<std::uint32_t>& to = (*least)->free_;
  if (from.size() > to.size() + kMany) {
    const auto last = from.end() - static_cast<std::ptrdiff_t>((from.size() - to.size()) / 2);
    to.insert(to.end(), last, from.end());
    from.erase(last, from.end());
  }
}

}  // namespace qosarb
