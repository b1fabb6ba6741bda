#pragma once
/// \file
/// What a prompt is made of: an episode's state as the values of slots. Numbers and words that come
/// from tools, memory or models are data, never instructions (config/prompt_template.h).

#include "agents/proposer.h"
#include "base/model/technique.h"
#include "config/prompt_template.h"

#include <cstddef>
#include <string>
#include <vector>

namespace warpmind::agents::writing {

inline constexpr std::size_t kSummaryTokens = 200;          ///< of an earlier step
inline constexpr std::size_t kSummaries = 12;               ///< the newest; older ones are counted
inline constexpr std::size_t kReferenceBytes = 32UL << 10;  ///< of the reference
inline constexpr std::size_t kCards = 64;                   ///< of techniques

/// Slots of task.md: equal for every request of an episode.
[[nodiscard]] config::SlotValues task_slots(const Task& task, const DeviceSpec& device,
                                            const std::vector<Technique>& cards);

/// Slots of step.md but `feedback` and `wanted`.
[[nodiscard]] config::SlotValues kernel_slots(const ProposalContext& context);

/// Slots of feedback_performance.md: gradient of the newest step, summaries of all.
[[nodiscard]] config::SlotValues performance_slots(const ProposalContext& context);

/// Slots of feedback_correctness.md: summaries of what failed.
[[nodiscard]] config::SlotValues correctness_slots(const ProposalContext& context);

/// One step in at most kSummaryTokens; without words of a model but its one-line rationale.
[[nodiscard]] std::string summary_of(const Step& step);

/// Of an edit, for a person: "block_size (block_x=512)".
[[nodiscard]] std::string name_of_edit(const std::string& technique, const std::string& parameters);

}  // namespace warpmind::agents::writing
