#include "base/file.h"
#include "daemon/handlers/handlers.h"
#include "daemon/handlers/job_request.h"
#include "daemon/handlers/kb_arguments.h"
#include "daemon/protocol/editor_messages.h"

#include <algorithm>
#include <cstdint>
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

double time_of(const Step& step) {
  return step.verdict.measurement ? step.verdict.measurement->median_ns : 0;
}

ListedEpisode listed(const Job& job) {
  ListedEpisode one;
  one.job_id = job.id.str();
  one.state = job.state;
  one.task = job.request.task.name;
  one.directory = job.request.task.directory;
  one.provider = job.request.provider;
  one.submitted = job.submitted.value;
  one.summary = job.error;
  if (!job.episode || job.episode->steps.empty()) return one;
  const Episode& episode = *job.episode;
  const auto best = static_cast<std::size_t>(std::clamp<std::int64_t>(
      episode.best_step, 0, static_cast<std::int64_t>(episode.steps.size()) - 1));
  one.provider = episode.provider;
  one.episode_id = episode.id.str();
  one.outcome = name_of(episode.outcome);
  one.given_ns = time_of(episode.steps.front());
  one.best_ns = time_of(episode.steps[best]);
  if (const auto& given = episode.steps.front().verdict.measurement) {
    one.device = given->device.name;
  }
  if (episode.best_against_baseline) one.ratio = episode.best_against_baseline->ratio;
  one.technique = episode.steps[best].candidate.technique;
  one.summary = episode.summary;
  return one;
}

/// Fills in the task whose kernel is the file, or why there is none.
Result<void> find_task(const std::filesystem::path& file, EpisodeListResult& result) {
  if (!file.is_absolute()) {
    return fail(Errc::invalid_argument,
                "'file' must be an absolute path, not " + in_quotes(file.string()));
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

Result<EpisodeListResult> list(const KnowledgeStore& store, const EpisodeListParams& params) {
  EpisodeListResult result;
  WARPMIND_TRY(const std::int64_t limit,
               within("limit", params.limit.value_or(kDefaultEpisodes), 1, kMostEpisodes));
  if (!params.file.empty()) {
    WARPMIND_CHECK(find_task(params.file, result));
    if (result.directory.empty()) return result;
  }
  WARPMIND_TRY(const auto jobs, store.recent_jobs(params.file.empty() ? limit : kMostJobs));
  for (const auto& job : jobs) {
    if (std::ssize(result.episodes) >= limit) break;
    if (!params.file.empty() && job.request.task.directory != result.directory) continue;
    WARPMIND_TRY(const auto whole, store.find_job(job.id));
    if (whole) result.episodes.push_back(listed(*whole));
  }
  return result;
}

}  // namespace

Handler<EpisodeListParams, EpisodeListResult> episode_list(const KnowledgeStore& store) {
  return [&store](const EpisodeListParams& params, RequestContext&) { return list(store, params); };
}

}  // namespace warpmind::daemon
