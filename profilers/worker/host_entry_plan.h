#pragma once
/// \file
/// Tier B: `extern "C" int NAME(<args in declared order>, cudaStream_t)` of a shared object,
/// called through libffi. The object shares this process and its primary context.

#include "profilers/worker/kernel_program.h"

#include <memory>

namespace warpmind::profilers {

[[nodiscard]] Result<std::unique_ptr<LoadedBinary>> load_shared_object(const Program& program);

[[nodiscard]] Result<std::unique_ptr<BoundPlan>> bind_host_entry(LoadedBinary& binary,
                                                                 const Program& program,
                                                                 const Addresses& addresses);

}  // namespace warpmind::profilers
