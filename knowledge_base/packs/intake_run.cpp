#include "knowledge_base/packs/intake_run.h"

#include "base/log.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/record_codec.h"

#include <algorithm>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

/// A claim becomes an event, the insight, a search document and its vectors.
constexpr std::int64_t kBytesOnDiskPerByte = 12;

/// Records between two lines of the log about how far it is.
constexpr std::size_t kTellEvery = 10 * kRecordsPerChange;

/// Told apart from every other error: the change was made for nothing and is dropped.
constexpr std::string_view kNothingNew = "nothing new";

Result<void> take_some(ChangeSet& change, const Intake& intake, const IntakeBatch& batch,
                       std::size_t begin, std::size_t end, PackReport& report) {
  ClaimIntake taker(change, intake, report);
  const std::int64_t added = report.added + report.confirmed;
  for (std::size_t i = begin; i < end; ++i) {
    WARPMIND_TRY(auto record, batch.record(i));
    WARPMIND_CHECK(taker.take(std::move(record), batch.where(i)));
  }
  if (report.added + report.confirmed == added) {
    return fail(Errc::cancelled, std::string(kNothingNew));
  }
  change.describe("insights", taker.written());
  return {};
}

tl::unexpected<Error> stopped(std::size_t done, std::size_t of) {
  return fail(Errc::cancelled, "stopped after " + std::to_string(done) + " of " +
                                   std::to_string(of) +
                                   " records: give the same file again to go on from there");
}

}  // namespace

Result<std::string> base_id_of(const OpenBase& base) {
  return base.read([](const Database& database, const std::string&) -> Result<std::string> {
    WARPMIND_TRY(const auto bytes, database.get(Family::meta, state_key()));
    if (!bytes) return std::string();
    WARPMIND_TRY(const auto state, decode_state(*bytes));
    return state.base_id;
  });
}

Result<void> run_intake(OpenBase& base, Intake intake, const IntakeBatch& batch,
                        PackReport& report) {
  WARPMIND_TRY(intake.base_id, base_id_of(base));
  intake.at = base.location().clock.wall();
  const std::int64_t refused = report.refused;
  for (std::size_t begin = 0; begin < batch.size; begin += kRecordsPerChange) {
    if (batch.stop.stop_requested()) return stopped(begin, batch.size);
    if (begin > 0 && begin % kTellEvery == 0) {
      log::info("knowledge_base", "taking in", {{"record", begin}, {"of", batch.size}});
    }
    const std::size_t end = std::min(batch.size, begin + kRecordsPerChange);
    const auto share = static_cast<std::int64_t>(end - begin) * batch.bytes /
                       static_cast<std::int64_t>(batch.size);
    auto written = base.write(share * kBytesOnDiskPerByte, [&](ChangeSet& change) {
      return take_some(change, intake, batch, begin, end, report);
    });
    const bool nothing = !written && written.error().code == Errc::cancelled &&
                         written.error().message == kNothingNew;
    if (!written && !nothing) return written;
  }
  if (batch.size > 0 && report.refused - refused == static_cast<std::int64_t>(batch.size)) {
    return fail(Errc::invalid_argument, "nothing was taken in: " + report.notes.front());
  }
  return {};
}

}  // namespace warpmind::knowledge_base
