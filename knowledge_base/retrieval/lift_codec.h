#pragma once
/// \file
/// Lift counts as bytes: `[version byte][JSON]`, as the records of record_codec.

#include "base/result.h"
#include "knowledge_base/retrieval/lift.h"

#include <string>
#include <string_view>

namespace warpmind::knowledge_base {

/// Errors: invalid_argument for a number that is not finite.
[[nodiscard]] Result<std::string> encode_lift(const LiftCounts& counts);
/// Errors: corrupt_data.
[[nodiscard]] Result<LiftCounts> decode_lift(std::string_view bytes);

}  // namespace warpmind::knowledge_base
