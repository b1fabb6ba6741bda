#pragma once
/// \file
/// A thread of the kernel as it was given, when another number of real threads does its work.

#include "agents/builtin/loops/kernel_body.h"
#include "base/model/kernel.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

using BlockExtents = std::array<std::uint32_t, 3>;

/// What is true of a launch before and after.
struct Regrouping {
  BlockExtents given_block{1, 1, 1};
  /// Given threads that one block of the new launch does; divides the given block's threads.
  std::int64_t threads_a_block = 1;

  [[nodiscard]] std::int64_t given_threads() const {
    return std::int64_t{given_block[0]} * given_block[1] * given_block[2];
  }
  /// New blocks for each given one.
  [[nodiscard]] std::int64_t factor() const { return given_threads() / threads_a_block; }
};

/// Edits that make the body read `wm_thread_x`, `wm_block_x` and constants in place of the built-in
/// variables, and their declarations, which need an unsigned `wm_group`: which given thread along x
/// this is, counted over the blocks of one row of the grid.
struct VirtualThread {
  std::vector<TextEdit> edits;
  std::string declarations;  ///< lines, each with two spaces in front
};
[[nodiscard]] VirtualThread virtual_thread(const KernelBody& body, const Regrouping& regrouping);

/// The launch with new blocks: grid x grows by the factor, `block_*` in the grid become numbers.
[[nodiscard]] Launch regrouped_launch(const Launch& given, const Regrouping& regrouping,
                                      const BlockExtents& block);

/// Removes `__launch_bounds__(…)` in front of the name, if it is there.
void drop_launch_bounds(const KernelBody& body, std::vector<TextEdit>& edits);

}  // namespace warpmind::agents::builtin
