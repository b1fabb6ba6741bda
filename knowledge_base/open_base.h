#pragma once
/// \file
/// An open base and its one writer: what every part of the module reads from and commits to.

#include "knowledge_base/change_set.h"
#include "knowledge_base/commit_queue.h"
#include "knowledge_base/directory_lock.h"
#include "knowledge_base/store_location.h"
#include "knowledge_base/store_session.h"

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// A group of changes that was just acknowledged.
struct Committed {
  std::int64_t sequence = 0;            ///< newest change of the group
  std::vector<std::int64_t> documents;  ///< search documents that it touched
  std::set<std::string> kinds = {};     ///< as LogRecord::kind
};

/// Makes changes while no other writer runs. Lives as long as the call of OpenBase::alone.
class SoleWriter {
 public:
  using Make = std::function<Result<void>(ChangeSet& change)>;
  using Write = std::function<Result<void>(const Make& make, std::int64_t bytes)>;
  SoleWriter(const Database& database, Write write)
      : database_(database), write_(std::move(write)) {}

  /// One durable change of about `bytes`. After an error the work must end: the base may be closed.
  [[nodiscard]] Result<void> write(std::int64_t bytes, const Make& make) const {
    return write_(make, bytes);
  }
  [[nodiscard]] const Database& database() const { return database_; }

 private:
  const Database& database_;
  Write write_;
};

/// Does:      open, commit (one synced batch and the watermark for all writers that meet), reopen
///            after a failed write, serve reads while writers wait for the disk.
/// Threads:   all functions from any thread. Only the leader of the commit queue replaces or
///            changes the session; it holds `mutex_` exclusively while it does.
class OpenBase {
 public:
  /// Errors: as RocksDbKnowledgeStore::open.
  [[nodiscard]] static Result<std::unique_ptr<OpenBase>> open(const StoreLocation& location);

  OpenBase(StoreLocation location, DirectoryLock lock, StoreSession session)
      : location_(std::move(location)), lock_(std::move(lock)), session_(std::move(session)) {}

  /// Makes the change and returns when it is durable. Errors: those of `pending.make`; unavailable
  /// when the base is read-only or the disk nearly full.
  [[nodiscard]] Result<void> write(PendingWrite& pending);
  /// As write(), with the work as a function. `bytes` is about what it will put on the disk.
  [[nodiscard]] Result<void> write(std::int64_t bytes,
                                   std::function<Result<void>(ChangeSet& change)> make);

  /// Calls `f(const Database&, const std::string& note)`; `note` says why writes are refused.
  template <class F>
  auto read(const F& f) const
      -> decltype(f(std::declval<const Database&>(), std::declval<const std::string&>())) {
    const std::shared_lock lock(mutex_);
    if (!session_.database) return fail(Errc::unavailable, session_.note);
    return f(static_cast<const Database&>(*session_.database), session_.note);
  }

  /// Called with each acknowledged group, on the writing thread, before any of its writers is told,
  /// so that a writer finds its own change in the index. One observer; set before the first write.
  void observe(std::function<void(const Committed&)> observer) { observer_ = std::move(observer); }

  /// Tells whoever shows the base of each acknowledged group, after the observer, on the writing
  /// thread. Null ends that: no call is under way any more when this returns. Must not block.
  void on_commit(std::function<void(const Committed&)> audience);

  /// Runs `swap` while the base is closed (restore): no reader, no writer; opens it again after.
  /// Errors: those of `swap` and of opening.
  [[nodiscard]] Result<void> while_closed(const std::function<Result<void>()>& swap);

  /// Runs `work` while no other writer does; readers go on, writers wait. Errors: those of `work`;
  /// unavailable when the base is read-only.
  [[nodiscard]] Result<void> alone(const std::function<Result<void>(const SoleWriter&)>& work);

  /// Closes the database and opens it again, after something beside the writers failed on the disk:
  /// RocksDB may refuse every write from then on. Errors: those of opening; it is tried again then
  /// by the next write.
  Result<void> reopen(const std::string& why);

  [[nodiscard]] const StoreLocation& location() const { return location_; }

 private:
  Result<void> lead(const std::function<Result<void>()>& work);
  void write_group(const std::vector<PendingWrite*>& group);
  Result<void> write_changes(const std::vector<PendingWrite*>& group);
  Result<void> require_writable();
  Result<void> acknowledge(const ChangeGroup& changes);

  const StoreLocation location_;
  const DirectoryLock lock_;
  mutable std::shared_mutex mutex_;
  StoreSession session_;
  CommitQueue queue_;
  std::function<void(const Committed&)> observer_;
  std::mutex audience_mutex_;
  std::function<void(const Committed&)> audience_;
};

}  // namespace warpmind::knowledge_base
