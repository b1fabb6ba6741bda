#pragma once
/// \file
/// Comparisons by which a kernel treats outputs near an edge in another way, and what proves, for a
/// box of outputs, that all of them come out as they do in the middle. A comparison counts when its
/// sides are linear in each coordinate: then the corners of the box decide for all of it.

#include "agents/builtin/forms/independent_outputs.h"

#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// A variable that a comparison depends on, and the text of its least and greatest value.
struct EdgeVariable {
  std::string name;
  std::string type;
  std::string least, greatest;
};

struct EdgeTest {
  std::string condition;      ///< over variables and sizes; true at all corners, or …
  std::string opposite = {};  ///< … where not empty, this one at all corners
  std::vector<EdgeVariable> variables;
};

struct EdgeTests {
  std::vector<EdgeTest> tests;
  /// Edits of the kernel's body for outputs that pass all tests: comparisons become `true` or
  /// `false`, `min` and `max` one of their arguments.
  std::vector<TextEdit> edits;
};

/// Texts for the least and the greatest number along each of OutputAxes::axes.
using EdgeBox = std::vector<std::pair<std::string, std::string>>;

/// The number along an axis, in texts of a problem.
[[nodiscard]] std::string digit_name(std::size_t axis);
/// An extent, in texts of a problem.
[[nodiscard]] std::string extent_text(const OutputAxis& axis);

[[nodiscard]] EdgeTests find_edge_tests(const Scene& scene, const IndependentOutputs& outputs,
                                        const EdgeBox& box);

}  // namespace warpmind::agents::builtin
