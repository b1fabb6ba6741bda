#pragma once
/// \file
/// A kernel that is a contraction: sum over k of left(row, k) * right(column, k) for rows, columns
/// and batches, whatever its indices look like. Found by probing all launches.

#include "agents/builtin/contraction/loop_nest.h"
#include "agents/builtin/contraction/output_axes.h"

#include <memory>
#include <set>

namespace warpmind::agents::builtin {

/// The rows (which one operand depends on) or the columns (the other).
struct ContractionSide {
  std::vector<std::size_t> axes;  ///< positions in OutputAxes::axes, the fastest first
  NestOperand operand;
  std::string element;         ///< "__half"
  std::set<NodeId> guards;     ///< conditions that zero this operand
  bool along_depth = true;     ///< neighbours in memory: terms, or else rows (columns)
  bool is_contiguous = false;  ///< along that whole direction, and no guard in the way
  bool is_even = false;        ///< rows are evenly spaced, terms too, and no guard in the way
};

struct Contraction {
  std::size_t launch = 0;  ///< in the plan
  const Function* function = nullptr;
  std::vector<SceneLaunch> launches;
  LoopNest nest;
  OutputAxes outputs;
  std::array<ContractionSide, 2> sides;  ///< rows, columns
  std::vector<std::size_t> batch;        ///< axes that both operands or neither depend on
  std::vector<std::string> trips;        ///< of each level, a uniform expression
  std::vector<std::vector<std::int64_t>> trip_counts;  ///< of each level at each launch
  /// Extents at each launch; launches are in the order of Scene::launches_of.
  std::vector<std::int64_t> rows, columns, batches, depth;
  /// The same as text for the launch plan.
  std::string plan_rows, plan_columns, plan_batches;
  std::vector<std::string> plan_column_extents;  ///< of each axis of the columns
};

/// Sets the extents, as numbers and for the plan, from axes and sides. Errors: not_found.
[[nodiscard]] Result<void> plan_extents(const Scene& scene, const UniformExpressions& expressions,
                                        Contraction& contraction);

/// Errors: not_found with one clause that says what stands in the way.
[[nodiscard]] Result<Contraction> find_contraction(const Scene& scene, std::size_t launch);

}  // namespace warpmind::agents::builtin
