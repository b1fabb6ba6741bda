#pragma once
/// \file
/// Tier A: a cubin and its launch plan. Our own code launches; no candidate host code exists.

#include "profilers/worker/kernel_program.h"

#include <memory>

namespace warpmind::profilers {

[[nodiscard]] Result<std::unique_ptr<LoadedBinary>> load_cubin(const Program& program);

[[nodiscard]] Result<std::unique_ptr<BoundPlan>> bind_cubin(LoadedBinary& binary,
                                                            const Program& program,
                                                            const Addresses& addresses);

}  // namespace warpmind::profilers
