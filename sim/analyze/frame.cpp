#include "qosarb/analyze/frame.hpp"

#include <algorithm>
#include <set>

namespace qosarb {

namespace {

// Adds the carries of carriers that were not met before.
class Carries {
 public:
  std::int64_t meet(const FrameEntry& entry) {
    return met_.insert(entry.carrier).second ? static_cast<std::int64_t>(entry.carry) : 0;
  }

 private:
  std::set<int> met_;
};

}  // namespace

// Let m own visits be complete. They sent at least G(m), so at least x = max(G(m), 0) own flits are
// through, and the next own flit waits for x and for what others send in the m + 1 gaps up to the
// next own visit, O(m+1). Latency is the largest x + O(m+1) - x / rate. After one round each carry
// has counted, and from then on a round adds as much on both sides; so two rounds show the largest.
FrameService frame_service(const std::vector<FrameEntry>& round) {
  std::vector<std::size_t> own;
  std::uint64_t own_flits = 0;
  std::uint64_t all_flits = 0;
  for (std::size_t e = 0; e < round.size(); ++e) {
    if (round[e].own) {
      own.push_back(e);
      own_flits += round[e].flits;
    }
    all_flits += round[e].flits;
  }
  FrameService service{Rational(own_flits, all_flits), Rational(0), 0};
  for (const std::size_t start : own) {  // the visit that has just been missed
    Carries own_carries;
    Carries other_carries;
    std::int64_t sent = 0;    // G(m)
    std::int64_t others = 0;  // O(m+1)
    std::size_t visits = 0;
    for (std::size_t i = 1; visits <= 2 * own.size(); ++i) {
      const FrameEntry& entry = round[(start + i) % round.size()];
      const auto flits = static_cast<std::int64_t>(entry.flits);
      if (!entry.own) {
        others += flits + other_carries.meet(entry);
        continue;
      }
      if (visits == 0) {
        service.longest_gap = std::max(service.longest_gap, others);
      }
      const std::int64_t x = std::max<std::int64_t>(sent, 0);
      service.latency =
          std::max(service.latency, Rational(x + others) - Rational(x) / service.rate);
      sent += flits - own_carries.meet(entry);
      ++visits;
    }
  }
  return service;
}

}  // namespace qosarb
