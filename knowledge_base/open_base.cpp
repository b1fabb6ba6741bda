#include "knowledge_base/open_base.h"

#include "base/file.h"
#include "base/log.h"
#include "knowledge_base/disk_space.h"

#include <utility>

namespace warpmind::knowledge_base {
namespace {

/// A batch reaches the disk in the WAL, in a table file and in a compaction of it.
constexpr std::int64_t kCopiesOnDisk = 3;
/// Counters, log record, key overhead and what RocksDB writes of its own accord.
constexpr std::int64_t kSlackBytes = 1024LL * 1024;

}  // namespace

Result<std::unique_ptr<OpenBase>> OpenBase::open(const StoreLocation& location) {
  WARPMIND_CHECK(make_private_directory(location.directory));
  WARPMIND_TRY(auto lock, DirectoryLock::acquire(location.directory));
  WARPMIND_TRY(auto session, open_session(location));
  return std::make_unique<OpenBase>(location, std::move(lock), std::move(session));
}

Result<void> OpenBase::write(PendingWrite& pending) {
  return queue_.run(pending, [this](const auto& group) { write_group(group); });
}

Result<void> OpenBase::write(std::int64_t bytes,
                             std::function<Result<void>(ChangeSet& change)> make) {
  PendingWrite pending;
  pending.bytes = bytes;
  pending.make = std::move(make);
  return write(pending);
}

Result<void> OpenBase::while_closed(const std::function<Result<void>()>& swap) {
  Result<void> swapped;
  // A pending write of its own: the queue lets no writer in beside it.
  PendingWrite pending;
  const auto closed = queue_.run(pending, [&](const auto& group) {
    {
      const std::unique_lock lock(mutex_);
      session_ = {};
      session_.note = "the knowledge base is closed while it is replaced";
      session_.retry = true;
      swapped = swap();
      const auto reopened = [&]() -> Result<void> {
        WARPMIND_TRY(session_, open_session(location_));
        return {};
      }();
      if (!reopened && swapped) swapped = fail(reopened.error());
    }
    // Writers that waited beside it are served on what is there now.
    std::vector<PendingWrite*> others;
    for (auto* write : group) {
      if (write != &pending) others.push_back(write);
    }
    if (!others.empty()) write_group(others);
  });
  WARPMIND_CHECK(closed);
  return swapped;
}

Result<void> OpenBase::require_writable() {
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
Result<void> OpenBase::acknowledge(const ChangeGroup& changes) {
  WARPMIND_TRY(auto batch, changes.to_batch());
  auto written = session_.database->write(batch);
  if (written) {
    const auto& state = changes.state();
    written = session_.watermark->advance(state.last_sequence, state.row_count(), state.chain);
  }
  if (written) {
    session_.state = changes.state();
    if (observer_) observer_({changes.state().last_sequence, changes.documents()});
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

Result<void> OpenBase::write_changes(const std::vector<PendingWrite*>& group) {
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

void OpenBase::write_group(const std::vector<PendingWrite*>& group) {
  const auto written = write_changes(group);
  if (written) return;
  for (auto* pending : group) {
    // A change that was refused on its own merits keeps its own sentence.
    if (pending->result) pending->result = fail(written.error());
  }
}

}  // namespace warpmind::knowledge_base
