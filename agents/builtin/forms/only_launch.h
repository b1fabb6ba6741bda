#pragma once
/// \file
/// The launch that finders of rows ask for: one that runs the kernel, with blocks of one size.

#include "agents/builtin/loops/virtual_thread.h"
#include "agents/builtin/scene.h"

#include <array>
#include <string>

namespace warpmind::agents::builtin {

struct OnlyLaunch {
  std::size_t launch = 0;                          ///< in the plan
  BlockExtents block{1, 1, 1};                     ///< as given, at most 1024 threads
  std::array<std::string, 3> grid{"1", "1", "1"};  ///< as given, without block_x, block_y, block_z
};

/// Errors: not_found with a clause.
[[nodiscard]] Result<OnlyLaunch> only_launch(const Scene& scene, const Function& function);

/// Rows of a grid whose blocks have `rows_a_block`, in the language of plans.
[[nodiscard]] std::string rows_of_grid(std::int64_t rows_a_block,
                                       const std::array<std::string, 3>& grid);

/// Why the text of the kernel does not say where its threads stand, or empty: it is written around
/// a skill, or a macro reads positions.
[[nodiscard]] std::string obstacle_to_positions(const SyntaxTree& tree, const Function& function);

}  // namespace warpmind::agents::builtin
