#pragma once
/// \file
/// Reads a Kernel Tuner cache file (JSON), also one that is still open: Kernel Tuner leaves the
/// closing brackets out until the run ends. The best configurations become claims.

#include "base/result.h"
#include "knowledge_base/packs/foreign_claims.h"
#include "knowledge_base/packs/pack_exchange.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace warpmind::knowledge_base {

/// Fills in name and notes of `report`. Errors: not_found; invalid_argument when it is no such file
/// or holds too few timed configurations.
[[nodiscard]] Result<ForeignClaims> read_kernel_tuner(const std::filesystem::path& file,
                                                      PackReport& report);
[[nodiscard]] Result<ForeignClaims> parse_kernel_tuner(std::string_view text, PackReport& report);

/// `text` up to its last whole entry, with the brackets that are missing. Unchanged when closed.
[[nodiscard]] std::string closed_cache(std::string_view text);

}  // namespace warpmind::knowledge_base
