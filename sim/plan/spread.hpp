// Orders table entries so that each user comes often enough.
#pragma once

#include <cstdint>
#include <vector>

namespace qosarb {

/// Users 0..n-1 in the order of a table; the table is circular.
using Order = std::vector<int>;

/// Strides of the paper's latency tuning for users from the highest priority on: 2, 4, 8, ...; the
/// last users share the largest stride when 2^n - 1 entries are more than `max_entries`.
/// (BXIv3 paper, Sect. 3.4.) Empty if even that does not fit: max_entries < users.
std::vector<std::uint32_t> geometric_strides(std::size_t users, std::uint32_t max_entries);

/// A table in which user i stands in every strides[i]-th place, each as early as it can; places
/// that nobody takes are left out. Strides are powers of two, in rising order, and the sum of their
/// inverses is at most 1. Strides 2, 4, 8, 16, 32 give the 31 entries of the BXIv3 paper's Table 2.
Order spread_by_strides(const std::vector<std::uint32_t>& strides);

/// The shortest table in which two successive entries of user i are at most distances[i] apart.
struct ShortestSpread {
  Order order;
  std::uint32_t lower_bound = 0;  ///< no table has fewer entries
  bool proven_shortest = false;   ///< every shorter length was searched without a gap
};

/// Searches lengths from the lower bound up to `max_entries`; the order is empty if none was found.
/// The search of one length gives up after a fixed number of steps, so that results are the same on
/// every machine.
/// Distances are at least 1.
ShortestSpread shortest_spread(const std::vector<std::uint32_t>& distances,
                               std::uint32_t max_entries);

/// A table of exactly `entries` entries that keeps the distances, the spare ones going to the users
/// whose distance is the tightest; empty if none was found.
Order spread_in(const std::vector<std::uint32_t>& distances, std::uint32_t entries);

/// Entries of each user.
std::vector<std::uint32_t> entries_per_user(const Order& order, std::size_t users);

/// Largest circular distance between successive entries of each user; 0 for one without entries.
std::vector<std::uint32_t> largest_distances(const Order& order, std::size_t users);

}  // namespace qosarb
