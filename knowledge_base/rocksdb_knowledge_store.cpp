#include "knowledge_base/rocksdb_knowledge_store.h"

#include "knowledge_base/fault_points.h"
#include "knowledge_base/job_records.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/retrieval/retrieval.h"
#include "knowledge_base/stored_values.h"
#include "knowledge_base/write_back.h"

namespace warpmind::knowledge_base {
namespace {

/// A job record without its task, about.
constexpr std::int64_t kJobBytes = 64LL * 1024;

}  // namespace

RocksDbKnowledgeStore::RocksDbKnowledgeStore(OpenBase& base, const Retrieval* retrieval)
    : base_(base), retrieval_(retrieval) {}
RocksDbKnowledgeStore::RocksDbKnowledgeStore(std::unique_ptr<OpenBase> base)
    : owned_(std::move(base)), base_(*owned_) {}
RocksDbKnowledgeStore::~RocksDbKnowledgeStore() = default;

Result<std::unique_ptr<KnowledgeStore>> RocksDbKnowledgeStore::open(const StoreLocation& location) {
  WARPMIND_TRY(auto base, OpenBase::open(location));
  return std::unique_ptr<KnowledgeStore>(new RocksDbKnowledgeStore(std::move(base)));
}

Result<Job> RocksDbKnowledgeStore::add_job(const JobRequest& request, UnixMillis now) {
  Job added;
  PendingWrite pending;
  pending.bytes = kJobBytes + static_cast<std::int64_t>(request.task.kernel.source.size() +
                                                        request.task.reference.size());
  pending.make = [&added, &request, now](ChangeSet& change) -> Result<void> {
    WARPMIND_TRY(added, knowledge_base::add_job(change, request, now));
    return {};
  };
  WARPMIND_CHECK(base_.write(pending));
  return added;
}

Result<void> RocksDbKnowledgeStore::update_job(const Job& job) {
  PendingWrite pending;
  pending.bytes = kJobBytes + static_cast<std::int64_t>(job.error.size());
  pending.make = [&job](ChangeSet& change) { return knowledge_base::update_job(change, job); };
  return base_.write(pending);
}

Result<std::optional<Job>> RocksDbKnowledgeStore::find_job(const JobId& id) const {
  const auto number = number_of(id);
  if (!number) return std::optional<Job>();
  return base_.read([number](const Database& database, const std::string&) {
    return StoredValues(database).job(*number);
  });
}

Result<std::vector<Job>> RocksDbKnowledgeStore::unfinished_jobs() const {
  return base_.read([](const Database& database, const std::string&) {
    return StoredValues(database).unfinished_jobs();
  });
}

Result<std::vector<Job>> RocksDbKnowledgeStore::recent_jobs(std::int64_t limit) const {
  return base_.read([limit](const Database& database, const std::string&) {
    return StoredValues(database).recent_jobs(limit);
  });
}

Result<std::vector<Job>> RocksDbKnowledgeStore::recent_records(std::int64_t limit) const {
  return base_.read([limit](const Database& database, const std::string&) {
    return StoredValues(database).recent_records(limit);
  });
}

Result<WriteBackReceipt> RocksDbKnowledgeStore::commit(const Episode& episode, const Job& job) {
  WARPMIND_TRY(auto prepared, prepare(episode, job));
  WriteBackReceipt receipt;
  PendingWrite pending;
  pending.bytes = prepared.bytes() + kJobBytes;
  pending.make = [&](ChangeSet& change) -> Result<void> {
    WARPMIND_TRY(receipt, write_back(change, std::move(prepared), episode, job));
    return {};
  };
  WARPMIND_CHECK(base_.write(pending));
  if (fault::seeded(SeededBug::two_batches)) WARPMIND_CHECK(update_job(job));
  return receipt;
}

Result<void> RocksDbKnowledgeStore::save_draft(const Draft& draft) {
  // Sources are the bulk of it; what else a step says fits beside them.
  constexpr std::int64_t kStepBytes = std::int64_t{16} * 1024;
  PendingWrite pending;
  pending.bytes = kJobBytes;
  for (const auto& step : draft.episode.steps) {
    pending.bytes += kStepBytes + static_cast<std::int64_t>(step.candidate.kernel.source.size());
  }
  pending.make = [&draft](ChangeSet& change) { return knowledge_base::save_draft(change, draft); };
  return base_.write(pending);
}

Result<std::optional<Draft>> RocksDbKnowledgeStore::find_draft(const EpisodeId& id) const {
  const auto number = number_of(id);
  if (!number) return std::optional<Draft>();
  return base_.read([number](const Database& database, const std::string&) {
    return StoredValues(database).draft(*number);
  });
}

Result<std::optional<Episode>> RocksDbKnowledgeStore::find_episode(const EpisodeId& id) const {
  const auto number = number_of(id);
  if (!number) return std::optional<Episode>();
  return base_.read([number](const Database& database, const std::string&) {
    return StoredValues(database).episode(*number);
  });
}

Result<std::vector<Exchange>> RocksDbKnowledgeStore::find_exchanges(const EpisodeId& id,
                                                                    std::size_t position) const {
  const auto number = number_of(id);
  if (!number) return std::vector<Exchange>();
  return base_.read([number, position](const Database& database, const std::string&) {
    return StoredValues(database).exchanges(*number, position);
  });
}

Result<Advice> RocksDbKnowledgeStore::recall(const RecallQuery& query) const {
  const auto advise = [&query](const Database& database, const std::string&) {
    return StoredValues(database).advice(query);
  };
  WARPMIND_TRY(Advice advice, base_.read(advise));
  if (retrieval_ == nullptr || !query.insights) return advice;
  WARPMIND_TRY(auto answer, retrieval_->search(*query.insights));
  advice.insights = std::move(answer.insights);
  advice.insights_note = std::move(answer.note);
  return advice;
}

Result<StoreStatistics> RocksDbKnowledgeStore::statistics() const {
  const auto& directory = base_.location().directory;
  return base_.read(
      [&directory](const Database& database, const std::string& note) -> Result<StoreStatistics> {
        WARPMIND_TRY(const auto state, StoredValues(database).state());
        StoreStatistics statistics;
        statistics.schema_version = kSchemaVersion;
        statistics.last_sequence = state.last_sequence;
        for (const auto& spec : kColumnFamilies) statistics.records[std::string(spec.name)] = 0;
        for (const auto& [family, count] : state.records) statistics.records[family] = count;
        statistics.episodes_by_outcome = state.episodes_by_outcome;
        statistics.disk_bytes = size_on_disk(directory);
        statistics.degraded = !note.empty();
        statistics.note = note;
        return statistics;
      });
}

}  // namespace warpmind::knowledge_base
