#pragma once
/// \file
/// Insights in an episode: the question to the base, and what of the answer was shown. They speak
/// to those who read: models, agents and people. Moves are put in order by measurements alone,
/// which count once (move_scoring.h).

#include "agents/proposer.h"
#include "knowledge_base/retrieval/query.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::agents {

/// How an episode uses memory.
struct MemoryUse {
  bool insights = true;   ///< false: statistics of techniques only
  double withhold = 0.1;  ///< probability that a step does not see one retrieved insight
};

/// The kernel at hand, its state and the device, as a question.
[[nodiscard]] knowledge_base::InsightQuery situation_of(const ProposalContext& context,
                                                        const Verdict& verdict,
                                                        const DeviceIdentity& device);

/// Seed of the random choices of one step: a function of episode and step, so that an episode can
/// be repeated, and never 0.
[[nodiscard]] std::uint64_t seed_of(const EpisodeId& episode, std::int64_t step);

[[nodiscard]] std::vector<Exposure> exposures_of(const std::vector<RetrievedInsight>& insights);

/// "insights: i-3fa… confirmed: vector_width at …"; one line for progress.
[[nodiscard]] std::string describe_insights(const Advice& advice);

}  // namespace warpmind::agents
