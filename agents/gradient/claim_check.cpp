#include "agents/gradient/claim_check.h"

#include "base/model/verdict_reading.h"
#include "base/text.h"
#include "knowledge_base/evidence.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>

namespace warpmind::agents {
namespace {

/// ln(gain) over the edited kernel: of a confirmed comparison, or of a screening that did not look
/// good (one process flatters). nullopt = the step says nothing about gains.
std::optional<double> gain_said(const Step& step, Provider provider) {
  const auto& comparison = step.verdict.comparison;
  if (!comparison || !(comparison->ratio > 0)) return std::nullopt;
  if (step.verdict.outcome == Outcome::inconclusive) return std::nullopt;
  const double gain = std::log(comparison->ratio);
  if (knowledge_base::is_confirmed(*comparison, provider)) return gain;
  if (step.verdict.outcome == Outcome::improved) return std::nullopt;
  return std::min(gain, 0.0);
}

std::string cited(const Step& step) { return "step " + std::to_string(step.index); }

/// Why `step` cannot carry the claim, whatever it measured.
std::string mismatch(const CritiqueClaim& claim, const Step& step) {
  const Candidate& candidate = step.candidate;
  if (candidate.technique != claim.technique) {
    return cited(step) + " tried " + candidate.technique + ", not " + claim.technique;
  }
  if (!claim.parameters.empty() && candidate.parameters != claim.parameters) {
    return cited(step) + " tried " + candidate.technique + " with '" + candidate.parameters +
           "', not with '" + claim.parameters + "'";
  }
  const bool other_bottleneck = claim.bottleneck != BottleneckClass::unknown &&
                                claim.bottleneck != step.before.primary &&
                                claim.kind != ClaimKind::diagnosis_error;
  if (other_bottleneck) {
    return cited(step) + " was made at " + std::string(name_of(step.before.primary)) + ", not at " +
           std::string(name_of(claim.bottleneck));
  }
  return {};
}

/// Why what `step` measured speaks against the claim.
std::string contradiction(const CritiqueClaim& claim, const Step& step, Provider provider) {
  const auto gain = gain_said(step, provider);
  if (claim.kind == ClaimKind::positive) {
    if (is_failure(step.verdict.outcome)) {
      return cited(step) + " ended as " + std::string(name_of(step.verdict.outcome)) +
             ", the claim says that it helps";
    }
    if (gain && step.verdict.outcome != Outcome::improved) {
      return cited(step) + " measured " + log_factor_text(*gain) + ", the claim says that it helps";
    }
  }
  if (claim.kind == ClaimKind::negative && gain && *gain > 0 &&
      step.verdict.outcome == Outcome::improved) {
    return cited(step) + " measured " + log_factor_text(*gain) +
           ", the claim says that it does not help";
  }
  return {};
}

std::string effect_fault(const CritiqueClaim& claim) {
  if (!std::isfinite(claim.log_gain) || !std::isfinite(claim.confidence)) {
    return "its effect or confidence is not a finite number";
  }
  if (claim.kind == ClaimKind::positive && claim.log_gain < 0) {
    return "it says that the technique helps and claims " + log_factor_text(claim.log_gain);
  }
  if (claim.kind == ClaimKind::negative && claim.log_gain > 0) {
    return "it says that the technique does not help and claims " + log_factor_text(claim.log_gain);
  }
  return {};
}

std::string fault_of(const Episode& episode, const CritiqueClaim& claim) {
  if (claim.text.empty()) return "it says nothing";
  if (claim.technique.empty()) return "it names no technique";
  if (claim.steps.empty()) return "it cites no step";
  if (auto fault = effect_fault(claim); !fault.empty()) return fault;
  bool says_something = false;
  for (const std::int64_t position : claim.steps) {
    if (position < 1 || position >= static_cast<std::int64_t>(episode.steps.size())) {
      return "it cites step " + std::to_string(position) + "; this episode has candidates 1 to " +
             std::to_string(episode.steps.size() - 1);
    }
    const Step& step = episode.steps[static_cast<std::size_t>(position)];
    if (step.candidate.proposer == "memory") {
      return cited(step) + " measured a remembered kernel again and says nothing of a technique";
    }
    if (auto fault = mismatch(claim, step); !fault.empty()) return fault;
    if (auto fault = contradiction(claim, step, episode.provider); !fault.empty()) return fault;
    says_something = says_something || knowledge_base::feasibility_of(step) == false ||
                     gain_said(step, episode.provider);
  }
  return says_something ? "" : "the steps that it cites measured nothing";
}

std::string need_of(const Delta& delta, const std::set<InsightId>& shown) {
  const bool on_card = delta.kind == DeltaKind::amend && !delta.technique.empty();
  if (delta.kind == DeltaKind::add) return {};
  if (on_card) {
    static const std::set<std::string> fields{"when", "when_not", "how", "risks"};
    if (!fields.contains(delta.field)) {
      return "a card has no field '" + delta.field + "'; when, when_not, how and risks can grow";
    }
    return delta.text.empty() ? "it brings no text" : "";
  }
  if (delta.target.empty()) return "it names no insight";
  if (!shown.contains(delta.target)) {
    return "no step of this episode was shown the insight " + delta.target.str();
  }
  switch (delta.kind) {
    case DeltaKind::amend: return delta.text.empty() ? "it brings no text" : "";
    case DeltaKind::split_scope:
      return delta.bottlenecks.empty() ? "it names no bottleneck to narrow the insight to" : "";
    case DeltaKind::merge:
      if (delta.into.empty() || !shown.contains(delta.into)) {
        return "it names no insight to merge into that a step was shown";
      }
      return delta.into == delta.target ? "it merges an insight with itself" : "";
    default: return {};
  }
}

}  // namespace

void check_claims(const Episode& episode, std::vector<CritiqueClaim>& claims) {
  for (auto& claim : claims) claim.refused = fault_of(episode, claim);
}

void check_deltas(const Episode& episode, const std::vector<CritiqueClaim>& claims,
                  std::vector<Delta>& deltas) {
  std::set<InsightId> shown;
  for (const auto& step : episode.steps) {
    for (const auto& exposure : step.exposures) {
      if (exposure.shown) shown.insert(exposure.insight);
    }
  }
  const auto known = static_cast<std::int64_t>(claims.size());
  for (auto& delta : deltas) {
    if (delta.claim < 0 || delta.claim >= known) {
      delta.refused = "it rests on no claim";
    } else if (!claims[static_cast<std::size_t>(delta.claim)].refused.empty()) {
      delta.refused = "the claim that it rests on was refused";
    } else {
      delta.refused = need_of(delta, shown);
    }
  }
}

}  // namespace warpmind::agents
