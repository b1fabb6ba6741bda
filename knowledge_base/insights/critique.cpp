#include "knowledge_base/insights/critique.h"

#include "base/model/verdict_reading.h"
#include "base/sequence.h"
#include "knowledge_base/evidence.h"
#include "knowledge_base/insights/claim_scope.h"
#include "knowledge_base/insights/record_reader.h"
#include "knowledge_base/insights/technique_records.h"
#include "knowledge_base/insights/validation.h"
#include "knowledge_base/insights/wording.h"

#include <cctype>
#include <string_view>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

/// As a source may be spelt: "gpt-5 (chat)" becomes "gpt-5 -chat-".
std::string name_of_critic(const Episode& episode) {
  constexpr std::size_t kLongest = 100;
  std::string name = episode.critic.substr(0, kLongest);
  for (char& c : name) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                      std::string_view(":._-+@/ ").find(c) != std::string_view::npos;
    if (!fits) c = '-';
  }
  return name.empty() ? "unnamed" : name;
}

std::string source_of_critic(const Episode& episode) { return "critic:" + name_of_critic(episode); }

/// Insights that no person and no pack stands behind.
bool may_be_reworded(const Insight& insight) {
  const std::string& source = insight.provenance.source;
  return source == "episodes" || source.starts_with("critic:");
}

/// Sentences on a card that critics added: each ends with its episode.
std::size_t lines_of_critics(const std::string& field) {
  std::size_t count = 0;
  for (std::size_t at = field.find("(e-"); at != std::string::npos;
       at = field.find("(e-", at + 1)) {
    ++count;
  }
  return count;
}

InsightKind kind_of(ClaimKind kind) {
  switch (kind) {
    case ClaimKind::positive: return InsightKind::positive;
    case ClaimKind::negative: return InsightKind::negative;
    default: return InsightKind::precondition;
  }
}

/// Applies the deltas of one episode.
class Reflection {
 public:
  Reflection(ChangeSet& change, InsightWriter& writer, const Episode& episode,
             std::vector<Dtype> dtypes)
      : change_(change), writer_(writer), episode_(episode), dtypes_(std::move(dtypes)) {}

  /// What was done, as a line; invalid_argument, conflict or not_found when the rules refuse it.
  Result<std::string> apply_delta(const Delta& delta) {
    const CritiqueClaim& claim = episode_.claims[static_cast<std::size_t>(delta.claim)];
    switch (delta.kind) {
      case DeltaKind::add: return add(claim);
      case DeltaKind::amend:
        return delta.technique.empty() ? amend(delta, claim) : amend_card(delta);
      case DeltaKind::split_scope: return narrow(delta, claim);
      case DeltaKind::merge: return merge(delta, claim);
      case DeltaKind::deprecate: return deprecate(delta, claim);
    }
    return fail(Errc::invalid_argument, "unknown delta");
  }

 private:
  [[nodiscard]] InsightEvent event_of(InsightOp op, const CritiqueClaim& claim) const {
    InsightEvent event;
    event.op = op;
    event.actor = {name_of_critic(episode_), shortened(claim.text, 200)};
    event.at = episode_.finished;
    event.source = source_of_critic(episode_);
    return event;
  }

  [[nodiscard]] std::vector<EvidenceRef> evidence_of_claim(const CritiqueClaim& claim) const {
    std::vector<EvidenceRef> all;
    for (const std::int64_t position : claim.steps) {
      const Step& step = episode_.steps[static_cast<std::size_t>(position)];
      if (is_failure(step.verdict.outcome) && !feasibility_of(step)) continue;
      EvidenceRef cited;
      cited.episode = episode_.id;
      cited.step = position;
      cited.provider = episode_.provider;
      const bool helped = step.verdict.outcome == Outcome::improved;
      cited.supports = helped != (claim.kind == ClaimKind::negative);
      all.push_back(std::move(cited));
    }
    return all;
  }

  Result<std::string> add(const CritiqueClaim& claim) {
    if (claim.kind == ClaimKind::diagnosis_error) {
      return fail(Errc::invalid_argument, "an error of diagnosis is no insight about a technique");
    }
    const auto position = static_cast<std::size_t>(claim.steps.front());
    const Step& step = episode_.steps[position];
    const auto& measured = step.verdict.measurement ? step.verdict.measurement
                                                    : episode_.steps.front().verdict.measurement;
    ClaimSubject subject{{claim.technique, step.before.primary}, claim.parameters};
    if (measured) {
      subject.device = measured->device;
      subject.toolkit = measured->toolkit;
    }
    Insight insight = claim_about(episode_, dtypes_, kind_of(claim.kind), subject);
    insight.claim = claim.text;
    insight.mechanism = claim.mechanism;
    insight.provenance.source = source_of_critic(episode_);
    insight.provenance.author = name_of_critic(episode_);
    insight.provenance.model = step.candidate.model;
    sign(insight, episode_, position, subject.device);
    insight.evidence = evidence_of_claim(claim);
    InsightEvent event = event_of(InsightOp::add, claim);
    event.content = std::move(insight);
    WARPMIND_TRY(const Insight written, writer_.add_or_confirm(std::move(event)));
    return "critic: " + written.id.str() + " " + written.claim;
  }

  Result<Insight> reworded(const Delta& delta) {
    WARPMIND_TRY(auto stored, require_insight(writer_.reader(), delta.target));
    if (!may_be_reworded(stored.insight)) {
      return fail(Errc::invalid_argument, delta.target.str() + " is the word of " +
                                              stored.insight.provenance.source +
                                              ": a critic does not change it");
    }
    if (stored.insight.pinned) {
      return fail(Errc::conflict, delta.target.str() + " is pinned");
    }
    return std::move(stored.insight);
  }

  Result<std::string> amend(const Delta& delta, const CritiqueClaim& claim) {
    WARPMIND_CHECK(reworded(delta));
    InsightEvent event = event_of(InsightOp::amend, claim);
    event.insight = delta.target;
    event.amendment = InsightAmendment{};
    event.amendment->claim = delta.text;
    WARPMIND_CHECK(writer_.write_event(std::move(event)));
    return "critic: " + delta.target.str() + " reworded: " + delta.text;
  }

  Result<std::string> narrow(const Delta& delta, const CritiqueClaim& claim) {
    WARPMIND_TRY(const Insight insight, reworded(delta));
    const auto& present = insight.scope.bottlenecks;
    for (const auto wanted : delta.bottlenecks) {
      if (!present.empty() && !contains(present, wanted)) {
        return fail(Errc::invalid_argument, delta.target.str() + " does not hold at " +
                                                std::string(name_of(wanted)) +
                                                ": a scope is narrowed, never widened");
      }
    }
    InsightEvent event = event_of(InsightOp::amend, claim);
    event.insight = delta.target;
    event.amendment = InsightAmendment{};
    event.amendment->scope = insight.scope;
    event.amendment->scope->bottlenecks = delta.bottlenecks;
    WARPMIND_CHECK(writer_.write_event(std::move(event)));
    return "critic: " + delta.target.str() + " narrowed" + scope_text(insight.scope);
  }

  Result<std::string> merge(const Delta& delta, const CritiqueClaim& claim) {
    WARPMIND_TRY(const Insight from, reworded(delta));
    WARPMIND_TRY(const auto into, require_insight(writer_.reader(), delta.into));
    if (from.kind != into.insight.kind ||
        from.action.techniques != into.insight.action.techniques) {
      return fail(Errc::invalid_argument,
                  delta.target.str() + " and " + delta.into.str() + " are about different things");
    }
    InsightEvent event = event_of(InsightOp::supersede, claim);
    event.insight = delta.target;
    event.other = delta.into;
    WARPMIND_CHECK(writer_.write_event(std::move(event)));
    return "critic: " + delta.target.str() + " merged into " + delta.into.str();
  }

  Result<std::string> deprecate(const Delta& delta, const CritiqueClaim& claim) {
    WARPMIND_TRY(const Insight insight, reworded(delta));
    const auto& techniques = insight.action.techniques;
    const bool same_subject = contains(techniques, claim.technique);
    const bool contradicts =
        (insight.kind == InsightKind::positive && claim.kind == ClaimKind::negative) ||
        (insight.kind == InsightKind::negative && claim.kind == ClaimKind::positive);
    if (!same_subject || !contradicts) {
      return fail(Errc::invalid_argument, "the claim does not contradict " + delta.target.str());
    }
    InsightEvent event = event_of(InsightOp::transition, claim);
    event.insight = delta.target;
    event.state = InsightState::deprecated;
    event.because = {episode_.id};
    WARPMIND_CHECK(writer_.write_event(std::move(event)));
    return "critic: " + delta.target.str() + " deprecated";
  }

  /// One sentence more in a field of a technique card; older versions are kept.
  Result<std::string> amend_card(const Delta& delta) {
    WARPMIND_TRY(auto card, load_technique(change_, delta.technique));
    if (!card) {
      return fail(Errc::not_found, "there is no technique card '" + delta.technique + "'");
    }
    std::string& field = delta.field == "when"       ? card->when
                         : delta.field == "when_not" ? card->when_not
                         : delta.field == "how"      ? card->how
                                                     : card->risks;
    const std::size_t grown = lines_of_critics(field);
    if (grown >= kMostCardLines) {
      return fail(Errc::conflict, "the card " + delta.technique + " has grown " +
                                      std::to_string(grown) + " sentences in " + delta.field +
                                      " already: edit it by hand");
    }
    if (field.find(delta.text) != std::string::npos) {
      return fail(Errc::conflict, "the card " + delta.technique + " says that already");
    }
    field += (field.empty() ? "" : " ") + delta.text + " (" + episode_.id.str() + ")";
    WARPMIND_CHECK(check_technique(*card));
    WARPMIND_CHECK(store_technique(change_, *card, {name_of_critic(episode_), "critique"}));
    return "critic: card " + delta.technique + ", " + delta.field + ": " + delta.text;
  }

  ChangeSet& change_;
  InsightWriter& writer_;
  const Episode& episode_;
  const std::vector<Dtype> dtypes_;
};

bool is_refusal(const Error& error) {
  return error.code == Errc::invalid_argument || error.code == Errc::conflict ||
         error.code == Errc::not_found;
}

}  // namespace

Result<std::vector<std::string>> apply_critique(ChangeSet& change, InsightWriter& writer,
                                                const Episode& episode) {
  std::vector<std::string> lines;
  if (episode.split == Split::heldout || episode.deltas.empty()) return lines;
  WARPMIND_TRY(auto dtypes, dtypes_of(writer.reader(), episode.task));
  Reflection reflection(change, writer, episode, std::move(dtypes));
  for (const auto& delta : episode.deltas) {
    const auto claims = static_cast<std::int64_t>(episode.claims.size());
    if (!delta.refused.empty() || delta.claim < 0 || delta.claim >= claims) continue;
    auto done = reflection.apply_delta(delta);
    if (!done && !is_refusal(done.error())) return fail(std::move(done).error());
    lines.push_back(done ? *done
                         : "refused: " + std::string(name_of(delta.kind)) + ": " +
                               done.error().message);
  }
  return lines;
}

}  // namespace warpmind::knowledge_base
