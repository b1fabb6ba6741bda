#include "agents/insight_advice.h"

#include "base/hash.h"
#include "base/sequence.h"
#include "knowledge_base/retrieval/features.h"

#include <algorithm>
#include <cmath>

namespace warpmind::agents {
namespace {

/// How many measurements an insight is worth. Its own measurements already count in the statistics
/// of the technique; what it adds is where they hold, with which parameters, and what others claim.
double weight_of(InsightState state) {
  switch (state) {
    case InsightState::confirmed: return 1.0;
    case InsightState::probation: return 0.5;
    case InsightState::contested: return 0.1;
    case InsightState::proposed: return 0.25;
    default: return 0;
  }
}

/// Parameters that it names make it speak softer for others.
double parameter_fit(const RetrievedInsight& insight, const Move& move) {
  if (insight.action.parameters.empty() || move.parameters.empty()) return 1.0;
  return insight.action.parameters == move.parameters ? 1.0 : 0.25;
}

/// The gain of following the claim; for a negative one that means leaving it.
double gain_of(const RetrievedInsight& insight) {
  return insight.kind == InsightKind::negative ? -std::abs(insight.utility.mean)
                                               : insight.utility.mean;
}

/// Measured with these very parameters where the situation is alike: shrunk by one measurement,
/// not by the three that techniques at large deserve.
std::optional<double> exact_gain(const RetrievedInsight& insight, const Move& move) {
  const auto seen = static_cast<double>(insight.utility.observations);
  const bool alone = insight.action.techniques.size() == 1;
  if (seen < 1 || !alone || move.parameters.empty()) return std::nullopt;
  if (insight.action.parameters != move.parameters) return std::nullopt;
  constexpr double kShrunkBy = 3;
  return gain_of(insight) * (seen + kShrunkBy) / (seen + 1);
}

/// Whether the move is what the insight advises next.
bool speaks_of(const RetrievedInsight& insight, const Move& move, const std::string& previous) {
  const auto& order = insight.action.techniques;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != move.technique) continue;
    if (i == 0 ? insight.kind != InsightKind::composite || previous.empty()
               : order[i - 1] == previous) {
      return true;
    }
  }
  return false;
}

}  // namespace

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

InsightPull pull_of(const Move& move, const std::vector<RetrievedInsight>& insights,
                    const std::string& previous) {
  InsightPull pull;
  for (const auto& insight : insights) {
    if (!insight.shown || insight.kind == InsightKind::precondition) continue;
    if (!speaks_of(insight, move, previous)) continue;
    const double weight = weight_of(insight.state) * parameter_fit(insight, move);
    if (weight <= 0) continue;
    const double gain = gain_of(insight);
    pull.log_gain = (pull.log_gain * pull.weight + gain * weight) / (pull.weight + weight);
    pull.weight += weight;
    if (const auto exact = exact_gain(insight, move)) {
      pull.exact_log_gain = std::max(*exact, pull.exact_log_gain.value_or(*exact));
    }
  }
  return pull;
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
