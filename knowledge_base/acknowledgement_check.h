#pragma once
/// \file
/// Does the base hold what was acknowledged? Compares it with the watermark.

#include "base/result.h"
#include "knowledge_base/database.h"
#include "knowledge_base/records.h"
#include "knowledge_base/watermark.h"

#include <optional>
#include <string>

namespace warpmind::knowledge_base {

/// The sentence on what is missing or damaged, naming the range; nullopt when everything
/// acknowledged is there. A base that is ahead of its watermark is a normal crash: between the
/// batch and the watermark nothing was acknowledged.
[[nodiscard]] Result<std::optional<std::string>> find_loss(const Database& database,
                                                           const StoreState& state,
                                                           const WatermarkReading& watermark);

/// Log records whose chain is recomputed at every opening; older ones are trusted to RocksDB's
/// checksums.
inline constexpr std::int64_t kRecheckedChanges = 1000;

}  // namespace warpmind::knowledge_base
