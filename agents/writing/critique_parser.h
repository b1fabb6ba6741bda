#pragma once
/// \file
/// Reads what a language model answers when it is asked for a critique. Strict in form; whether a
/// claim agrees with the measurements is not looked at here.

#include "base/model/gradient.h"
#include "base/result.h"

#include <string_view>
#include <vector>

namespace warpmind::agents::writing {

inline constexpr std::size_t kClaimLimit = 16;
inline constexpr std::size_t kDeltaLimit = 16;
inline constexpr std::size_t kClaimTextLimit = 400;

struct ParsedCritique {
  std::vector<CritiqueClaim> claims;
  std::vector<Delta> deltas;
  bool operator==(const ParsedCritique&) const = default;
};

/// Errors: invalid_argument with one sentence that says where: `claims[0].kind: …`.
[[nodiscard]] Result<ParsedCritique> parse_critique(std::string_view answer);

[[nodiscard]] std::string_view critique_schema();

}  // namespace warpmind::agents::writing
