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
constexpr std::int64_t kAligned = 32;

/// A parameter that the given kernel does not have: "wm_threads_x", and what launches give it.
struct AddedSize {
  std::string name;
  std::string plan;
};

/// A dimension of the grid that the kernel takes apart by `%` and `/` with a size that may not
/// divide it: the last outputs of the slower axis are then beyond the grid.
struct SplitDimension {
  std::size_t dimension = 0;
  std::string threads;  ///< name of its size
  std::string divisor;
};

struct IndependentOutputs {
  std::size_t launch = 0;  ///< in the plan
  const Function* function = nullptr;
  std::shared_ptr<const KernelBody> body;
  std::shared_ptr<const std::vector<SceneLaunch>> launches;  ///< timed ones first, largest first
  std::size_t timed = 0;                                     ///< of them, how many are
  OutputAxes outputs;
  std::vector<AddedSize> added;
  /// Where not all numbers of outputs are known, every thread of the grid counts as one.
  std::vector<SplitDimension> split;
  /// `for (i = thread; i < n; i += all threads)` around everything. `launches` then have as many
  /// blocks as make each thread run it once; kNoNode: there is none.
  NodeId stride_loop = kNoNode;
  /// Positions in OutputAxes::axes: first the one along which stores lie side by side.
  std::vector<std::size_t> order;
  std::vector<std::int64_t> steps;  ///< elements from one output to the next along each of `order`
  /// Elements between a place in memory that is a multiple of kAligned elements and the first
  /// output of every row along the first of `order`; 0: rows begin anywhere.
  std::int64_t lead = 0;
  NodeId store = kNoNode;  ///< of the output in the middle of the first launch
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
