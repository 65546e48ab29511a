// Rates as 16.16 fixed point, read from decimal text without a detour through binary fractions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace qosarb {

/// floor(value x 65536 + 0.5) of a decimal number such as "0.2", "1" or "2.5e-3", exactly.
/// Nothing if `decimal` is not a plain number without sign, or its result is beyond 32 bits.
std::optional<std::uint32_t> fixed_16_16(std::string_view decimal);

}  // namespace qosarb
