#include "agents/benchmark/filtered_store.h"

#include "base/hash.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace warpmind::agents::benchmark {
namespace {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  const Digest digest = sha256(hash_input({std::to_string(a), std::to_string(b)}));
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) value = (value << 8U) | digest.at(i);
  return value == 0 ? 1 : value;
}

}  // namespace

Advice filtered(Advice advice, const MemoryRules& rules) {
  if (!rules.advice) return {};
  if (!rules.remembered) {
    advice.remembered.reset();
    advice.episodes_seen = 0;
  }
  if (!rules.statistics) {
    advice.techniques.clear();
    advice.moves.clear();
  }
  if (!rules.insights) advice.insights.clear();
  if (!rules.order) {
    std::erase_if(advice.insights, [](const RetrievedInsight& insight) {
      return insight.kind == InsightKind::composite;
    });
  }
  if (!rules.negatives) {
    std::erase_if(advice.insights, [](const RetrievedInsight& insight) {
      return insight.kind == InsightKind::negative || insight.utility.mean < 0;
    });
    for (auto& known : advice.techniques) {
      known.feasibility = 1;
      if (known.predicted_gain < 1) known.observations = 0;
    }
    std::erase_if(advice.moves, [](const MoveAdvice& known) { return known.predicted_gain < 1; });
    for (auto& known : advice.moves) known.feasibility = 1;
  }
  return advice;
}

void FilteredStore::move_elsewhere(knowledge_base::RecallQuery& query) const {
  const std::uint64_t step = query.insights ? query.insights->seed : 0;
  const Situation& other = elsewhere_[mixed(seed_, step) % elsewhere_.size()];
  query.bottleneck = other.bottleneck;
  if (!query.insights) return;
  auto& asked = *query.insights;
  asked.text = other.query.text;
  asked.profile = other.query.profile;
  asked.code = other.query.code;
  asked.operator_family = other.query.operator_family;
  asked.dtypes = other.query.dtypes;
  asked.bottlenecks = other.query.bottlenecks;
  asked.contracts = other.query.contracts;
}

void FilteredStore::change(knowledge_base::RecallQuery& query) const {
  if (!rules_.insights) query.insights.reset();
  if (!rules_.order) query.previous_technique.clear();
  if (rules_.shuffled && !elsewhere_.empty()) move_elsewhere(query);
  if (!query.insights) return;
  if (!rules_.seed) query.insights->least_trust = std::max(query.insights->least_trust, Trust::t1);
  query.insights->seed = mixed(seed_, query.insights->seed);
}

/// Statistics of the very parameters hold in every situation, so asking about another one would
/// leave them relevant: each move gets those of another one.
void FilteredStore::mix_moves(const knowledge_base::RecallQuery& query,
                              std::vector<MoveAdvice>& moves) const {
  const std::uint64_t step = query.insights ? query.insights->seed : 0;
  for (std::size_t i = moves.size(); i > 1; --i) {
    MoveAdvice& one = moves[i - 1];
    MoveAdvice& other = moves[mixed(seed_ + i, step) % i];
    std::swap(one, other);
    std::swap(one.technique, other.technique);
    std::swap(one.parameters, other.parameters);
  }
}

Result<Advice> FilteredStore::recall(const knowledge_base::RecallQuery& query) const {
  if (!rules_.advice || base_ == nullptr) return Advice{};
  knowledge_base::RecallQuery changed = query;
  change(changed);
  WARPMIND_TRY(auto advice, base_->recall(changed));
  if (rules_.shuffled) mix_moves(changed, advice.moves);
  return filtered(std::move(advice), rules_);
}

Result<Job> FilteredStore::add_job(const JobRequest& request, UnixMillis now) {
  if (writes()) return base_->add_job(request, now);
  Job job;
  char name[32] = {};
  std::snprintf(name, sizeof name, "j-%010lld", static_cast<long long>(++jobs_));
  job.id = JobId(name);
  job.request = request;
  job.submitted = now;
  return job;
}

Result<void> FilteredStore::update_job(const Job& job) {
  return writes() ? base_->update_job(job) : Result<void>();
}

Result<WriteBackReceipt> FilteredStore::commit(const Episode& episode, const Job& job) {
  return writes() ? base_->commit(episode, job) : Result<WriteBackReceipt>(WriteBackReceipt{});
}

Result<std::optional<Job>> FilteredStore::find_job(const JobId& id) const {
  return base_ != nullptr ? base_->find_job(id) : Result<std::optional<Job>>(std::nullopt);
}

Result<std::vector<Job>> FilteredStore::unfinished_jobs() const {
  return base_ != nullptr ? base_->unfinished_jobs() : Result<std::vector<Job>>(std::vector<Job>());
}

Result<std::vector<Job>> FilteredStore::recent_jobs(std::int64_t limit) const {
  return base_ != nullptr ? base_->recent_jobs(limit)
                          : Result<std::vector<Job>>(std::vector<Job>());
}

Result<std::vector<Job>> FilteredStore::recent_records(std::int64_t limit) const {
  return base_ != nullptr ? base_->recent_records(limit)
                          : Result<std::vector<Job>>(std::vector<Job>());
}

Result<std::optional<Episode>> FilteredStore::find_episode(const EpisodeId& id) const {
  return base_ != nullptr ? base_->find_episode(id) : Result<std::optional<Episode>>(std::nullopt);
}

Result<void> FilteredStore::save_draft(const Draft& /*draft*/) { return {}; }

Result<std::optional<Draft>> FilteredStore::find_draft(const EpisodeId& /*id*/) const {
  return std::optional<Draft>();
}

Result<std::vector<Exchange>> FilteredStore::find_exchanges(const EpisodeId& id,
                                                            std::size_t position) const {
  return base_ != nullptr ? base_->find_exchanges(id, position)
                          : Result<std::vector<Exchange>>(std::vector<Exchange>());
}

Result<StoreStatistics> FilteredStore::statistics() const {
  return base_ != nullptr ? base_->statistics() : Result<StoreStatistics>(StoreStatistics{});
}

}  // namespace warpmind::agents::benchmark
