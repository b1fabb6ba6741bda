#include "agents/first_advice.h"
#include "base/input_ranges.h"
#include "config/device_table.h"
#include "daemon/handlers/episode_figures.h"
#include "daemon/handlers/kb_handlers.h"
#include "daemon/handlers/stored_episodes.h"
#include "daemon/protocol/record_messages.h"
#include "knowledge_base/insights/insight_library.h"
#include "knowledge_base/insights/reflection.h"

#include <set>

namespace warpmind::daemon {
namespace {

using knowledge_base::InsightLibrary;
using knowledge_base::KnowledgeStore;
using protocol::EpisodeExplainParams;
using protocol::EpisodeExplainResult;
using protocol::ExplainedInsight;

Result<ExplainedInsight> explained(const InsightLibrary& library, const InsightId& id) {
  ExplainedInsight one;
  one.id = id.str();
  auto found = library.find(one.id);
  if (!found) {
    if (found.error().code == Errc::not_found) return one;
    return fail(std::move(found).error());
  }
  one.known = true;
  one.kind = found->kind;
  one.state = found->state;
  one.claim = std::move(found->claim);
  one.techniques = std::move(found->action.techniques);
  one.utility = found->utility;
  return one;
}

/// That the episode ran on, as far as the table knows it.
Result<DeviceSpec> device_of(const Episode& episode) {
  WARPMIND_TRY(const auto table, config::DeviceTable::load());
  for (const auto& step : episode.steps) {
    if (!step.verdict.measurement) continue;
    return table.match(step.verdict.measurement->device).value_or(DeviceSpec{});
  }
  return DeviceSpec{};
}

/// About the kernel that the step edited, or the given one.
Result<std::optional<FirstAdvice>> advice_at(const Job& job, std::size_t position) {
  const Episode& episode = *job.episode;
  const Bottleneck* const state =
      position == 0 ? state_of_given(episode) : &episode.steps[position].before;
  if (state == nullptr || job.request.task.name.empty()) return std::optional<FirstAdvice>();
  const std::size_t edited = position == 0 ? 0 : knowledge_base::edited_step(episode, position);
  WARPMIND_TRY(const DeviceSpec device, device_of(episode));
  const Advice nothing_measured;
  return std::optional(
      agents::advise_first({job.request.task, episode.steps[edited].candidate.kernel, *state,
                            nothing_measured, device}));
}

Result<EpisodeExplainResult> explain(const KnowledgeStore& store, const InsightLibrary& library,
                                     const EpisodeExplainParams& params) {
  WARPMIND_TRY(Job job, job_with_episode(store, params.id));
  const auto steps = std::ssize(job.episode->steps);
  if (params.step && (*params.step < 0 || *params.step >= steps)) {
    return fail(Errc::not_found, job.episode->id.str() + " has no step " +
                                     std::to_string(*params.step) + "; it has " +
                                     std::to_string(steps) + ", counted from 0");
  }
  EpisodeExplainResult result;
  result.job_id = job.id.str();
  result.state = job.state;
  result.budget = job.request.budget;
  result.step = params.step;
  result.inputs = describe_inputs(job.request.task);
  if (params.step) {
    WARPMIND_TRY(result.advice, advice_at(job, static_cast<std::size_t>(*params.step)));
  }
  std::set<InsightId> seen;
  for (const auto& step : job.episode->steps) {
    for (const auto& exposure : step.exposures) {
      if (!seen.insert(exposure.insight).second) continue;
      WARPMIND_TRY(auto one, explained(library, exposure.insight));
      result.insights.push_back(std::move(one));
    }
  }
  result.episode = std::move(*job.episode);
  return result;
}

}  // namespace

void add_explain_methods(Dispatcher& dispatcher, const KnowledgeAccess& access) {
  const auto& store = access.base.store();
  const auto& library = access.base.insights();
  dispatcher.add(protocol::kEpisodeExplain, Execution::pool,
                 [&store, &library](const EpisodeExplainParams& params, RequestContext&) {
                   return explain(store, library, params);
                 });
}

}  // namespace warpmind::daemon
