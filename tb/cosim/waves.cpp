#include "cosim/waves.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cosim/clocked.hpp"
#include "qosarb/config/input_error.hpp"
#include "verilated.h"
#include "verilated_fst_c.h"

namespace qosarb {

namespace {

constexpr std::uint64_t kPsPerCycle = 1000;
constexpr std::uint64_t kPsToEdge = kPsPerCycle / 2;

// The FST writer does not tell when the disk is full. A complete file is a chain of blocks, each
// being a type byte and an 8-byte big-endian length (which counts itself), up to the file's end.
bool is_complete(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(stream.tellg());
  std::uint64_t at = 0;
  while (stream && at < size) {
    std::array<char, 9> header{};
    stream.seekg(static_cast<std::streamoff>(at));
    stream.read(header.data(), header.size());
    constexpr char kSkipBlock = '\xff';  // left of a block that was never finished
    if (!stream || header[0] == kSkipBlock) {
      return false;
    }
    std::uint64_t length = 0;
    for (std::size_t i = 1; i < header.size(); ++i) {
      length = length << 8 | static_cast<std::uint8_t>(header[i]);
    }
    if (length < 8 || length > size - at - 1) {
      return false;
    }
    at += 1 + length;
  }
  return size > 0 && at == size;
}

// What a handler of signals may do is little: the names that it needs lie ready. The FST writer
// keeps the hierarchy in a file of its own until it closes the waveform.
volatile std::sig_atomic_t is_unfinished = 0;
std::array<char, PATH_MAX> unfinished{};
std::array<char, PATH_MAX> unfinished_hierarchy{};

std::array<char, PATH_MAX + 100> no_room{};

void remove_unfinished(int signal) {
  if (is_unfinished != 0) {
    unlink(unfinished.data());
    unlink(unfinished_hierarchy.data());
  }
  static_cast<void>(std::signal(signal, SIG_DFL));
  static_cast<void>(std::raise(signal));
}

// The FST writer maps files into memory: where the disk is full, what it stores there has no place.
void end_without_room(int signal, siginfo_t* info, void* context) {
  static_cast<void>(context);
  if (is_unfinished == 0 || info->si_code != BUS_ADRERR) {
    remove_unfinished(signal);
    return;
  }
  unlink(unfinished.data());
  unlink(unfinished_hierarchy.data());
  constexpr int kBadInput = 2;
  static_cast<void>(!::write(STDERR_FILENO, no_room.data(), std::strlen(no_room.data())));
  _exit(kBadInput);
}

InputError not_complete(const std::string& file) {
  return {file, 0, "the waveform could not be written completely"};
}

// A signal that is ignored, as under nohup, stays ignored.
void remove_when_ended(const std::string& file, const std::string& beside) {
  const std::string hierarchy = beside + ".hier";
  if (hierarchy.size() >= PATH_MAX) {
    return;  // nor can such a file be opened
  }
  is_unfinished = 0;
  unfinished.at(beside.copy(unfinished.data(), beside.size())) = '\0';
  unfinished_hierarchy.at(hierarchy.copy(unfinished_hierarchy.data(), hierarchy.size())) = '\0';
  const std::string says = fmt::format("qosarb: {}\n", not_complete(file).what());
  no_room.at(says.copy(no_room.data(), no_room.size() - 1)) = '\0';
  is_unfinished = 1;
  struct sigaction no_place {};
  no_place.sa_sigaction = end_without_room;
  no_place.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &no_place, nullptr);
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
      static_cast<void>(std::signal(signal, remove_unfinished));
    }
  }
}

}  // namespace

Waves::Waves(const std::string& file, TraceWindow window)
    : file_(file),
      beside_(fmt::format("{}.part.{}", file, getpid())),
      window_(window),
      context_(std::make_unique<VerilatedContext>()),
      fst_(std::make_unique<VerilatedFstC>()) {
  // In its place a complete file would take that of whatever is there, a device as well.
  std::error_code fault;
  const auto status = std::filesystem::status(file_, fault);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw InputError(file_, 0, "is not a plain file; a waveform cannot be written there");
  }
  const auto writable = [](const std::string& path) {
    return static_cast<bool>(std::ofstream(path, std::ios::binary | std::ios::app));
  };
  remove_when_ended(file_, beside_);
  if ((std::filesystem::exists(status) && !writable(file_)) || !writable(beside_)) {
    throw InputError(file_, 0, "cannot be opened for writing");
  }
  context_->threads(1);
  context_->traceEverOn(true);
  clocks_ = window_.from == 0;
}

Waves::~Waves() {
  if (open_) {
    fst_->close();
    static_cast<void>(put_in_place());
  }
  std::error_code ignored;
  std::filesystem::remove(beside_, ignored);
  is_unfinished = 0;
}

bool Waves::put_in_place() const {
  std::error_code fault;
  if (is_complete(beside_)) {
    std::filesystem::rename(beside_, file_, fault);
  }
  return !std::filesystem::exists(beside_);
}

void Waves::add(Clocked& model) {
  models_.push_back(&model);
  model.trace(*fst_);
}

void Waves::end_of_cycle(Cycle now) {
  if (clocks_) {
    if (!begun_) {
      fst_->set_time_unit("1ps");
      fst_->set_time_resolution("1ps");
      fst_->open(beside_.c_str());
      open_ = true;
      begun_ = true;
    }
    fst_->dump(now * kPsPerCycle);
    for (Clocked* model : models_) {
      model->clock_edge();
    }
    fst_->dump(now * kPsPerCycle + kPsToEdge);
  }
  clocks_ = now + 1 >= window_.from && now < window_.to;
}

void Waves::close(std::optional<Cycle> marked, const std::string& first) {
  if (open_) {
    fst_->close();
    open_ = false;
  }
  if (!begun_) {
    throw InputError(file_, 0,
                     fmt::format("not written: the run ended before cycle {}", window_.from));
  }
  if (!put_in_place()) {
    throw not_complete(file_);
  }
  std::stable_partition(scopes_.begin(), scopes_.end(), [&first](const LayoutScope& scope) {
    return scope.path.starts_with(first);
  });
  const std::string layout = layout_beside(file_);
  std::ofstream stream(layout, std::ios::binary);
  const auto ps = [](Cycle cycle) { return cycle * kPsPerCycle; };
  constexpr Cycle kBefore = 20;  // cycles that stand to the left of a marker
  const Cycle mark = marked.value_or(window_.from);
  stream << layout_text(scopes_, ps(mark > kBefore ? mark - kBefore : 0),
                        marked ? std::optional(ps(*marked)) : std::nullopt);
  stream.close();
  if (!stream) {
    throw InputError(layout, 0, "cannot be written");
  }
}

std::string Waves::layout_beside(const std::string& file) {
  return std::filesystem::path(file).replace_extension(".gtkw").string();
}

void Waves::close_after_mismatch(Cycle cycle, const std::string& first) {
  try {
    close(cycle, first);
  } catch (const InputError& error) {
    fmt::print(stderr, "qosarb: {}\n", error.what());
  }
}

}  // namespace qosarb
