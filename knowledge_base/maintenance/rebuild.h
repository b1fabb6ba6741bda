#pragma once
/// \file
/// Makes every projection again from the truth.
///
/// The log is replayed into a copy of the base (hard links, no sync), the copy is compared with the
/// base key by key, and only what differs is written: on a sound base nothing at all, and readers
/// never see a half-made state there. What differs is written as changes of kind "rebuild"; the
/// first says in state.rebuild_position that a rebuild is owed, the last takes that back.

#include "base/result.h"
#include "knowledge_base/maintenance/maintenance.h"
#include "knowledge_base/open_base.h"

#include <stop_token>

namespace warpmind::knowledge_base {

/// Writers wait until it is done. Errors: corrupt_data for a record of the truth that cannot be
/// read (nothing was changed then); unavailable; cancelled when `stop` asked for it before anything
/// was changed.
[[nodiscard]] Result<RebuildReport> rebuild_projections(OpenBase& base,
                                                        const std::stop_token& stop = {});

/// Whether a migration or an interrupted rebuild left projections that must be made.
[[nodiscard]] Result<bool> rebuild_is_owed(const OpenBase& base);

}  // namespace warpmind::knowledge_base
