// qosarb sweep: a grid of scenarios and seeds, each run a process of its own.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "command/command.hpp"
#include "command/progress.hpp"
#include "cosim/output_place.hpp"
#include "cosim/reproducer_files.hpp"
#include "cosim/standard_error.hpp"
#include "qosarb/config/input_error.hpp"
#include "qosarb/report/page.hpp"
#include "qosarb/sweep/confidence.hpp"
#include "qosarb/sweep/grid.hpp"

namespace qosarb::command {

namespace {

namespace fs = std::filesystem;

/// So many runs are not started without being asked for twice.
constexpr std::uint64_t kManyRuns = 10'000;

struct SweepOptions {
  std::string grid;
  std::string out;
  std::string engine = "model";
  std::string report;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  bool yes = false;
  bool json = false;
};

/// Where runs are kept.
std::string folder_of(const SweepOptions& options) {
  return options.out.empty() ? fs::path(options.grid).replace_extension(".sweep").string()
                             : options.out;
}

/// Names what was run, so that a changed grid finds only what still holds. FNV-1a.
std::string name_of_scenario(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return fmt::format("{:016x}", hash);
}

/// Whether a file of this name in the folder of the runs may be one of theirs.
bool names_a_run(const std::string& file) {
  const std::string digits = file.substr(0, file.find('.'));
  return digits.size() == 16 && digits.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// One point of the grid: its results, seed by seed.
struct Point {
  std::uint64_t number = 0;
  std::string scenario;                                ///< file
  std::map<std::uint64_t, std::string> outcomes;       ///< [seed]: file of its results
  std::uint64_t started = 0;                           ///< seeds asked for
  std::uint64_t waits = 0;                             ///< of those under way
  std::multimap<std::uint64_t, std::string> failures;  ///< by seed
  const Point* same = nullptr;  ///< an earlier point of the same scenario, whose runs it has
};

struct Run {
  pid_t process = -1;
  Point* point = nullptr;
  std::uint64_t seed = 0;
};

class Sweep {
 public:
  Sweep(const SweepOptions& options, Grid grid) : options_(options), grid_(std::move(grid)) {
    folder_ = folder_of(options);
    std::error_code fault;
    fs::create_directories(folder_, fault);
    if (fault) {
      throw InputError(folder_, 0, "cannot be made: " + fault.message());
    }
    lock();
  }

  /// Runs all that is not there yet.
  void run() {
    const std::uint64_t all = grid_.points();
    started_ = std::chrono::steady_clock::now();
    while (next_ < all || !open_.empty() || !running_.empty()) {
      if (open_.empty() && next_ < all && running_.size() < options_.jobs) {
        begin_point();
      }
      if (!open_.empty() && running_.size() < options_.jobs) {
        start_seed(*open_.front());
      } else if (!running_.empty()) {
        wait_for_one();
      }
      tell();
    }
    progress_.end_line();
  }

  [[nodiscard]] nlohmann::ordered_json results() const {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& point : points_) {
      nlohmann::ordered_json values = nlohmann::ordered_json::object();
      const std::vector<std::size_t> place = grid_.place(point->number);
      for (std::size_t axis = 0; axis < place.size(); ++axis) {
        values[grid_.axes[axis].key] = grid_.axes[axis].labels[place[axis]];
      }
      const Point& runs = point->same != nullptr ? *point->same : *point;
      nlohmann::ordered_json failures = nlohmann::ordered_json::array();
      for (const auto& [seed, text] : runs.failures) {
        failures.push_back(text);
      }
      nlohmann::ordered_json results = nlohmann::ordered_json::object();
      for (const auto& [key, samples] : samples_of(runs)) {
        const Interval interval = interval_of(samples);
        results[key] = {{"mean", interval.mean}, {"half_width", nullptr}, {"runs", samples.size()}};
        if (std::isfinite(interval.half_width)) {
          results[key]["half_width"] = interval.half_width;
        }
      }
      list.push_back({{"point", point->number},
                      {"values", values},
                      {"names", names_of_point(runs)},
                      {"scenario", point->scenario},
                      {"runs", runs.outcomes.size()},
                      {"failures", failures},
                      {"results", results}});
    }
    nlohmann::ordered_json results = {{"grid", options_.grid}, {"engine", options_.engine}};
    results["names"] = names_of_all(list);
    results["points"] = list;
    return results;
  }

  [[nodiscard]] const Grid& grid() const { return grid_; }
  [[nodiscard]] std::size_t failures() const {
    std::size_t count = 0;
    for (const auto& point : points_) {
      count += point->failures.size();
    }
    return count;
  }

 private:
  /// Keeps other sweeps out of the folder until this process ends.
  void lock() const {
    const int folder = open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close(folder);
      throw InputError(folder_, 0, "another sweep is at work there");
    }
  }

  /// What the results' classes and traces are called, by the first run that there is.
  [[nodiscard]] static nlohmann::ordered_json names_of_point(const Point& point) {
    nlohmann::ordered_json names = nlohmann::ordered_json::object();
    if (!point.outcomes.empty()) {
      const std::string& file = point.outcomes.begin()->second;
      for (const auto& [item, name] : names_of(file_text(file), file)) {
        names[item] = name;
      }
    }
    return names;
  }

  /// The same of all `points`; null where they differ.
  [[nodiscard]] static nlohmann::ordered_json names_of_all(const nlohmann::ordered_json& points) {
    nlohmann::ordered_json names = nlohmann::ordered_json::object();
    for (const auto& point : points) {
      for (const auto& [item, name] : point["names"].items()) {
        const bool same = !names.contains(item) || names[item] == name;
        names[item] = same ? name : nlohmann::ordered_json(nullptr);
      }
    }
    return names;
  }

  using Samples = std::vector<std::pair<std::string, std::vector<double>>>;

  /// Of each result the values of all seeds, in their order.
  [[nodiscard]] static Samples samples_of(const Point& point) {
    Samples samples;
    std::map<std::string, std::size_t> places;
    for (const auto& [seed, file] : point.outcomes) {
      for (const auto& [key, value] : results_of(file_text(file), file)) {
        const auto [place, fresh] = places.emplace(key, samples.size());
        if (fresh) {
          samples.emplace_back(key, std::vector<double>{});
        }
        samples[place->second].second.push_back(value);
      }
    }
    return samples;
  }

  void begin_point() {
    auto point = std::make_unique<Point>();
    point->number = next_++;
    try {
      const std::string text = grid_.scenario_of(point->number);
      point->scenario = (fs::path(folder_) / (name_of_scenario(text) + ".yaml")).string();
      const auto [first, fresh] = first_of_.emplace(point->scenario, point.get());
      if (fresh) {
        if (file_text(point->scenario) != text) {  // cut off by a crash, or edited
          write_files({{point->scenario, text}});
        }
        open_.push_back(point.get());
      } else {
        point->same = first->second;
        ++closed_;
      }
    } catch (const InputError& error) {
      ++closed_;
      fails(*point, 0, error.what());
    }
    points_.push_back(std::move(point));
  }

  /// The seeds that a point needs before it is looked at again.
  void start_seed(Point& point) {
    const std::uint64_t seed = grid_.first_seed + point.started++;
    const std::string file = outcome_file(point, seed);
    if (fs::exists(file)) {
      point.outcomes[seed] = file;
    } else {
      start(point, seed);
    }
    const std::uint64_t wanted = std::max(grid_.least_seeds, point.started);
    if (point.started < wanted) {
      return;
    }
    open_.pop_front();
    if (point.waits == 0) {
      look_at(point);
    }
  }

  [[nodiscard]] std::string outcome_file(const Point& point, std::uint64_t seed) const {
    return fs::path(point.scenario)
        .replace_extension(fmt::format(".{}.{}.json", options_.engine, seed))
        .string();
  }

  [[nodiscard]] std::vector<std::string> command_of(const Point& point, std::uint64_t seed) const {
    return {"qosarb",
            "sim",
            point.scenario,
            "--engine",
            options_.engine,
            "--seed",
            std::to_string(seed),
            "--json",
            "--reproducer",
            fs::path(point.scenario).replace_extension(".reproducer").string()};
  }

  void start(Point& point, std::uint64_t seed) {
    const std::string part = outcome_file(point, seed) + ".part";
    std::vector<std::string> words = command_of(point, seed);
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    const pid_t process = fork();
    if (process < 0) {
      throw InputError(options_.grid, 0, "no process can be started");
    }
    if (process == 0) {
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      const int out = open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
      const int err = open((part + ".err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
      if (out < 0 || err < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0) {
        _exit(2);
      }
      execv("/proc/self/exe", arguments.data());
      _exit(2);
    }
    ++point.waits;
    running_.push_back({process, &point, seed});
  }

  void wait_for_one() {
    int status = 0;
    const pid_t ended = waitpid(-1, &status, 0);
    const auto run = std::find_if(running_.begin(), running_.end(),
                                  [ended](const Run& one) { return one.process == ended; });
    if (run == running_.end()) {
      return;
    }
    Point& point = *run->point;
    const std::uint64_t seed = run->seed;
    running_.erase(run);
    ++ran_;
    const std::string file = outcome_file(point, seed);
    const std::string says = file_text(file + ".part.err");
    fs::remove(file + ".part.err");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      fs::rename(file + ".part", file);
      point.outcomes[seed] = file;
    } else {
      fs::remove(file + ".part");
      std::string command;
      for (const std::string& word : command_of(point, seed)) {
        command += (command.empty() ? "" : " ") + shell_word(word);
      }
      fails(point, seed,
            fmt::format("{}: {}: {}", command,
                        WIFEXITED(status) ? fmt::format("exit status {}", WEXITSTATUS(status))
                                          : fmt::format("signal {}", WTERMSIG(status)),
                        says.empty() ? "it said nothing that could be kept in " + folder_
                                     : says.substr(0, says.find('\n'))));
    }
    if (--point.waits == 0 && point.started >= grid_.least_seeds) {
      look_at(point);
    }
  }

  // One seed after the other is added until the interval is narrow enough, whatever else runs
  // meanwhile, so that the number of jobs changes nothing.
  void look_at(Point& point) {
    if (grid_.until && point.failures.empty() && point.started < grid_.most_seeds) {
      const Samples samples = samples_of(point);
      const auto found = std::find_if(samples.begin(), samples.end(), [&](const auto& one) {
        return one.first == grid_.until->key;
      });
      if (found == samples.end()) {
        fails(point, grid_.most_seeds,
              fmt::format("{} has no result '{}'", point.scenario, grid_.until->key));
      } else {
        const Interval interval = interval_of(found->second);
        if (!(interval.half_width <= grid_.until->relative * std::abs(interval.mean))) {
          open_.push_front(&point);
          return;
        }
      }
    }
    ++closed_;
  }

  /// In the results by seed, whichever ends first.
  void fails(Point& point, std::uint64_t seed, const std::string& text) {
    point.failures.emplace(seed, text);
    progress_.end_line();
    to_standard_error(fmt::format("qosarb: point {} failed: {}\n", point.number, text));
  }

  void tell() {
    progress_.tell([this] {
      const double passed =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
      std::string left = "?";
      if (closed_ > 0) {
        const auto seconds = static_cast<std::uint64_t>(
            passed / static_cast<double>(closed_) * static_cast<double>(grid_.points() - closed_));
        left = fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
      }
      return fmt::format("{} of {} points, {} runs, {} failures, {} left", closed_, grid_.points(),
                         ran_, failures(), left);
    });
  }

  const SweepOptions& options_;
  Grid grid_;
  std::string folder_;
  std::uint64_t next_ = 0;                        ///< point
  std::vector<std::unique_ptr<Point>> points_;    ///< in order
  std::map<std::string, const Point*> first_of_;  ///< [scenario]
  std::deque<Point*> open_;                       ///< with seeds to start
  std::vector<Run> running_;
  std::uint64_t ran_ = 0;
  std::uint64_t closed_ = 0;
  std::chrono::steady_clock::time_point started_;
  Progress progress_;
};

std::string to_table(const nlohmann::ordered_json& results) {
  std::string text;
  for (const auto& point : results["points"]) {
    text += fmt::format("point {}:", point["point"].get<std::uint64_t>());
    for (const auto& [key, value] : point["values"].items()) {
      text += fmt::format(" {} = {}", key, value.get<std::string>());
    }
    text += fmt::format("  ({} runs{})\n", point["runs"].get<std::size_t>(),
                        point["failures"].empty() ? "" : ", some failed");
    for (const auto& [key, value] : point["results"].items()) {
      if (key.ends_with(".accepted") || key.ends_with("packet_latency_ns.mean") ||
          key.ends_with("packet_latency_ns.p99") || key.ends_with("].finish_ns")) {
        text += fmt::format("  {:36} {:12.5g}", key, value["mean"].get<double>());
        text += value["half_width"].is_null()
                    ? "\n"
                    : fmt::format(" +- {:.3g}\n", value["half_width"].get<double>());
      }
    }
  }
  return text;
}

Status sweep(const SweepOptions& options) {
  Grid grid = load_grid(options.grid);
  const std::uint64_t points = grid.points();
  if (!options.yes && (points > kManyRuns || points * grid.least_seeds > kManyRuns)) {
    throw InputError(options.grid, grid.axes_line,
                     fmt::format("the grid has {} points, each with {} seeds or more: "
                                 "--yes runs them",
                                 points, grid.least_seeds));
  }
  if (!options.report.empty()) {
    check_apart(grid.inputs(), {options.report, folder_of(options)});
    check_output(options.report);
    for (const fs::path& report : {fs::path(options.report), behind_links(options.report)}) {
      std::error_code fault;
      if (names_a_run(report.filename()) &&
          fs::equivalent(fs::absolute(report).parent_path(), folder_of(options), fault)) {
        throw InputError(options.report, 0, "is kept by the sweep; a report needs another name");
      }
    }
  }
  // Who starts this may ignore the ends of its own children: those of runs would be lost, too.
  std::signal(SIGCHLD, SIG_DFL);
  Sweep sweep(options, std::move(grid));
  sweep.run();
  const nlohmann::ordered_json results = sweep.results();
  if (!options.report.empty()) {
    nlohmann::ordered_json page = results;
    page["kind"] = "sweep";
    page["text"] = sweep.grid().text;
    write_files({{options.report, page_of(page)}});
  }
  print_result(options.json ? to_text(results) : to_table(results));
  return sweep.failures() == 0 ? Status::Done : Status::CheckFailed;
}

}  // namespace

void add_sweep(CLI::App& app, Action& action) {
  CLI::App* const subcommand = app.add_subcommand(
      "sweep", "Run a grid of scenarios and seeds and report means with 95 % confidence intervals");
  const auto options = std::make_shared<SweepOptions>();
  subcommand->add_option("grid", options->grid, "A scenario, keys that vary, and seeds")
      ->required()
      ->type_name("GRID.yaml");
  subcommand->add_option("--jobs", options->jobs, "Runs at a time (default: one for each core)")
      ->transform(whole_number(1, 4096))
      ->type_name("N");
  subcommand
      ->add_option("--out", options->out,
                   "Where runs are kept; what is there is not run again (default: GRID.sweep)")
      ->type_name("DIR");
  subcommand->add_option("--engine", options->engine, "Who decides (default: model)")
      ->check(CLI::IsMember({"model", "rtl", "lockstep"}).description(""))
      ->type_name("model|rtl|lockstep");
  subcommand->add_flag("--yes", options->yes, "Also run a grid of more than 10,000 runs");
  subcommand->add_flag("--json", options->json, "Print one JSON object instead of a table");
  subcommand->add_option("--report", options->report, "Write a page with curves to look at")
      ->type_name("F.html");
  subcommand->callback([options, &action]() { action = [options]() { return sweep(*options); }; });
}

}  // namespace qosarb::command
