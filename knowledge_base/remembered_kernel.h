#pragma once
/// \file
/// The best confirmed kernel of a task: which one an episode offers, which one stays.

#include "base/model/advice.h"
#include "base/model/episode.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// One a task, provider and device model. The kernel itself is in the kernels family.
struct BestKernel : KernelGain {
  KernelId kernel;
  KernelId baseline;  ///< what `speedup` is over
  Provider provider = Provider::gpu;
  std::string architecture;  ///< "sm_90"
  double median_ns = 0;      ///< 0 = not measured
  std::string workload;
  std::string harness;
  bool operator==(const BestKernel&) const = default;
};

/// What an episode offers to remember.
struct BestOffer {
  BestKernel best;
  KernelId started_from;  ///< the remembered kernel on the way to it; empty without one
};

/// The best kernel of `episode`, if a direct comparison with the baseline confirmed it. Nothing
/// from held-out tasks. `kernels` are the ids of its steps' kernels, in order.
[[nodiscard]] std::optional<BestOffer> best_offer(const Episode& episode,
                                                  const std::vector<KernelId>& kernels);

/// Content ids of the kernels of all steps: hashing is the dear part, so it is done once.
[[nodiscard]] std::vector<KernelId> kernel_ids(const Episode& episode);

/// When the offer started from a kernel that `known` holds, the techniques behind that one come
/// first.
[[nodiscard]] BestKernel with_inherited_techniques(BestOffer offer,
                                                   const std::vector<BestKernel>& known);

/// True when `next` takes the place of `old` (same task, provider and device): a larger speedup
/// over the same baseline; else a lower time where times can be compared; else being newer.
[[nodiscard]] bool replaces(const BestKernel& next, const BestKernel& old);

/// The one to start from on `device`: the same device model before the same compute capability;
/// nothing for other devices.
[[nodiscard]] std::optional<BestKernel> choose(const std::vector<BestKernel>& known,
                                               const DeviceIdentity& device);

}  // namespace warpmind::knowledge_base
