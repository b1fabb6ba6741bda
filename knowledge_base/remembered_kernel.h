#pragma once
/// \file
/// The best confirmed kernel of a task: which one an episode offers, which one stays.

#include "base/model/episode.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// One a task, provider and device model. The kernel itself is in the kernels family.
struct BestKernel {
  KernelId kernel;
  KernelId baseline;  ///< what `speedup` is over
  EpisodeId episode;
  Provider provider = Provider::gpu;
  std::string device;        ///< "NVIDIA H200"
  std::string architecture;  ///< "sm_90"
  double speedup = 1;
  std::vector<std::string> techniques;  ///< in the order applied
  double median_ns = 0;                 ///< 0 = not measured
  std::string workload;
  std::string harness;
  bool operator==(const BestKernel&) const = default;
};

/// What `episode` offers: its best kernel, if a direct comparison with the baseline confirmed it.
/// Nothing from held-out tasks.
[[nodiscard]] std::optional<BestKernel> best_kernel_of(const Episode& episode);

/// When the episode started from a kernel that `known` holds, the techniques behind that one come
/// first.
void inherit_techniques(BestKernel& next, const Episode& episode,
                        const std::vector<BestKernel>& known);

/// True when `next` takes the place of `old` (same task, provider and device): a larger speedup
/// over the same baseline; else a lower time where times can be compared; else being newer.
[[nodiscard]] bool replaces(const BestKernel& next, const BestKernel& old);

/// The one to start from on `device`: the same device model before the same compute capability;
/// nothing for other devices.
[[nodiscard]] std::optional<BestKernel> choose(const std::vector<BestKernel>& known,
                                               const DeviceIdentity& device);

}  // namespace warpmind::knowledge_base
