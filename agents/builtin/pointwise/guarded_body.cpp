#include "agents/builtin/pointwise/guarded_body.h"

namespace warpmind::agents::builtin {

std::vector<NodeId> statements_of(const SyntaxTree& tree, NodeId branch) {
  if (tree.is(branch, "compound_statement")) return tree.children(branch);
  return {branch};
}

std::optional<GuardedWork> guarded_work(const SyntaxTree& tree, NodeId guard,
                                        std::vector<NodeId> rest, std::string& refusal) {
  if (tree.field(guard, "alternative") != kNoNode) {
    refusal = "the guard has an else";
    return std::nullopt;
  }
  const NodeId condition = tree.bare(tree.field(guard, "condition"));
  auto inner = statements_of(tree, tree.field(guard, "consequence"));
  if (rest.empty()) return GuardedWork{condition, false, std::move(inner)};
  if (inner.size() != 1 || !tree.is(inner[0], "return_statement")) {
    refusal = "statements follow the guarded block";
    return std::nullopt;
  }
  return GuardedWork{condition, true, std::move(rest)};
}

NodeId only_declarator(const SyntaxTree& tree, NodeId declaration) {
  NodeId only = kNoNode;
  for (const NodeId part : tree.all_children(declaration)) {
    if (tree.node(part).field != "declarator") continue;
    if (only != kNoNode) return kNoNode;
    only = part;
  }
  return tree.is(only, "init_declarator") ? only : kNoNode;
}

std::optional<IndexedUse> indexed_use(const SyntaxTree& tree, const std::string& name, NodeId use,
                                      std::string& refusal) {
  const NodeId subscript = tree.node(use).parent;
  if (!tree.is(subscript, "subscript_expression") || tree.field(subscript, "argument") != use) {
    refusal = "'" + name + "' is used other than by an index";
    return std::nullopt;
  }
  const auto indices = tree.children(tree.field(subscript, "indices"));
  if (indices.size() == 1) return IndexedUse{subscript, indices[0]};
  refusal = "'" + name + "' has several indices";
  return std::nullopt;
}

}  // namespace warpmind::agents::builtin
