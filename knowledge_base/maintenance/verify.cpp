#include "knowledge_base/maintenance/verify.h"

#include "knowledge_base/acknowledgement_check.h"
#include "knowledge_base/change_set.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/maintenance/record_check.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/rocksdb_options.h"
#include "knowledge_base/watermark.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

constexpr std::size_t kMostNotes = 20;

/// One walk over one snapshot.
class Walk {
 public:
  Walk(const Database& database, VerifyReport& report, std::stop_token stop)
      : database_(database),
        snapshot_(database.snapshot()),
        report_(report),
        stop_(std::move(stop)) {}

  Result<void> check_family(Family family) {
    const std::string name(name_of(family));
    std::int64_t counted = 0;
    const auto visit = [&](std::string_view key, std::string_view value) -> Result<bool> {
      if (stop_.stop_requested()) return fail(Errc::cancelled, "the check was stopped");
      if (is_record_key(key)) ++counted;
      ++report_.records;
      const auto references = check_record(family, key, value);
      if (!references) {
        note(name + ": " + references.error().message);
        return true;
      }
      for (const auto& reference : *references) WARPMIND_CHECK(follow(reference));
      if (family == Family::episodes) count_outcome(value);
      return true;
    };
    WARPMIND_CHECK(walk({family, ""}, visit));
    // The search index is not counted: its keys come and go.
    if (family != Family::embeddings && family != Family::terms) records_[name] = counted;
    return {};
  }

  /// Counters against what was counted.
  Result<void> check_state() {
    WARPMIND_TRY(const auto bytes, get(Family::meta, state_key()));
    if (!bytes) {
      note("the record of counters is missing");
      return {};
    }
    WARPMIND_TRY(const auto state, decode_state(*bytes));
    for (const auto& [family, counted] : records_) {
      const auto found = state.records.find(family);
      const std::int64_t stated = found == state.records.end() ? 0 : found->second;
      if (stated == counted) continue;
      note("the counters say " + std::to_string(stated) + " records of family " + family +
           ", there are " + std::to_string(counted));
    }
    if (state.episodes_by_outcome != outcomes_) note("the counters of outcomes are wrong");
    if (state.rebuild_position != 0) note("a rebuild is owed: it was interrupted, or a migration");
    return check_mark(state);
  }

  /// Each log record must follow from the one before it, from `first` on.
  Result<void> check_chain(std::int64_t first) {
    std::optional<Digest> before;
    if (first <= 1) before = Digest{};
    std::int64_t expected = 0;
    const auto visit = [&](std::string_view key, std::string_view value) -> Result<bool> {
      ++expected;
      if (number_in_key(key) != expected) {
        note("log record " + std::to_string(expected) + " is missing");
        return false;
      }
      if (expected + 1 < first) return true;
      const auto record = decode_log(value);
      if (!record) {
        note("log record " + std::to_string(expected) + ": " + record.error().message);
        before.reset();
        return true;
      }
      if (before) {
        ++report_.changes;
        if (next_in_chain(*before, record->digest) != record->chain) {
          note("log record " + std::to_string(expected) + " does not follow from the one before");
        }
      }
      before = record->chain;
      return true;
    };
    return walk({Family::log, log_prefix()}, visit);
  }

  void note(std::string problem) {
    ++report_.problems;
    if (report_.notes.size() < kMostNotes) report_.notes.push_back(std::move(problem));
  }

 private:
  Result<std::optional<std::string>> get(Family family, const std::string& key) const {
    return database_.get(family, key, snapshot_.get());
  }
  /// An unreadable block is a problem of the base, and ends the walk of its family.
  Result<void> walk(Database::Range range, const Database::Visitor& visit) {
    range.snapshot = snapshot_.get();
    auto walked = database_.scan(range, visit);
    if (!walked && walked.error().code == Errc::corrupt_data) {
      note(walked.error().message);
      return {};
    }
    return walked;
  }
  Result<void> follow(const Reference& reference) {
    const auto found = get(reference.family, reference.key);
    if (!found && found.error().code != Errc::corrupt_data) return fail(found.error());
    if (!found) {
      note(reference.what + ": " + found.error().message);
    } else if (!*found) {
      note(reference.what + " is missing in family " + std::string(name_of(reference.family)));
    }
    return {};
  }
  void count_outcome(std::string_view value) {
    const auto stored = decode_episode(value);
    if (stored) ++outcomes_[std::string(warpmind::name_of(stored->episode.outcome))];
  }
  Result<void> check_mark(const StoreState& state);

  const Database& database_;
  const Snapshot snapshot_;
  VerifyReport& report_;
  const std::stop_token stop_;
  std::map<std::string, std::int64_t> records_;
  std::map<std::string, std::int64_t> outcomes_;
};

Result<void> Walk::check_mark(const StoreState& state) {
  WARPMIND_TRY(const auto newest, get(Family::log, log_key(state.last_sequence)));
  if (state.last_sequence == 0) return {};
  if (!newest) {
    note("log record " + std::to_string(state.last_sequence) + " is missing");
    return {};
  }
  const auto record = decode_log(*newest);
  if (record && record->chain != state.chain) note("the newest log record is not the counters'");
  return {};
}

}  // namespace

Result<VerifyReport> verify_base(const Database& database, const StoreLocation& location,
                                 VerifyDepth depth, const std::stop_token& stop) {
  const auto start = std::chrono::steady_clock::now();
  VerifyReport report;
  // Read before the snapshot is taken: the database may only be ahead of it.
  WARPMIND_TRY(const auto reading, read_watermark(location.watermark()));
  Walk walk(database, report, stop);
  for (const auto& spec : kColumnFamilies) WARPMIND_CHECK(walk.check_family(spec.family));
  WARPMIND_CHECK(walk.check_state());
  WARPMIND_TRY(const auto bytes, database.get(Family::meta, state_key()));
  std::int64_t newest = 0;
  if (bytes) {
    WARPMIND_TRY(const auto state, decode_state(*bytes));
    newest = state.last_sequence;
  }
  if (!reading.newest) {
    walk.note("no slot of the watermark can be read");
  } else if (newest < reading.newest->last_sequence) {
    walk.note("changes up to " + std::to_string(reading.newest->last_sequence) +
              " were acknowledged, the newest here is " + std::to_string(newest));
  }
  const bool all = depth == VerifyDepth::files;
  WARPMIND_CHECK(walk.check_chain(all ? 1 : newest - kRecheckedChanges));
  if (all) {
    const auto status = database.raw().VerifyChecksum(verified_read(nullptr));
    if (!status.ok()) walk.note("checksums: " + status.ToString());
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace warpmind::knowledge_base
