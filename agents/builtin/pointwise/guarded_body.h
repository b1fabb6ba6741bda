#pragma once
/// \file
/// What readers of kernels with a guard around their work share: the guard, declarations of one
/// variable, uses of pointers by one index.

#include "agents/builtin/syntax.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// The statements of a block, or the one that stands without braces.
[[nodiscard]] std::vector<NodeId> statements_of(const SyntaxTree& tree, NodeId branch);

/// `if (condition) { work }` with nothing behind it, or `if (condition) return; work`.
struct GuardedWork {
  NodeId condition = kNoNode;  ///< without parentheses
  bool leaves = false;         ///< the condition is that there is no work
  std::vector<NodeId> work;
};
/// `rest`: the statements behind `guard`. nullopt: another form; the reason goes to `refusal`.
[[nodiscard]] std::optional<GuardedWork> guarded_work(const SyntaxTree& tree, NodeId guard,
                                                      std::vector<NodeId> rest,
                                                      std::string& refusal);

/// The init_declarator of a declaration of one variable; kNoNode: several, or no value.
[[nodiscard]] NodeId only_declarator(const SyntaxTree& tree, NodeId declaration);

/// `p[index]`.
struct IndexedUse {
  NodeId subscript = kNoNode;
  NodeId index = kNoNode;
};
/// What stands around `use` of the pointer `name`. nullopt: another form; the reason goes to
/// `refusal`.
[[nodiscard]] std::optional<IndexedUse> indexed_use(const SyntaxTree& tree, const std::string& name,
                                                    NodeId use, std::string& refusal);

}  // namespace warpmind::agents::builtin
