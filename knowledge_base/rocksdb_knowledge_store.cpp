#include "knowledge_base/rocksdb_knowledge_store.h"

#include "base/log.h"
#include "knowledge_base/commit_queue.h"
#include "knowledge_base/directory_lock.h"
#include "knowledge_base/job_records.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/store_session.h"
#include "knowledge_base/stored_values.h"
#include "knowledge_base/write_back.h"

#include <mutex>
#include <shared_mutex>

namespace warpmind::knowledge_base {
namespace {

/// A batch reaches the disk in the WAL, in a table file and in a compaction of it.
constexpr std::int64_t kCopiesOnDisk = 3;
/// Counters, log record, key overhead and what RocksDB writes of its own accord.
constexpr std::int64_t kSlackBytes = 1024LL * 1024;
/// A job record without its task, about.
constexpr std::int64_t kJobBytes = 64LL * 1024;

}  // namespace

/// Only the leader of the commit queue replaces or changes the session; it holds `mutex_`
/// exclusively while it does. Readers hold it shared.
class RocksDbKnowledgeStore::OpenBase {
 public:
  OpenBase(StoreLocation location, DirectoryLock lock, StoreSession session)
      : location_(std::move(location)), lock_(std::move(lock)), session_(std::move(session)) {}

  [[nodiscard]] Result<void> write(PendingWrite& pending) {
    return queue_.run(pending, [this](const auto& group) { write_group(group); });
  }

  /// Calls `f(StoredValues, note)` on one state of the base.
  template <class F>
  auto read(const F& f) const -> decltype(f(std::declval<const StoredValues&>(), std::string())) {
    const std::shared_lock lock(mutex_);
    if (!session_.database) return fail(Errc::unavailable, session_.note);
    return f(StoredValues(*session_.database), session_.note);
  }

  [[nodiscard]] const StoreLocation& location() const { return location_; }

 private:
  void write_group(const std::vector<PendingWrite*>& group);
  Result<void> write_changes(const std::vector<PendingWrite*>& group);
  Result<void> require_writable();
  Result<void> acknowledge(const ChangeGroup& changes);

  const StoreLocation location_;
  const DirectoryLock lock_;
  mutable std::shared_mutex mutex_;
  StoreSession session_;
  CommitQueue queue_;
};

Result<void> RocksDbKnowledgeStore::OpenBase::require_writable() {
  if (session_.note.empty()) return {};
  if (!session_.retry) return fail(Errc::unavailable, session_.note);
  const std::unique_lock lock(mutex_);
  const std::string before = std::exchange(session_, {}).note;
  auto reopened = open_session(location_);
  if (!reopened) {
    session_.note = "the knowledge base is closed: " + reopened.error().message +
                    "; the next write tries again";
    session_.retry = true;
    return fail(Errc::unavailable, session_.note);
  }
  session_ = std::move(*reopened);
  if (!session_.note.empty()) return fail(Errc::unavailable, session_.note);
  log::info("knowledge_base", "writable again", {{"after", before}});
  return {};
}

/// One synced batch, then the watermark: only after both may anybody be told.
Result<void> RocksDbKnowledgeStore::OpenBase::acknowledge(const ChangeGroup& changes) {
  WARPMIND_TRY(auto batch, changes.to_batch());
  auto written = session_.database->write(batch);
  if (written) {
    const auto& state = changes.state();
    written = session_.watermark->advance(state.last_sequence, state.row_count(), state.chain);
  }
  if (written) {
    session_.state = changes.state();
    return {};
  }
  // Whether the batch is in the WAL is unknown now; opening again finds out.
  log::error("knowledge_base", "write failed", {{"why", written.error().message}});
  const std::unique_lock lock(mutex_);
  session_.note = "the last write failed (" + written.error().message +
                  "); the next write opens the knowledge base again";
  session_.retry = true;
  return written;
}

Result<void> RocksDbKnowledgeStore::OpenBase::write_changes(
    const std::vector<PendingWrite*>& group) {
  WARPMIND_CHECK(require_writable());
  std::int64_t bytes = kSlackBytes;
  for (const auto* pending : group) bytes += kCopiesOnDisk * pending->bytes;
  WARPMIND_CHECK(
      require_space(location_.free_space, location_.directory, bytes, location_.reserve_bytes));
  ChangeGroup changes(*session_.database, session_.state);
  for (auto* pending : group) {
    ChangeSet change(changes);
    pending->result = pending->make(change);
    if (pending->result) {
      pending->result = changes.absorb(std::move(change), location_.clock.wall());
    }
  }
  if (changes.empty()) return {};
  return acknowledge(changes);
}

void RocksDbKnowledgeStore::OpenBase::write_group(const std::vector<PendingWrite*>& group) {
  const auto written = write_changes(group);
  if (written) return;
  for (auto* pending : group) {
    // A change that was refused on its own merits keeps its own sentence.
    if (pending->result) pending->result = fail(written.error());
  }
}

RocksDbKnowledgeStore::RocksDbKnowledgeStore(std::unique_ptr<OpenBase> base)
    : base_(std::move(base)) {}
RocksDbKnowledgeStore::~RocksDbKnowledgeStore() = default;

Result<std::unique_ptr<KnowledgeStore>> RocksDbKnowledgeStore::open(const StoreLocation& location) {
  WARPMIND_CHECK(make_private_directory(location.directory));
  WARPMIND_TRY(auto lock, DirectoryLock::acquire(location.directory));
  WARPMIND_TRY(auto session, open_session(location));
  auto base = std::make_unique<OpenBase>(location, std::move(lock), std::move(session));
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
  WARPMIND_CHECK(base_->write(pending));
  return added;
}

Result<void> RocksDbKnowledgeStore::update_job(const Job& job) {
  PendingWrite pending;
  pending.bytes = kJobBytes + static_cast<std::int64_t>(job.error.size());
  pending.make = [&job](ChangeSet& change) { return knowledge_base::update_job(change, job); };
  return base_->write(pending);
}

Result<std::optional<Job>> RocksDbKnowledgeStore::find_job(const JobId& id) const {
  const auto number = number_of(id);
  if (!number) return std::optional<Job>();
  return base_->read(
      [number](const StoredValues& values, const std::string&) { return values.job(*number); });
}

Result<std::vector<Job>> RocksDbKnowledgeStore::unfinished_jobs() const {
  return base_->read(
      [](const StoredValues& values, const std::string&) { return values.unfinished_jobs(); });
}

Result<std::vector<Job>> RocksDbKnowledgeStore::recent_jobs(std::int64_t limit) const {
  return base_->read([limit](const StoredValues& values, const std::string&) {
    return values.recent_jobs(limit);
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
  WARPMIND_CHECK(base_->write(pending));
  return receipt;
}

Result<std::optional<Episode>> RocksDbKnowledgeStore::find_episode(const EpisodeId& id) const {
  const auto number = number_of(id);
  if (!number) return std::optional<Episode>();
  return base_->read(
      [number](const StoredValues& values, const std::string&) { return values.episode(*number); });
}

Result<Advice> RocksDbKnowledgeStore::recall(const RecallQuery& query) const {
  return base_->read(
      [&query](const StoredValues& values, const std::string&) { return values.advice(query); });
}

Result<Statistics> RocksDbKnowledgeStore::statistics() const {
  const auto& directory = base_->location().directory;
  return base_->read(
      [&directory](const StoredValues& values, const std::string& note) -> Result<Statistics> {
        WARPMIND_TRY(const auto state, values.state());
        Statistics statistics;
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
