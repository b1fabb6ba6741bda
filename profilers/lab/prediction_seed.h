#pragma once
/// \file
/// The inputs on which the simulator's times are predicted.

#include "base/model/task.h"

#include <cstdint>
#include <filesystem>

namespace warpmind::profilers {

/// Where the machine's secret lies, for a cache of built kernels in `cache`: beside it, because
/// what lies in it may go at any time.
[[nodiscard]] std::filesystem::path prediction_secret_file(const std::filesystem::path& cache);

/// The same for every kernel of a task and at every start, so that kernels are compared on the same
/// data and a night that is killed ends as one that is not; drawn from a secret of this machine
/// (`file`, mode 0600, made when it is not there), so that no candidate knows the data. 0 = the
/// secret can be neither read nor written: draw anew each time.
[[nodiscard]] std::uint64_t prediction_seed(const std::filesystem::path& file, const Task& task,
                                            const Workload& workload);

}  // namespace warpmind::profilers
