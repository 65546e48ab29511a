#include "cosim/output_place.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

#include "qosarb/config/input_error.hpp"

namespace qosarb {

namespace fs = std::filesystem;

namespace {

/// Whether a shell sends standard output or error there: what is replaced would take it away.
bool is_standard_stream(const std::string& file) {
  struct stat there {};
  if (stat(file.c_str(), &there) != 0) {
    return false;
  }
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat open {};
    if (fstat(stream, &open) == 0 && open.st_dev == there.st_dev && open.st_ino == there.st_ino) {
      return true;
    }
  }
  return false;
}

}  // namespace

fs::path behind_links(fs::path file) {
  constexpr int kMostLinks = 40;  // as the kernel has it
  std::error_code fault;
  for (int links = 0; links < kMostLinks && fs::is_symlink(fs::symlink_status(file, fault));
       ++links) {
    file = file.parent_path() / fs::read_symlink(file, fault);
  }
  return file;
}

std::string output_place(const std::string& file) {
  std::error_code fault;
  const fs::path place = behind_links(file);
  if (fs::is_symlink(fs::symlink_status(place, fault))) {
    throw InputError(file, 0, "cannot be written: its links lead nowhere");
  }
  const auto status = fs::status(file, fault);
  // A link of /proc may tell a name that is none, as of a pipe, or of a file that is removed.
  if (fs::exists(status) && !(fs::is_regular_file(status) && fs::equivalent(file, place, fault))) {
    throw InputError(file, 0, "is not a plain file");
  }
  if (is_standard_stream(file)) {
    throw InputError(file, 0,
                     "is where standard output or error goes; an output needs another name");
  }
  return place.string();
}

}  // namespace qosarb
