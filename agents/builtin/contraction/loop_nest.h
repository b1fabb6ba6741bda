#pragma once
/// \file
/// The loops in which a thread sums products: what a contraction looks like in a kernel with one
/// thread an output.

#include "agents/builtin/syntax.h"

#include <array>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// A statement before the sum, or a condition that the sum needs.
struct NestItem {
  NodeId node = kNoNode;
  bool is_guard = false;
  bool wanted = true;  ///< of a guard: the value at which the term counts
};

struct NestLevel {
  NodeId loop = kNoNode;
  std::string variable;
  std::string type;          ///< of the variable
  NodeId initial = kNoNode;  ///< its first value
  NodeId bound = kNoNode;
  bool inclusive = false;       ///< `<=`
  NodeId step = kNoNode;        ///< kNoNode: 1
  std::vector<NestItem> items;  ///< before the next level or the sum
};

/// One factor: an element of a buffer, converted, perhaps behind conditions of its own.
struct NestOperand {
  NodeId access = kNoNode;       ///< subscript, dereference, or a pointer to the element
  bool is_pointer = false;       ///< the last of these
  std::vector<NestItem> guards;  ///< of `c ? x[i] : 0`
};

struct LoopNest {
  NodeId top = kNoNode;  ///< outermost loop of the sum
  std::string sum;       ///< the variable
  std::string sum_type;
  std::vector<NodeId> prologue;  ///< statements before the top loop, in order
  std::vector<NestLevel> levels;
  std::array<NestOperand, 2> operands;
};

/// Errors: not_found with a clause that names what is missing or in the way.
[[nodiscard]] Result<LoopNest> find_loop_nest(const CudaSource& source, const Function& function);

/// The base type of the elements behind `access`: "__half", or empty. Looks through local pointers.
[[nodiscard]] std::string element_type_of(const CudaSource& source, const Function& function,
                                          NodeId access);

}  // namespace warpmind::agents::builtin
