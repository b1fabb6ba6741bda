#pragma once
/// \file
/// A light view of CUDA source for byte-range edits: comments and literals are masked out, so that
/// a search never hits them; offsets are those of the original text.

#include "agents/builtin/syntax/text_edit.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

struct GlobalFunction {
  std::string name;
  std::size_t attribute_end = 0;  ///< just after `__global__`
  Range header;                   ///< from `__global__` to the opening parenthesis
  Range parameters;               ///< between the parentheses
  Range body;                     ///< between the braces
};

class SourceView {
 public:
  explicit SourceView(std::string_view source);

  [[nodiscard]] const std::string& masked() const { return masked_; }
  /// Functions defined with `__global__`, in order. A declaration without body is skipped.
  [[nodiscard]] const std::vector<GlobalFunction>& functions() const { return functions_; }
  /// Offsets of the `for` keyword of loops inside `body` that contain no other loop.
  [[nodiscard]] std::vector<std::size_t> innermost_loops(Range body) const;
  /// Offsets of `word` as a whole identifier inside `range`.
  [[nodiscard]] std::vector<std::size_t> identifiers(std::string_view word, Range range) const;

 private:
  [[nodiscard]] std::size_t matching(std::size_t open) const;
  void find_functions();

  std::string masked_;
  std::vector<GlobalFunction> functions_;
};

using Edit = TextEdit;

}  // namespace warpmind::agents::builtin
