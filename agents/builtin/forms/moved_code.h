#pragma once
/// \file
/// Code of a kernel moved into functions of its own, which a problem calls: parameters keep their
/// names there, so that the text needs no change but for what is replaced on purpose.

#include "agents/builtin/loops/kernel_body.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

/// What stands for nodes of the kernel.
using NodeTexts = std::map<NodeId, std::string>;

/// The expression with local variables as their values, converted to their types. nullopt: one of
/// them changes, or is no plain value.
[[nodiscard]] std::optional<std::string> closed_value(const KernelBody& body, NodeId expression,
                                                      const NodeTexts& replaced);

/// Any text of the kernel with replacements.
[[nodiscard]] std::string moved_text(const SyntaxTree& tree, Range range,
                                     const NodeTexts& replaced);

/// The function's parameters that texts name, and how moved code and its callers write them.
class MovedParameters {
 public:
  explicit MovedParameters(const Function& function) : function_(&function) {}

  /// Takes in those that `text` names.
  void use(std::string_view text);

  /// "const int* x", in the order of the function.
  [[nodiscard]] std::vector<std::string> declarations() const;
  /// Members of the problem, a line each: "  const int* given_x;".
  [[nodiscard]] std::string members() const;
  /// "const int* x, int n" in front of other parameters.
  [[nodiscard]] std::string declared_list() const;
  /// "given_x, given_n".
  [[nodiscard]] std::string passed_list() const;
  /// Of `given`, which has one entry for each parameter of the function.
  [[nodiscard]] std::vector<std::string> arguments(const std::vector<std::string>& given) const;

 private:
  const Function* function_;
  std::set<std::string, std::less<>> used_;
};

}  // namespace warpmind::agents::builtin
