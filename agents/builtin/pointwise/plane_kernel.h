#pragma once
/// \file
/// A kernel that does the same for every point of a plane: one index from x, one from y, a guard.

#include "agents/builtin/pointwise/pointwise_kernel.h"
#include "agents/builtin/scene.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// `int column = blockIdx.x * blockDim.x + threadIdx.x;`, in whichever way it is written.
struct PlaneIndex {
  std::string name;
  std::string type;  ///< without const
  NodeId declaration = kNoNode;
  NodeId value = kNoNode;
};

struct PlaneAccess : ParameterAccess {
  bool is_direct = false;     ///< its index depends on nothing that the work computes
  std::int64_t stride_x = 0;  ///< elements from one point to the next in x, at the largest launch
  std::int64_t stride_y = 0;
};

struct PlaneKernel {
  const Function* function = nullptr;
  PlaneIndex x;
  PlaneIndex y;
  NodeId guard = kNoNode;    ///< if_statement; it bounds both indices
  std::string condition;     ///< that a point exists
  std::vector<NodeId> work;  ///< statements of one point, not empty
  std::vector<PlaneAccess> accesses;

  [[nodiscard]] bool loads(std::string_view parameter) const;
};

struct PlaneFinding {
  std::optional<PlaneKernel> kernel;
  std::string refusal;
};

/// What launch `index` of the plan runs; proven by values at all launches of its function.
[[nodiscard]] PlaneFinding find_plane(const Scene& scene, std::size_t index);

/// Grid along `axis` for blocks of `side` points that cover at least what `launch` covers.
[[nodiscard]] std::string grid_of_tiles(const Launch& launch, std::size_t axis, std::int64_t side);

}  // namespace warpmind::agents::builtin
