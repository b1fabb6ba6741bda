#pragma once
/// \file
/// The code of a kernel that attends, as the problem of its normal form.

#include "agents/builtin/forms/attention_kernel.h"
#include "agents/builtin/scene.h"

#include <array>
#include <string>

namespace warpmind::agents::builtin {

/// What is known about the launches of an attention kernel.
struct AttentionGrid {
  std::array<std::uint32_t, 3> block{1, 1, 1};
  /// Axes of the grid, the one along which queries share their keys first.
  std::array<std::size_t, 3> order{0, 1, 2};
  bool is_per_thread = false;  ///< each thread has a query, not each block
};

/// Name of the problem's parameter for the blocks along that axis of the grid.
[[nodiscard]] std::string grid_name(std::size_t axis);

/// Type of the elements of queries, keys and values.
struct AttentionTypes {
  std::string element;
  std::string output;
};

/// Errors: not_found with one clause that says what stands in the way.
[[nodiscard]] Result<AttentionTypes> attention_types(const KernelBody& body,
                                                     const AttentionKernel& kernel);

/// Axes of the grid that decide where a query's keys lie, other than by data.
[[nodiscard]] std::array<bool, 3> axes_of_keys(const KernelBody& body,
                                               const AttentionKernel& kernel);

/// Whether what a query sees depends on its number in the group alone.
[[nodiscard]] bool groups_see_alike(const KernelBody& body, const AttentionKernel& kernel,
                                    const AttentionGrid& grid);

/// Whether rows of keys and of values lie evenly spaced.
[[nodiscard]] bool has_even_rows(const KernelBody& body, const AttentionKernel& kernel);

/// `struct wm_problem_<kernel> { … };`. Errors: not_found with one clause that says what stands in
/// the way.
[[nodiscard]] Result<std::string> attention_problem(const KernelBody& body,
                                                    const AttentionKernel& kernel,
                                                    const AttentionGrid& grid,
                                                    const AttentionTypes& types);

}  // namespace warpmind::agents::builtin
