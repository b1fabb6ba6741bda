#pragma once
/// \file
/// Registers that are never needed at the same time share a slot: PTX names thousands, and a warp's
/// registers should stay in the first-level cache.

#include "profilers/simulator/program/program.h"

#include <cstdint>
#include <vector>

namespace warpmind::simulator {

/// Registers of one instruction, as numbers in ptx::Function::registers. What an instruction may
/// leave as it was (guarded writes) counts as read, too.
struct InstructionUses {
  std::vector<std::uint32_t> reads;
  std::vector<std::uint32_t> writes;
};
using RegisterUses = std::vector<InstructionUses>;  ///< beside Program::code

struct RegisterPacking {
  std::vector<Slot> slots;  ///< by number; kNoSlot = no instruction names it
  std::uint32_t bytes = 0;  ///< a multiple of 64
};

/// Two registers share a slot only when they have the same size, so that lanes keep apart: lanes
/// write nothing but their own part, and for each of them only one of the two is alive, wherever
/// the others are. An instruction never writes over what it reads.
/// `program` needs its code and blocks.
[[nodiscard]] RegisterPacking pack_registers(const Program& program, const RegisterUses& uses,
                                             const std::vector<ptx::Register>& registers);

}  // namespace warpmind::simulator
