#pragma once
/// \file
/// Whether a stored record can be read, and what it refers to.

#include "base/result.h"
#include "knowledge_base/column_families.h"

#include <string>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

/// A key that must exist because a record names it.
struct Reference {
  Family family;
  std::string key;
  std::string what;  ///< "kernel k-… of step 2 of episode 7"
};

/// Decodes the record and lists its references. Errors: corrupt_data, for a key or a value that no
/// build could have written there.
[[nodiscard]] Result<std::vector<Reference>> check_record(Family family, std::string_view key,
                                                          std::string_view value);

}  // namespace warpmind::knowledge_base
