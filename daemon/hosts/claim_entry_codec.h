#pragma once
/// \file
/// Entries of a claim log, and what is asked again, as bytes.

#include "base/result.h"
#include "knowledge_base/packs/claim_log.h"

#include <string>
#include <string_view>

namespace warpmind::daemon::hosts {

[[nodiscard]] std::string encode(const knowledge_base::ClaimLogEntry& entry);
/// Errors: corrupt_data.
[[nodiscard]] Result<knowledge_base::ClaimLogEntry> decode_entry(std::string_view bytes);

[[nodiscard]] std::string encode(const knowledge_base::HeardMark& mark);
/// Errors: corrupt_data.
[[nodiscard]] Result<knowledge_base::HeardMark> decode_mark(std::string_view bytes);

}  // namespace warpmind::daemon::hosts
