#pragma once
/// \file
/// Code of which one run says nothing about another: what may be moved, repeated for other elements
/// and mixed with other code of its kind.

#include "agents/builtin/syntax.h"

#include <optional>
#include <set>
#include <string>

namespace warpmind::agents::builtin {

/// What makes `node` more than arithmetic on memory and local variables, as a clause ("it calls
/// 'f', which is not known"), or empty. Barriers, atomics, shuffles, `return`, shared or static
/// variables, thread numbers and unknown calls count; functions of the file are looked into. Calls
/// and returns in `understood` are what the caller knows about; what they hold is looked at.
[[nodiscard]] std::string obstacle_in(const CudaSource& source, NodeId node,
                                      const std::set<NodeId>& understood = {});

/// Bytes of an arithmetic or 16-bit floating type by its CUDA name; nullopt when not known.
[[nodiscard]] std::optional<std::int64_t> type_bytes(std::string_view type);

/// Whether `node` or something below writes a variable called `name`, or takes its address.
[[nodiscard]] bool writes_variable(const SyntaxTree& tree, NodeId node, std::string_view name);

/// Whether a variable called `name` is declared below `node`, parameters of lambdas included.
[[nodiscard]] bool declares(const SyntaxTree& tree, NodeId node, std::string_view name);

/// A name that stands nowhere in the source: `wish`, or `wm_` and `wish`, with a number if need be.
[[nodiscard]] std::string unused_name(const SyntaxTree& tree, const std::string& wish);

/// The statement with its line, when nothing else stands there.
[[nodiscard]] Range whole_line(const SyntaxTree& tree, NodeId statement);

}  // namespace warpmind::agents::builtin
