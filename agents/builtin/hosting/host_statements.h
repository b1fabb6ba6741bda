#pragma once
/// \file
/// Calls and statements of host functions, as host edits look at them.

#include "agents/builtin/pointwise/pure_code.h"
#include "agents/builtin/syntax.h"

#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

/// The statement that is the call, or the call in a macro: `CHECK(cudaFree(p));`. kNoNode for one
/// whose value is used otherwise.
[[nodiscard]] NodeId statement_of_call(const SyntaxTree& tree, NodeId call);

/// Calls of that function below a node.
[[nodiscard]] std::vector<NodeId> calls_of(const SyntaxTree& tree, NodeId below,
                                           std::string_view callee);
[[nodiscard]] std::vector<NodeId> arguments_of(const SyntaxTree& tree, NodeId call);

/// A statement that only asks for errors or waits, perhaps in a macro.
[[nodiscard]] bool only_asks_or_waits(const SyntaxTree& tree, NodeId statement);

/// Whether the identifier stands in the declarator of a declaration.
[[nodiscard]] bool is_declared_at(const SyntaxTree& tree, NodeId identifier);

/// The call in whose arguments a node stands by itself, or behind `&` and casts; else kNoNode.
[[nodiscard]] NodeId call_with_argument(const SyntaxTree& tree, NodeId node);

/// "line 12".
[[nodiscard]] std::string line_of(const SyntaxTree& tree, NodeId node);

}  // namespace warpmind::agents::builtin
