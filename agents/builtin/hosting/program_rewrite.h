#pragma once
/// \file
/// Better kernels written back into the program that they were recorded from.

#include "agents/builtin/hosting/program_parts.h"

#include <vector>

namespace warpmind::agents::builtin {

struct RewriteOptions {
  bool assume_shapes = false;  ///< neither guard nor given launches
};

/// Launches of the parts become calls of `wm_launch_PART`, which stand at the end of the file with
/// the rewritten kernels; everything else keeps its bytes. A part that cannot be written is refused
/// with one clause. Errors: not_found for a part that there is not.
[[nodiscard]] Result<RewrittenProgram> rewrite_program(const CudaSource& program,
                                                       const profilers::ProgramRecord& record,
                                                       const LiftedProgram& lifted,
                                                       const std::vector<PartKernel>& kernels,
                                                       const RewriteOptions& options);

}  // namespace warpmind::agents::builtin
