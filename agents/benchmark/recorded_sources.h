#pragma once
/// \file
/// The kernels behind the ids of a recording: the table keeps moves, not sources.

#include "agents/benchmark/evaluation_table.h"
#include "agents/proposer.h"

#include <map>

namespace warpmind::agents::benchmark {

/// Follows the recorded moves from the given kernel. A kernel that this build's proposer writes
/// differently is left out, and so is what was made from it.
[[nodiscard]] std::map<KernelId, Kernel> recorded_sources(const TaskRecording& recording,
                                                          Proposer& proposer,
                                                          const DeviceSpec& device);

}  // namespace warpmind::agents::benchmark
