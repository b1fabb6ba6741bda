#pragma once
/// \file
/// Launches whose threads each compute outputs of their own: no thread waits for another one or
/// reads what another one writes. Found by syntax and by probing all launches.

#include "agents/builtin/contraction/output_axes.h"
#include "agents/builtin/loops/kernel_body.h"

#include <memory>

namespace warpmind::agents::builtin {

/// Axes that a problem has under coordinates of their own; the last coordinate takes all the rest.
constexpr std::size_t kNamedAxes = 3;

struct IndependentOutputs {
  std::size_t launch = 0;  ///< in the plan
  const Function* function = nullptr;
  std::shared_ptr<const KernelBody> body;
  std::shared_ptr<const std::vector<SceneLaunch>> launches;  ///< timed ones first, largest first
  std::size_t timed = 0;                                     ///< of them, how many are
  OutputAxes outputs;
  /// No numbers of outputs are known: every thread of the grid counts as one, and extents are
  /// parameters that the kernel does not have yet.
  bool is_whole_grid = false;
  /// `for (i = thread; i < n; i += all threads)` around everything. `launches` then have as many
  /// blocks as make each thread run it once; kNoNode: there is none.
  NodeId stride_loop = kNoNode;
  /// Positions in OutputAxes::axes: first the one along which stores lie side by side.
  std::vector<std::size_t> order;
  std::vector<std::int64_t> steps;  ///< elements from one output to the next along each of `order`
  NodeId store = kNoNode;           ///< of the output in the middle of the first launch
  /// Extent along each of `order`, in the language of launch plans.
  std::vector<std::string> plan_extents;

  /// Extent of coordinate `c` (0 … kNamedAxes) at one launch.
  [[nodiscard]] std::int64_t extent(std::size_t coordinate, std::size_t at) const;
  /// The axes of a coordinate, the fastest first.
  [[nodiscard]] std::vector<std::size_t> axes_of(std::size_t coordinate) const;
  /// The thread of the output in the middle, moved by `moved` along each of `order`.
  [[nodiscard]] ThreadPosition middle(std::size_t at,
                                      const std::vector<std::int64_t>& moved = {}) const;
  /// Whether the kernel's pointer `parameter` may be promised to have its buffer for itself, as far
  /// as writing goes.
  [[nodiscard]] bool is_unaliased(const Parameter& parameter) const;
};

/// Of `blockIdx.y * blockDim.x + threadIdx.x` the dimension whose coordinate it is, casts aside.
[[nodiscard]] std::optional<std::size_t> coordinate_of(const SyntaxTree& tree, NodeId expression,
                                                       const GridMapping& mapping,
                                                       const SceneLaunch& launch);

/// Errors: not_found with one clause that says what stands in the way.
[[nodiscard]] Result<IndependentOutputs> find_independent_outputs(const Scene& scene,
                                                                  std::size_t launch);

}  // namespace warpmind::agents::builtin
