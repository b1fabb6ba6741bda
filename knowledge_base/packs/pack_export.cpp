#include "knowledge_base/packs/pack_export.h"

#include "base/hash.h"
#include "base/sequence.h"
#include "base/text.h"
#include "knowledge_base/insights/insight_codec.h"
#include "knowledge_base/insights/record_reader.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/packs/own_attestation.h"
#include "knowledge_base/packs/seed.h"
#include "knowledge_base/packs/skill_records.h"
#include "knowledge_base/record_codec.h"

#include <algorithm>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

using Visit = std::function<Result<void>(const PackRecord& record)>;

bool is_among(const std::vector<std::string>& allowed, const std::string& value) {
  return allowed.empty() || contains(allowed, value);
}

/// Cards have no licence of their own: those of the seed have ours, others an unknown one.
std::string licence_of(const Technique& technique) {
  return technique.source.starts_with(kSeedSource) && !technique.edited ? "Apache-2.0" : "";
}

bool may_leave(const Insight& insight, const PackExportOptions& options) {
  return (!options.offered_only || is_offered(insight.state)) &&
         is_among(options.spaces, insight.space) &&
         is_among(options.licences, insight.provenance.licence);
}

/// What one export reads from.
struct Origin {
  const Database& database;
  const rocksdb::Snapshot* snapshot;
  RecordReader reader;
  std::string base_id;
  std::int64_t newest_toggle = 0;
};

Result<PackedClaim> pack_claim(const Origin& origin, StoredInsight stored) {
  PackedClaim packed;
  packed.insight = std::move(stored.insight);
  stored.insight = packed.insight;
  WARPMIND_TRY(const auto history, load_history(origin.reader, packed.insight.id));
  auto& all = packed.insight.attestations;
  std::erase_if(all, [&](const Attestation& said) { return said.origin == origin.base_id; });
  auto own = own_attestation(stored, history, origin.base_id, origin.newest_toggle);
  if (own) all.push_back(std::move(*own));
  std::sort(all.begin(), all.end(),
            [](const Attestation& a, const Attestation& b) { return a.origin < b.origin; });
  if (id_of(packed.insight) != packed.insight.id && !history.empty() &&
      history.front().event.content) {
    packed.first = *history.front().event.content;
  }
  return packed;
}

Result<void> visit_claims(const Origin& origin, const PackExportOptions& options,
                          const Visit& visit) {
  return origin.database.scan(
      {Family::insights, insight_prefix(), ScanOrder::ascending, origin.snapshot},
      [&](std::string_view, std::string_view value) -> Result<bool> {
        if (options.stop.stop_requested()) return fail(Errc::cancelled, "the export was stopped");
        WARPMIND_TRY(auto stored, decode_stored_insight(value));
        if (!may_leave(stored.insight, options)) return true;
        WARPMIND_TRY(auto packed, pack_claim(origin, std::move(stored)));
        WARPMIND_CHECK(visit(std::move(packed)));
        return true;
      });
}

Result<void> visit_cards(const Origin& origin, const PackExportOptions& options,
                         const Visit& visit) {
  return origin.database.scan(
      {Family::techniques, technique_prefix(), ScanOrder::ascending, origin.snapshot},
      [&](std::string_view, std::string_view value) -> Result<bool> {
        WARPMIND_TRY(auto technique, decode_technique(value));
        if (is_among(options.licences, licence_of(technique))) {
          WARPMIND_CHECK(visit(std::move(technique)));
        }
        return true;
      });
}

Result<void> visit_facts(const Origin& origin, const Visit& visit) {
  return origin.database.scan(
      {Family::facts, fact_prefix(""), ScanOrder::ascending, origin.snapshot},
      [&](std::string_view, std::string_view value) -> Result<bool> {
        WARPMIND_TRY(auto fact, decode_fact(value));
        WARPMIND_CHECK(visit(std::move(fact)));
        return true;
      });
}

Result<Origin> open_origin(const Database& database, const rocksdb::Snapshot* snapshot,
                           PackHeader& header) {
  WARPMIND_TRY(const auto bytes, database.get(Family::meta, state_key(), snapshot));
  StoreState state;
  if (bytes) {
    WARPMIND_TRY(state, decode_state(*bytes));
  }
  if (state.base_id.empty()) {
    return fail(Errc::conflict,
                "the base has no id of its own yet: open it once for writing, then export");
  }
  header.origin = state.base_id;
  header.sequence = state.last_sequence;
  Origin origin{database, snapshot, reading(database, snapshot), state.base_id};
  WARPMIND_TRY(const auto sources, load_sources(origin.reader));
  for (const auto& source : sources) {
    for (const auto& toggle : source.toggles) {
      origin.newest_toggle = std::max(origin.newest_toggle, toggle.sequence);
    }
  }
  return origin;
}

}  // namespace

Result<PackHeader> visit_exported(const Database& database, const PackExportOptions& options,
                                  const Visit& visit) {
  const Snapshot snapshot = database.snapshot();
  PackHeader header;
  WARPMIND_TRY(const auto origin, open_origin(database, snapshot.get(), header));
  WARPMIND_CHECK(visit_cards(origin, options, visit));
  WARPMIND_CHECK(visit_facts(origin, visit));
  WARPMIND_CHECK(visit_claims(origin, options, visit));
  return header;
}

namespace {

/// Adds records to the text of a pack, counts them, and closes it.
class PackText {
 public:
  Result<void> add(const PackRecord& record) {
    PackReport& report = pack_.report;
    report.techniques += std::holds_alternative<Technique>(record) ? 1 : 0;
    report.insights += std::holds_alternative<PackedClaim>(record) ? 1 : 0;
    report.skills += std::holds_alternative<PackedSkill>(record) ? 1 : 0;
    facts_ += std::holds_alternative<Fact>(record) ? 1 : 0;
    std::string hash;
    body_ += record_line(record, hash);
    hashes_ += hash;
    const auto records =
        static_cast<std::size_t>(report.techniques + report.insights + report.skills + facts_);
    if (records <= limits_.records && body_.size() <= limits_.bytes / 2) return {};
    return fail(Errc::invalid_argument,
                "the base holds more than the " + std::to_string(limits_.records) +
                    " records that fit a pack: export it by namespace or licence, or back it up");
  }

  void note(std::string text) { pack_.report.notes.push_back(std::move(text)); }

  Result<ExportedPack> close(PackHeader header, UnixMillis created,
                             const std::filesystem::path& private_key) && {
    PackReport& report = pack_.report;
    header.created = created;
    header.techniques = report.techniques;
    header.facts = facts_;
    header.insights = report.insights;
    header.skills = report.skills;
    // What has no skills is read by builds from before there were any.
    if (header.skills > 0) header.version = kSkillsVersion;
    pack_.text = header_line(header) + body_;
    PackEnd end{header.records(), short_hash(hashes_), to_hex(sha256(pack_.text)), {}};
    if (!private_key.empty()) {
      WARPMIND_TRY(auto signature, sign(signed_message(end.sum), private_key));
      report.is_signed = true;
      report.signer = fingerprint(signature.public_key);
      end.signature = std::move(signature);
    }
    pack_.text += end_line(end);
    report.pack = end.content;
    report.origin = header.origin;
    return std::move(pack_);
  }

 private:
  const PackLimits limits_ = {};
  ExportedPack pack_ = {};
  std::string body_;
  std::string hashes_;
  std::int64_t facts_ = 0;
};

/// A card that others can have from this base alone.
bool is_own_card(const Technique& technique) {
  const bool of_seed = technique.source.starts_with(kSeedSource) && !technique.edited;
  return !of_seed && !technique.source.starts_with("pack:");
}

/// Those of the person's folder, and of each other name the one that episodes use.
Result<std::vector<PackedSkill>> skills_of(const Database& database,
                                           const PackExportOptions& options) {
  std::vector<PackedSkill> skills = options.skills;
  std::set<std::string> names;
  for (const auto& skill : skills) names.insert(skill.name);
  const Snapshot snapshot = database.snapshot();
  WARPMIND_TRY(auto stored, load_skills(reading(database, snapshot.get())));
  for (auto& one : stored) {
    if (options.offered_only && !is_used(one)) continue;
    if (names.insert(one.skill.name).second) skills.push_back(std::move(one.skill));
  }
  return skills;
}

/// Whether a reader would take it.
Result<void> check_leaving(const PackedSkill& skill) {
  WARPMIND_CHECK(check_packed_skill(skill));
  std::string hash;
  const std::size_t bytes = record_line(skill, hash).size();
  if (bytes <= PackLimits{}.line_bytes) return {};
  return fail(Errc::invalid_argument, "as a line of a pack it has " + std::to_string(bytes) +
                                          " bytes, at most " +
                                          std::to_string(PackLimits{}.line_bytes) + " are taken");
}

Result<void> add_skills(const Database& database, const PackExportOptions& options,
                        PackText& text) {
  WARPMIND_TRY(const auto skills, skills_of(database, options));
  std::size_t added = 0;
  for (const auto& skill : skills) {
    if (!is_among(options.licences, skill.licence)) continue;
    if (const auto fits = check_leaving(skill); !fits) {
      text.note("the skill " + quoted_name(skill.name) + " is left out: " + fits.error().message);
      continue;
    }
    if (++added > PackLimits{}.skills) {
      return fail(Errc::invalid_argument, "there are more than the " +
                                              std::to_string(PackLimits{}.skills) +
                                              " skills that fit a pack: export by licence");
    }
    WARPMIND_CHECK(text.add(skill));
  }
  return {};
}

Result<void> add_own_card(const Origin& origin, const std::string& name, PackText& text) {
  WARPMIND_TRY(const auto bytes, origin.reader.get(Family::techniques, technique_key(name)));
  if (!bytes) return {};
  WARPMIND_TRY(auto technique, decode_technique(*bytes));
  return is_own_card(technique) ? text.add(std::move(technique)) : Result<void>{};
}

}  // namespace

Result<ExportedPack> write_pack(const Database& database, const PackExportOptions& options,
                                UnixMillis created) {
  PackText text;
  auto visited = visit_exported(database, options,
                                [&text](const PackRecord& record) { return text.add(record); });
  WARPMIND_TRY(PackHeader header, std::move(visited));
  if (options.with_skills) WARPMIND_CHECK(add_skills(database, options, text));
  return std::move(text).close(std::move(header), created, options.private_key);
}

Result<ExportedPack> write_claims(const Database& database, const rocksdb::Snapshot* snapshot,
                                  const std::set<std::string>& claims, UnixMillis created) {
  PackHeader header;
  WARPMIND_TRY(const auto origin, open_origin(database, snapshot, header));
  std::vector<PackedClaim> packed;
  std::set<std::string> cards;
  for (const auto& id : claims) {
    WARPMIND_TRY(auto stored, load_insight(origin.reader, InsightId(id)));
    if (!stored) continue;
    WARPMIND_TRY(auto claim, pack_claim(origin, std::move(*stored)));
    auto& said = claim.insight.attestations;
    std::erase_if(said, [&](const Attestation& one) { return one.origin != origin.base_id; });
    if (!is_offered(claim.insight.state) && said.empty()) continue;
    cards.insert(claim.insight.action.techniques.begin(), claim.insight.action.techniques.end());
    packed.push_back(std::move(claim));
  }
  PackText text;
  for (const auto& name : cards) WARPMIND_CHECK(add_own_card(origin, name, text));
  for (auto& claim : packed) WARPMIND_CHECK(text.add(std::move(claim)));
  return std::move(text).close(std::move(header), created, {});
}

}  // namespace warpmind::knowledge_base
