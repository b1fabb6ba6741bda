#include "daemon/handlers/analysis_handlers.h"

#include "base/file.h"
#include "base/model/verdict_reading.h"
#include "config/device_table.h"
#include "config/task_validator.h"
#include "daemon/handlers/job_request.h"
#include "daemon/handlers/kb_arguments.h"
#include "daemon/handlers/stored_episodes.h"
#include "daemon/protocol/analysis_messages.h"
#include "knowledge_base/insights/reflection.h"

#include <chrono>
#include <optional>
#include <utility>

namespace warpmind::daemon {
namespace {

using protocol::KernelAnalyzeParams;

constexpr std::size_t kFileBytes = std::size_t{4} * 1024 * 1024;
constexpr std::int64_t kDefaultInsights = 3;
constexpr std::int64_t kMostInsightsAKernel = 10;

/// The task of a folder, with the text at hand as its kernel; or one that knows the text alone.
Result<Task> task_at_hand(const KernelAnalyzeParams& params) {
  if (params.directory.empty() && params.path.empty() && params.source.empty()) {
    return fail(Errc::invalid_argument,
                "one of 'directory', 'path' and 'source' must be given: what is to be looked at?");
  }
  Task task;
  if (!params.directory.empty()) {
    WARPMIND_TRY(auto loaded, load_named_task(params.directory));
    task = std::move(loaded.task);
  }
  if (!params.source.empty()) {
    task.kernel.source = params.source;
  } else if (!params.path.empty()) {
    WARPMIND_TRY(const auto file, readable_path("path", params.path));
    WARPMIND_TRY(task.kernel.source, read_file(file, kFileBytes));
  }
  if (params.plan) {
    if (params.directory.empty()) {
      return fail(Errc::invalid_argument,
                  "'plan' needs 'directory': a task says what its launches work on");
    }
    task.kernel.plan = *params.plan;
    WARPMIND_CHECK(config::validate_kernel(task.kernel, task));
  }
  return task;
}

Result<DeviceSpec> device_for(const std::string& wanted, const config::Settings& settings) {
  const std::string& key = wanted.empty() ? settings.lab.target : wanted;
  return config::device_table().need(key);
}

}  // namespace

void add_analysis_methods(Dispatcher& dispatcher, const AnalysisAccess& access) {
  dispatcher.add(protocol::kKernelAnalyze, Execution::guest,
                 [access](const KernelAnalyzeParams& params,
                          RequestContext& context) -> Result<KernelAnalysis> {
                   using Clock = std::chrono::steady_clock;
                   const auto started = Clock::now();
                   if (access.analyst == nullptr) {
                     return fail(Errc::unavailable, "this daemon does not look at source");
                   }
                   WARPMIND_TRY(const auto insights,
                                within("insights", params.insights.value_or(kDefaultInsights), 0,
                                       kMostInsightsAKernel));
                   WARPMIND_TRY(const Task task, task_at_hand(params));
                   WARPMIND_TRY(const DeviceSpec device,
                                device_for(params.device, access.settings));
                   const agents::AnalysisOrder order{task, device, params.predict, insights};
                   WARPMIND_TRY(auto analysis, access.analyst->analyze(order, context.stop));
                   analysis.seconds = std::chrono::duration<double>(Clock::now() - started).count();
                   return analysis;
                 });
  using protocol::LibraryBaselineParams;
  using protocol::LibraryBaselineResult;
  dispatcher.add(protocol::kLibraryBaseline, Execution::guest,
                 [access](const LibraryBaselineParams& params,
                          RequestContext& context) -> Result<LibraryBaselineResult> {
                   if (access.analyst == nullptr) {
                     return fail(Errc::unavailable, "this daemon does not measure");
                   }
                   WARPMIND_TRY(const auto loaded, load_named_task(params.directory));
                   WARPMIND_TRY(auto verdict, access.analyst->time_library(
                                                  loaded.task, params.again, context.stop));
                   return LibraryBaselineResult{loaded.task.name, std::move(verdict)};
                 });
  dispatcher.add(protocol::kEpisodeProfile, Execution::guest, episode_profile(access));
}

namespace {

using protocol::EpisodeProfileParams;
using protocol::EpisodeProfileResult;

struct ProfiledStep {
  Verdict verdict;
  bool made_now = false;
};

/// Of the static tier there is one for every kernel that builds; it says nothing of time.
bool has_times(const Verdict& verdict) {
  return verdict.profile && verdict.profile->tier != ProfileTier::t0;
}

double baseline_error(const Episode& episode) {
  const auto& correctness = episode.steps.front().verdict.correctness;
  return correctness ? correctness->baseline_error : 0;
}

Result<std::size_t> position_of(const Episode& episode, std::int64_t step) {
  for (std::size_t at = 0; at < episode.steps.size(); ++at) {
    if (episode.steps[at].index == step) return at;
  }
  return fail(Errc::not_found, episode.id.str() + " has no step " + std::to_string(step) +
                                   "; it has " + std::to_string(episode.steps.size()) +
                                   ", counted from 0");
}

/// What the episode stored, or what the lab says now.
Result<ProfiledStep> profiled(const AnalysisAccess& access, const Job& job, std::size_t position,
                              const std::stop_token& stop) {
  const Step& step = job.episode->steps[position];
  if (has_times(step.verdict)) return ProfiledStep{step.verdict, false};
  const std::string name = "step " + std::to_string(step.index);
  if (is_failure(step.verdict.outcome)) {
    return fail(Errc::conflict, name + " was judged " + std::string(name_of(step.verdict.outcome)) +
                                    ": it was never timed, and there is no profile of it");
  }
  if (access.analyst == nullptr) {
    return fail(Errc::unavailable, "this daemon does not look at source");
  }
  if (job.request.task.name.empty()) {
    return fail(Errc::conflict, "the base holds " + job.episode->id.str() +
                                    " without its task, and " + name + " was stored unprofiled");
  }
  JobRequest request = job.request;
  request.provider = job.episode->provider;
  request.effort = Effort::quick;  // only its times are wanted
  WARPMIND_TRY(auto verdict, access.analyst->judge_alone(request, step.candidate.kernel,
                                                         baseline_error(*job.episode), stop));
  return ProfiledStep{std::move(verdict), true};
}

/// Where the GPU sampled no lines, those that the simulator counts. What it cannot do is no error:
/// the profile is whole without.
void add_counted_lines(const AnalysisAccess& access, const Job& job, const Step& step,
                       const std::stop_token& stop, Profile& profile) {
  if (!profile.lines.empty() || job.episode->provider != Provider::gpu) return;
  if (access.analyst == nullptr || job.request.task.name.empty()) return;
  JobRequest request = job.request;
  request.provider = Provider::sim;
  request.device.clear();
  request.effort = Effort::quick;
  auto counted = access.analyst->judge_alone(request, step.candidate.kernel,
                                             baseline_error(*job.episode), stop);
  if (!counted || !counted->profile) return;
  profile.lines = std::move(counted->profile->lines);
  if (!profile.note.empty()) profile.note += "; ";
  profile.note += "lines are counted by the simulator";
}

/// Null for the given kernel, unless the caller names a step.
Result<std::optional<std::size_t>> counterpart(const Episode& episode, std::size_t position,
                                               const EpisodeProfileParams& params) {
  if (params.against) {
    WARPMIND_TRY(const auto against, position_of(episode, *params.against));
    return std::optional(against);
  }
  if (position == 0) return std::optional<std::size_t>();
  const std::int64_t edited = episode.steps[position].edited;
  const bool known = edited >= 0 && edited < static_cast<std::int64_t>(position);
  return std::optional(known ? static_cast<std::size_t>(edited)
                             : knowledge_base::edited_step(episode, position));
}

Result<EpisodeProfileResult> profile(const AnalysisAccess& access,
                                     const EpisodeProfileParams& params,
                                     const std::stop_token& stop) {
  WARPMIND_TRY(const Job job, job_with_episode(access.store, params.id));
  const Episode& episode = *job.episode;
  WARPMIND_TRY(const auto position, position_of(episode, params.step.value_or(episode.best_step)));
  WARPMIND_TRY(const auto against, counterpart(episode, position, params));
  WARPMIND_TRY(auto step, profiled(access, job, position, stop));
  EpisodeProfileResult result;
  result.job_id = job.id.str();
  result.step = episode.steps[position].index;
  result.provider = episode.provider;
  result.made_now = step.made_now;
  result.measurement = std::move(step.verdict.measurement);
  result.findings = std::move(step.verdict.findings);
  if (!has_times(step.verdict)) result.note = "no profile could be made: " + step.verdict.reason;
  if (step.verdict.profile) result.profile = std::move(*step.verdict.profile);
  add_counted_lines(access, job, episode.steps[position], stop, result.profile);
  std::optional<Profile> before;
  if (against) {
    result.against = episode.steps[*against].index;
    auto other = profiled(access, job, *against, stop);
    if (!other) {
      result.note =
          "not held against step " + std::to_string(*result.against) + ": " + other.error().message;
    } else {
      before = std::move(other->verdict.profile);
      if (before) add_counted_lines(access, job, episode.steps[*against], stop, *before);
    }
  }
  result.launches = launch_changes(before ? &*before : nullptr, result.profile);
  return result;
}

}  // namespace

Handler<EpisodeProfileParams, EpisodeProfileResult> episode_profile(const AnalysisAccess& access) {
  return [access](const EpisodeProfileParams& params, RequestContext& context) {
    return profile(access, params, context.stop);
  };
}

}  // namespace warpmind::daemon
