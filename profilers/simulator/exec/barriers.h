#pragma once
/// \file
/// The sixteen barriers of a block.

#include "profilers/simulator/exec/warp.h"

#include <array>
#include <cstdint>

namespace warpmind::simulator {

/// Bars and lets go the warps of one block. bar.arrive counts without waiting; bar.red gives all
/// waiting threads the reduction of their predicates.
class Barriers {
 public:
  void reset() { arrived_.fill(0); }

  /// Takes note of the warp that stopped at its barrier. An arrive goes on at once.
  void arrive(Warp& warp);

  /// Opens every barrier whose threads are all there. True when one opened.
  bool open(BlockState& block);

 private:
  static constexpr std::size_t kCount = 16;
  void release(BlockState& block, std::uint32_t barrier);

  std::array<std::uint32_t, kCount> arrived_{};  ///< threads, by bar.arrive only
};

}  // namespace warpmind::simulator
