#pragma once
/// \file
/// The memory: jobs, episodes, and what they taught. RocksDB is the truth (docs/storage.md).

#include "base/model/advice.h"
#include "base/model/draft.h"
#include "base/model/episode.h"
#include "base/model/job.h"
#include "base/result.h"
#include "knowledge_base/retrieval/query.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::knowledge_base {

/// What recall() is asked. The references must outlive the call.
struct RecallQuery {
  const Task& task;
  BottleneckClass bottleneck = BottleneckClass::unknown;
  const DeviceIdentity& device;
  Provider provider = Provider::gpu;
  /// Techniques that the proposers at hand can apply; only these are ranked.
  const std::vector<std::string>& techniques;
  std::string previous_technique =
      {};                    ///< that made the kernel at hand; empty = it is the given one
  std::string toolkit = {};  ///< nvcc release of now, "13.0"; empty = unknown
  /// The situation to find insights for; absent = none are wanted.
  std::optional<InsightQuery> insights = {};
  /// Techniques with the very parameters that could be tried next: Advice.moves.
  std::vector<std::pair<std::string, std::string>> moves = {};
};

/// Durable store of jobs and episodes, and the statistics derived from them.
///
/// Durable:  when a writing function returns a value, its change survives kill -9 and power loss;
///           a change is wholly there or wholly absent.
/// Threads:  every function may be called from any thread at the same time.
class KnowledgeStore {
 public:
  virtual ~KnowledgeStore() = default;

  /// Accepts a job: assigns the id, state queued. Errors: unavailable when the disk is nearly full
  /// or the base is degraded.
  [[nodiscard]] virtual Result<Job> add_job(const JobRequest& request, UnixMillis now) = 0;
  /// Replaces state, attempts, error of an existing job. Errors: not_found; conflict when a newer
  /// lease was given, or when it has ended with an episode; as add_job().
  [[nodiscard]] virtual Result<void> update_job(const Job& job) = 0;
  /// With episode and receipt joined in when the job has them.
  [[nodiscard]] virtual Result<std::optional<Job>> find_job(const JobId& id) const = 0;
  /// Queued and running jobs, oldest first.
  [[nodiscard]] virtual Result<std::vector<Job>> unfinished_jobs() const = 0;
  /// Newest first, at most `limit`.
  [[nodiscard]] virtual Result<std::vector<Job>> recent_jobs(std::int64_t limit) const = 0;
  /// The same without their episodes, which take a hundred times as long to read.
  [[nodiscard]] virtual Result<std::vector<Job>> recent_records(std::int64_t limit) const = 0;

  /// Writes a finished episode back and ends its job (state done or cancelled as given), in ONE
  /// batch: episode, steps, kernels, measurements, posteriors, log, job. Held-out tasks teach
  /// nothing: only job and episode are kept. Errors: conflict if the episode exists; as add_job().
  [[nodiscard]] virtual Result<WriteBackReceipt> commit(const Episode& episode, const Job& job) = 0;
  /// Keeps the episode so far of an unfinished job, durably, and what the job has cost with it; the
  /// next draft takes its place, the end of the job removes it. Errors: not_found; conflict when
  /// the job has ended or a newer lease of it was given; as add_job().
  [[nodiscard]] virtual Result<void> save_draft(const Draft& draft) = 0;
  [[nodiscard]] virtual Result<std::optional<Draft>> find_draft(const EpisodeId& id) const = 0;
  /// Without the traffic of language models.
  [[nodiscard]] virtual Result<std::optional<Episode>> find_episode(const EpisodeId& id) const = 0;
  /// That traffic: of one step, or of the critique at the position after the last step. Empty when
  /// there was none, and for held-out episodes.
  [[nodiscard]] virtual Result<std::vector<Exchange>> find_exchanges(
      const EpisodeId& id, std::size_t position) const = 0;

  /// Ranked techniques and the best remembered kernel, from one snapshot.
  [[nodiscard]] virtual Result<Advice> recall(const RecallQuery& query) const = 0;

  [[nodiscard]] virtual Result<StoreStatistics> statistics() const = 0;
};

}  // namespace warpmind::knowledge_base
