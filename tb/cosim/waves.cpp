#include "cosim/waves.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mutex>
#include <streambuf>

#include "cosim/clocked.hpp"
#include "cosim/complete_fst.hpp"
#include "cosim/output_place.hpp"
#include "cosim/standard_error.hpp"
#include "qosarb/config/input_error.hpp"
#include "verilated.h"
#include "verilated_fst_c.h"

namespace qosarb {

namespace {

constexpr std::uint64_t kPsPerCycle = 1000;
constexpr std::uint64_t kPsToEdge = kPsPerCycle / 2;

InputError not_complete(const std::string& file) {
  return {file, 0, "the waveform could not be written completely"};
}

std::atomic<bool> at_work = false;
static_assert(std::atomic<bool>::is_always_lock_free);

/// Calls the writer of FST. Newer Verilators' says on std::cerr what it aborts for, a condition of
/// its own; the handler has the line that names the file.
template <typename Call>
void quietly(const Call& call) {
  std::streambuf* const said = std::cerr.rdbuf(nullptr);
  at_work = true;
  call();
  at_work = false;
  std::cerr.rdbuf(said);
}

template <std::size_t Size>
void copy(const std::string& text, std::array<char, Size>& to) {
  to.at(text.copy(to.data(), Size - 1)) = '\0';
}

}  // namespace

/// What is on the disk of a waveform that is not complete, as long as it lives.
class Waves::Unfinished {
 public:
  Unfinished(const std::string& file, const std::string& beside, const std::string& layout) {
    // The FST writer keeps the hierarchy in a file of its own until it closes the waveform.
    const std::string hierarchy = beside + ".hier";
    if (std::max(hierarchy.size(), layout.size()) >= PATH_MAX) {
      return;  // nor can such a file be opened
    }
    const std::lock_guard lock(changes);
    files_ = all;
    while (files_ != nullptr && files_->are_there) {
      files_ = files_->next;
    }
    const bool is_new = files_ == nullptr;
    if (is_new) {
      files_ = new Files;
      files_->next = all;
    }
    copy(beside, files_->waveform);
    copy(hierarchy, files_->hierarchy);
    copy(layout, files_->layout);
    copy(not_complete(file).what(), files_->complaint);
    files_->are_there = true;
    if (is_new) {
      all = files_;
    }
  }
  ~Unfinished() {
    if (files_ != nullptr) {
      files_->are_there = false;
    }
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  static const char* remove_all() noexcept {
    const char* complaint = nullptr;
    for (const Files* one = all; one != nullptr; one = one->next) {
      if (one->are_there) {
        unlink(one->waveform.data());
        unlink(one->hierarchy.data());
        unlink(one->layout.data());
        complaint = one->complaint.data();
      }
    }
    return complaint;
  }

 private:
  /// What a handler of signals may do is little: all that it needs lies ready.
  struct Files {
    std::atomic<bool> are_there = false;
    std::array<char, PATH_MAX> waveform{};
    std::array<char, PATH_MAX> hierarchy{};
    std::array<char, PATH_MAX> layout{};
    std::array<char, PATH_MAX + 100> complaint{};
    Files* next = nullptr;
  };
  static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<Files*>::is_always_lock_free);

  // A handler can come in the midst of any change here, and in another thread: what is in this list
  // stays there, and is used again.
  static inline std::atomic<Files*> all = nullptr;
  static inline std::mutex changes;

  Files* files_ = nullptr;
};

const char* Waves::remove_unfinished() noexcept { return Unfinished::remove_all(); }

bool Waves::writes() noexcept { return at_work; }

Waves::Waves(const std::string& file, TraceWindow window)
    : file_(file),
      layout_(layout_beside(file)),
      // In its place a complete file would take that of whatever is there, a device as well.
      file_place_(output_place(file_)),
      layout_place_(output_place(layout_)),
      part_(fmt::format(".part.{}", getpid())),
      window_(window),
      context_(std::make_unique<VerilatedContext>()),
      fst_(std::make_unique<VerilatedFstC>()) {
  const auto writable = [](const std::string& path) {
    return static_cast<bool>(std::ofstream(path, std::ios::binary | std::ios::app));
  };
  unfinished_ = std::make_unique<Unfinished>(file_, file_place_ + part_, layout_place_ + part_);
  std::error_code ignored;
  if ((std::filesystem::exists(file_, ignored) && !writable(file_)) ||
      !writable(file_place_ + part_)) {
    throw InputError(file_, 0, "cannot be opened for writing");
  }
  context_->threads(1);
  context_->traceEverOn(true);
  clocks_ = window_.from == 0;
}

Waves::~Waves() {
  if (open_) {
    quietly([this] { fst_->close(); });
  }
  std::error_code ignored;
  std::filesystem::remove(file_place_ + part_, ignored);
  std::filesystem::remove(layout_place_ + part_, ignored);
}

void Waves::add(Clocked& model) { models_.push_back(&model); }

void Waves::end_of_cycle(Cycle now) {
  if (clocks_) {
    if (!begun_) {
      fst_->set_time_unit("1ps");
      fst_->set_time_resolution("1ps");
      for (Clocked* model : models_) {  // with newer Verilators the first asks for all there are
        model->trace(*fst_);
      }
      quietly([this] { fst_->open((file_place_ + part_).c_str()); });
      open_ = true;
      begun_ = true;
    }
    quietly([this, now] { fst_->dump(now * kPsPerCycle); });
    for (Clocked* model : models_) {
      model->clock_edge();
    }
    quietly([this, now] { fst_->dump(now * kPsPerCycle + kPsToEdge); });
  }
  clocks_ = now + 1 >= window_.from && now < window_.to;
}

void Waves::finish(std::optional<Cycle> marked, const std::string& first) {
  if (open_) {
    quietly([this] { fst_->close(); });
    open_ = false;
  }
  if (!begun_) {
    throw InputError(file_, 0,
                     fmt::format("not written: the run ended before cycle {}", window_.from));
  }
  if (!is_complete(file_place_ + part_)) {
    throw not_complete(file_);
  }
  std::stable_partition(scopes_.begin(), scopes_.end(), [&first](const LayoutScope& scope) {
    return scope.path.starts_with(first);
  });
  std::ofstream stream(layout_place_ + part_, std::ios::binary);
  const auto ps = [](Cycle cycle) { return cycle * kPsPerCycle; };
  constexpr Cycle kBefore = 20;  // cycles that stand to the left of a marker
  const Cycle mark = marked.value_or(window_.from);
  stream << layout_text(scopes_, ps(mark > kBefore ? mark - kBefore : 0),
                        marked ? std::optional(ps(*marked)) : std::nullopt);
  stream.close();
  if (!stream) {
    throw InputError(layout_, 0, "cannot be written");
  }
}

void Waves::put_in_place() {
  for (const auto& [name, place] :
       {std::pair(file_, file_place_), std::pair(layout_, layout_place_)}) {
    std::error_code fault;
    std::filesystem::rename(place + part_, place, fault);
    if (fault) {
      throw InputError(name, 0, "cannot be written: " + fault.message());
    }
  }
  unfinished_.reset();
}

void Waves::close(std::optional<Cycle> marked, const std::string& first) {
  finish(marked, first);
  put_in_place();
}

std::string Waves::layout_beside(const std::string& file) {
  return std::filesystem::path(file).replace_extension(".gtkw").string();
}

void Waves::close_after_failure(std::optional<Cycle> marked, const std::string& first) {
  try {
    close(marked, first);
  } catch (const InputError& error) {
    to_standard_error(fmt::format("qosarb: {}\n", error.what()));
  }
}

}  // namespace qosarb
