#pragma once
/// \file
/// Values of %tid, %ctaid and the like.

#include "profilers/simulator/exec/warp.h"

#include <cstdint>

namespace warpmind::simulator {

/// Multiprocessors that %nsmid and %smid speak of when no device is simulated.
inline constexpr std::uint32_t kMultiprocessors = 132;

/// What `which` reads in lane `lane` of `warp`.
[[nodiscard]] std::uint64_t special_value(const Warp& warp, SpecialRegister which, int lane);

/// Whether lanes of a warp read different values; then the warp keeps them from block to block.
[[nodiscard]] bool differs_by_lane(SpecialRegister which);

}  // namespace warpmind::simulator
