#include "daemon/handlers/episode_handlers.h"

#include "base/file.h"
#include "base/part.h"
#include "base/text.h"
#include "daemon/handlers/episode_figures.h"
#include "daemon/handlers/job_request.h"
#include "daemon/handlers/kb_arguments.h"
#include "daemon/handlers/stored_episodes.h"
#include "daemon/mcp/roofline_svg.h"
#include "daemon/protocol/editor_messages.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace warpmind::daemon {
namespace {

using knowledge_base::KnowledgeStore;
using protocol::EpisodeListParams;
using protocol::EpisodeListResult;
using protocol::ListedEpisode;

constexpr std::int64_t kDefaultEpisodes = 20;
constexpr std::int64_t kMostEpisodes = 200;
/// Jobs that are looked at for those of one file.
constexpr std::int64_t kMostJobs = 300;
/// Summaries in memory: 1 KiB each.
constexpr std::size_t kMostSummaries = 2048;

ListedEpisode listed(const Job& job) {
  ListedEpisode one;
  protocol::JobOutcome& outcome = one;
  outcome = outcome_of(job);
  one.directory = job.request.task.directory;
  one.provider = job.request.provider;
  one.submitted = job.submitted.value;
  if (!job.episode || job.episode->steps.empty()) {
    one.summary = job.error;
    return one;
  }
  const Episode& episode = *job.episode;
  const auto best = static_cast<std::size_t>(std::clamp<std::int64_t>(
      episode.best_step, 0, static_cast<std::int64_t>(episode.steps.size()) - 1));
  one.provider = episode.provider;
  one.episode_id = episode.id.str();
  if (episode.best_against_baseline) one.ratio = episode.best_against_baseline->ratio;
  one.technique = episode.steps[best].candidate.technique;
  return one;
}

void add_limit(const Job& job, const config::DeviceTable& devices, ListedEpisode& one) {
  const auto plot = mcp::roofline_plot(job, mcp::RooflineSteps::given_and_best, devices);
  // Not every limit is known, and one that a kernel beats was none.
  if (!plot || plot->points.back().share <= 0) return;
  one.limit_ns = plot->limit_ns;
  one.limited_by = plot->limited_by;
}

/// Does:      keep what a list says of each job that has ended with an episode. Reading one takes
///            its whole episode, and it stays as it is.
/// Threads:   all functions from any thread; who comes second waits, and finds what the first read.
class Summaries {
 public:
  /// `job` is as KnowledgeStore::recent_records() gives it.
  Result<ListedEpisode> summary_of_job(const KnowledgeStore& store, const Job& job) {
    const bool may_have_one = job.state == JobState::done || job.state == JobState::cancelled;
    if (!may_have_one) return listed(job);
    const std::scoped_lock lock(mutex_);
    const auto known = known_.find(job.id);
    // After a restore the id may be another job's.
    if (known != known_.end() && known->second.submitted == job.submitted.value)
      return known->second;
    WARPMIND_TRY(const auto whole, store.find_job(job.id));
    if (!whole || !whole->episode) return listed(job);
    ListedEpisode one = listed(*whole);
    add_limit(*whole, config::device_table(), one);
    if (known_.size() >= kMostSummaries) known_.erase(known_.begin());
    known_.insert_or_assign(job.id, one);
    return one;
  }

 private:
  std::mutex mutex_;
  std::map<JobId, ListedEpisode> known_;  // the oldest job first
};

/// Fills in the task whose kernel is the file, or why there is none.
Result<void> find_task(const std::filesystem::path& file, EpisodeListResult& result) {
  if (!file.is_absolute()) {
    return fail(Errc::invalid_argument,
                "'file' must be an absolute path, not " + quoted_name(file.string()));
  }
  const auto directory = file.parent_path().lexically_normal();
  std::error_code ec;
  if (!std::filesystem::exists(directory / "task.toml", ec)) {
    result.note = "no task.toml beside " + file.filename().string() +
                  "; docs/tasks.md says how to write one, and `warpmind optimize FILE.cu --run "
                  "COMMAND` takes a whole program without";
    return {};
  }
  const auto loaded = config::load_task(directory);
  if (!loaded) {
    result.note = loaded.error().message;
    return {};
  }
  const auto text = read_file(file, loaded->task.kernel.source.size() + 1);
  if (!text || *text != loaded->task.kernel.source) {
    result.note = "the kernel of " + (directory / "task.toml").string() + " is another file";
    return {};
  }
  result.directory = directory.string();
  result.task = loaded->task.name;
  return {};
}

Result<EpisodeListResult> list(const KnowledgeStore& store, Summaries& summaries,
                               const EpisodeListParams& params) {
  EpisodeListResult result;
  WARPMIND_TRY(const std::int64_t limit,
               within("limit", params.limit.value_or(kDefaultEpisodes), 1, kMostEpisodes));
  if (!params.file.empty()) {
    WARPMIND_CHECK(find_task(params.file, result));
    if (result.directory.empty()) return result;
  }
  WARPMIND_TRY(const auto jobs, store.recent_records(params.file.empty() ? limit : kMostJobs));
  for (const auto& job : jobs) {
    if (std::ssize(result.episodes) >= limit) break;
    if (!params.file.empty() && job.request.task.directory != result.directory) continue;
    WARPMIND_TRY(auto one, summaries.summary_of_job(store, job));
    result.episodes.push_back(std::move(one));
  }
  return result;
}

}  // namespace

Handler<EpisodeListParams, EpisodeListResult> episode_list(const KnowledgeStore& store) {
  return [&store, summaries = std::make_shared<Summaries>()](const EpisodeListParams& params,
                                                             RequestContext&) {
    return list(store, *summaries, params);
  };
}

namespace {

using protocol::EpisodeRooflineParams;
using protocol::EpisodeRooflineResult;

Result<EpisodeRooflineResult> roofline(const knowledge_base::KnowledgeStore& store,
                                       const EpisodeRooflineParams& params) {
  WARPMIND_TRY(const Job job, job_with_episode(store, params.id));
  const auto& table = config::device_table();
  WARPMIND_TRY(auto plot, mcp::roofline_plot(job, mcp::RooflineSteps::all, table));
  const auto& steps = job.episode->steps;
  const auto time_of = [&steps](const mcp::RooflinePoint& point) -> const Measurement& {
    return *steps[point.step].verdict.measurement;
  };
  const auto& measured = time_of(plot.points.front());
  EpisodeRooflineResult result;
  result.task = job.request.task.name;
  result.device = std::move(plot.device);
  result.workload = measured.workload;
  result.provider = measured.provider;
  result.peak = std::move(plot.peak);
  result.peak_gflops = plot.peak_gflops;
  result.bandwidth_gb_s = plot.bandwidth_gb_s;
  for (const auto& point : plot.points) {
    result.steps.push_back({part<drawing::RooflineReach>(point), steps[point.step].accepted,
                            time_of(point).median_ns});
  }
  return result;
}

}  // namespace

Handler<EpisodeRooflineParams, EpisodeRooflineResult> episode_roofline(
    const knowledge_base::KnowledgeStore& store) {
  return [&store](const EpisodeRooflineParams& params, RequestContext& /*context*/) {
    return roofline(store, params);
  };
}

}  // namespace warpmind::daemon
