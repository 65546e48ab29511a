#include "cosim/unfinished_waveform.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstddef>
#include <iostream>
#include <mutex>

namespace qosarb {

namespace {

std::atomic<bool> at_work = false;

template <std::size_t Size>
void copy(const std::string& text, std::array<char, Size>& to) {
  to.at(text.copy(to.data(), Size - 1)) = '\0';
}

}  // namespace

/// What a handler of signals may do is little: all that it needs lies ready. It can come in the
/// midst of any change here, and in another thread: what is in the list stays there, and is used
/// again.
struct UnfinishedWaveform::Files {
  std::atomic<bool> are_there = false;
  std::array<char, PATH_MAX> waveform{};
  std::array<char, PATH_MAX> hierarchy{};
  std::array<char, PATH_MAX> layout{};
  std::array<char, PATH_MAX + 100> complaint{};
  Files* next = nullptr;

  void remove() const noexcept {
    unlink(waveform.data());
    unlink(hierarchy.data());
    unlink(layout.data());
  }

  static inline std::atomic<Files*> all = nullptr;
  static inline std::mutex changes;
};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<void*>::is_always_lock_free);

UnfinishedWaveform::UnfinishedWaveform(const std::string& file, const std::string& beside,
                                       const std::string& layout) {
  // The FST writer keeps the hierarchy in a file of its own until it closes the waveform.
  const std::string hierarchy = beside + ".hier";
  if (std::max(hierarchy.size(), layout.size()) >= PATH_MAX) {
    return;  // nor can such a file be opened
  }
  const std::lock_guard lock(Files::changes);
  files_ = Files::all;
  while (files_ != nullptr && files_->are_there) {
    files_ = files_->next;
  }
  const bool is_new = files_ == nullptr;
  if (is_new) {
    files_ = new Files;
    files_->next = Files::all;
  }
  copy(beside, files_->waveform);
  copy(hierarchy, files_->hierarchy);
  copy(layout, files_->layout);
  copy(error(file).what(), files_->complaint);
  files_->are_there = true;
  if (is_new) {
    Files::all = files_;
  }
}

UnfinishedWaveform::~UnfinishedWaveform() {
  if (files_ != nullptr) {
    files_->remove();
    files_->are_there = false;
  }
}

InputError UnfinishedWaveform::error(const std::string& file) {
  return {file, 0, "the waveform could not be written completely"};
}

const char* UnfinishedWaveform::remove_all() noexcept {
  const char* complaint = nullptr;
  for (const Files* one = Files::all; one != nullptr; one = one->next) {
    if (one->are_there) {
      one->remove();
      complaint = one->complaint.data();
    }
  }
  return complaint;
}

UnfinishedWaveform::Writer::Writer() : said_(std::cerr.rdbuf(nullptr)) { at_work = true; }

UnfinishedWaveform::Writer::~Writer() {
  at_work = false;
  std::cerr.rdbuf(said_);
}

bool UnfinishedWaveform::Writer::works() noexcept { return at_work; }

}  // namespace qosarb
