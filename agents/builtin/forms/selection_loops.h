#pragma once
/// \file
/// The loops in which a thread selects the k best of its row.

#include "agents/builtin/forms/thread_rows.h"
#include "agents/builtin/loops/parallel_loop.h"

#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// What is proven of a row's work.
struct SelectionLoops {
  CountedLoop columns;   ///< over the row
  CountedLoop ranks;     ///< in whose body a selected column is stored
  NodeId key = kNoNode;  ///< what is compared, an expression of `columns.variable`
  std::string key_type;
  bool is_largest = true;
  bool is_earlier_first = true;  ///< among equal keys
  /// What a key must beat to be selected at all, or empty; then keys that equal no number are.
  std::string sentinel;
  bool takes_equal = false;  ///< a key that equals the sentinel is selected, too
  std::string at;            ///< variable that holds a selected column where it is stored; or empty
  std::string at_type;
  std::string value;  ///< variable that holds its key there; or empty
  /// Of the body of `ranks`, those that store; `edits` make them read `at` and `value`.
  std::vector<NodeId> stores;
  std::vector<TextEdit> edits;
};

/// Errors: not_found with a clause that says what stands in the way.
[[nodiscard]] Result<SelectionLoops> selection_loops(const Scene& scene, const ThreadRows& rows);

}  // namespace warpmind::agents::builtin
