#include "qosarb/plan/spread.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "qosarb/config/divided_up.hpp"
#include "qosarb/policy/types.hpp"

namespace qosarb {

namespace {

constexpr int kNobody = -1;
constexpr std::uint64_t kStepsPerLength = 20000;

// Fills a circular table of a given length place by place, the most urgent user first, and goes
// back when some user can no longer come in time.
class CircularFill {
 public:
  CircularFill(const std::vector<std::uint32_t>& distances, std::uint32_t entries)
      : entries_(entries), order_(entries, kNobody) {
    for (const std::uint32_t distance : distances) {
      users_.push_back({.distance = std::min(distance, entries)});
    }
  }

  bool run() { return fill(0); }
  [[nodiscard]] bool gave_up() const { return steps_ > kStepsPerLength; }
  [[nodiscard]] const Order& order() const { return order_; }

 private:
  struct User {
    std::uint32_t distance = 0;
    Index first = kNobody;
    Index last = kNobody;
  };

  // The last place that the user's next entry may have.
  static std::int64_t deadline(const User& user) {
    return user.first < 0 ? std::int64_t{user.distance} - 1
                          : std::int64_t{user.last} + user.distance;
  }

  // Entries that the user still needs so that no gap, the one around the end included, is too long.
  [[nodiscard]] std::uint32_t needed(const User& user) const {
    if (user.first < 0) {
      return divided_up(entries_, user.distance);
    }
    const std::uint32_t within = user.last - user.first;
    return divided_up(entries_ - within, user.distance) - 1;
  }

  // Enough places are left, for all users together and for those with the nearest deadlines.
  [[nodiscard]] bool possible(Index place) const {
    std::int64_t all = 0;
    for (const User& user : users_) {
      all += needed(user);
      if (needed(user) > 0 && deadline(user) < place) {
        return false;
      }
    }
    return all + place <= entries_;
  }

  bool fill(Index place) {
    if (place == count(order_)) {
      return true;  // possible() saw that nobody needs more
    }
    if (++steps_ > kStepsPerLength) {
      return false;
    }
    std::vector<Index> urgent(users_.size());
    std::iota(urgent.begin(), urgent.end(), 0);
    std::stable_sort(urgent.begin(), urgent.end(), [this](Index a, Index b) {
      return deadline(users_[a]) < deadline(users_[b]);
    });
    std::vector<std::uint32_t> tried_new;  // users not placed yet differ in their distance only
    for (const Index u : urgent) {
      const User before = users_[u];
      if (before.first < 0) {
        if (std::find(tried_new.begin(), tried_new.end(), before.distance) != tried_new.end()) {
          continue;
        }
        tried_new.push_back(before.distance);
      }
      users_[u].first = before.first < 0 ? place : before.first;
      users_[u].last = place;
      order_[place] = u;
      if (possible(place + 1) && fill(place + 1)) {
        return true;
      }
      users_[u] = before;
      if (gave_up()) {
        return false;
      }
    }
    return false;
  }

  std::uint32_t entries_;
  Order order_;
  std::vector<User> users_;
  std::uint64_t steps_ = 0;
};

// The least entries that users with these distances need in a table of `length`.
std::uint64_t entries_needed(const std::vector<std::uint32_t>& distances, std::uint32_t length) {
  std::uint64_t sum = 0;
  for (const std::uint32_t distance : distances) {
    sum += divided_up(length, distance);
  }
  return sum;
}

// The order by strides, when the distances are strides that fill a table to the last place.
Order harmonic(const std::vector<std::uint32_t>& distances, std::uint32_t entries) {
  std::vector<Index> users(distances.size());
  std::iota(users.begin(), users.end(), 0);
  std::stable_sort(users.begin(), users.end(),
                   [&](Index a, Index b) { return distances[a] < distances[b]; });
  std::vector<std::uint32_t> strides;
  strides.reserve(users.size());
  for (const Index u : users) {
    strides.push_back(distances[u]);
  }
  const std::uint32_t longest = strides.back();
  const bool powers = std::all_of(strides.begin(), strides.end(),
                                  [](std::uint32_t s) { return std::has_single_bit(s); });
  if (!powers || entries_needed(strides, longest) != longest) {
    return {};
  }
  const Order once = spread_by_strides(strides);
  Order order;
  while (order.size() < entries) {
    for (const int place : once) {
      order.push_back(users[place]);
    }
  }
  return order;
}

}  // namespace

std::vector<std::uint32_t> geometric_strides(std::size_t users, std::uint32_t max_entries) {
  if (users > max_entries) {
    return {};
  }
  // Places that stay empty are left out of the table, so it may have more places than entries.
  std::uint32_t places = std::bit_floor(max_entries + 1);
  if (users > places) {
    places = std::bit_ceil(max_entries + 1);
  }
  const std::uint32_t empty = places - std::min(places, max_entries);
  std::vector<std::uint32_t> strides;
  std::uint32_t free = places;
  bool halving = true;
  for (std::size_t i = 0; i < users; ++i) {
    // Half of the free places, as long as each of the others still finds one.
    halving = halving && free >= 2 && free / 2 >= users - i - 1 + empty;
    const std::uint32_t taken = halving ? free / 2 : 1;
    strides.push_back(places / taken);
    free -= taken;
  }
  return strides;
}

Order spread_by_strides(const std::vector<std::uint32_t>& strides) {
  const std::uint32_t places = *std::max_element(strides.begin(), strides.end());
  Order order(places, kNobody);
  for (Index u = 0; u < count(strides); ++u) {
    const auto first = std::find(order.begin(), order.end(), kNobody) - order.begin();
    for (std::size_t place = first; place < places; place += strides[u]) {
      order[place] = u;
    }
  }
  std::erase(order, kNobody);
  return order;
}

ShortestSpread shortest_spread(const std::vector<std::uint32_t>& distances,
                               std::uint32_t max_entries) {
  ShortestSpread spread;
  bool complete = true;
  for (std::uint32_t length = count(distances); length <= max_entries; ++length) {
    if (entries_needed(distances, length) > length) {
      continue;
    }
    if (spread.lower_bound == 0) {
      spread.lower_bound = length;
    }
    CircularFill fill(distances, length);
    if (fill.run()) {
      spread.order = fill.order();
      spread.proven_shortest = complete;
      return spread;
    }
    complete = complete && !fill.gave_up();
  }
  return spread;
}

Order spread_in(const std::vector<std::uint32_t>& distances, std::uint32_t entries) {
  if (entries_needed(distances, entries) > entries) {
    return {};
  }
  if (Order order = harmonic(distances, entries); !order.empty()) {
    return order;
  }
  CircularFill fill(distances, entries);
  return fill.run() ? fill.order() : Order{};
}

std::vector<std::uint32_t> entries_per_user(const Order& order, std::size_t users) {
  std::vector<std::uint32_t> counts(users, 0);
  for (const int user : order) {
    ++counts[user];
  }
  return counts;
}

std::vector<std::uint32_t> largest_distances(const Order& order, std::size_t users) {
  std::vector<std::uint32_t> largest(users, 0);
  std::vector<Index> last(users, -1);
  for (Index i = 0; i < 2 * count(order); ++i) {
    const int user = order[i % count(order)];
    if (last[user] >= 0) {
      largest[user] = std::max<std::uint32_t>(largest[user], i - last[user]);
    }
    last[user] = i;
  }
  return largest;
}

}  // namespace qosarb
