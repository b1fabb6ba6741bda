#include "knowledge_base/store_session.h"

#include "base/log.h"
#include "knowledge_base/acknowledgement_check.h"
#include "knowledge_base/fault_points.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/rocksdb_options.h"
#include "knowledge_base/schema_migration.h"
#include "knowledge_base/staged_restore.h"

#include <system_error>

namespace warpmind::knowledge_base {
namespace {

/// Opening replays the WAL into files: at most max_total_wal_size, and a compaction's worth more.
constexpr std::int64_t kOpeningBytes = 8LL * 1024 * 1024;

std::size_t cache_mib(const StoreLocation& location) {
  return static_cast<std::size_t>(location.cache_mib);
}

/// The two records of the meta family.
constexpr std::int64_t kMetaRecords = 2;

StoreState fresh_state() {
  StoreState state;
  state.base_id = draw_base_id();
  state.records[std::string(name_of(Family::meta))] = kMetaRecords;
  return state;
}

/// The watermark comes first: a database without one is then never the trace of a crash.
Result<StoreSession> create(const StoreLocation& location,
                            const std::optional<WatermarkRecord>& newest) {
  StoreSession session;
  session.state = fresh_state();
  WARPMIND_CHECK(require_space(location.free_space, location.directory, kOpeningBytes,
                               location.reserve_bytes));
  WARPMIND_CHECK(make_private_directory(location.database()));
  WARPMIND_TRY(session.watermark, Watermark::open(location.watermark(), newest));
  WARPMIND_CHECK(session.watermark->advance(0, session.state.row_count(), session.state.chain));
  fault::reached("create.mark_written");
  WARPMIND_TRY(session.database, Database::open(location.database(), Database::Mode::read_write,
                                                location.env, cache_mib(location)));
  WARPMIND_TRY(const auto schema, encode_number(kSchemaVersion));
  WARPMIND_TRY(const auto state, encode_state(session.state));
  rocksdb::WriteBatch batch(0, 0, kProtectionBytesPerKey, 0);
  auto* meta = session.database->column(Family::meta);
  for (const auto& [key, value] : {std::pair(schema_key(), schema), {state_key(), state}}) {
    const auto status = batch.Put(meta, key, value);
    if (!status.ok()) return fail(to_error(status, "cannot build a batch"));
  }
  fault::reached("create.before_batch");
  WARPMIND_CHECK(session.database->write(batch));
  return session;
}

/// The version. Errors: conflict for a newer one.
Result<std::int64_t> check_schema(const std::string& bytes, const StoreLocation& location) {
  WARPMIND_TRY(const auto version, decode_number(bytes));
  if (version <= kSchemaVersion || fault::seeded(SeededBug::newer_schema_opened)) return version;
  return fail(Errc::conflict, "the knowledge base " + location.directory.string() +
                                  " has schema version " + std::to_string(version) +
                                  ", this build of warpmind reads up to " +
                                  std::to_string(kSchemaVersion) +
                                  "; use the newer build, or another knowledge directory");
}

Error no_database(const StoreLocation& location, const WatermarkReading& reading) {
  const std::string acknowledged =
      reading.newest ? std::to_string(reading.newest->last_sequence) + " changes were acknowledged"
                     : std::string("changes were acknowledged");
  return {Errc::corrupt_data, "no usable database in " + location.database().string() +
                                  " although " + acknowledged +
                                  "; put the folder back from a backup, or move " +
                                  location.directory.string() + " away to start afresh"};
}

/// No daemon serves a base that does not open, so the way back is not `kb restore` alone.
Error with_way_back(Error error, const StoreLocation& location) {
  if (error.code != Errc::corrupt_data) return error;
  error.message += "; move " + location.directory.string() +
                   " away, then `warpmind kb restore BACKUPS --replace` brings the newest backup";
  return error;
}

/// A person accepted the loss: from now on what the base holds is what was acknowledged.
Result<WatermarkReading> accept_loss(const StoreLocation& location, const StoreState& state,
                                     const WatermarkReading& reading) {
  WARPMIND_TRY(auto mark, Watermark::open(location.watermark(), reading.newest));
  // Both slots, so that no older or damaged one can win later.
  WARPMIND_CHECK(mark.advance(state.last_sequence, state.row_count(), state.chain));
  fault::reached("accept_loss.between_slots");
  WARPMIND_CHECK(mark.advance(state.last_sequence, state.row_count(), state.chain));
  std::error_code ec;
  std::filesystem::remove(location.accept_loss(), ec);
  log::warn("knowledge_base", "loss accepted by the file ACCEPT_LOSS",
            {{"last_sequence", state.last_sequence}});
  return read_watermark(location.watermark());
}

StoreSession degraded(std::unique_ptr<Database> database, StoreState state, std::string note,
                      bool retry) {
  log::error("knowledge_base", "read-only", {{"why", note}});
  StoreSession session;
  session.database = std::move(database);
  session.state = std::move(state);
  session.note = std::move(note);
  session.retry = retry;
  return session;
}

std::string loss_note(const std::string& loss, const StoreLocation& location) {
  return "the knowledge base is read-only: " + loss + "; put " + location.directory.string() +
         " back from a backup, or accept the loss: stop the daemon, create the file " +
         location.accept_loss().string() + ", start it again";
}

/// The base as it can be read while it cannot be written.
Result<StoreSession> without_writing(const StoreLocation& location, StoreState state,
                                     const Error& why) {
  WARPMIND_TRY(auto readable, Database::open(location.database(), Database::Mode::read_only,
                                             location.env, cache_mib(location)));
  return degraded(
      std::move(readable), std::move(state),
      "the knowledge base is read-only: " + why.message + "; the next write tries again", true);
}

/// What the checks on the read-only opening found.
struct Sound {
  std::unique_ptr<Database> probe;
  StoreState state;
  WatermarkRecord mark;
  std::int64_t schema = 0;
};

/// Opens for writing, adopts what a crash left unacknowledged, migrates.
Result<StoreSession> open_for_writing(const StoreLocation& location, Sound sound) {
  const auto space =
      require_space(location.free_space, location.directory, kOpeningBytes, location.reserve_bytes);
  if (!space) {
    return degraded(std::move(sound.probe), std::move(sound.state), space.error().message, true);
  }
  sound.probe.reset();
  auto writable = Database::open(location.database(), Database::Mode::read_write, location.env,
                                 cache_mib(location));
  if (!writable) return without_writing(location, std::move(sound.state), writable.error());
  StoreSession session;
  session.database = std::move(*writable);
  session.state = sound.state;
  WARPMIND_TRY(session.watermark, Watermark::open(location.watermark(), sound.mark));
  if (session.state.last_sequence != sound.mark.last_sequence) {
    fault::reached("open.before_adopting");
    WARPMIND_CHECK(session.watermark->advance(session.state.last_sequence,
                                              session.state.row_count(), session.state.chain));
  }
  if (sound.schema == kSchemaVersion) return session;
  const auto migrated = migrate(location, session, sound.schema);
  if (migrated) return session;
  session = {};
  return without_writing(location, std::move(sound.state),
                         Error(migrated.error()).while_doing("migrating it"));
}

/// Whether a missing database is what a crash during the making of the base leaves.
bool was_never_used(const WatermarkReading& reading) {
  if (fault::seeded(SeededBug::empty_base_in_its_place)) return true;
  if (reading.newest) return reading.newest->last_sequence == 0;
  // Of two slots the second is written by the first change: while it is blank there was none.
  return reading.damaged_slots == 0 || (reading.damaged_slots == 1 && reading.blank_slots == 1);
}

}  // namespace

Result<StoreSession> open_session(const StoreLocation& location) {
  WARPMIND_CHECK(finish_staged_restore(location));
  WARPMIND_TRY(auto reading, read_watermark(location.watermark()));
  WARPMIND_TRY(const bool exists, Database::exists(location.database(), location.env));
  if (!exists) {
    if (!was_never_used(reading)) return fail(no_database(location, reading));
    return create(location, reading.newest);
  }
  // Everything is checked on a read-only opening, which changes no byte of the evidence.
  Sound sound;
  auto probe = Database::open(location.database(), Database::Mode::read_only, location.env,
                              cache_mib(location));
  if (!probe) return fail(with_way_back(std::move(probe).error(), location));
  sound.probe = std::move(*probe);
  WARPMIND_TRY(const auto schema, sound.probe->get(Family::meta, schema_key()));
  if (schema) {
    WARPMIND_TRY(sound.schema, check_schema(*schema, location));
  }
  WARPMIND_TRY(const auto counters, sound.probe->get(Family::meta, state_key()));
  if (!schema || !counters) {
    // A crash between making the database and its first batch.
    if (!reading.newest || !was_never_used(reading)) return fail(no_database(location, reading));
    sound.probe.reset();
    return create(location, reading.newest);
  }
  WARPMIND_TRY(sound.state, decode_state(*counters));
  WARPMIND_TRY(auto loss, find_loss(*sound.probe, sound.state, reading));
  std::error_code ec;
  if (loss && std::filesystem::exists(location.accept_loss(), ec)) {
    WARPMIND_TRY(reading, accept_loss(location, sound.state, reading));
    WARPMIND_TRY(loss, find_loss(*sound.probe, sound.state, reading));
  }
  if (loss) {
    return degraded(std::move(sound.probe), std::move(sound.state), loss_note(*loss, location),
                    false);
  }
  sound.mark = *reading.newest;
  return open_for_writing(location, std::move(sound));
}

}  // namespace warpmind::knowledge_base
