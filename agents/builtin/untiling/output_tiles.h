#pragma once
/// \file
/// A kernel whose threads compute a rectangle of outputs each, in an array of their own, written
/// with one output a thread on a wider grid; and one whose blocks are a row of threads for a
/// rectangle of outputs, with blocks of that shape. What comes out is a proposal: it has to be
/// compared with the given kernel (untiling/same_blocks.h).

#include "agents/builtin/scene.h"

#include <array>
#include <string>

namespace warpmind::agents::builtin {

/// The blocks of one launch in place of each given one: across, along columns, and down, along
/// rows.
struct FinerGrid {
  std::array<std::int64_t, 2> block{1, 1};      ///< threads of the new one
  std::array<std::int64_t, 2> blocks{1, 1};     ///< of them, for a given one
  std::array<std::size_t, 2> dimensions{0, 1};  ///< of the given grid
};

struct SingleOutputs {
  std::string source;
  std::string array;  ///< that held a thread's outputs; empty: a thread had one
  FinerGrid grid;
};

/// `kernel` of `source`, which reads no shared memory, with one output a thread. Errors: not_found
/// with one clause that says what stands in the way.
[[nodiscard]] Result<SingleOutputs> with_single_outputs(const std::string& source,
                                                        const std::string& kernel,
                                                        const SceneLaunch& launch);

/// The launch on that grid.
[[nodiscard]] SceneLaunch on_finer_grid(const SceneLaunch& launch, const FinerGrid& grid);
/// The launch of the plan; `block` are the threads of the given one.
[[nodiscard]] Launch on_finer_grid(Launch launch, const std::array<std::uint32_t, 3>& block,
                                   const FinerGrid& grid);

}  // namespace warpmind::agents::builtin
