#pragma once
/// \file
/// A finished episode as the slots of critique.md.

#include "base/model/advice.h"
#include "base/model/episode.h"
#include "config/prompt_template.h"

#include <cstddef>
#include <vector>

namespace warpmind::agents::writing {

inline constexpr std::size_t kDigestSteps = 64;  ///< the newest; older ones are counted

[[nodiscard]] config::SlotValues critique_slots(const Task& task, const Episode& episode,
                                                const std::vector<RetrievedInsight>& insights);

}  // namespace warpmind::agents::writing
