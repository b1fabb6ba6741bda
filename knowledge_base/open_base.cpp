#include "knowledge_base/open_base.h"

#include "base/file.h"
#include "base/log.h"
#include "knowledge_base/disk_space.h"
#include "knowledge_base/fault_points.h"

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
  return queue_.write_in_group(pending, [this](const auto& group) { write_group(group); });
}

Result<void> OpenBase::write(std::int64_t bytes,
                             std::function<Result<void>(ChangeSet& change)> make) {
  PendingWrite pending;
  pending.bytes = bytes;
  pending.make = std::move(make);
  return write(pending);
}

/// A place in the queue of its own, so that no writer comes in beside `work`.
Result<void> OpenBase::lead(const std::function<Result<void>()>& work) {
  Result<void> done;
  PendingWrite pending;
  const auto led = queue_.write_in_group(pending, [&](const auto& group) {
    done = work();
    // Writers that waited beside it are served on what is there now.
    std::vector<PendingWrite*> others;
    for (auto* write : group) {
      if (write != &pending) others.push_back(write);
    }
    if (!others.empty()) write_group(others);
  });
  WARPMIND_CHECK(led);
  return done;
}

Result<void> OpenBase::while_closed(const std::function<Result<void>()>& swap) {
  return lead([&]() -> Result<void> {
    const std::unique_lock lock(mutex_);
    session_ = {};
    session_.note = "the knowledge base is closed while it is replaced";
    session_.retry = true;
    auto swapped = swap();
    auto reopened = open_session(location_);
    if (reopened) {
      session_ = std::move(*reopened);
    } else {
      session_.note = "the knowledge base is closed: " + reopened.error().message +
                      "; the next write tries again";
      if (swapped) swapped = fail(reopened.error());
    }
    return swapped;
  });
}

Result<void> OpenBase::reopen(const std::string& why) {
  return lead([&]() -> Result<void> {
    if (session_.note.empty()) {
      const std::unique_lock lock(mutex_);
      session_.note = why + "; the next write opens the knowledge base again";
      session_.retry = true;
    }
    return require_writable();
  });
}

Result<void> OpenBase::alone(const std::function<Result<void>(const SoleWriter&)>& work) {
  return lead([&]() -> Result<void> {
    WARPMIND_CHECK(require_writable());
    const auto write = [this](const SoleWriter::Make& make, std::int64_t bytes) -> Result<void> {
      PendingWrite pending;
      pending.make = make;
      pending.bytes = bytes;
      WARPMIND_CHECK(write_changes({&pending}));
      return std::move(pending.result);
    };
    return work(SoleWriter(*session_.database, write));
  });
}

Result<void> OpenBase::require_writable() {
  if (session_.note.empty()) return {};
  if (fault::seeded(SeededBug::no_second_look) && session_.database && session_.watermark)
    return {};
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

void OpenBase::on_commit(std::function<void(const Committed&)> audience) {
  const std::scoped_lock lock(audience_mutex_);
  audience_ = std::move(audience);
}

/// One synced batch, then the watermark: only after both may anybody be told.
Result<void> OpenBase::acknowledge(const ChangeGroup& changes) {
  WARPMIND_TRY(auto batch, changes.to_batch());
  const auto& state = changes.state();
  const auto advance = [&]() -> Result<void> {
    if (fault::seeded(SeededBug::watermark_skipped)) return {};
    return session_.watermark->advance(state.last_sequence, state.row_count(), state.chain);
  };
  if (fault::seeded(SeededBug::watermark_first)) WARPMIND_CHECK(advance());
  fault::reached("commit.before_batch");
  auto written = session_.database->write(batch);
  fault::reached("commit.before_watermark");
  if (written && !fault::seeded(SeededBug::watermark_first)) written = advance();
  fault::reached("commit.before_reply");
  if (written || fault::seeded(SeededBug::error_taken_for_success)) {
    session_.state = state;
    const Committed committed{state.last_sequence, changes.documents(), changes.kinds()};
    if (observer_) observer_(committed);
    const std::scoped_lock lock(audience_mutex_);
    if (audience_) audience_(committed);
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
  if (!fault::seeded(SeededBug::reserve_ignored)) {
    WARPMIND_CHECK(
        require_space(location_.free_space, location_.directory, bytes, location_.reserve_bytes));
  }
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
