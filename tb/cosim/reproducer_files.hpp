// Where a reproducer's files go.
#pragma once

#include <string>

namespace qosarb {

/// Makes a new directory and returns its path. `wished` is the path; empty stands for
/// "qosarb-reproducer". A number is appended until the path is new, so nothing is overwritten.
/// Errors: InputError if it cannot be made.
std::string make_reproducer_directory(const std::string& wished);

/// Writes a file into such a directory. Errors: InputError if `path` cannot be written; then it is
/// not there, nor its directory if that has no other file.
void write_reproducer_file(const std::string& path, const std::string& text);

/// `text` as one word of a shell's command: in quotes if it needs them.
std::string shell_word(const std::string& text);

}  // namespace qosarb
