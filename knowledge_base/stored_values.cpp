#include "knowledge_base/stored_values.h"

#include "base/part.h"
#include "knowledge_base/graph/edge_reader.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/recall.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/remembered_kernel.h"

namespace warpmind::knowledge_base {

Result<std::string> StoredValues::required(Family family, const std::string& key,
                                           const std::string& what) const {
  WARPMIND_TRY(auto bytes, get(family, key));
  if (!bytes) return fail(Errc::corrupt_data, what + " is missing in the base");
  return std::move(*bytes);
}

Result<Step> StoredValues::step(std::int64_t episode, std::size_t position) const {
  const std::string what =
      "step " + std::to_string(position) + " of episode " + std::to_string(episode);
  WARPMIND_TRY(const auto bytes, required(Family::steps, step_key(episode, position), what));
  WARPMIND_TRY(auto stored, decode_step(bytes));
  WARPMIND_TRY(const auto kernel, required(Family::kernels, kernel_key(stored.kernel),
                                           "kernel " + stored.kernel.str() + " of " + what));
  WARPMIND_TRY(stored.step.candidate.kernel, decode_kernel(kernel));
  if (stored.measured) {
    WARPMIND_TRY(const auto measurement,
                 required(Family::measurements, measurement_key(episode, position),
                          "the measurement of " + what));
    WARPMIND_TRY(stored.step.verdict.measurement, decode_measurement(measurement));
  }
  return std::move(stored.step);
}

Result<std::optional<Draft>> StoredValues::draft(std::int64_t number) const {
  WARPMIND_TRY(const auto bytes, get(Family::jobs, draft_key(number)));
  if (!bytes) return std::optional<Draft>();
  WARPMIND_TRY(auto draft, decode_draft(*bytes));
  return std::optional<Draft>(std::move(draft));
}

Result<std::vector<Exchange>> StoredValues::exchanges(std::int64_t episode,
                                                      std::size_t position) const {
  WARPMIND_TRY(const auto bytes, get(Family::transcripts, transcript_key(episode, position)));
  if (!bytes) return std::vector<Exchange>();
  return decode_transcript(*bytes);
}

Result<std::optional<Episode>> StoredValues::episode(std::int64_t number) const {
  WARPMIND_TRY(const auto bytes, get(Family::episodes, episode_key(number)));
  if (!bytes) return std::optional<Episode>();
  WARPMIND_TRY(auto stored, decode_episode(*bytes));
  for (std::int64_t i = 0; i < stored.referenced_steps; ++i) {
    WARPMIND_TRY(auto found, step(number, static_cast<std::size_t>(i)));
    stored.episode.steps.push_back(std::move(found));
  }
  return std::optional<Episode>(std::move(stored.episode));
}

Result<Job> StoredValues::joined(StoredJob stored) const {
  if (stored.episode) {
    const auto number = number_of(*stored.episode);
    if (!number) {
      return fail(Errc::corrupt_data, "job " + stored.job.id.str() + " refers to the episode '" +
                                          stored.episode->str() + "', which is no episode id");
    }
    WARPMIND_TRY(stored.job.episode, episode(*number));
  }
  return std::move(stored.job);
}

Result<std::optional<Job>> StoredValues::job(std::int64_t number) const {
  WARPMIND_TRY(const auto bytes, get(Family::jobs, job_key(number)));
  if (!bytes) return std::optional<Job>();
  WARPMIND_TRY(auto stored, decode_job(*bytes));
  WARPMIND_TRY(auto found, joined(std::move(stored)));
  return std::optional<Job>(std::move(found));
}

Result<std::vector<Job>> StoredValues::unfinished_jobs() const {
  std::vector<Job> jobs;
  const Database::Range range{Family::jobs, unfinished_job_prefix(), ScanOrder::ascending,
                              snapshot_.get()};
  WARPMIND_CHECK(
      database_.scan(range, [this, &jobs](std::string_view key, std::string_view) -> Result<bool> {
        const auto number = number_in_key(key);
        if (!number) return fail(Errc::corrupt_data, "a key of unfinished jobs is damaged");
        WARPMIND_TRY(auto found, job(*number));
        if (!found) {
          return fail(Errc::corrupt_data,
                      "unfinished job " + job_id(*number).str() + " is missing in the base");
        }
        jobs.push_back(std::move(*found));
        return true;
      }));
  return jobs;
}

/// The newest `limit` jobs as they are stored.
Result<std::vector<StoredJob>> StoredValues::newest(std::int64_t limit) const {
  std::vector<StoredJob> jobs;
  if (limit <= 0) return jobs;
  const Database::Range range{Family::jobs, job_prefix(), ScanOrder::descending, snapshot_.get()};
  WARPMIND_CHECK(database_.scan(
      range, [&jobs, limit](std::string_view, std::string_view value) -> Result<bool> {
        WARPMIND_TRY(auto stored, decode_job(value));
        jobs.push_back(std::move(stored));
        return static_cast<std::int64_t>(jobs.size()) < limit;
      }));
  return jobs;
}

Result<std::vector<Job>> StoredValues::recent_jobs(std::int64_t limit) const {
  WARPMIND_TRY(auto stored, newest(limit));
  std::vector<Job> jobs;
  for (auto& one : stored) {
    WARPMIND_TRY(auto found, joined(std::move(one)));
    jobs.push_back(std::move(found));
  }
  return jobs;
}

Result<std::vector<Job>> StoredValues::recent_records(std::int64_t limit) const {
  WARPMIND_TRY(auto stored, newest(limit));
  std::vector<Job> jobs;
  jobs.reserve(stored.size());
  for (auto& one : stored) jobs.push_back(std::move(one.job));
  return jobs;
}

Result<std::optional<RememberedKernel>> StoredValues::remembered(const RecallQuery& query) const {
  std::vector<BestKernel> known;
  const Database::Range range{Family::tasks, best_kernel_prefix(query.task.id, query.provider),
                              ScanOrder::ascending, snapshot_.get()};
  WARPMIND_CHECK(
      database_.scan(range, [&known](std::string_view, std::string_view value) -> Result<bool> {
        WARPMIND_TRY(auto best, decode_best_kernel(value));
        known.push_back(std::move(best));
        return true;
      }));
  auto best = choose(known, query.device);
  if (!best) return std::optional<RememberedKernel>();
  WARPMIND_TRY(const auto bytes, required(Family::kernels, kernel_key(best->kernel),
                                          "remembered kernel " + best->kernel.str()));
  RememberedKernel found;
  WARPMIND_TRY(found.kernel, decode_kernel(bytes));
  part<KernelGain>(found) = std::move(part<KernelGain>(*best));
  return std::optional<RememberedKernel>(std::move(found));
}

Result<Advice> StoredValues::advice(const RecallQuery& query) const {
  const auto lookup = [this](const PosteriorKey& key) -> Result<PosteriorCounts> {
    WARPMIND_TRY(const auto bytes, get(Family::posteriors, posterior_key(key)));
    if (!bytes) return PosteriorCounts{};
    return decode_posterior(*bytes);
  };
  EdgeReader edges(database_, snapshot_.get());
  TransitionSource transitions;
  transitions.counts = [&edges](const EdgeKey& key) { return edges.counts(key); };
  if (query.insights) {
    WARPMIND_TRY(transitions.cluster, edges.cluster_of(query.bottleneck, query.insights->profile));
  }
  Advice advice;
  WARPMIND_TRY(advice.techniques, rank_techniques(query, lookup, transitions));
  WARPMIND_TRY(advice.moves, advise_moves(query, lookup));
  WARPMIND_TRY(advice.remembered, remembered(query));
  WARPMIND_TRY(const auto seen,
               get(Family::tasks, episode_count_key(query.task.id, query.provider)));
  if (seen) {
    WARPMIND_TRY(advice.episodes_seen, decode_number(*seen));
  }
  return advice;
}

Result<StoreState> StoredValues::state() const {
  WARPMIND_TRY(const auto bytes, required(Family::meta, state_key(), "the record of counters"));
  return decode_state(bytes);
}

}  // namespace warpmind::knowledge_base
