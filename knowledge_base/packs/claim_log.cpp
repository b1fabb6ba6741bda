#include "knowledge_base/packs/claim_log.h"

#include "base/hash.h"
#include "base/text.h"
#include "knowledge_base/insights/insight_codec.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/packs/intake_run.h"
#include "knowledge_base/packs/own_attestation.h"
#include "knowledge_base/packs/pack_export.h"
#include "knowledge_base/packs/pack_reader.h"
#include "knowledge_base/record_codec.h"

#include <algorithm>
#include <set>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

/// An entry is one message, or one blob of a few hundred KiB.
constexpr std::size_t kMostClaims = 60;
/// Changes looked at in one part: a base that said nothing in them is soon through all the same.
constexpr std::int64_t kMostChanges = 20'000;
/// Of an entry of another base: several times what this build writes.
constexpr PackLimits kEntryLimits{std::size_t{64} * 1024 * 1024, 1000};
constexpr std::int64_t kMarkBytes = 1024;
/// As intake_run: a claim becomes an event, an insight, a search document.
constexpr std::int64_t kDiskBytesPerByte = 12;

Result<StoreState> load_state(const Database& database, const rocksdb::Snapshot* snapshot) {
  WARPMIND_TRY(const auto bytes, database.get(Family::meta, state_key(), snapshot));
  if (!bytes) return StoreState{};
  return decode_state(*bytes);
}

Result<std::string> chain_at(const Database& database, const rocksdb::Snapshot* snapshot,
                             std::int64_t sequence) {
  if (sequence == 0) return std::string();
  WARPMIND_TRY(const auto bytes, database.get(Family::log, log_key(sequence), snapshot));
  if (!bytes) return std::string();
  WARPMIND_TRY(const auto record, decode_log(*bytes));
  return to_hex(record.chain);
}

/// Ids of the claims that this base spoke of in change `sequence`.
Result<void> collect_own(const Database& database, const rocksdb::Snapshot* snapshot,
                         std::int64_t sequence, std::set<std::string>& claims) {
  return database.scan(
      {Family::insights, insight_event_prefix(sequence), ScanOrder::ascending, snapshot},
      [&claims](std::string_view, std::string_view value) -> Result<bool> {
        WARPMIND_TRY(const auto event, decode_event(value));
        // A source that was quarantined here is a decision about this base's own shelves.
        const bool about_a_claim = !event.insight.str().empty();
        if (about_a_claim && !is_of_others(event) && event.op != InsightOp::attest) {
          claims.insert(event.insight.str());
        }
        return true;
      });
}

Result<ClaimLogPart> read_part(const Database& database, const ClaimLogState& state,
                               std::int64_t after, UnixMillis now) {
  const Snapshot snapshot = database.snapshot();
  WARPMIND_TRY(const auto stored, load_state(database, snapshot.get()));
  ClaimLogPart part{after, {}};
  std::set<std::string> claims;
  const std::int64_t last = std::min(stored.last_sequence, after + kMostChanges);
  while (part.upto < last && claims.size() < kMostClaims) {
    ++part.upto;
    WARPMIND_CHECK(collect_own(database, snapshot.get(), part.upto, claims));
  }
  if (claims.empty()) return part;
  WARPMIND_TRY(auto pack, write_claims(database, snapshot.get(), claims, now));
  if (pack.report.insights == 0) return part;
  ClaimLogEntry entry{state.node, state.era, after, part.upto, {}, std::move(pack.text)};
  WARPMIND_TRY(entry.chain, chain_at(database, snapshot.get(), part.upto));
  part.entry = std::move(entry);
  return part;
}

Result<HeardMark> mark_of(const ChangeSet& change, std::string_view node) {
  WARPMIND_TRY(const auto bytes, change.get(Family::meta, heard_key(node)));
  if (!bytes) return HeardMark{};
  return decode_heard(*bytes);
}

/// What `entry` is to a base that heard its node up to `mark`.
Hearing place_of(const ClaimLogEntry& entry, const HeardMark& mark) {
  if (entry.era < mark.era) return Hearing::known;
  const std::int64_t heard = entry.era == mark.era ? mark.upto : 0;
  if (entry.upto <= heard) return Hearing::known;
  return entry.from > heard ? Hearing::gap : Hearing::applied;
}

/// A record of another base, without what it says in the name of third ones.
Result<PackRecord> own_words(const CheckedPack& pack, std::size_t index, const std::string& node) {
  WARPMIND_TRY(auto record, pack.record(index));
  if (auto* claim = std::get_if<PackedClaim>(&record)) {
    std::erase_if(claim->insight.attestations,
                  [&node](const Attestation& said) { return said.origin != node; });
  }
  return record;
}

Intake intake_from(const std::string& node, std::string own_id, UnixMillis at) {
  Intake intake;
  intake.source = "pack:node-" + node;
  intake.actor.name = std::string(kPackActor) + "node-" + node;
  intake.actor.reason = "heard from base " + node;
  intake.base_id = std::move(own_id);
  intake.at = at;
  return intake;
}

Result<void> check_numbers(const ClaimLogEntry& entry, const std::string& own_id) {
  if (!is_node_id(entry.node) || entry.node == own_id) {
    return fail(Errc::invalid_argument, "an entry of a claim log names no other base");
  }
  if (entry.era < 1 || entry.from < 0 || entry.upto <= entry.from) {
    return fail(Errc::invalid_argument,
                "an entry of base " + entry.node + " has impossible numbers");
  }
  return {};
}

Result<CheckedPack> check_pack(const ClaimLogEntry& entry) {
  WARPMIND_TRY(auto pack, CheckedPack::check(entry.pack, kEntryLimits));
  if (pack.header().origin != entry.node) {
    return fail(Errc::invalid_argument,
                "an entry of base " + entry.node + " holds a pack of another base");
  }
  return pack;
}

}  // namespace

bool is_node_id(std::string_view text) {
  constexpr std::size_t kDigits = 16;
  return text.size() == kDigits && is_hex(text);
}

Result<ClaimLogState> ClaimLog::state() {
  ClaimLogState state;
  const auto read = [&state](const Database& database, const std::string&) -> Result<void> {
    WARPMIND_TRY(const auto stored, load_state(database, nullptr));
    state.node = stored.base_id;
    state.newest = stored.last_sequence;
    WARPMIND_TRY(const auto bytes, database.get(Family::meta, log_era_key()));
    if (bytes) {
      WARPMIND_TRY(state.era, decode_number(*bytes));
    }
    return {};
  };
  WARPMIND_CHECK(base_.read(read));
  return state.era > 0 ? state : begin_era(0);
}

Result<ClaimLogState> ClaimLog::begin_era(std::int64_t after) {
  // By the clock: a base that lost its era with the disk takes a later one than it had.
  const std::int64_t era = std::max(after + 1, base_.location().clock.wall().value);
  const auto begin = [era](ChangeSet& change) -> Result<void> {
    WARPMIND_TRY(auto bytes, encode_number(era));
    change.put(Family::meta, log_era_key(), std::move(bytes));
    change.describe("log_era", {});
    return {};
  };
  WARPMIND_CHECK(base_.write(kMarkBytes, begin));
  return state();
}

Result<bool> ClaimLog::holds(std::int64_t upto, std::string_view chain) const {
  return base_.read([&](const Database& database, const std::string&) -> Result<bool> {
    WARPMIND_TRY(const auto own, chain_at(database, nullptr, upto));
    return !own.empty() && own == chain;
  });
}

Result<ClaimLogPart> ClaimLog::next(const ClaimLogState& state, std::int64_t after) const {
  const auto now = base_.location().clock.wall();
  return base_.read([&](const Database& database, const std::string&) {
    return read_part(database, state, after, now);
  });
}

Result<HeardMark> ClaimLog::heard(std::string_view node) const {
  return base_.read([node](const Database& database, const std::string&) -> Result<HeardMark> {
    WARPMIND_TRY(const auto bytes, database.get(Family::meta, heard_key(node)));
    if (!bytes) return HeardMark{};
    return decode_heard(*bytes);
  });
}

Result<HearingReport> ClaimLog::hear(const ClaimLogEntry& entry) {
  WARPMIND_TRY(auto own_id, base_id_of(base_));
  WARPMIND_CHECK(check_numbers(entry, own_id));
  WARPMIND_TRY(const auto before, this->heard(entry.node));
  HearingReport heard{place_of(entry, before), before, {}};
  if (heard.hearing != Hearing::applied) return heard;
  WARPMIND_TRY(const auto pack, check_pack(entry));
  const Intake intake = intake_from(entry.node, std::move(own_id), base_.location().clock.wall());
  const auto bytes = kMarkBytes + static_cast<std::int64_t>(entry.pack.size()) * kDiskBytesPerByte;
  const auto take = [&](ChangeSet& change) -> Result<void> {
    heard = HearingReport{};
    heard.report.pack = pack.name();
    heard.report.origin = entry.node;
    // Asked again inside the change: another thread may have heard it meanwhile.
    WARPMIND_TRY(heard.mark, mark_of(change, entry.node));
    heard.hearing = place_of(entry, heard.mark);
    if (heard.hearing != Hearing::applied) {
      return fail(Errc::conflict, "base " + entry.node + " was heard by somebody else just now");
    }
    ClaimIntake taker(change, intake, heard.report);
    for (std::size_t i = 0; i < pack.size(); ++i) {
      WARPMIND_TRY(auto record, own_words(pack, i, entry.node));
      WARPMIND_CHECK(taker.take(std::move(record), "record " + std::to_string(i + 1)));
    }
    heard.mark = {entry.era, entry.upto};
    WARPMIND_TRY(auto mark, encode_heard(heard.mark));
    change.put(Family::meta, heard_key(entry.node), std::move(mark));
    auto ids = taker.written();
    ids.insert(ids.begin(), entry.node);
    change.describe("heard", std::move(ids));
    return {};
  };
  WARPMIND_CHECK(base_.write(bytes, take));
  return heard;
}

}  // namespace warpmind::knowledge_base
