#pragma once
/// \file
/// A base as Markdown, for reading and version control: one file a technique, one a claim, and an
/// index. Names and order are stable; no time of export is in them.

#include "base/result.h"
#include "knowledge_base/database.h"
#include "knowledge_base/packs/pack_exchange.h"

#include <filesystem>

namespace warpmind::knowledge_base {

/// Replaces an earlier export in `directory`, which else must be empty or missing.
/// Errors: conflict when something else is in it.
[[nodiscard]] Result<PackReport> write_markdown(const Database& database,
                                                const std::filesystem::path& directory,
                                                const PackExportOptions& options);

}  // namespace warpmind::knowledge_base
