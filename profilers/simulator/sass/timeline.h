#pragma once
/// \file
/// How long one warp alone takes for machine code, from the schedule that the compiler wrote.

#include "profilers/simulator/sass/sass_instruction.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpmind::simulator {

/// Cycles from issue until a scoreboard is released, by class; and what jumps and barriers add.
struct Latencies {
  Latencies();
  [[nodiscard]] double& result_cycles(SassClass kind) {
    return results[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] double result_cycles(SassClass kind) const {
    return results[static_cast<std::size_t>(kind)];
  }

  /// How long the class keeps the load/store units from the warp's next access; 0 = not at all.
  [[nodiscard]] double& occupancy(SassClass kind) {
    return occupancies[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] double occupancy(SassClass kind) const {
    return occupancies[static_cast<std::size_t>(kind)];
  }

  std::array<double, kSassClasses> results{};
  std::array<double, kSassClasses> occupancies{};
  double operand_read = 12;  ///< until a read barrier is released
  double branch = 9;         ///< a jump, and the fetch behind it
  double barrier = 20;       ///< BAR with all warps there
};

/// Code that runs as often as its loop turns: the loop's body without inner loops.
struct Region {
  std::uint32_t begin = 0;   ///< first instruction of the loop; of the kernel for regions[0]
  std::uint32_t end = 0;     ///< half-open: behind the jump back
  std::int32_t parent = -1;  ///< the region around it; -1 for regions[0]
  std::vector<std::uint32_t> instructions;  ///< indices, in order
};

/// regions[0] is the code outside loops; the others are loops, found by their jumps back, outer
/// ones first. Subroutines (what a CALL reaches, behind the kernel's last EXIT) are left out: they
/// are the slow paths of division and the like, which hardly ever run.
[[nodiscard]] std::vector<Region> find_regions(std::span<const SassInstruction> code);

/// Cycles of one pass over `code`. With `steady` the pass follows on passes before it, as in a
/// loop: what is still under way from the last one counts.
[[nodiscard]] double warp_cycles(std::span<const SassInstruction> code, const Latencies& latencies,
                                 bool steady);

}  // namespace warpmind::simulator
