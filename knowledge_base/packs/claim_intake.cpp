#include "knowledge_base/packs/claim_intake.h"

#include "base/text.h"
#include "knowledge_base/insights/insight_codec.h"
#include "knowledge_base/insights/record_reader.h"
#include "knowledge_base/insights/technique_records.h"
#include "knowledge_base/insights/text_guard.h"
#include "knowledge_base/insights/validation.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/packs/own_attestation.h"
#include "knowledge_base/packs/skill_records.h"

#include <algorithm>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

/// `claim` as it was before its scope or parameters were changed.
Insight as_first_said(Insight claim, const Insight& first) {
  claim.kind = first.kind;
  claim.action = first.action;
  claim.scope = first.scope;
  claim.claim = first.claim;
  return claim;
}

constexpr std::size_t kMostNotes = 10;

Result<void> check_fact(const Fact& fact) {
  WARPMIND_CHECK(check_label("the fact's subject", fact.subject));
  WARPMIND_CHECK(check_name("the fact", fact.name));
  WARPMIND_CHECK(check_label("the fact's unit", fact.unit));
  WARPMIND_CHECK(check_prose("the fact's source", fact.source));
  return check_prose("the fact's note", fact.note);
}

/// Cards that a pack may replace: those that came with another pack.
bool is_from_pack(const Technique& technique) {
  return !technique.edited && technique.source.starts_with("pack:");
}

/// The one of two cards from packs that stays, whichever came first.
bool stays(const Technique& known, const Technique& offered) {
  std::string known_hash;
  std::string offered_hash;
  static_cast<void>(record_line(known, known_hash));
  static_cast<void>(record_line(offered, offered_hash));
  return known_hash <= offered_hash;
}

/// What another base measured or decided, and none of them offers any more.
bool is_withdrawn(const Insight& insight) {
  return !insight.attestations.empty() &&
         std::none_of(insight.attestations.begin(), insight.attestations.end(),
                      [](const Attestation& said) { return is_offered(said.state); });
}

Result<void> check_packed(const PackedClaim& packed) {
  constexpr std::int64_t kMostSequence = std::int64_t{1} << 53;
  for (const auto& said : packed.insight.attestations) {
    WARPMIND_CHECK(check_attestation(said));
    if (said.sequence > kMostSequence) {
      return fail(Errc::invalid_argument,
                  "the attestation of " + said.origin + " has an impossible sequence");
    }
  }
  Insight claim = packed.insight;
  claim.provenance.source = "pack";
  WARPMIND_CHECK(check_claim(claim));
  if (!packed.first) return {};
  return check_claim(as_first_said(std::move(claim), *packed.first));
}

}  // namespace

void add_note(PackReport& report, std::string note) {
  if (report.notes.size() < kMostNotes) report.notes.push_back(std::move(note));
}

InsightEvent ClaimIntake::event_on(const InsightId& id, InsightOp op) const {
  InsightEvent event;
  event.insight = id;
  event.op = op;
  event.actor = intake_.actor;
  event.at = intake_.at;
  event.source = intake_.source;
  return event;
}

Result<void> ClaimIntake::take(PackRecord record, const std::string& where) {
  Result<Effect> effect = Effect::unchanged;
  if (auto* technique = std::get_if<Technique>(&record)) {
    ++report_.techniques;
    effect = take_card(std::move(*technique));
  } else if (auto* fact = std::get_if<Fact>(&record)) {
    effect = take_fact(std::move(*fact));
  } else if (auto* skill = std::get_if<PackedSkill>(&record)) {
    ++report_.skills;
    effect = take_skill(std::move(*skill));
  } else {
    ++report_.insights;
    effect = take_claim(std::move(std::get<PackedClaim>(record)));
  }
  if (!effect) {
    if (effect.error().code != Errc::invalid_argument) return fail(effect.error());
    ++report_.refused;
    add_note(report_, where + ": " + effect.error().message);
    return {};
  }
  if (*effect == Effect::added) ++report_.added;
  if (*effect == Effect::confirmed) ++report_.confirmed;
  if (*effect == Effect::unchanged) ++report_.unchanged;
  return {};
}

Result<ClaimIntake::Effect> ClaimIntake::take_card(Technique technique) {
  WARPMIND_CHECK(check_technique(technique));
  technique.source = intake_.source;
  WARPMIND_TRY(const auto known, load_technique(change_, technique.name));
  if (known && (!is_from_pack(*known) || stays(*known, technique))) return Effect::unchanged;
  WARPMIND_TRY(const bool wrote, store_technique(change_, technique, intake_.actor));
  if (!wrote) return Effect::unchanged;
  written_.push_back(technique.name);
  return Effect::added;
}

Result<ClaimIntake::Effect> ClaimIntake::take_fact(Fact fact) {
  WARPMIND_CHECK(check_fact(fact));
  WARPMIND_TRY(const auto bytes, change_.get(Family::facts, fact_key(fact.subject, fact.name)));
  if (bytes) {
    WARPMIND_TRY(const auto known, decode_fact(*bytes));
    if (known.value != fact.value || known.unit != fact.unit) {
      add_note(report_, "the fact " + fact.subject + " " + fact.name +
                            " differs from the one here, which was kept");
    }
    return Effect::unchanged;
  }
  fact.note += (fact.note.empty() ? "from " : "; from ") + intake_.source + ", not checked here";
  WARPMIND_TRY(const bool wrote, store_fact(change_, fact));
  return wrote ? Effect::added : Effect::unchanged;
}

Result<ClaimIntake::Effect> ClaimIntake::take_skill(PackedSkill skill) {
  const auto refuse = [&](const std::string& why) {
    return fail(Errc::invalid_argument, "the skill " + quoted_name(skill.name) + " of " +
                                            intake_.source + " is refused: " + why);
  };
  const auto& [check, origin, signer, signer_known] = intake_.skills;
  if (!check) return refuse("skills come with files that a person imports, not this way");
  if (const auto plain = check_packed_skill(skill); !plain) return refuse(plain.error().message);
  if (const auto read = check(skill); !read) return refuse(read.error().message);
  WARPMIND_TRY(auto known, load_skill(reading(change_), skill.name, intake_.source));
  if (known && known->skill != skill) {
    return refuse("another pack of the same name brought another skill of that name");
  }
  if (known && (known->signer_known || !signer_known)) return Effect::unchanged;
  // The next pack of a base brings most of its skills again: what was said of one here holds.
  WARPMIND_TRY(const bool is_here, has_skill(reading(change_), skill));
  if (!known && is_here) return Effect::unchanged;
  StoredSkill stored;
  if (known) stored = std::move(*known);
  stored.skill = std::move(skill);
  stored.source = intake_.source;
  stored.origin = origin;
  stored.signer = signer;
  stored.signer_known = signer_known;
  if (!known) stored.sequence = change_.sequence();
  WARPMIND_TRY(auto bytes, encode_skill(stored));
  change_.put(Family::techniques, skill_key(stored.skill.name, stored.source), std::move(bytes));
  written_.push_back(stored.skill.name);
  return known ? Effect::confirmed : Effect::added;
}

Result<Insight> ClaimIntake::add_claim(Insight claim, std::optional<Insight> first) {
  claim.attestations.clear();
  // What it takes the place of is the business of the base that said so.
  claim.supersedes.clear();
  claim.provenance.source = intake_.source;
  InsightEvent event = event_on(claim.id, InsightOp::add);
  if (!first) {
    event.content = std::move(claim);
    WARPMIND_TRY(auto added, writer_.write_event(std::move(event)));
    written_.push_back(added.id.str());
    return added;
  }
  event.content = as_first_said(claim, *first);
  WARPMIND_TRY(auto added, writer_.write_event(std::move(event)));
  written_.push_back(added.id.str());
  InsightEvent amend = event_on(claim.id, InsightOp::amend);
  amend.amendment =
      InsightAmendment{{.claim = claim.claim, .parameters = claim.action.parameters}, claim.scope};
  auto amended = writer_.write_event(std::move(amend));
  if (amended) return amended;
  // Amended it would say what another claim here says: it stays as it was first said.
  if (amended.error().code != Errc::conflict) return fail(amended.error());
  return added;
}

Result<bool> ClaimIntake::attest(const Insight& known,
                                 const std::vector<Attestation>& attestations) {
  bool heard = false;
  for (const auto& said : attestations) {
    if (said.origin == intake_.base_id) continue;
    const auto& all = known.attestations;
    const auto before = std::find_if(all.begin(), all.end(), [&](const Attestation& other) {
      return other.origin == said.origin;
    });
    if (before != all.end() && !replaces(said, *before)) continue;
    InsightEvent event = event_on(known.id, InsightOp::attest);
    event.attestation = said;
    WARPMIND_TRY(const auto attested, writer_.write_event(std::move(event)));
    static_cast<void>(attested);
    heard = true;
  }
  return heard;
}

/// The state of a claim that was never measured here follows from what others say, not from the
/// order in which they said it.
Result<bool> ClaimIntake::settle_withdrawn(const InsightId& id) {
  WARPMIND_TRY(const auto stored, require_insight(reading(change_), id));
  const Insight& insight = stored.insight;
  if (!insight.provenance.source.starts_with("pack:") || insight.pinned || !stored.cells.empty()) {
    return false;
  }
  const bool withdrawn = is_withdrawn(insight);
  const auto state = withdrawn ? InsightState::deprecated : InsightState::proposed;
  if (stored.stated == state) return false;
  WARPMIND_TRY(const auto history, load_history(reading(change_), id));
  const bool decided_here =
      std::any_of(history.begin(), history.end(), [](const LoggedEvent& logged) {
        return logged.event.op == InsightOp::transition &&
               !logged.event.actor.name.starts_with(kPackActor);
      });
  if (decided_here) return false;
  InsightEvent event = event_on(id, InsightOp::transition);
  event.state = state;
  event.actor.reason = withdrawn ? "no base that attests it offers it any more"
                                 : "another base attests and offers it";
  WARPMIND_TRY(const auto moved, writer_.write_event(std::move(event)));
  static_cast<void>(moved);
  return true;
}

Result<ClaimIntake::Effect> ClaimIntake::take_claim(PackedClaim claim) {
  Insight& insight = claim.insight;
  if (!intake_.space.empty()) {
    insight.space = intake_.space;
    if (claim.first) claim.first->space = intake_.space;
  }
  normalise(insight);
  if (claim.first) normalise(*claim.first);
  insight.id = id_of(claim.first ? *claim.first : insight);
  // All of it before anything is written: a claim that is refused leaves nothing behind.
  WARPMIND_CHECK(check_packed(claim));
  const auto attestations = insight.attestations;
  const InsightId id = insight.id;
  WARPMIND_TRY(auto stored, load_insight(reading(change_), id));
  const bool is_new = !stored.has_value();
  Insight known;
  if (is_new) {
    WARPMIND_TRY(known, add_claim(std::move(insight), std::move(claim.first)));
  } else {
    known = std::move(stored->insight);
  }
  WARPMIND_TRY(const bool heard, attest(known, attestations));
  // A new claim that nobody attests is proposed already.
  if (heard) {
    WARPMIND_TRY(const bool moved, settle_withdrawn(id));
    static_cast<void>(moved);
  }
  if (is_new) return Effect::added;
  if (heard) written_.push_back(id.str());
  return heard ? Effect::confirmed : Effect::unchanged;
}

}  // namespace warpmind::knowledge_base
