#pragma once
/// \file
/// Statements that take one more value into a variable: `v += e`, `v = fmaxf(v, e)`, `if (e > v) v
/// = e;`.

#include "agents/builtin/loops/parallel_loop.h"

#include <optional>

namespace warpmind::agents::builtin {

/// How one write takes a value into a variable: the operation and the value.
struct TakenIn {
  Combining how = Combining::sum;
  NodeId value = kNoNode;  ///< kNoNode: `++v`
  NodeId whole = kNoNode;  ///< node in which the variable may be named
};

/// nullopt: the write does something else.
[[nodiscard]] std::optional<TakenIn> taken_in(const KernelBody& body, const Write& write);
/// Number of times that a right form names the variable: more would carry it into the value.
[[nodiscard]] std::size_t expected_uses(const KernelBody& body, const TakenIn& taken);

[[nodiscard]] bool names_variable(const KernelBody& body, NodeId expression, const Local& variable);
/// `e` of `v + e`, `e + v`; kNoNode when neither side is the variable.
[[nodiscard]] NodeId other_side(const KernelBody& body, NodeId binary, const Local& variable);

}  // namespace warpmind::agents::builtin
