#pragma once
/// \file
/// The base that a build with schema version 1 wrote (tests/data/bases/v1): eight episodes of three
/// tasks, one of them held out, a waiting and a failed job; 27 changes.

#include "tests/unit/knowledge_base/store_fixture.h"

#include <filesystem>

namespace warpmind::knowledge_base {

/// A copy of it that may be changed.
inline void put_old_base(const std::filesystem::path& directory) {
  const auto golden = std::filesystem::path(WARPMIND_TEST_DATA) / "bases" / "v1";
  std::filesystem::copy(golden, directory, std::filesystem::copy_options::recursive);
  std::filesystem::permissions(directory, std::filesystem::perms::owner_all);
}

}  // namespace warpmind::knowledge_base
