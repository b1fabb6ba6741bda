#pragma once
/// \file
/// What readers of kernels that are known phase by phase ask of single nodes.

#include "agents/builtin/loops/kernel_body.h"
#include "base/sequence.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

inline constexpr std::array<std::string_view, 3> kMaxima{"fmaxf", "max", "fmax"};

/// `body` must outlive it.
class BodyQueries {
 public:
  explicit BodyQueries(const KernelBody& body) : body_(body), tree_(body.tree()) {}

  /// The assignment, call or update that is all of a statement.
  [[nodiscard]] NodeId only_expression(NodeId statement) const;
  /// A barrier of the block or the warp, or a pragma.
  [[nodiscard]] bool is_barrier(NodeId statement) const;
  [[nodiscard]] const MemoryAccess* access_at(NodeId node) const;
  /// The local that is all of an expression.
  [[nodiscard]] const Local* named(NodeId node) const;
  [[nodiscard]] std::vector<NodeId> arguments_of(NodeId call) const;
  template <class Names>
  [[nodiscard]] bool is_call_of(NodeId node, const Names& names) const {
    return tree_.is(node, "call_expression") &&
           contains(names, tree_.text(tree_.field(node, "function")));
  }
  /// The text of an expression, of a local that is set once that of its value.
  [[nodiscard]] std::string resolved_text(NodeId node) const;

 protected:
  const KernelBody& body_;
  const SyntaxTree& tree_;
};

}  // namespace warpmind::agents::builtin
