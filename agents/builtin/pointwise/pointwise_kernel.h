#pragma once
/// \file
/// A kernel that does the same for every element of a flat range, one by one: the shape that may be
/// vectorised, coarsened and fused.

#include "agents/builtin/scene.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// A use of memory behind a pointer parameter.
struct ParameterAccess {
  std::string parameter;
  NodeId node = kNoNode;  ///< the expression that stands for the element: `x[i]`, `__ldg(&x[i])`
  bool is_load = false;
  bool is_store = false;    ///< both for `+=`
  bool is_certain = false;  ///< on every path through the work of one element
};

struct ElementAccess : ParameterAccess {
  NodeId index = kNoNode;
  bool is_flat = false;  ///< its index is the element's number
};

/// `int i = flat; if (i < n) { work }`, `if (i >= n) return; work`, or
/// `for (int i = flat; i < n; i += all threads) { work }` as the last statement.
struct PointwiseKernel {
  const Function* function = nullptr;
  std::string index;       ///< name of the element's number
  std::string index_type;  ///< "int", without const
  NodeId first = kNoNode;  ///< value that the number starts with: the flat number of the thread
  NodeId declaration = kNoNode;  ///< statement that declares the number; the loop of that form
  NodeId guard = kNoNode;        ///< if_statement or for_statement
  NodeId bound = kNoNode;        ///< elements, the same for all threads
  NodeId update = kNoNode;       ///< of the loop
  bool is_loop = false;
  std::vector<NodeId> uniform;  ///< statements before the guard that do not depend on the number
  std::vector<NodeId> derived;  ///< declarations before the guard that do: part of the work
  std::vector<NodeId> work;     ///< statements
  std::vector<ElementAccess> accesses;  ///< in source order

  [[nodiscard]] bool accesses_only_flat(std::string_view parameter) const;
  [[nodiscard]] bool stores(std::string_view parameter) const;
};

struct PointwiseFinding {
  std::optional<PointwiseKernel> kernel;
  std::string refusal;  ///< one clause, when there is none
};

/// What launch `index` of the plan runs. Flat and equal are proven by values, at all
/// launches of the same function.
[[nodiscard]] PointwiseFinding find_pointwise(const Scene& scene, std::size_t index);

/// As find_pointwise(), of kernels whose threads have one element each: no loop.
[[nodiscard]] PointwiseFinding find_one_element(const Scene& scene, std::size_t index);

/// Only the head of find_pointwise(): which statements run for every element of a flat range, and
/// that each element is one thread's in all launches. What they do is the caller's to look at:
/// `accesses` is empty. `statements` are those of the function that the work consists of.
[[nodiscard]] PointwiseFinding find_elements(const Scene& scene, std::size_t index,
                                             const std::vector<NodeId>& statements);

/// The statements of one element as text, from `derived` on, with edits applied; each line starts
/// with `indent`.
[[nodiscard]] std::string work_text(const Scene& scene, const PointwiseKernel& kernel,
                                    const std::vector<TextEdit>& edits, const std::string& indent);

/// The bound in all launches, by workload; nullopt when it is not known in one.
[[nodiscard]] std::optional<std::map<std::string, std::int64_t>> bounds_of(
    const Scene& scene, std::size_t index, const PointwiseKernel& kernel);

}  // namespace warpmind::agents::builtin
