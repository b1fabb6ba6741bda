#pragma once
/// \file
/// Operations of the launches that a program made: its record against the PTX in its file.

#include "base/result.h"
#include "profilers/flops/plan_count.h"
#include "profilers/launch_record/program_record.h"
#include "profilers/simulator/ptx/syntax.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// The PTX of every fat binary in an executable that a device of `capability` (90 for 9.0) can run.
/// Errors: not_found where there is none, with what to compile with; those of parse_ptx().
[[nodiscard]] Result<std::vector<simulator::ptx::Module>> ptx_of_program(
    std::span<const std::byte> file, int capability);

/// Walks one recorded launch; where a condition is not known, for its flops alone. Undecided also
/// where `modules` lack the kernel.
[[nodiscard]] LaunchCount count_recorded(const RecordedLaunch& launch,
                                         std::span<const simulator::ptx::Module> modules);

/// Launches that differ in nothing but where their buffers lie.
struct ProgramLaunch {
  std::size_t first = 0;  ///< position in ProgramRecord::launches
  std::uint64_t times = 0;
  bool operator==(const ProgramLaunch&) const = default;
};

/// In the order of their first launch.
[[nodiscard]] std::vector<ProgramLaunch> distinct_launches(const ProgramRecord& record);

}  // namespace warpmind::profilers
