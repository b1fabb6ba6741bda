#pragma once
/// \file
/// Control flow: basic blocks, and where diverged lanes meet again.

#include "profilers/simulator/program/program.h"

#include <cstdint>
#include <vector>

namespace warpmind::simulator {

/// Fills `blocks`, `block_of` and the reconvergence of branches. Needs code, with flows, targets
/// and tables; the last instruction must not fall through. Jumps and everything that is not
/// Flow::next end a block; targets of branches and reads of a clock start one.
void analyse_control_flow(Program& program);

/// Blocks that can follow `block`; the number of blocks stands for the exit. Needs `blocks`.
[[nodiscard]] std::vector<std::uint32_t> block_successors(const Program& program,
                                                          std::uint32_t block);

/// For each block of a graph the block where all ways from it meet again; the number of blocks
/// stands for the exit, in the answer and in `successors`.
[[nodiscard]] std::vector<std::uint32_t> find_post_dominators(
    const std::vector<std::vector<std::uint32_t>>& successors);

}  // namespace warpmind::simulator
