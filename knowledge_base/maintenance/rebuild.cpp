#include "knowledge_base/maintenance/rebuild.h"

#include "base/log.h"
#include "knowledge_base/fault_points.h"
#include "knowledge_base/maintenance/backups.h"
#include "knowledge_base/maintenance/projections.h"
#include "knowledge_base/maintenance/replay.h"
#include "knowledge_base/rocksdb_options.h"
#include "knowledge_base/stored_values.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::knowledge_base {
namespace {

/// Bytes of keys and values that one change of a rebuild writes.
constexpr std::size_t kBytesPerChange = 1U << 20U;

/// What must be done to one key; no value = erase it.
struct Correction {
  Family family;
  std::string key;
  std::optional<std::string> value;
};

struct RangeDifference {
  std::int64_t other = 0;    ///< keys with another value
  std::int64_t missing = 0;  ///< keys that should be there
  std::int64_t extra = 0;    ///< keys that should not
  [[nodiscard]] bool none() const { return other + missing + extra == 0; }
};

std::string text_of(const ProjectionRange& range, const RangeDifference& difference) {
  return std::string(name_of(range.family)) + " (" + std::string(range.what) +
         "): " + std::to_string(difference.other) + " values differ, " +
         std::to_string(difference.missing) + " missing, " + std::to_string(difference.extra) +
         " too many";
}

/// Makes corrections durable, some at a time.
class Corrector {
 public:
  explicit Corrector(const SoleWriter& writer) : writer_(writer) {}

  Result<void> add(Correction correction) {
    bytes_ += correction.key.size() + (correction.value ? correction.value->size() : 0);
    pending_.push_back(std::move(correction));
    if (bytes_ < kBytesPerChange) return {};
    return flush([](StoreState&) {});
  }
  /// `counters` brings the state in line.
  template <class F>
  Result<void> flush(const F& counters) {
    const auto make = [&](ChangeSet& change) -> Result<void> {
      // Until the last change says otherwise, a rebuild is owed.
      change.state().rebuild_position = change.sequence();
      counters(change.state());
      change.describe("rebuild", {});
      for (auto& [family, key, value] : pending_) {
        if (value) {
          change.put(family, std::move(key), std::move(*value));
        } else if (!fault::seeded(SeededBug::stale_projections_kept)) {
          change.erase(family, std::move(key));
        }
      }
      return {};
    };
    WARPMIND_CHECK(writer_.write(static_cast<std::int64_t>(bytes_), make));
    fault::reached("rebuild.part_written");
    pending_.clear();
    bytes_ = 0;
    return {};
  }

 private:
  const SoleWriter& writer_;
  std::vector<Correction> pending_;
  std::size_t bytes_ = 0;
};

using Rows = std::unique_ptr<rocksdb::Iterator>;

Rows rows_of(const Database& database, const ProjectionRange& range,
             const rocksdb::Snapshot* snapshot) {
  Rows rows(database.raw().NewIterator(verified_read(snapshot), database.column(range.family)));
  rows->Seek(rocksdb::Slice(range.prefix.data(), range.prefix.size()));
  return rows;
}

bool at_row(const Rows& rows, const ProjectionRange& range) {
  return rows->Valid() &&
         rows->key().starts_with(rocksdb::Slice(range.prefix.data(), range.prefix.size()));
}

Result<void> require_ok(const Rows& rows) {
  if (rows->status().ok()) return {};
  return fail(to_error(rows->status(), "cannot compare the projections"));
}

/// Walks two ordered lists of rows at once and corrects the first one.
class RowComparison {
 public:
  RowComparison(const Database& live, const Database& made, Corrector& corrector)
      : live_(live), made_(made), snapshot_(live.snapshot()), corrector_(corrector) {}

  Result<RangeDifference> correct(const ProjectionRange& range) {
    RangeDifference difference;
    const Rows is = rows_of(live_, range, snapshot_.get());
    const Rows should = rows_of(made_, range, nullptr);
    while (at_row(is, range) || at_row(should, range)) {
      WARPMIND_CHECK(correct_row(range, is, should, difference));
    }
    WARPMIND_CHECK(require_ok(is));
    WARPMIND_CHECK(require_ok(should));
    return difference;
  }
  [[nodiscard]] std::int64_t rows() const { return rows_; }

 private:
  Result<void> correct_row(const ProjectionRange& range, const Rows& is, const Rows& should,
                           RangeDifference& difference) {
    const int order = !at_row(is, range)       ? 1
                      : !at_row(should, range) ? -1
                                               : is->key().compare(should->key());
    if (order < 0) {
      ++difference.extra;
      WARPMIND_CHECK(corrector_.add({range.family, is->key().ToString(), std::nullopt}));
    } else if (order > 0 || is->value() != should->value()) {
      ++(order > 0 ? difference.missing : difference.other);
      WARPMIND_CHECK(
          corrector_.add({range.family, should->key().ToString(), should->value().ToString()}));
    }
    if (order <= 0) is->Next();
    if (order >= 0) {
      should->Next();
      ++rows_;
    }
    return {};
  }

  const Database& live_;
  const Database& made_;
  const Snapshot snapshot_;
  Corrector& corrector_;
  std::int64_t rows_ = 0;
};

/// Takes over the counters that a replay makes.
void take_counters(StoreState& state, const StoreState& made) {
  for (const auto& spec : kColumnFamilies) {
    if (!is_counted_projection(spec.family)) continue;
    const std::string name(spec.name);
    state.records.erase(name);
    const auto found = made.records.find(name);
    if (found != made.records.end()) state.records[name] = found->second;
  }
  state.next_document = made.next_document;
}

/// Corrects the base; says what was wrong.
Result<void> correct(const SoleWriter& writer, const Replay& replay, RebuildReport& report) {
  WARPMIND_TRY(const auto before, StoredValues(writer.database()).state());
  Corrector corrector(writer);
  RowComparison comparison(writer.database(), replay.copy.database(), corrector);
  for (const auto& range : projection_ranges()) {
    WARPMIND_TRY(const auto difference, comparison.correct(range));
    if (!difference.none()) report.differences.push_back(text_of(range, difference));
  }
  report.records = comparison.rows();
  auto after = before;
  take_counters(after, replay.state);
  if (!(after == before)) report.differences.emplace_back("counters: brought in line");
  report.identical = report.differences.empty();
  if (report.identical && before.rebuild_position == 0) return {};
  fault::reached("rebuild.before_end");
  return corrector.flush([&replay](StoreState& state) {
    take_counters(state, replay.state);
    state.rebuild_position = 0;
  });
}

}  // namespace

Result<bool> rebuild_is_owed(const OpenBase& base) {
  return base.read([](const Database& database, const std::string&) -> Result<bool> {
    WARPMIND_TRY(const auto state, StoredValues(database).state());
    return state.rebuild_position != 0;
  });
}

Result<RebuildReport> rebuild_projections(OpenBase& base, const std::stop_token& stop) {
  const auto start = std::chrono::steady_clock::now();
  RebuildReport report;
  const auto work = [&](const SoleWriter& writer) -> Result<void> {
    WARPMIND_TRY(const auto replay, replay_log(writer.database(), base.location(), stop));
    report.changes = replay.changes;
    return correct(writer, replay, report);
  };
  WARPMIND_CHECK(recovering(base, base.alone(work)));
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  log::info(
      "knowledge_base", "rebuilt",
      {{"changes", report.changes}, {"records", report.records}, {"identical", report.identical}});
  return report;
}

}  // namespace warpmind::knowledge_base
