// Outputs replace what was there, and no link to it.
#pragma once

#include <filesystem>
#include <string>

namespace qosarb {

/// Where the links of `file` end, though nothing be there; a link only if there is no end.
std::filesystem::path behind_links(std::filesystem::path file);

/// The place of what is written to `file`: a plain file there is replaced. Errors: InputError
/// naming `file` if what is there is no plain file or is where standard output or error goes, or if
/// links lead nowhere.
std::string output_place(const std::string& file);

}  // namespace qosarb
