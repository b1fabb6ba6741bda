#include "tests/fakes/memory_knowledge_store.h"

#include "base/part.h"
#include "knowledge_base/column_families.h"
#include "knowledge_base/evidence.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/lease_fence.h"
#include "knowledge_base/recall.h"
#include "knowledge_base/records.h"

#include <set>

namespace warpmind::fakes {

namespace kb = knowledge_base;

namespace {

bool is_unfinished(const Job& job) {
  return job.state == JobState::queued || job.state == JobState::running;
}

Episode without_traffic(Episode episode) {
  for (auto& step : episode.steps) step.exchanges.clear();
  episode.critique.clear();
  return episode;
}

Error no_such_job(const JobId& id) { return {Errc::not_found, "there is no job " + id.str()}; }

}  // namespace

void MemoryKnowledgeStore::degrade(std::string note) {
  const std::scoped_lock lock(mutex_);
  note_ = std::move(note);
}

Result<void> MemoryKnowledgeStore::require_writable() const {
  if (note_.empty()) return {};
  return fail(Errc::unavailable, note_);
}

Result<Job> MemoryKnowledgeStore::add_job(const JobRequest& request, UnixMillis now) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(require_writable());
  const auto number = static_cast<std::int64_t>(jobs_.size()) + 1;
  Job job;
  job.id = kb::job_id(number);
  job.request = request;
  job.submitted = now;
  jobs_[number] = job;
  ++sequence_;
  return job;
}

Result<void> MemoryKnowledgeStore::update_job(const Job& job) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(require_writable());
  const auto number = kb::number_of(job.id);
  if (!number || !jobs_.contains(*number)) return fail(no_such_job(job.id));
  Job& stored = jobs_[*number];
  WARPMIND_CHECK(kb::require_newest_lease(stored, job));
  WARPMIND_CHECK(kb::require_no_result(job, ended_with_.contains(*number)));
  stored.request.terms = job.request.terms;
  kb::take_bookkeeping(stored, job);
  ++sequence_;
  return {};
}

Job MemoryKnowledgeStore::joined(const Job& job) const {
  Job whole = job;
  const auto ended = ended_with_.find(kb::number_of(job.id).value_or(0));
  if (ended != ended_with_.end()) {
    whole.episode = without_traffic(episodes_.at(kb::number_of(ended->second).value_or(0)));
  }
  return whole;
}

Result<std::optional<Job>> MemoryKnowledgeStore::find_job(const JobId& id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = jobs_.find(kb::number_of(id).value_or(0));
  if (found == jobs_.end()) return std::optional<Job>();
  return std::optional<Job>(joined(found->second));
}

Result<std::vector<Job>> MemoryKnowledgeStore::unfinished_jobs() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Job> jobs;
  for (const auto& [number, job] : jobs_) {
    if (is_unfinished(job)) jobs.push_back(joined(job));
  }
  return jobs;
}

Result<std::vector<Job>> MemoryKnowledgeStore::recent_jobs(std::int64_t limit) const {
  const std::scoped_lock lock(mutex_);
  std::vector<Job> jobs;
  for (auto at = jobs_.rbegin();
       at != jobs_.rend() && static_cast<std::int64_t>(jobs.size()) < limit; ++at) {
    jobs.push_back(joined(at->second));
  }
  return jobs;
}

Result<std::vector<Job>> MemoryKnowledgeStore::recent_records(std::int64_t limit) const {
  WARPMIND_TRY(auto jobs, recent_jobs(limit));
  for (auto& job : jobs) job.episode.reset();
  return jobs;
}

void MemoryKnowledgeStore::remember(const Episode& episode) {
  auto offer = kb::best_offer(episode, kb::kernel_ids(episode));
  if (!offer) return;
  auto& by_device = best_[{episode.task, episode.provider}];
  std::vector<kb::BestKernel> known;
  for (const auto& [device, kernel] : by_device) known.push_back(kernel);
  const auto best = kb::with_inherited_techniques(std::move(*offer), known);
  const auto old = by_device.find(best.device);
  if (old == by_device.end() || kb::replaces(best, old->second)) {
    by_device[best.device] = best;
  }
}

void MemoryKnowledgeStore::learn(const Episode& episode, WriteBackReceipt& receipt) {
  std::vector<kb::PosteriorScope> touched;
  std::set<kb::PosteriorKey> seen;
  for (const auto& evidence : kb::evidence_of(episode)) {
    for (const auto& key : kb::keys_of(evidence)) kb::add(posteriors_[key], evidence);
    if (seen.insert(kb::chain_of(evidence.scope).back()).second) touched.push_back(evidence.scope);
  }
  for (const auto& scope : touched) {
    receipt.lessons.push_back(kb::lesson_of(scope, posteriors_[kb::chain_of(scope).back()]));
  }
}

Result<WriteBackReceipt> MemoryKnowledgeStore::commit(const Episode& episode, const Job& job) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(require_writable());
  const auto number = kb::number_of(episode.id);
  if (!number) {
    return fail(Errc::invalid_argument, "'" + episode.id.str() + "' is no episode id");
  }
  if (is_unfinished(job)) {
    return fail(Errc::invalid_argument, "job " + job.id.str() + " would not end");
  }
  if (episodes_.contains(*number)) {
    return fail(Errc::conflict, "episode " + episode.id.str() + " is already in the base");
  }
  const auto job_number = kb::number_of(job.id);
  if (!job_number || !jobs_.contains(*job_number)) return fail(no_such_job(job.id));
  if (ended_with_.contains(*job_number)) {
    return fail(Errc::conflict, "job " + job.id.str() + " already ended with an episode");
  }
  Job& stored = jobs_[*job_number];
  WARPMIND_CHECK(kb::require_lease(stored, job));
  WriteBackReceipt receipt;
  receipt.sequence = ++sequence_;
  episodes_[*number] = episode;
  if (episode.split != Split::heldout) {
    for (const auto& step : episode.steps) {
      const auto id = id_of(step.candidate.kernel);
      if (kernels_.try_emplace(id, step.candidate.kernel).second) ++receipt.kernels;
      if (step.verdict.measurement) ++receipt.measurements;
      ++receipt.steps;
    }
    steps_ += receipt.steps;
    measurements_ += receipt.measurements;
    tasks_.try_emplace(episode.task, job.request.task);
    ++episode_counts_[{episode.task, episode.provider}];
    remember(episode);
    learn(episode, receipt);
  }
  kb::take_bookkeeping(stored, job);
  stored.receipt = receipt;
  ended_with_[*job_number] = episode.id;
  return receipt;
}

Result<void> MemoryKnowledgeStore::save_draft(const Draft& draft) {
  const std::scoped_lock lock(mutex_);
  WARPMIND_CHECK(require_writable());
  const auto number = kb::number_of(draft.episode.id).value_or(0);
  const auto job = jobs_.find(number);
  if (job == jobs_.end()) {
    return fail(Errc::not_found, "there is no job of " + draft.episode.id.str());
  }
  WARPMIND_CHECK(kb::require_draft_lease(job->second, draft));
  drafts_[number] = draft;
  job->second.spent = draft.job_spent;
  ++sequence_;
  return {};
}

Result<std::optional<Draft>> MemoryKnowledgeStore::find_draft(const EpisodeId& id) const {
  const std::scoped_lock lock(mutex_);
  const auto number = kb::number_of(id).value_or(0);
  const auto found = drafts_.find(number);
  const auto job = jobs_.find(number);
  const bool unfinished = job != jobs_.end() && (job->second.state == JobState::queued ||
                                                 job->second.state == JobState::running);
  if (found == drafts_.end() || !unfinished) return std::optional<Draft>();
  return std::optional<Draft>(found->second);
}

Result<std::optional<Episode>> MemoryKnowledgeStore::find_episode(const EpisodeId& id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = episodes_.find(kb::number_of(id).value_or(0));
  if (found == episodes_.end()) return std::optional<Episode>();
  return std::optional<Episode>(without_traffic(found->second));
}

Result<std::vector<Exchange>> MemoryKnowledgeStore::find_exchanges(const EpisodeId& id,
                                                                   std::size_t position) const {
  const std::scoped_lock lock(mutex_);
  const auto found = episodes_.find(kb::number_of(id).value_or(0));
  if (found == episodes_.end()) return std::vector<Exchange>();
  const Episode& episode = found->second;
  if (episode.split == Split::heldout) return std::vector<Exchange>();
  if (position < episode.steps.size()) return episode.steps[position].exchanges;
  return position == episode.steps.size() ? episode.critique : std::vector<Exchange>();
}

Result<Advice> MemoryKnowledgeStore::recall(const kb::RecallQuery& query) const {
  const std::scoped_lock lock(mutex_);
  const auto lookup = [this](const kb::PosteriorKey& key) -> Result<PosteriorCounts> {
    const auto found = posteriors_.find(key);
    return found == posteriors_.end() ? PosteriorCounts{} : found->second;
  };
  Advice advice;
  WARPMIND_TRY(advice.techniques, kb::rank_techniques(query, lookup));
  WARPMIND_TRY(advice.moves, kb::advise_moves(query, lookup));
  const TaskOfProvider task{query.task.id, query.provider};
  if (const auto seen = episode_counts_.find(task); seen != episode_counts_.end()) {
    advice.episodes_seen = seen->second;
  }
  const auto best = best_.find(task);
  if (best == best_.end()) return advice;
  std::vector<kb::BestKernel> known;
  for (const auto& [device, kernel] : best->second) known.push_back(kernel);
  if (const auto chosen = kb::choose(known, query.device)) {
    advice.remembered = RememberedKernel{part<KernelGain>(*chosen), kernels_.at(chosen->kernel)};
  }
  return advice;
}

Result<StoreStatistics> MemoryKnowledgeStore::statistics() const {
  const std::scoped_lock lock(mutex_);
  const auto count = [](const auto& map) { return static_cast<std::int64_t>(map.size()); };
  StoreStatistics statistics;
  statistics.schema_version = kb::kSchemaVersion;
  statistics.last_sequence = sequence_;
  for (const auto& spec : kb::kColumnFamilies) statistics.records[std::string(spec.name)] = 0;
  statistics.records["meta"] = 2;
  statistics.records["log"] = sequence_;
  statistics.records["jobs"] = count(jobs_);
  statistics.records["episodes"] = count(episodes_);
  statistics.records["steps"] = steps_;
  statistics.records["measurements"] = measurements_;
  statistics.records["kernels"] = count(kernels_);
  statistics.records["tasks"] = count(tasks_);
  statistics.records["posteriors"] = count(posteriors_);
  for (const auto& [number, episode] : episodes_) {
    ++statistics.episodes_by_outcome[std::string(name_of(episode.outcome))];
  }
  statistics.degraded = !note_.empty();
  statistics.note = note_;
  return statistics;
}

}  // namespace warpmind::fakes
