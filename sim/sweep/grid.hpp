// A grid of scenarios: one scenario, and keys of it that take each of several values.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qosarb {

/// A key and its values.
struct Axis {
  std::string key;  ///< "traffic[0].load", "arbiter"; "scenario" for the file itself
  std::vector<YAML::Node> values;
  std::vector<std::string> labels;  ///< of each value
};

/// Until when seeds are added.
struct Until {
  std::string key;      ///< of the results of a run: "classes[0].packet_latency_ns.mean"
  double relative = 0;  ///< half of the interval, as a share of the mean
};

struct Grid {
  std::string file;
  std::string text;        ///< of `file`
  std::string scenario;    ///< the file, if no axis says which
  int scenario_line = 0;   ///< of `file`, in which that is
  std::vector<Axis> axes;  ///< the last one varies fastest
  int axes_line = 0;       ///< of `file`, in which they begin
  std::uint64_t first_seed = 1;
  std::uint64_t least_seeds = 1;
  std::uint64_t most_seeds = 1;
  std::optional<Until> until;
  /// Those that could be read, as they were then: one may be another by the time of a point.
  std::map<std::string, YAML::Node> scenarios;

  /// The files of the grid, of all its scenarios, and what these name: traces and lists of sizes.
  /// Those of a scenario that cannot be read, which fails when it is run, are not among them.
  [[nodiscard]] std::vector<std::string> inputs() const;
  /// How many there are; UINT64_MAX if they do not fit.
  [[nodiscard]] std::uint64_t points() const;
  /// Which value of each axis a point has.
  [[nodiscard]] std::vector<std::size_t> place(std::uint64_t point) const;
  /// The whole text of a point's scenario. Files that it names are named from the root.
  /// Errors: InputError for a scenario that cannot be read or has no such key.
  [[nodiscard]] std::string scenario_of(std::uint64_t point) const;
};

/// Reads a grid; files that it names are looked for beside it.
/// Errors: InputError naming file, line and fault.
Grid load_grid(const std::string& file);

/// The values of a run's JSON that an interval can be given for: all numbers of `classes` and
/// `traces`, by keys such as "classes[0].accepted", and those at the top but times of this machine.
/// Null is left out. Errors: InputError if it is not such a JSON.
std::vector<std::pair<std::string, double>> results_of(const std::string& json,
                                                       const std::string& file);

/// What the items of a run's `classes` and `traces` are called: "classes[0]" and its name.
/// Errors: as results_of().
std::vector<std::pair<std::string, std::string>> names_of(const std::string& json,
                                                          const std::string& file);

}  // namespace qosarb
