#pragma once
/// \file
/// How many blocks fit on a multiprocessor, by CUDA's own calculator (cuda_occupancy.h).

#include "base/model/device.h"
#include "profilers/simulator/exec/warp.h"
#include "profilers/simulator/program/program.h"

#include <cstddef>
#include <cstdint>

namespace warpmind::simulator {

/// A guess: PTX has virtual registers, and only ptxas knows how many become real. A quarter of the
/// 32-bit registers that the simulator lays out, between 32 and 128.
[[nodiscard]] int estimated_registers(const Program& program);

/// Blocks of `threads` threads that a multiprocessor holds; 0 when not even one fits.
[[nodiscard]] int active_blocks(const DeviceSpec& device, const Program& program, int threads,
                                std::size_t dynamic_shared);

/// At least 1.
[[nodiscard]] std::uint32_t resident_blocks(const DeviceSpec& device, const Program& program,
                                            const Dim3& block, std::uint32_t dynamic_shared);

/// Most dynamic shared memory of a block with which `blocks` blocks still fit.
[[nodiscard]] std::size_t available_dynamic_shared(const DeviceSpec& device, const Program& program,
                                                   int blocks, int threads);

}  // namespace warpmind::simulator
