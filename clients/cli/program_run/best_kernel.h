#pragma once
/// \file
/// The step of an episode whose kernel can be part of a larger file.

#include "base/model/episode.h"

#include <string>
#include <vector>

namespace warpmind::clients {

/// The best step whose kernel needs no build flags, since those would change the whole file;
/// nullptr when no such step is better than the baseline.
[[nodiscard]] const Step* best_without_flags(const Episode& episode);

/// "fuse_pointwise max_chain=2" and so on, from the given kernel to the step.
[[nodiscard]] std::vector<std::string> changes_up_to(const Episode& episode, const Step& step);

}  // namespace warpmind::clients
