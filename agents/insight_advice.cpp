#include "agents/insight_advice.h"

#include "base/hash.h"
#include "base/sequence.h"
#include "knowledge_base/retrieval/features.h"

#include <algorithm>
#include <cmath>

namespace warpmind::agents {
knowledge_base::InsightQuery situation_of(const ProposalContext& context, const Verdict& verdict,
                                          const DeviceIdentity& device) {
  const Task& task = context.task;
  knowledge_base::InsightQuery query;
  query.text = task.operator_family + " " + task.name + " " + task.description + " " +
               std::string(name_of(context.bottleneck.primary)) + " " +
               context.bottleneck.explanation;
  query.profile = knowledge_base::profile_features(verdict, context.bottleneck, context.device);
  query.code = knowledge_base::code_features(context.kernel);
  query.operator_family = task.operator_family;
  for (const auto& argument : task.arguments) {
    if (!contains(query.dtypes, argument.dtype)) {
      query.dtypes.push_back(argument.dtype);
    }
  }
  query.bottlenecks.push_back(context.bottleneck.primary);
  query.bottlenecks.insert(query.bottlenecks.end(), context.bottleneck.secondary.begin(),
                           context.bottleneck.secondary.end());
  query.capability = device.compute_major * 10 + device.compute_minor;
  query.device = device.name;
  auto& contracts = query.contracts.emplace();
  if (task.contract.tf32_allowed) contracts.emplace_back("tf32");
  const bool sums = task.contract.tolerance == ToleranceClass::reduction ||
                    task.contract.tolerance == ToleranceClass::contraction;
  if (sums) contracts.emplace_back("reassociation");
  // Sums in 16 bits leave room for operands and intermediates in 16 bits.
  const bool half_sums = unit_roundoff(task.contract.accumulate) > unit_roundoff(Dtype::f32);
  if (half_sums && task.contract.tolerance != ToleranceClass::exact) {
    contracts.emplace_back("lower_precision");
  }
  return query;
}

std::uint64_t seed_of(const EpisodeId& episode, std::int64_t step) {
  const Digest digest = sha256(hash_input({episode.str(), std::to_string(step)}));
  return std::max<std::uint64_t>(warpmind::seed_of(digest), 1);
}

std::vector<Exposure> exposures_of(const std::vector<RetrievedInsight>& insights) {
  std::vector<Exposure> exposures;
  exposures.reserve(insights.size());
  for (const auto& insight : insights) {
    exposures.push_back({insight.id, insight.propensity, insight.shown});
  }
  return exposures;
}

std::string describe_insights(const Advice& advice) {
  std::string text;
  for (const auto& insight : advice.insights) {
    if (!insight.shown) continue;
    text += (text.empty() ? "insights: " : "; ") + insight.id.str() + " (" +
            std::string(name_of(insight.state)) + ") " + insight.claim;
  }
  return text.empty() ? "insights: " + advice.insights_note : text;
}

}  // namespace warpmind::agents
