#pragma once
/// \file
/// Episodes of schema version 1 taught no insights. After its migration each teaches them once, in
/// the order of the log, by a change of kind "migration" of its own.

#include "base/result.h"
#include "knowledge_base/open_base.h"

namespace warpmind::knowledge_base {

/// Goes on where a crash interrupted it; nothing for a base that never had version 1.
[[nodiscard]] Result<void> teach_old_episodes(OpenBase& base);

}  // namespace warpmind::knowledge_base
