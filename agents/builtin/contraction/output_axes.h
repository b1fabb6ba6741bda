#pragma once
/// \file
/// Which integers of a kernel number its outputs: the digits that threads take their coordinates
/// apart into, found by probing every launch.

#include "agents/builtin/contraction/uniform_expressions.h"
#include "agents/builtin/probe/kernel_prober.h"

namespace warpmind::agents::builtin {

/// Coordinates of a thread in the whole grid.
using Coordinates = std::array<std::int64_t, 3>;

/// How block and thread numbers make coordinates: coordinate d is
/// `blockIdx[blocks[d]] * blockDim[d] + threadIdx[d]`.
struct GridMapping {
  std::array<std::size_t, 3> blocks{0, 1, 2};

  [[nodiscard]] ThreadPosition position(const SceneLaunch& launch, const Coordinates& at) const;
  [[nodiscard]] std::int64_t extent(const SceneLaunch& launch, std::size_t dimension) const;
};

struct OutputAxis {
  std::size_t dimension = 0;
  std::string variable;               ///< a local of the kernel that has this digit as its value
  std::string extent;                 ///< uniform expression
  std::vector<std::int64_t> extents;  ///< one a launch
  /// Set where the grid alone knows the extent: it has so many blocks along that dimension, of one
  /// thread there. `extent` is then the name of a parameter that the kernel does not have yet.
  std::optional<std::size_t> grid_dimension = {};

  /// Two neighbouring axes may be the remainder and the quotient of one variable by the extent of
  /// the first: the place in a group and the group, or a phase and the outputs of that phase.
  enum class Part { whole, remainder, quotient };
  Part part = Part::whole;
  std::string whole_extent = {};                 ///< of a quotient: of the variable
  std::vector<std::int64_t> whole_extents = {};  ///< one a launch
};

/// Name of the parameter for that dimension of the grid.
[[nodiscard]] std::string grid_parameter(std::size_t dimension);

/// The extent in the language of launch plans, for launch `launch` of the plan; nullopt when it
/// cannot be said there.
[[nodiscard]] std::optional<std::string> plan_extent(const Scene& scene, std::size_t launch,
                                                     const UniformExpressions& expressions,
                                                     const OutputAxis& axis);

/// Axes by dimension, the fastest digit of each first.
struct OutputAxes {
  GridMapping mapping;
  std::vector<OutputAxis> axes;

  /// The thread that computes the output with these digits.
  [[nodiscard]] Coordinates coordinates(const std::vector<std::int64_t>& digits,
                                        std::size_t launch) const;

  /// Makes `axis` a remainder by `divisor`, a uniform expression with these values, and puts its
  /// quotient behind it. Where the extent is no multiple, the last outputs of some remainders do
  /// not exist.
  void split(std::size_t axis, const std::string& divisor,
             const std::vector<std::int64_t>& divisors);
};

/// Digits that every thread which gets to `place` has, and none but these. Errors: not_found with a
/// clause that says why they cannot be told.
[[nodiscard]] Result<OutputAxes> find_output_axes(const std::vector<KernelProber>& probers,
                                                  const UniformExpressions& expressions,
                                                  NodeId place);

}  // namespace warpmind::agents::builtin
