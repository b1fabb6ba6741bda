#pragma once
/// \file
/// Brings a base that an older build made up to the schema of this one.

#include "base/result.h"
#include "knowledge_base/store_location.h"
#include "knowledge_base/store_session.h"

#include <cstdint>
#include <filesystem>

namespace warpmind::knowledge_base {

/// All steps from version `from` to kSchemaVersion, as one change: after a crash at any point the
/// base has the one version or the other. A copy of the old base is made first. `session` is open
/// for writing and holds everything acknowledged.
[[nodiscard]] Result<void> migrate(const StoreLocation& location, StoreSession& session,
                                   std::int64_t from);

/// Where the copy lies: "<base>.schema-1-at-42", change 42 being the newest in it.
[[nodiscard]] std::filesystem::path copy_before_migration(const StoreLocation& location,
                                                          std::int64_t from, std::int64_t sequence);

/// 16 hex digits that name a base in packs; no two bases share them.
[[nodiscard]] std::string draw_base_id();

}  // namespace warpmind::knowledge_base
