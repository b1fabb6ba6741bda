#pragma once
/// \file
/// Which keys are projections: what a rebuild makes again from the truth. All others are the truth.

#include "knowledge_base/column_families.h"

#include <span>
#include <string_view>

namespace warpmind::knowledge_base {

struct ProjectionRange {
  Family family;
  std::string_view prefix;  ///< of its keys; empty = the whole family
  std::string_view what;
};

/// In the order of families and prefixes.
[[nodiscard]] std::span<const ProjectionRange> projection_ranges();

/// Whether every record that counts (kind 01) of a family is a projection.
[[nodiscard]] bool is_counted_projection(Family family);

}  // namespace warpmind::knowledge_base
