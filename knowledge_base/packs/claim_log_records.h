#pragma once
/// \file
/// What the base keeps of other bases that it hears (family meta), as bytes and back.

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace warpmind::knowledge_base {

/// Up to which of its changes another base was heard. Its log has an era: a base that was restored
/// from a backup begins a new one, because it says other things under numbers it used before.
struct HeardMark {
  std::int64_t era = 0;
  std::int64_t upto = 0;  ///< its change
  bool operator==(const HeardMark&) const = default;
};

[[nodiscard]] Result<std::string> encode_heard(const HeardMark& mark);
/// Errors: corrupt_data.
[[nodiscard]] Result<HeardMark> decode_heard(std::string_view bytes);

}  // namespace warpmind::knowledge_base
