#include "knowledge_base/insights/wording.h"

#include "base/model/verdict_reading.h"
#include "base/sequence.h"
#include "base/text.h"
#include "knowledge_base/evidence.h"
#include "knowledge_base/insights/text_guard.h"
#include "knowledge_base/insights/utility.h"

#include <cmath>
#include <vector>

namespace warpmind::knowledge_base {
namespace {

std::string amendment_text(const InsightAmendment& amendment) {
  std::vector<std::string> fields;
  if (amendment.claim) fields.emplace_back("claim");
  if (amendment.mechanism) fields.emplace_back("mechanism");
  if (amendment.parameters) fields.emplace_back("parameters");
  if (amendment.scope) fields.emplace_back("scope");
  if (amendment.space) fields.emplace_back("namespace");
  return join_text(fields, ", ") + " amended";
}

std::string evidence_text(const InsightEvent& event) {
  const EvidenceRef& evidence = *event.evidence;
  const bool failed = event.outcome && is_failure(*event.outcome);
  return std::string("evidence ") + (evidence.supports ? "for: " : "against: ") +
         (failed ? std::string(name_of(*event.outcome)) : log_factor_text(evidence.log_gain)) +
         " in " + evidence.episode.str() + " step " + std::to_string(evidence.step) +
         (evidence.provider == Provider::gpu ? "" : ", " + std::string(name_of(evidence.provider)));
}

}  // namespace

std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = text.rfind(' ', most - 3);
  if (end == std::string::npos) end = 0;
  return text.substr(0, end) + "…";
}

std::string action_text(const InsightAction& action) {
  const std::string techniques = join_text(action.techniques, " then ");
  return techniques + (action.parameters.empty() ? "" : " " + action.parameters);
}

std::string capability_text(int least, int most) {
  if (least == 0 && most == 0) return "";
  const auto named = [](int capability) { return "sm_" + std::to_string(capability); };
  if (least == most) return named(least);
  if (most == 0) return named(least) + " and later";
  if (least == 0) return "up to " + named(most);
  if (least % 10 == 0 && most == least + 9) return "sm_" + std::to_string(least / 10) + "x";
  return named(least) + " to " + named(most);
}

std::string scope_text(const InsightScope& scope) {
  std::string text;
  if (!scope.bottlenecks.empty()) text += " at " + join_text(enum_names(scope.bottlenecks), " or ");
  if (!scope.operator_families.empty()) text += " in " + join_text(scope.operator_families, " or ");
  std::vector<std::string> limits;
  if (!scope.dtypes.empty()) limits.push_back(join_text(enum_names(scope.dtypes), "/"));
  if (auto range = capability_text(scope.capability_min, scope.capability_max); !range.empty()) {
    limits.push_back(std::move(range));
  }
  if (!scope.device.empty()) limits.push_back(scope.device);
  for (const auto& contract : scope.contracts) limits.push_back("if " + contract + " is allowed");
  return text + (limits.empty() ? "" : " (" + join_text(limits, ", ") + ")");
}

std::string claim_text(const Insight& insight) {
  const std::string verb = insight.kind == InsightKind::negative    ? " does not pay"
                           : insight.kind == InsightKind::composite ? " pay in this order"
                                                                    : " pays";
  return shortened(action_text(insight.action) + verb + scope_text(insight.scope), kMostCharacters);
}

std::string lesson_text(const StoredInsight& stored) {
  const Insight& insight = stored.insight;
  const std::string subject = action_text(insight.action) + scope_text(insight.scope);
  const auto provider = judged_provider(stored.cells);
  if (!provider) return subject + ": claimed, not measured here";
  Moments timed;
  std::int64_t without = 0;
  for (const auto& evidence : insight.evidence) {
    if (evidence.provider != *provider) continue;
    if (evidence.confirmed || evidence.log_gain != 0) {
      timed.add(evidence.log_gain, 1);
    } else {
      ++without;
    }
  }
  std::string text = subject;
  if (*provider != Provider::gpu) {
    text += *provider == Provider::sim ? ", simulated" : ", replayed";
  }
  text += ":";
  if (timed.weight > 0) {
    text += " " + log_factor_text(timed.mean) + " mean of " +
            std::to_string(std::llround(timed.weight));
  }
  if (without > 0) {
    text += std::string(timed.weight > 0 ? "," : "") + " no gain in " + std::to_string(without) +
            (without == 1 ? " try" : " tries");
  }
  return text;
}

std::string event_text(const InsightEvent& event) {
  switch (event.op) {
    case InsightOp::add: return "said: " + (event.content ? event.content->claim : "");
    case InsightOp::evidence: return evidence_text(event);
    case InsightOp::attest:
      return "attested by " + event.attestation->origin + ": " +
             std::to_string(event.attestation->supports) + " for, " +
             std::to_string(event.attestation->contradicts) + " against, " +
             std::string(name_of(event.attestation->state)) + " there";
    case InsightOp::amend: return amendment_text(*event.amendment);
    case InsightOp::transition: return "state set to " + std::string(name_of(*event.state));
    case InsightOp::pin: return "pinned";
    case InsightOp::unpin: return "unpinned";
    case InsightOp::supersede: return event.insight.str() + " superseded by " + event.other.str();
    case InsightOp::undo:
      return "undid event " + std::to_string(event.undone_position) + " of change " +
             std::to_string(event.undone_sequence);
    case InsightOp::distrust: return "source " + event.source + " quarantined";
    case InsightOp::trust: return "source " + event.source + " trusted again";
  }
  return "";
}

}  // namespace warpmind::knowledge_base
