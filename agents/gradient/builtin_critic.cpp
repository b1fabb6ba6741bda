#include "agents/gradient/builtin_critic.h"

#include "agents/episode.h"
#include "agents/gradient/step_changes.h"
#include "base/model/verdict_reading.h"
#include "base/prediction_interval.h"
#include "base/text.h"
#include "knowledge_base/insights/reflection.h"
#include "knowledge_base/insights/wording.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace warpmind::agents {
namespace {

using knowledge_base::TechniqueTries;

constexpr std::size_t kLongestText = 1000;
constexpr std::size_t kChangesTold = 4;
/// Less than 2 % apart from the prediction counts as foreseen.
const double kForeseen = std::log(1.02);
const double kMoved = std::log(1.05);
constexpr std::size_t kLeastTries = 2;

std::string opening(const std::string& text) {
  return knowledge_base::shortened(first_line(text), 300);
}

std::string failure_text(const StepView& view) {
  const Verdict& verdict = view.step.verdict;
  if (is_own_fault(view.step.candidate, verdict)) return " met " + opening(verdict.reason) + ".";
  switch (verdict.outcome) {
    case Outcome::build_failed: {
      const std::string said = verdict.build ? opening(verdict.build->diagnostics) : "";
      return " did not build: " + (said.empty() ? opening(verdict.reason) : said) +
             ". Repair what the compiler says, or leave " + view.step.candidate.technique + ".";
    }
    case Outcome::wrong:
    case Outcome::crashed:
    case Outcome::timed_out:
      return " is not right (" + std::string(name_of(verdict.outcome)) +
             "): " + opening(verdict.reason) + ". The kernel that was edited is right: compare.";
    case Outcome::cheating:
      return " was refused: " + opening(verdict.reason) +
             ". Do the whole work within the kernel, for any input.";
    case Outcome::blocked: return " could not be measured: " + opening(verdict.reason) + ".";
    case Outcome::unjudgeable: return " cannot be judged: " + opening(verdict.reason) + ".";
    default: return " was not timed: " + opening(verdict.reason) + ".";
  }
}

std::string expectation_text(double predicted, double measured) {
  if (std::abs(measured - predicted) <= kForeseen) return "as expected";
  if (predicted > kForeseen && measured < -kForeseen) return "the opposite of what was expected";
  return measured > predicted ? "better than expected" : "less than expected";
}

std::string result_text(const Step& step, double measured) {
  const Comparison& comparison = *step.verdict.comparison;
  const Candidate& candidate = step.candidate;
  std::string text =
      ": predicted " + fixed(candidate.predicted_gain, 2) + "x (80 % interval " +
      fixed(candidate.predicted_low, 2) + "x to " + fixed(candidate.predicted_high, 2) + "x), " +
      // No process ran: the simulator's word, not a clock's.
      (comparison.processes == 0 ? "simulated " : "measured ") + log_factor_text(measured);
  if (comparison.processes > 1 && has_interval(comparison)) {
    text += " (" + fixed(100 * comparison.confidence, 0) + " % interval " +
            fixed(comparison.low, 2) + "x to " + fixed(comparison.high, 2) + "x)";
  }
  return text + ": " + expectation_text(std::log(candidate.predicted_gain), measured) + ".";
}

std::string changes_text(const std::vector<MetricChange>& changes) {
  std::string text;
  for (std::size_t i = 0; i < std::min(changes.size(), kChangesTold); ++i) {
    text += (i == 0 ? " Moved: " : ", ") + changes[i].name + " " + significant(changes[i].before) +
            " to " + significant(changes[i].after) + " " + changes[i].unit;
  }
  return text.empty() ? text : text + ".";
}

bool moved(const std::vector<MetricChange>& deciders) {
  return std::any_of(deciders.begin(), deciders.end(), [](const MetricChange& change) {
    return !(change.before > 0) || !(change.after > 0)
               ? change.before != change.after
               : std::abs(std::log(change.after / change.before)) >= kMoved;
  });
}

/// What to do next, from what the step did to the bottleneck.
std::string direction_text(const StepView& view, double measured) {
  const std::string was(name_of(view.step.before.primary));
  const bool gained = view.step.verdict.outcome == Outcome::improved;
  const bool is_known = view.after && view.after->primary != BottleneckClass::unknown;
  if (gained && view.after && !is_known) return " " + was + " no longer limits it.";
  if (view.after && view.after->primary == BottleneckClass::at_limit) {
    return " It is at its limit now: hardly anything is left to save.";
  }
  if (gained && is_known && view.after->primary != view.step.before.primary) {
    return " It was limited by " + was + "; now " + std::string(name_of(view.after->primary)) +
           " limits it: turn to that.";
  }
  if (gained) return " " + was + " still limits it: more of the kind can pay.";
  const auto deciders =
      decider_changes(view.step.before, view.edited.verdict, view.step.verdict, view.after);
  if (deciders.empty()) {
    return measured < -kMoved ? " Leave " + label(view.step.candidate) + " here." : "";
  }
  if (!moved(deciders)) {
    return " What decides " + was + " (" + deciders.front().name +
           ") did not move: the edit did not do what it was meant to.";
  }
  return " What decides " + was + " (" + deciders.front().name +
         ") moved and the time did not follow: something else limits the kernel.";
}

CritiqueClaim claim_of(const TechniqueTries& group, const knowledge_base::TechniqueTry& made,
                       ClaimKind kind) {
  CritiqueClaim claim;
  claim.kind = kind;
  claim.technique = group.technique;
  claim.bottleneck = group.bottleneck;
  claim.steps = {static_cast<std::int64_t>(made.step)};
  claim.log_gain = made.failed ? 0 : made.log_gain;
  claim.confidence = 0.9;
  return claim;
}

CritiqueClaim positive_claim(const TechniqueTries& group, const Episode& episode) {
  const auto& best = group.best();
  CritiqueClaim claim = claim_of(group, best, ClaimKind::positive);
  claim.parameters = best.parameters;
  claim.text = label(episode.steps[best.step].candidate) + " gained " +
               log_factor_text(best.log_gain) + " at " + std::string(name_of(group.bottleneck)) +
               ".";
  const auto& gradient = episode.steps[best.step].gradient;
  if (gradient && !gradient->changes.empty()) {
    claim.mechanism = changes_text(gradient->changes).substr(1);
    claim.mechanism = knowledge_base::shortened(claim.mechanism, 400);
  }
  return claim;
}

CritiqueClaim negative_claim(const TechniqueTries& group) {
  CritiqueClaim claim = claim_of(group, group.best(), ClaimKind::negative);
  claim.steps.clear();
  for (const auto& made : group.tries) claim.steps.push_back(static_cast<std::int64_t>(made.step));
  claim.log_gain = std::min(claim.log_gain, 0.0);
  claim.text = group.technique + " did not help at " + std::string(name_of(group.bottleneck)) +
               " in " + std::to_string(group.tries.size()) + " tries.";
  return claim;
}

/// It gained at one bottleneck and not at another: the first is what it needs.
CritiqueClaim precondition_claim(const TechniqueTries& gained, const TechniqueTries& lost) {
  CritiqueClaim claim = claim_of(gained, gained.best(), ClaimKind::precondition);
  claim.text = gained.technique + " pays at " + std::string(name_of(gained.bottleneck)) +
               " and did not at " + std::string(name_of(lost.bottleneck)) + ".";
  return claim;
}

}  // namespace

Gradient BuiltinCritic::of_step(const StepView& view) const {
  Gradient gradient;
  gradient.author = name();
  gradient.predicted_log_gain = std::log(std::max(view.step.candidate.predicted_gain, 1e-6));
  gradient.measured_log_gain = measured_log_gain(view.step.verdict);
  gradient.changes = metric_changes(view.edited.verdict, view.step.verdict);
  if (view.after) gradient.after = view.after->primary;
  std::string text = label(view.step.candidate);
  if (!gradient.measured_log_gain) {
    text += failure_text(view);
  } else {
    text += result_text(view.step, *gradient.measured_log_gain) + changes_text(gradient.changes) +
            direction_text(view, *gradient.measured_log_gain);
  }
  gradient.text = knowledge_base::shortened(text, kLongestText);
  return gradient;
}

Result<EpisodeCritique> BuiltinCritic::of_episode(const Task& /*task*/, const Episode& episode,
                                                  const std::vector<RetrievedInsight>& /*insights*/,
                                                  std::stop_token /*stop*/) {
  EpisodeCritique critique;
  const auto groups = knowledge_base::tries_of(episode);
  for (const auto& group : groups) {
    if (group.best().gained) {
      critique.claims.push_back(positive_claim(group, episode));
    } else if (group.tries.size() >= kLeastTries) {
      critique.claims.push_back(negative_claim(group));
    }
  }
  for (const auto& gained : groups) {
    if (!gained.best().gained) continue;
    const auto lost = std::find_if(groups.begin(), groups.end(), [&](const TechniqueTries& other) {
      return other.technique == gained.technique && other.bottleneck != gained.bottleneck &&
             !other.best().gained && other.tries.size() >= kLeastTries;
    });
    if (lost == groups.end()) continue;
    critique.claims.push_back(precondition_claim(gained, *lost));
    Delta addition;
    addition.claim = static_cast<std::int64_t>(critique.claims.size()) - 1;
    critique.deltas.push_back(std::move(addition));
  }
  return critique;
}

}  // namespace warpmind::agents
