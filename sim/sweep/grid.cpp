#include "qosarb/sweep/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>

#include "qosarb/config/yaml_reader.hpp"

namespace qosarb {

namespace {

constexpr std::int64_t kMostSeeds = 100'000;

std::string beside(const std::string& file, const std::string& name) {
  return (std::filesystem::absolute(file).parent_path() / name).lexically_normal().string();
}

std::string label_of(const YAML::Node& value) {
  if (value.IsScalar()) {
    return value.Scalar();
  }
  YAML::Emitter out;
  out << YAML::Flow << value;
  std::string text = out.c_str();
  std::erase(text, '\n');
  return text;
}

/// A copy in which an alias is one, too: what is put in its place does not show where its anchor
/// stands. Lines are lost.
YAML::Node copy_of(const YAML::Node& node) {
  if (!node.IsMap() && !node.IsSequence()) {
    return YAML::Clone(node);
  }
  YAML::Node copy(node.Type());
  copy.SetTag(node.Tag());
  copy.SetStyle(node.Style());
  for (const auto& item : node) {
    if (node.IsMap()) {
      copy.force_insert(copy_of(item.first), copy_of(item.second));
    } else {
      copy.push_back(copy_of(item));
    }
  }
  return copy;
}

/// "traffic[0].load" as traffic, 0, load. Empty if it is no such key.
std::vector<std::string> parts_of(const std::string& key) {
  std::vector<std::string> parts(1);
  bool index = false;
  for (std::size_t at = 0; at < key.size(); ++at) {
    const char c = key[at];
    const bool opens = c == '[';
    if (index ? c == ']' : (opens || c == '.')) {
      if (parts.back().empty()) {
        return {};
      }
      if (opens || c == '.') {
        parts.emplace_back();
        index = opens;
      } else {  // behind ']': the end, '.' or '['
        if (at + 1 == key.size()) {
          return parts;
        }
        if (key[at + 1] != '.' && key[at + 1] != '[') {
          return {};
        }
        index = key[++at] == '[';
        parts.emplace_back();
      }
    } else {
      parts.back() += c;
    }
  }
  return index || parts.back().empty() ? std::vector<std::string>{} : parts;
}

/// The node in `node` called `part`, if it is there: by key, by index, or by its `name`. `part` is
/// its index then.
YAML::Node step(const YAML::Node& node, std::string& part) {
  if (node.IsMap()) {
    return node[part];
  }
  if (node.IsSequence()) {
    std::size_t index = 0;
    const auto [end, fault] = std::from_chars(part.data(), part.data() + part.size(), index);
    if (fault == std::errc{} && end == part.data() + part.size()) {
      part = std::to_string(index);
      return index < node.size() ? node[index] : YAML::Node(YAML::NodeType::Undefined);
    }
    for (index = 0; index < node.size(); ++index) {
      const YAML::Node item = node[index];
      if (item.IsMap() && item["name"].IsScalar() && item["name"].Scalar() == part) {
        part = std::to_string(index);
        return item;
      }
    }
  }
  return YAML::Node(YAML::NodeType::Undefined);
}

/// Puts `value` at `parts` of `node`, which name items of lists by their index then. False if what
/// it should stand in is not there.
bool put(YAML::Node node, std::span<std::string> parts, const YAML::Node& value) {
  if (parts.size() == 1 && node.IsMap()) {
    node[parts[0]] = copy_of(value);
    return true;
  }
  YAML::Node next = step(node, parts[0]);
  if (!next.IsDefined()) {
    return false;
  }
  if (parts.size() == 1) {
    next = copy_of(value);
    return true;
  }
  return put(next, parts.subspan(1), value);
}

/// The values that `key` takes. Errors: InputError unless they are a list of one or more.
std::vector<YAML::Node> values_of(const std::string& file, const std::string& key,
                                  const YAML::Node& list) {
  if (!list.IsSequence() || list.size() == 0) {
    throw yaml_error(file, list, fmt::format("'{}' needs a list of one value or more", key));
  }
  return {list.begin(), list.end()};
}

/// Calls `see` with the place of each file that a scenario names.
void for_each_file(const YAML::Node& scenario, const std::function<void(YAML::Node)>& see) {
  const auto look = [&see](const YAML::Node& map, const char* key) {
    if (map.IsMap() && map[key].IsDefined() && map[key].IsScalar()) {
      see(map[key]);
    }
  };
  const YAML::Node traffic = scenario["traffic"];
  if (traffic.IsDefined() && traffic.IsSequence()) {
    for (const YAML::Node& entry : traffic) {
      look(entry, "trace");
      if (entry.IsMap() && entry["message_bytes"].IsDefined()) {
        look(entry["message_bytes"], "file");
      }
    }
  }
}

/// The scenario `file`, which `line` of the grid names. Where it cannot be opened it is the grid
/// that is to be mended. Errors: InputError.
YAML::Node load_scenario_of(const Grid& grid, const std::string& file, int line) {
  if (const auto read = grid.scenarios.find(file); read != grid.scenarios.end()) {
    return read->second;
  }
  try {
    return load_yaml_map(file);
  } catch (const InputError& error) {
    if (error.line() != 0) {
      throw;
    }
    throw InputError(grid.file, line, error.what());
  }
}

void read_scenarios(Grid& grid) {
  std::vector<std::string> files = {grid.scenario};
  for (const Axis& axis : grid.axes) {
    if (axis.key == "scenario") {
      files.clear();
      for (const std::string& name : axis.labels) {
        files.push_back(beside(grid.file, name));
      }
    }
  }
  for (const std::string& file : files) {
    try {
      grid.scenarios[file] = load_yaml_map(file);
    } catch (const InputError&) {  // told at its points
    }
  }
}

/// The scenario of a point of `grid`. Files that it names, or a value of an axis, are named from
/// the root. Errors: as Grid::scenario_of().
YAML::Node node_of(const Grid& grid, std::uint64_t point) {
  const std::vector<std::size_t> at = grid.place(point);
  std::string base = grid.scenario;
  int line = grid.scenario_line;
  for (std::size_t axis = 0; axis < grid.axes.size(); ++axis) {
    if (grid.axes[axis].key == "scenario") {
      base = beside(grid.file, grid.axes[axis].labels[at[axis]]);
      line = grid.axes[axis].values[at[axis]].Mark().line + 1;
    }
  }
  YAML::Node node = copy_of(load_scenario_of(grid, base, line));
  for_each_file(node, [&base](YAML::Node file) { file = beside(base, file.Scalar()); });
  std::vector<std::vector<std::string>> places;
  for (std::size_t axis = 0; axis < grid.axes.size(); ++axis) {
    const Axis& one = grid.axes[axis];
    const YAML::Node& value = one.values[at[axis]];
    std::vector<std::string> place = parts_of(one.key);
    if (one.key == "scenario") {
      place = {};
    } else if (!put(node, place, value)) {
      throw yaml_error(grid.file, value, fmt::format("{} has no place for '{}'", base, one.key));
    }
    for (std::size_t before = 0; before < axis; ++before) {
      if (!place.empty() && places[before].size() >= place.size() &&
          std::equal(place.begin(), place.end(), places[before].begin())) {
        throw yaml_error(
            grid.file, value,
            fmt::format("'{}' replaces what '{}' sets", one.key, grid.axes[before].key));
      }
    }
    places.push_back(place);
  }
  for_each_file(node, [&grid](YAML::Node file) { file = beside(grid.file, file.Scalar()); });
  return node;
}

void collect(const nlohmann::json& json, const std::string& name,
             std::vector<std::pair<std::string, double>>& results) {
  if (json.is_number()) {
    results.emplace_back(name, json.get<double>());
  } else if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      collect(value, fmt::format("{}.{}", name, key), results);
    }
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) {
      collect(json[i], fmt::format("{}[{}]", name, i), results);
    }
  }
}

nlohmann::json run_of(const std::string& text, const std::string& file) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) {
    throw InputError(file, 0, "this is no result of a run");
  }
  return json;
}

}  // namespace

std::uint64_t Grid::points() const {
  std::uint64_t points = 1;
  for (const Axis& axis : axes) {
    if (__builtin_mul_overflow(points, axis.values.size(), &points)) {
      return UINT64_MAX;
    }
  }
  return points;
}

std::vector<std::size_t> Grid::place(std::uint64_t point) const {
  std::vector<std::size_t> place(axes.size());
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    place[axis] = point % axes[axis].values.size();
    point /= axes[axis].values.size();
  }
  return place;
}

std::vector<std::string> Grid::inputs() const {
  std::vector<std::string> files = {file, scenario};
  const auto add_those_of = [this, &files](std::uint64_t point) {
    try {
      for_each_file(node_of(*this, point),
                    [&files](const YAML::Node& named) { files.push_back(named.Scalar()); });
    } catch (const InputError&) {
    }
  };
  // One axis at a time: a file is named by a scenario or by one value.
  std::uint64_t step = 1;
  for (std::size_t at = axes.size(); at-- > 0;) {
    const Axis& axis = axes[at];
    for (std::size_t value = 0; value < axis.values.size(); ++value) {
      add_those_of(step * value);
      if (axis.key == "scenario") {
        files.push_back(beside(file, axis.labels[value]));
      }
    }
    step *= axis.values.size();
  }
  if (axes.empty()) {
    add_those_of(0);
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

std::string Grid::scenario_of(std::uint64_t point) const {
  YAML::Emitter out;
  out << node_of(*this, point);
  return std::string(out.c_str()) + "\n";
}

Grid load_grid(const std::string& file) {
  Grid grid;
  MapReader top(load_yaml_map(file, &grid.text), file, kWholeFile);
  grid.file = file;
  grid.axes_line = top.line("vary");
  if (top.node("scenario").IsSequence()) {
    grid.axes.push_back({"scenario", values_of(file, "scenario", top.node("scenario")), {}});
  } else {
    grid.scenario = beside(file, top.text("scenario"));
    grid.scenario_line = top.line("scenario");
  }
  if (top.has("vary")) {
    const YAML::Node vary = top.node("vary");
    if (!vary.IsMap()) {
      throw top.error("vary", "vary must be a map from keys to lists of values");
    }
    for (const auto& pair : vary) {
      const std::string key = pair.first.Scalar();
      const std::vector<std::string> parts = parts_of(key);
      if (parts.empty() || parts == std::vector<std::string>{"run", "seed"}) {
        throw yaml_error(file, pair.first,
                         fmt::format("'{}' is no key such as traffic[0].load", key));
      }
      grid.axes.push_back({key, values_of(file, key, pair.second), {}});
      for (const YAML::Node& value : grid.axes.back().values) {
        if (parts == std::vector<std::string>{"run"} && value.IsMap() &&
            value["seed"].IsDefined()) {  // those of `seeds` would take its place
          throw yaml_error(file, value["seed"],
                           "run.seed does not vary: 'seeds' says which ones there are");
        }
      }
    }
  }
  for (Axis& axis : grid.axes) {
    for (const YAML::Node& value : axis.values) {
      axis.labels.push_back(label_of(value));
    }
  }
  if (top.has("seeds")) {
    MapReader seeds = top.map("seeds");
    grid.first_seed = seeds.integer_or("first", 0, INT64_MAX / 2, 1);
    std::int64_t least = seeds.integer_or("least", 1, kMostSeeds, 1);
    std::int64_t most = least;
    if (seeds.has("until")) {
      MapReader until = seeds.map("until");
      grid.until = {until.text("result"), until.number("relative", 1e-9, 1)};
      until.finish();
      least = std::max<std::int64_t>(least, 2);
      most = seeds.integer("most", least, kMostSeeds);
    } else if (seeds.has("most")) {
      throw seeds.error("most", "most needs until");
    }
    grid.least_seeds = least;
    grid.most_seeds = most;
    seeds.finish();
  }
  top.finish();
  read_scenarios(grid);
  static_cast<void>(grid.scenario_of(0));  // its scenario is there, and all its keys
  return grid;
}

std::vector<std::pair<std::string, double>> results_of(const std::string& text,
                                                       const std::string& file) {
  const nlohmann::json run = run_of(text, file);
  std::vector<std::pair<std::string, double>> results;
  for (const auto& [key, value] : run.items()) {
    if (key == "classes" || key == "traces" ||
        (value.is_number() && key != "wall_s" && key != "seed")) {
      collect(value, key, results);
    }
  }
  return results;
}

std::vector<std::pair<std::string, std::string>> names_of(const std::string& text,
                                                          const std::string& file) {
  const nlohmann::json run = run_of(text, file);
  std::vector<std::pair<std::string, std::string>> names;
  try {
    for (const char* const list : {"classes", "traces"}) {
      for (std::size_t i = 0; run.contains(list) && i < run[list].size(); ++i) {
        names.emplace_back(fmt::format("{}[{}]", list, i),
                           run[list].at(i).at("name").get<std::string>());
      }
    }
  } catch (const nlohmann::json::exception&) {
    throw InputError(file, 0, "this is no result of a run");
  }
  return names;
}

}  // namespace qosarb
