#pragma once
/// \file
/// Operations of a kernel's text, by loop: what one thread does in one pass.

#include "base/model/operation_count.h"
#include "base/result.h"
#include "profilers/flops/operation.h"
#include "profilers/simulator/ptx/syntax.h"
#include "profilers/simulator/sass/cubin.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::profilers {

struct StaticRegion : LoopPlace {
  OperationCounts counts;  ///< of one thread and one pass, guards taken as true
};

using StaticKernel = KernelCount<StaticRegion>;

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
