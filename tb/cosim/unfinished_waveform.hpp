// What of a waveform has to go when the process ends before it is complete.
#pragma once

#include <streambuf>
#include <string>

#include "qosarb/config/input_error.hpp"

namespace qosarb {

/// What is on the disk of a waveform that is not complete, which goes with it; by any thread.
class UnfinishedWaveform {
 public:
  /// Of the waveform that the user calls `file`: that which is written to `beside` and to `layout`,
  /// if there is a layout.
  UnfinishedWaveform(const std::string& file, const std::string& beside,
                     const std::string& layout = {});
  ~UnfinishedWaveform();
  UnfinishedWaveform(const UnfinishedWaveform&) = delete;
  UnfinishedWaveform& operator=(const UnfinishedWaveform&) = delete;

  /// That `file` did not become complete.
  static InputError error(const std::string& file);

  /// Removes all of them by now; null if there are none, else the text of error() for one of them.
  /// A handler of signals may call it.
  static const char* remove_all() noexcept;

  /// As long as it lives the writer of FST is at work, and an abort is its word for a full disk.
  /// Newer Verilators' says on std::cerr what it aborts for, a condition of its own; that is not
  /// heard, as the handler has the line that names the file.
  class Writer {
   public:
    Writer();
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    /// True while one lives. A handler of signals may call it.
    static bool works() noexcept;

   private:
    std::streambuf* said_;
  };

 private:
  struct Files;
  Files* files_ = nullptr;
};

}  // namespace qosarb
