#pragma once
/// \file
/// Operations of a kernel's text, by loop: what one thread does in one pass.

#include "base/result.h"
#include "profilers/flops/operation.h"
#include "profilers/simulator/ptx/syntax.h"
#include "profilers/simulator/sass/cubin.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// A loop without the loops in it; regions[0] is what lies outside loops.
struct StaticRegion {
  std::int32_t parent = -1;  ///< -1 for regions[0]
  int first_line = 0;        ///< of the source; 0 = unknown (machine code has none here)
  int last_line = 0;
  OperationCounts counts;  ///< of one thread and one pass, guards taken as true
};

enum class CountSource : std::uint8_t { ptx, sass };

struct StaticKernel {
  std::string kernel;
  CountSource source = CountSource::ptx;
  std::vector<StaticRegion> regions;
  /// What the counts do not show: subroutines, instructions that the table lacks.
  std::vector<std::string> notes;
};

/// "fma.rn.f32".
[[nodiscard]] std::string opcode_of(const simulator::ptx::Statement& statement);

/// One statement of PTX for one lane.
[[nodiscard]] OperationShare share_of_statement(const simulator::ptx::Statement& statement);

/// A function of a module; loops are its jumps back.
[[nodiscard]] StaticKernel count_ptx(const simulator::ptx::Function& function);

/// Machine code: what the compiler made of divisions, roots and constants. Slow paths behind CALL
/// are left out, and said so. Errors: those of decode_sass().
[[nodiscard]] Result<StaticKernel> count_sass(const simulator::CubinKernel& kernel,
                                              int architecture);

/// One machine instruction of 128 bits for one lane; `low`, `high`: its words.
[[nodiscard]] OperationShare share_of_sass(std::uint64_t low, std::uint64_t high, int architecture);

}  // namespace warpmind::profilers

namespace warpmind {
WARPMIND_ENUM_NAMES(profilers::CountSource, {profilers::CountSource::ptx, "ptx"},
                    {profilers::CountSource::sass, "sass"});
}  // namespace warpmind
