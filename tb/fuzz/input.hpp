// What a fuzzer of a parser is made of: LLVMFuzzerTestOneInput() calls fuzz().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "qosarb/policy/config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace qosarb::fuzz {

using Parser = void (*)(const std::string& file);

/// Whether a parser's input may name files, which are then read, too, and which it may refuse.
enum class Names { NoFiles, OtherFiles };

/// Gives an input to `parser` as a file. It takes the input or refuses it by an InputError of one
/// line that names file, line and fault. Errors: std::logic_error for another message; whatever
/// else the parser throws.
int fuzz(const std::uint8_t* data, std::size_t size, Parser parser, Names names = Names::NoFiles);

/// For what is read together with an arbiter: any with 8 queues and packets of up to 64 flits.
ArbiterConfig arbiter_of_8_queues();

/// What `qosarb analyze` does with a configuration once it is read, for a few decisions: it divides
/// by what the file says.
void analyze(ArbiterConfig config);

}  // namespace qosarb::fuzz
