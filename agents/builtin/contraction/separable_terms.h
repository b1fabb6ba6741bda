#pragma once
/// \file
/// A contraction whose columns are outputs of a convolution: where an element lies is a number of
/// the output plus a number of the term, and so is its position in each window that it must lie
/// in. Conditions that repeat along an axis (`(o + p - k) % s == 0`) split its outputs into phases,
/// of which each meets its own terms.

#include "agents/builtin/contraction/contraction.h"

namespace warpmind::agents::builtin {

/// `first <= position < first + extent`.
struct TermWindow {
  NodeId position = kNoNode;  ///< an integer expression of the kernel
  std::string first;          ///< uniform; empty: it has no lower bound
  std::string end;            ///< uniform; empty: it has no upper bound
  bool is_unsigned = false;   ///< negative positions are large numbers
};

struct SeparableTerms {
  /// Columns are the side with windows; phases are batch axes.
  Contraction contraction;
  std::vector<TermWindow> windows;
  std::set<NodeId> live;             ///< conditions on terms that all columns of a batch share
  std::array<std::string, 2> bases;  ///< pointer parameters of rows' and columns' operand
  /// Levels of the loops whose numbers add to where elements lie and to nothing else: channels.
  /// Empty where there are none, or where outputs are not evenly spaced along the first two axes.
  std::set<std::size_t> channels;
  /// Every output is written, where a number of the row plus one of the column says.
  bool has_places = false;
};

/// At most this many windows.
inline constexpr std::size_t kMostWindows = 3;

/// Errors: not_found with one clause that says what stands in the way.
[[nodiscard]] Result<SeparableTerms> find_separable_terms(const Scene& scene,
                                                          const Contraction& contraction);

}  // namespace warpmind::agents::builtin
