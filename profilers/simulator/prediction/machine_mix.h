#pragma once
/// \file
/// Carries what PTX did onto machine code: how often each loop of the code ran.

#include "base/enum_names.h"
#include "base/result.h"
#include "profilers/simulator/profile/launch_record.h"
#include "profilers/simulator/sass/cubin.h"
#include "profilers/simulator/sass/timeline.h"

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace warpmind::simulator {

/// One kernel's machine code, read.
struct MachineCode {
  int architecture = 0;
  int registers = 0;
  std::vector<SassInstruction> code;
  std::vector<Region> regions;

  [[nodiscard]] double count(const Region& region, SassClass kind) const;
};

/// Errors: not_found when the cubin lacks the kernel; those of decode_sass().
[[nodiscard]] Result<MachineCode> read_machine_code(const Cubin& cubin, std::string_view kernel);

/// Where the numbers of instructions come from.
enum class MixOrigin : std::uint8_t {
  sass,  ///< machine code, its loops matched to the PTX's counts
  ptx,   ///< PTX, each instruction at a usual number of machine instructions
};

/// Of the blocks that ran.
struct MachineMix {
  MixOrigin origin = MixOrigin::ptx;
  double instructions = 0;                      ///< by warps
  std::array<double, kSassClasses> by_class{};  ///< by warps
  double unknown_share = 0;                     ///< executed instructions that the table lacks
  std::vector<double> passes;                   ///< by region, summed over warps; empty for ptx

  [[nodiscard]] double class_instructions(SassClass kind) const {
    return by_class[static_cast<std::size_t>(kind)];
  }
};

/// From PTX alone.
[[nodiscard]] MachineMix mix_of_ptx(const LaunchRecord& launch);

/// Matches loops by what ptxas keeps: tensor, memory, barrier, MUFU and FP32 instructions. Falls
/// back on PTX when the code cannot explain the counts.
[[nodiscard]] MachineMix mix_of(const LaunchRecord& launch, const MachineCode& machine);

}  // namespace warpmind::simulator

namespace warpmind {
WARPMIND_ENUM_NAMES(simulator::MixOrigin, {simulator::MixOrigin::sass, "sass"},
                    {simulator::MixOrigin::ptx, "ptx"});
}  // namespace warpmind
