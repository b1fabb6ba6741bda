#pragma once
/// \file
/// Named features of a kernel's code and of its profile: readable, comparable across devices, the
/// input of the embedders and the signatures of insights.

#include "base/model/bottleneck.h"
#include "base/model/device.h"
#include "base/model/kernel.h"
#include "base/model/profile.h"
#include "base/model/verdict.h"

#include <cstddef>
#include <map>
#include <string>

namespace warpmind::knowledge_base {

inline constexpr std::size_t kMostFeatures = 64;

/// Structure of CUDA source: loop depth, memory spaces, barriers, intrinsics, launch shape, and the
/// most frequent n-grams of its syntax. Never identifiers. At most kMostFeatures.
[[nodiscard]] std::map<std::string, double> code_features(const Kernel& kernel);

/// Shares and ratios of the profile (of the kernel with the largest share of time), so that devices
/// compare: "dram_share", "stall.long_scoreboard", "bottleneck.memory_bandwidth", … At most
/// kMostFeatures. `device` may be default-constructed (unknown).
[[nodiscard]] std::map<std::string, double> profile_features(const Verdict& verdict,
                                                             const Bottleneck& bottleneck,
                                                             const DeviceSpec& device);

}  // namespace warpmind::knowledge_base
