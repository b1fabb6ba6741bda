#pragma once
/// \file
/// PTX text to its syntax.

#include "base/result.h"
#include "profilers/simulator/ptx/syntax.h"

#include <string_view>

namespace warpmind::simulator::ptx {

/// Newest and oldest ISA that the parser reads; code outside says so by name.
inline constexpr int kOldestMajor = 6;
inline constexpr int kNewestMajor = 9;

/// Errors: invalid_argument "PTX line 12: …" for text that is no PTX, or an ISA version out of
/// range. Unknown opcodes are not the parser's business.
[[nodiscard]] Result<Module> parse_ptx(std::string_view text);

}  // namespace warpmind::simulator::ptx
