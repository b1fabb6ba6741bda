#pragma once
/// \file
/// Between memory and the registers of a load or store: Instruction::list names them, one for each
/// element of a lane.

#include "profilers/simulator/memory/global_access.h"

#include <array>
#include <cstddef>

namespace warpmind::simulator {

/// 32 lanes of up to kMostLaneBytes, lane after lane without gaps.
struct alignas(64) LaneValues {
  std::array<std::byte, std::size_t{kMostLaneBytes} * kLanes> bytes;
};

/// Fills the registers of `active` from memory, extended by zeros or the sign.
void load_registers(Warp& warp, const Instruction& instruction, Mask active, const Pointers& from);
/// Zeros, for lanes whose load failed.
void clear_registers(Warp& warp, const Instruction& instruction, Mask lanes);

/// The values to store, lane after lane: in `storage`, or where the registers are.
[[nodiscard]] const std::byte* store_values(Warp& warp, const Instruction& instruction, Mask active,
                                            LaneValues& storage);

}  // namespace warpmind::simulator
