#include "cosim/waves.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>

#include "cosim/clocked.hpp"
#include "cosim/complete_fst.hpp"
#include "cosim/lockstep.hpp"
#include "cosim/output_place.hpp"
#include "cosim/standard_error.hpp"
#include "cosim/unfinished_waveform.hpp"
#include "qosarb/config/input_error.hpp"
#include "verilated.h"
#include "verilated_fst_c.h"

namespace qosarb {

namespace {

constexpr std::uint64_t kPsPerCycle = 1000;
constexpr std::uint64_t kPsToEdge = kPsPerCycle / 2;

}  // namespace

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
  unfinished_ =
      std::make_unique<UnfinishedWaveform>(file_, file_place_ + part_, layout_place_ + part_);
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
    const UnfinishedWaveform::Writer writer;
    fst_->close();
  }
}

void Waves::add(Clocked& model) { models_.push_back(&model); }

void Waves::end_of_cycle(Cycle now) {
  std::exception_ptr failure;  // at a clock edge, which is shown before it is told
  if (clocks_) {
    const auto dump = [this](std::uint64_t ps) {
      const UnfinishedWaveform::Writer writer;
      fst_->dump(ps);
    };
    if (!begun_) {
      fst_->set_time_unit("1ps");
      fst_->set_time_resolution("1ps");
      for (Clocked* model : models_) {  // with newer Verilators the first asks for all there are
        model->trace(*fst_);
      }
      const UnfinishedWaveform::Writer writer;
      fst_->open((file_place_ + part_).c_str());
      open_ = true;
      begun_ = true;
    }
    dump(now * kPsPerCycle);
    for (Clocked* model : models_) {
      try {
        model->clock_edge();
      } catch (const Mismatch&) {
        failure = failure ? failure : std::current_exception();
      }
    }
    dump(now * kPsPerCycle + kPsToEdge);
  }
  clocks_ = now + 1 >= window_.from && now < window_.to;
  if (failure) {
    std::rethrow_exception(failure);
  }
}

void Waves::finish(std::optional<Cycle> marked, const std::string& first) {
  if (open_) {
    const UnfinishedWaveform::Writer writer;
    fst_->close();
    open_ = false;
  }
  if (!begun_) {
    throw InputError(file_, 0,
                     fmt::format("not written: the run ended before cycle {}", window_.from));
  }
  if (!is_complete(file_place_ + part_)) {
    throw UnfinishedWaveform::error(file_);
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
