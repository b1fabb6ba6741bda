#include "knowledge_base/schema_migration.h"

#include "base/hash.h"
#include "base/log.h"
#include "knowledge_base/base_copy.h"
#include "knowledge_base/change_set.h"
#include "knowledge_base/fault_points.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/record_codec.h"

#include <array>
#include <random>
#include <system_error>

namespace warpmind::knowledge_base {
namespace {

/// From version `from` to the next one.
struct Step {
  std::int64_t from;
  Result<void> (*apply)(ChangeSet& change);
};

/// Version 2 names the base, and holds insights, edges and the search index, which version 1 kept
/// empty. They are projections: what is owed is noted here and made by Maintenance::
/// finish_interrupted, which also lets the old episodes teach insights.
Result<void> to_version_2(ChangeSet& change) {
  change.state().base_id = draw_base_id();
  change.state().rebuild_position = change.sequence();
  return {};
}

/// Version 3 keeps with the statistics of edits how far gains lay from what was expected of them.
/// The episodes have both: the statistics are owed, as above.
Result<void> to_version_3(ChangeSet& change) {
  change.state().rebuild_position = change.sequence();
  return {};
}

constexpr std::array<Step, 2> kSteps{{{1, to_version_2}, {2, to_version_3}}};
static_assert(kSteps.back().from + 1 == kSchemaVersion, "every version needs a step to it");

Result<void> apply_steps(ChangeSet& change, std::int64_t from) {
  for (const auto& step : kSteps) {
    if (step.from >= from) WARPMIND_CHECK(step.apply(change));
  }
  change.describe("migration",
                  {"schema " + std::to_string(from) + " to " + std::to_string(kSchemaVersion)});
  return {};
}

Result<void> keep_copy(const StoreLocation& location, const StoreSession& session,
                       std::int64_t from) {
  const auto copy = copy_before_migration(location, from, session.state.last_sequence);
  std::error_code ec;
  if (std::filesystem::exists(copy, ec)) return {};  // an attempt before this one got that far
  WARPMIND_TRY(const auto mark, copy_base(*session.database, location, copy));
  log::info("knowledge_base", "kept a copy of the base before its migration",
            {{"copy", copy.string()}, {"change", std::to_string(mark.last_sequence)}});
  return {};
}

Result<void> write_schema(StoreSession& session, const ChangeGroup& changes) {
  WARPMIND_TRY(auto batch, changes.to_batch());
  WARPMIND_TRY(const auto schema, encode_number(kSchemaVersion));
  auto* meta = session.database->column(Family::meta);
  if (fault::seeded(SeededBug::schema_apart_from_state)) {
    rocksdb::WriteBatch apart;
    (void)apart.Put(meta, schema_key(), schema);
    WARPMIND_CHECK(session.database->write(apart));
    fault::reached("migrate.between_batches");
    return session.database->write(batch);
  }
  const auto status = batch.Put(meta, schema_key(), schema);
  if (!status.ok()) return fail(to_error(status, "cannot build a batch"));
  return session.database->write(batch);
}

}  // namespace

std::string draw_base_id() {
  std::random_device entropy;
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += std::to_string(entropy()) + " ";
  return short_hash(bytes);
}

std::filesystem::path copy_before_migration(const StoreLocation& location, std::int64_t from,
                                            std::int64_t sequence) {
  auto path = location.directory;
  path += ".schema-" + std::to_string(from) + "-at-" + std::to_string(sequence);
  return path;
}

Result<void> migrate(const StoreLocation& location, StoreSession& session, std::int64_t from) {
  fault::reached("migrate.before_copy");
  WARPMIND_CHECK(keep_copy(location, session, from));
  ChangeGroup changes(*session.database, session.state);
  ChangeSet change(changes);
  WARPMIND_CHECK(apply_steps(change, from));
  WARPMIND_CHECK(changes.absorb(std::move(change), location.clock.wall()));
  fault::reached("migrate.before_batch");
  WARPMIND_CHECK(write_schema(session, changes));
  fault::reached("migrate.after_batch");
  const auto& state = changes.state();
  WARPMIND_CHECK(session.watermark->advance(state.last_sequence, state.row_count(), state.chain));
  session.state = state;
  log::info("knowledge_base", "migrated",
            {{"from", std::to_string(from)}, {"to", std::to_string(kSchemaVersion)}});
  return {};
}

}  // namespace warpmind::knowledge_base
