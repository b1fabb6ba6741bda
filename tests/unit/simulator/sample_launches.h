#pragma once
/// \file
/// Launch records written by hand, whole grids of blocks that all do the same.

#include "base/model/device.h"
#include "profilers/simulator/profile/launch_record.h"

#include <cstdint>
#include <string>

namespace warpmind::simulator {

/// A row of the built-in device table; fails the test when there is none.
[[nodiscard]] DeviceSpec device_of(const std::string& key);

/// `blocks` of 256 threads that all ran, without instructions.
[[nodiscard]] LaunchRecord make_launch(std::uint64_t blocks);

/// An instruction that each warp of `launch` runs `times` times with all lanes.
[[nodiscard]] InstructionRecord make_instruction(const LaunchRecord& launch, std::string opcode,
                                                 Pipe pipe, std::uint64_t times);

/// A global load or store of 4 bytes a lane with so many sectors a request.
[[nodiscard]] InstructionRecord make_global(const LaunchRecord& launch, bool is_store,
                                            std::uint64_t times, std::uint64_t sectors);

/// A shared load of 4 bytes a lane with so many passes a request.
[[nodiscard]] InstructionRecord make_shared(const LaunchRecord& launch, std::uint64_t times,
                                            std::uint64_t passes);

/// As `launch`, with every sector found nowhere but in DRAM.
[[nodiscard]] LaunchRecord make_cold_wave(const LaunchRecord& launch);

}  // namespace warpmind::simulator
