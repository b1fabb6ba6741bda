#include "knowledge_base/maintenance/replay.h"

#include "base/log.h"
#include "knowledge_base/base_copy.h"
#include "knowledge_base/change_set.h"
#include "knowledge_base/episode_projection.h"
#include "knowledge_base/fault_points.h"
#include "knowledge_base/insights/insight_writer.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/maintenance/projections.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/stored_values.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

/// Changes that are replayed into one batch.
constexpr std::int64_t kChangesPerBatch = 64;
constexpr std::size_t kReplayCacheMib = 32;
/// Between two lines of the log about how far it is.
constexpr std::chrono::seconds kTellEvery{10};

using Steady = std::chrono::steady_clock;

/// Nothing is lost with the copy, so it needs no WAL.
Result<void> write_volatile(Database& database, rocksdb::WriteBatch& batch) {
  rocksdb::WriteOptions options;
  options.disableWAL = true;
  const auto status = database.raw().Write(options, &batch);
  if (status.ok()) return {};
  return fail(to_error(status, "cannot write to the copy that a rebuild works on"));
}

Result<ScratchDatabase> make_scratch(const Database& source, const StoreLocation& location) {
  const auto folder = replay_folder(location);
  WARPMIND_CHECK(remove_tree(folder));
  WARPMIND_TRY(const auto mark, copy_base(source, location, folder));
  (void)mark;
  WARPMIND_TRY(auto database, Database::open(folder / "rocksdb", Database::Mode::read_write,
                                             location.env, kReplayCacheMib));
  return ScratchDatabase(std::move(database), folder);
}

Result<void> erase_projections(Database& database) {
  rocksdb::WriteBatch batch;
  for (const auto& range : projection_ranges()) {
    // No key starts with 0xff: kinds are small numbers.
    const std::string end =
        range.prefix.empty() ? "\xff" : std::string(1, static_cast<char>(range.prefix.front() + 1));
    const auto status =
        batch.DeleteRange(database.column(range.family),
                          rocksdb::Slice(range.prefix.data(), range.prefix.size()), end);
    if (!status.ok()) return fail(to_error(status, "cannot build a batch"));
  }
  return write_volatile(database, batch);
}

/// Counters before the first change, but for what is no projection.
StoreState state_to_replay(StoreState state) {
  for (const auto& spec : kColumnFamilies) {
    if (is_counted_projection(spec.family)) state.records.erase(std::string(spec.name));
  }
  state.next_document = 1;
  state.rebuild_position = 0;
  return state;
}

Result<void> replay_episode(ChangeSet& change, const Database& database, const LogRecord& record) {
  const std::string id = record.ids.empty() ? "" : record.ids.front();
  const auto number = number_of(EpisodeId(id));
  std::optional<Episode> episode;
  if (number) {
    WARPMIND_TRY(episode, StoredValues(database).episode(*number));
  }
  if (!episode) {
    return fail(Errc::corrupt_data, "the log names the episode '" + id + "', which is missing");
  }
  WARPMIND_TRY(const auto projected, project_episode(change, *episode, facts_of(*episode)));
  (void)projected;
  return {};
}

/// Replays changes in order and writes them batch by batch.
class Replayer {
 public:
  Replayer(Database& database, StoreState state)
      : database_(database), state_(std::move(state)), group_(std::in_place, database_, state_) {}

  Result<void> replay(std::int64_t sequence, const LogRecord& record) {
    ChangeSet change(*group_);
    if (record.kind == "episode") WARPMIND_CHECK(replay_episode(change, database_, record));
    WARPMIND_CHECK(replay_insight_events(change, sequence));
    group_->absorb_unlogged(std::move(change));
    ++changes_;
    if (changes_ % kChangesPerBatch != 0) return {};
    return flush();
  }
  Result<void> flush() {
    WARPMIND_TRY(auto batch, group_->to_batch());
    state_ = group_->state();
    group_.emplace(database_, state_);
    return write_volatile(database_, batch);
  }
  [[nodiscard]] const StoreState& state() const { return state_; }
  [[nodiscard]] std::int64_t changes() const { return changes_; }

 private:
  Database& database_;
  StoreState state_;
  std::optional<ChangeGroup> group_;
  std::int64_t changes_ = 0;
};

}  // namespace

ScratchDatabase::~ScratchDatabase() {
  if (!database_) return;
  database_.reset();
  const auto removed = remove_tree(folder_);
  if (!removed) log::warn("knowledge_base", "left behind", {{"why", removed.error().message}});
}

std::filesystem::path replay_folder(const StoreLocation& location) {
  return location.directory / "rebuild";
}

Result<Replay> replay_log(const Database& source, const StoreLocation& location,
                          const std::stop_token& stop) {
  WARPMIND_TRY(auto scratch, make_scratch(source, location));
  fault::reached("rebuild.copy_made");
  WARPMIND_CHECK(erase_projections(scratch.database()));
  WARPMIND_TRY(const auto before, StoredValues(source).state());
  Replayer replayer(scratch.database(), state_to_replay(before));
  std::int64_t expected = 0;
  auto told = Steady::now();
  const auto visit = [&](std::string_view key, std::string_view value) -> Result<bool> {
    if (stop.stop_requested()) {
      return fail(Errc::cancelled, "the rebuild was stopped; nothing was changed");
    }
    const auto sequence = number_in_key(key);
    if (sequence != ++expected) {
      return fail(Errc::corrupt_data, "log record " + std::to_string(expected) + " is missing");
    }
    WARPMIND_TRY(const auto record, decode_log(value));
    auto replayed = replayer.replay(*sequence, record);
    if (!replayed) {
      return fail(
          std::move(replayed).error().while_doing("replaying change " + std::to_string(expected)));
    }
    if (Steady::now() >= told + kTellEvery) {
      told = Steady::now();
      log::info("knowledge_base", "rebuilding",
                {{"change", expected}, {"of", before.last_sequence}});
    }
    return true;
  };
  WARPMIND_CHECK(source.scan({Family::log, log_prefix()}, visit));
  WARPMIND_CHECK(replayer.flush());
  return Replay{std::move(scratch), replayer.state(), replayer.changes()};
}

}  // namespace warpmind::knowledge_base
