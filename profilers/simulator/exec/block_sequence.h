#pragma once
/// \file
/// Which blocks of a grid a launch runs, and in which order.

#include "profilers/simulator/exec/launch.h"

#include <cstdint>

namespace warpmind::simulator {

/// All blocks, a sample spread over the grid, or all in an order that nobody can foresee.
class BlockSequence {
 public:
  BlockSequence(const LaunchRequest& request, const LaunchOptions& options);

  /// Blocks to run.
  [[nodiscard]] std::uint64_t size() const { return wanted_; }
  /// The `position`-th of them, x fastest.
  [[nodiscard]] std::uint64_t operator()(std::uint64_t position) const;

 private:
  [[nodiscard]] std::uint64_t sampled(std::uint64_t position) const;
  [[nodiscard]] std::uint64_t shuffled(std::uint64_t position) const;

  std::uint64_t seed_;
  bool reversed_;
  std::uint64_t blocks_;
  std::uint64_t depth_;  ///< blocks along z
  std::uint64_t wanted_;
  std::uint64_t stride_ = 1;  ///< sampled: one block of each so many
  std::uint64_t factor_ = 0;  ///< shuffled: prime to the number of columns; 0 = not shuffled
  std::uint64_t first_ = 0;   ///< shuffled
};

/// A number from `seed` and `position`, as good as random (SplitMix64).
[[nodiscard]] std::uint64_t mixed_bits(std::uint64_t seed, std::uint64_t position);

}  // namespace warpmind::simulator
