#pragma once
/// \file
/// The graph in ReGraphT's form, for their tools and for other bases.

#include "base/result.h"
#include "knowledge_base/database.h"

#include <string>
#include <string_view>

namespace warpmind::knowledge_base {

/// Name of node 0.
inline constexpr std::string_view kInitNode = "init state";

/// One line of JSON. Errors: corrupt_data when an example names a record that is missing.
[[nodiscard]] Result<std::string> export_regrapht(const Database& database);

}  // namespace warpmind::knowledge_base
