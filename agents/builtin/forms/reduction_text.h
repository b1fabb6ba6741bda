#pragma once
/// \file
/// The problem of a reduction as text: methods made of the kernel's own code, each of which
/// computes its own indices for one row.

#include "agents/builtin/forms/lane_totals.h"
#include "agents/builtin/loops/virtual_thread.h"

#include <array>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// A load that every term makes from a place that moves by a fixed step from term to term.
struct ReductionStream {
  std::string root;
  std::string type;           ///< of an element
  std::vector<NodeId> nodes;  ///< expressions that stand for the element
  NodeId pointer = kNoNode;
  std::string index;       ///< text over the loop's variable and what stands in front of the loop
  bool is_along = false;   ///< neighbouring terms lie side by side
  bool is_beside = false;  ///< the same term of neighbouring rows does
};

struct Reductions {
  LoopFacts loop;
  LaneGroup group;
  LaneTotals totals;                               ///< of groups of several lanes
  BlockExtents block{1, 1, 1};                     ///< as given
  std::array<std::string, 3> grid{"1", "1", "1"};  ///< as given, without block_x, block_y, block_z
  std::vector<ReductionStream> streams;
  bool is_wide_index = false;  ///< terms are counted with 64 bits
  std::string helpers;         ///< functions that the kernel's code calls, as members

  [[nodiscard]] std::int64_t threads() const;
  [[nodiscard]] std::int64_t rows_a_block() const;
  /// Terms (rows) that one load of 16 bytes brings; 1: there is no such load.
  [[nodiscard]] int along() const;
  [[nodiscard]] int beside() const;
};

/// Of the grid, the axes that the problem must be given: "x" of a grid that is not one block.
[[nodiscard]] std::vector<std::size_t> grid_members(const KernelBody& body, const Reductions& what);

[[nodiscard]] std::string problem_text(const KernelBody& body, const Reductions& what);

}  // namespace warpmind::agents::builtin
