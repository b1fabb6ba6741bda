#pragma once
/// \file
/// Insights in an episode: the question to the base, and what an answer means for a move.

#include "agents/proposer.h"
#include "knowledge_base/retrieval/query.h"

#include <cstdint>
#include <optional>
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

/// What the shown insights say about one move.
struct InsightPull {
  double log_gain = 0;  ///< weighted mean over the insights that speak about it
  double weight = 0;    ///< in measurements
  /// Of a measured insight about this very move, parameters included, in this very scope: it
  /// outranks what is known of the technique with other parameters.
  std::optional<double> exact_log_gain = {};
  bool operator==(const InsightPull&) const = default;
};

/// `previous` is the technique that made the incumbent, empty for the given kernel.
[[nodiscard]] InsightPull pull_of(const Move& move, const std::vector<RetrievedInsight>& insights,
                                  const std::string& previous);

[[nodiscard]] std::vector<Exposure> exposures_of(const std::vector<RetrievedInsight>& insights);

/// "insights: i-3fa… confirmed: vector_width at …"; one line for progress.
[[nodiscard]] std::string describe_insights(const Advice& advice);

}  // namespace warpmind::agents
