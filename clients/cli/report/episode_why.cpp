#include "clients/cli/report/episode_why.h"

#include "base/best_library.h"
#include "base/text.h"
#include "clients/cli/report/episode_sections.h"
#include "clients/cli/report/insight_report.h"
#include "clients/cli/report/job_summary.h"
#include "clients/cli/report/plain_words.h"
#include "clients/cli/report/spending.h"
#include "clients/cli/report/table.h"
#include "clients/cli/report/units.h"

#include <algorithm>
#include <cmath>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;

/// Deeper trees are drawn no further to the right.
constexpr std::size_t kDeepest = 12;

std::string why_title(const protocol::EpisodeExplainResult& result, const Style& style) {
  const Episode& e = result.episode;
  std::string text = style.paint.strong(clean_line(e.task_name)) + " (" + clean_line(e.id.str());
  if (!result.job_id.empty()) text += ", job " + clean_line(result.job_id);
  const bool goes_on = result.state == JobState::queued || result.state == JobState::running;
  const auto judged = std::max<std::int64_t>(std::ssize(e.steps) - 1, 0);
  text += ")\n" + (goes_on ? "goes on; judged so far: " + format_count(judged) +
                                 (judged == 1 ? " candidate\n" : " candidates\n")
                           : outcome_line(e, style.paint));
  text += evidence_section(e, style.columns);
  return result.inputs.empty()
             ? text
             : text + wrap("inputs: " + clean_line(result.inputs), 2, style.columns);
}

std::string search_part(const protocol::EpisodeExplainResult& result, const Style& style) {
  const Episode& e = result.episode;
  const std::string search = search_text(e);
  std::string text =
      "\n" + style.paint.strong("Search") + "\n" +
      wrap(search.empty() ? "policy, proposer and seed: not recorded" : search, 2, style.columns);
  text += wrap("ended: " + (e.ended.empty() ? "why is not recorded" : clean_line(e.ended)), 2,
               style.columns);
  if (!result.job_id.empty()) {
    text += wrap("budget: " + budget_text(result.budget), 2, style.columns);
  }
  const std::string spent = spending_text(e.spending);
  return text +
         wrap("paid for language models: " + (spent.empty() ? "nothing" : spent), 2, style.columns);
}

std::string branch_text(const Episode& episode, std::size_t position, const Style& style) {
  const Step& step = episode.steps[position];
  std::string text = std::to_string(position) + "  " + step_title(step) + "  ";
  text += position == 0 ? "" : std::string(name_of(step.verdict.outcome));
  if (step.verdict.comparison) text += " " + format_ratio(step.verdict.comparison->ratio);
  if (step.verdict.measurement) text += " " + format_time(step.verdict.measurement->median_ns);
  const bool is_best = static_cast<std::int64_t>(position) == episode.best_step && position > 0;
  if (step.accepted && position > 0)
    text += style.paint.good(is_best ? "  accepted, best" : "  accepted");
  return text;
}

/// The steps as a tree; each line names one, below the one whose kernel it edited.
class TreeText {
 public:
  TreeText(const Episode& episode, const Style& style)
      : episode_(episode), style_(style), children_(episode.steps.size()) {
    for (std::size_t at = 1; at < episode.steps.size(); ++at) {
      children_[edited_by(episode, at)].push_back(at);
    }
  }

  std::string render() {
    // With a stack of its own: a row of edits may be as long as the budget.
    struct Open {
      std::size_t position = 0;
      std::string indent;
      bool last = true;
    };
    std::string text;
    std::vector<Open> open{{}};
    while (!open.empty()) {
      const Open now = std::move(open.back());
      open.pop_back();
      const bool root = now.position == 0;
      text += "  " + now.indent +
              (root       ? ""
               : now.last ? "└ "
                          : "├ ") +
              branch_text(episode_, now.position, style_) + "\n";
      const auto& below = children_[now.position];
      const bool deep = columns_of(now.indent) >= 2 * kDeepest;
      const std::string indent = root || deep ? now.indent : now.indent + (now.last ? "  " : "│ ");
      for (std::size_t i = below.size(); i-- > 0;) {
        open.push_back({below[i], indent, i + 1 == below.size()});
      }
    }
    return text;
  }

 private:
  const Episode& episode_;
  const Style& style_;
  std::vector<std::vector<std::size_t>> children_;
};

std::string tree_part(const Episode& episode, const Style& style) {
  std::string text = "\n" + style.paint.strong("Steps") +
                     " (below the one whose kernel it edited; ratio: over that kernel)\n" +
                     TreeText(episode, style).render();
  const bool unrecorded = std::any_of(episode.steps.begin() + 1, episode.steps.end(),
                                      [](const Step& step) { return step.edited < 0; });
  if (!unrecorded) return text;
  return text + wrap(
                    "Which kernel a step edited is not recorded: taken to be the newest accepted "
                    "one.",
                    2, style.columns);
}

std::string way_part(const protocol::EpisodeExplainResult& result, const Style& style) {
  const Episode& episode = result.episode;
  std::vector<std::size_t> way;
  const Step* best = best_of(episode);
  for (auto at = best == nullptr ? 0 : static_cast<std::size_t>(episode.best_step); at > 0;
       at = edited_by(episode, at)) {
    way.push_back(at);
  }
  std::string text;
  for (auto at = way.rbegin(); at != way.rend(); ++at) {
    text += "\n" + render_step(result, *at, style);
  }
  return text;
}

std::string claim_text(const CritiqueClaim& claim) {
  std::string text = std::string(name_of(claim.kind)) + ": " + clean_line(claim.text) + " (";
  if (!claim.technique.empty()) text += clean_line(claim.technique) + ", ";
  text += "at " + std::string(name_of(claim.bottleneck)) + ", steps";
  for (std::size_t i = 0; i < claim.steps.size(); ++i) {
    text += (i == 0 ? " " : ", ") + std::to_string(claim.steps[i]);
  }
  return text + ", claims " + format_ratio(std::exp(claim.log_gain)) + ", confidence " +
         format_percent_of(claim.confidence) + ")";
}

std::string delta_text(const Delta& delta) {
  std::string text(name_of(delta.kind));
  if (!delta.target.empty()) text += " " + short_id(delta.target);
  if (!delta.into.empty()) text += " into " + short_id(delta.into);
  if (!delta.technique.empty()) text += " card " + clean_line(delta.technique);
  if (!delta.field.empty()) text += ", " + clean_line(delta.field);
  return text + (delta.text.empty() ? "" : ": " + clean_line(delta.text));
}

template <class T, class Describe>
std::string taken_and_refused(const std::vector<T>& all, const Describe& describe,
                              const Style& style) {
  std::string text;
  for (const auto& one : all) {
    text +=
        wrap(one.refused.empty() ? "- taken: " + describe(one)
                                 : "- refused, " + clean_line(one.refused) + ": " + describe(one),
             2, style.columns);
  }
  return text;
}

std::string taught_part(const Episode& episode, const Style& style) {
  std::string text = "\n" + style.paint.strong("Taught") + "\n";
  if (episode.claims.empty() && episode.deltas.empty()) {
    return text + (records_search(episode) ? "  no claim was made\n" : "  not recorded\n");
  }
  text += taken_and_refused(episode.claims, claim_text, style);
  if (episode.deltas.empty()) return text;
  return text + "  Changes of the base that were asked for:\n" +
         taken_and_refused(episode.deltas, delta_text, style);
}

}  // namespace

bool records_search(const Episode& episode) { return !episode.policy.empty(); }

std::size_t edited_by(const Episode& episode, std::size_t position) {
  const std::int64_t recorded = episode.steps[position].edited;
  if (recorded >= 0 && recorded < static_cast<std::int64_t>(position)) {
    return static_cast<std::size_t>(recorded);
  }
  for (std::size_t at = position; at-- > 1;) {
    if (episode.steps[at].accepted) return at;
  }
  return 0;
}

std::string render_why(const protocol::EpisodeExplainResult& result, const Style& style) {
  const Episode& episode = result.episode;
  if (episode.steps.empty()) {
    return why_title(result, style) + "  the episode holds no steps\n";
  }
  if (result.step) {
    const auto last = std::ssize(episode.steps) - 1;
    const auto step = static_cast<std::size_t>(std::clamp<std::int64_t>(*result.step, 0, last));
    return why_title(result, style) + "\n" + render_step(result, step, style);
  }
  std::string text = why_title(result, style);
  if (!episode.summary.empty()) text += wrap(clean_line(episode.summary), 2, style.columns);
  text += search_part(result, style) + tree_part(episode, style) + way_part(result, style) +
          taught_part(episode, style);
  return text + "\nOne step in full: warpmind why " + clean_line(episode.id.str()) + " STEP\n";
}

namespace {

namespace protocol = daemon::protocol;
constexpr std::size_t kStageDetail = 80;  // columns

std::string part(const char* name, const Style& style) {
  return "\n" + style.paint.strong(name) + "\n";
}

std::string sentence(const std::string& text, const Style& style) {
  return wrap(text, 2, style.columns);
}

std::string ratio_and_interval(const Comparison& c) {
  std::string text = format_ratio(c.ratio) + " (" + interval_of(c);
  if (c.processes == 0) return text + ", predicted)";
  return text + ", " + format_count(c.processes) +
         (c.processes == 1 ? " process pair)" : " process pairs)");
}

std::string metrics_part(const Episode& episode, std::size_t edited, const Style& style) {
  std::string text = part("Metrics", style);
  const auto& profile = episode.steps[edited].verdict.profile;
  if (!profile) {
    return text + sentence("of step " + std::to_string(edited) + ": not recorded", style);
  }
  std::size_t count = 0;
  for (const auto& kernel : profile->kernels) count += kernel.metrics.size();
  return text + sentence("of step " + std::to_string(edited) + ", tier " +
                             std::string(name_of(profile->tier)) + ", workload " +
                             clean_line(profile->workload) + ": " +
                             format_count(static_cast<std::int64_t>(count)) +
                             " (--profile shows them launch by launch); those that decided stand "
                             "below",
                         style);
}

/// Records from before causes had a cost.
std::string older_bottleneck_line(const Bottleneck& b) {
  std::string line(name_of(b.primary));
  for (std::size_t i = 0; i < b.secondary.size(); ++i) {
    line += (i == 0 ? ", beside it " : ", ") + std::string(name_of(b.secondary[i]));
  }
  if (!b.kernel.empty()) line += ", in " + clean_line(b.kernel);
  line += ", confidence " + format_percent_of(b.confidence);
  if (b.headroom > 0) line += ", " + format_percent_of(1 / b.headroom) + " of the limit";
  if (!b.explanation.empty()) line += ": " + clean_line(b.explanation);
  return line;
}

std::string bottleneck_part(const Bottleneck& b, const Style& style) {
  std::string text = part("Bottleneck", style);
  if (b == Bottleneck{}) return text + "  not recorded\n";
  text += sentence(b.causes.empty()
                       ? older_bottleneck_line(b)
                       : clean_line(b.explanation) + " Found in " + clean_line(b.kernel) + ".",
                   style);
  const Table causes = cause_table(b);
  if (causes.rows() > 0) text += causes.render(2);
  Table table({Align::left, Align::right, Align::right});
  table.add({"metric", "value", "would do"});
  for (const auto& metric : b.deciders) {
    const std::string unit = clean_line(metric.unit);
    table.add({clean_line(metric.name), format_metric(metric.value, unit),
               metric.needed ? format_metric(*metric.needed, unit) : ""});
  }
  return text + (table.rows() > 1 ? table.render(2) : "");
}

const protocol::ExplainedInsight* insight_of(const protocol::EpisodeExplainResult& result,
                                             const InsightId& id) {
  const auto found = std::find_if(result.insights.begin(), result.insights.end(),
                                  [&](const auto& one) { return one.id == id; });
  return found == result.insights.end() || !found->known ? nullptr : &*found;
}

std::string advice_part(const protocol::EpisodeExplainResult& result, const Step& step,
                        const Style& style) {
  std::string text = part("Advice", style);
  if (result.advice && !result.advice->text.empty()) {
    const std::string technique = clean_line(result.advice->technique);
    text += sentence("- first: " + clean_line(result.advice->text) +
                         (technique.empty() ? "" : " (how: kb techniques " + technique + ")"),
                     style);
  }
  if (step.exposures.empty()) return text + "  no insight was at hand\n";
  for (const auto& exposure : step.exposures) {
    std::string line = short_id(exposure.insight) +
                       (exposure.shown ? " shown" : " withheld at random") + ", propensity " +
                       format_percent_of(exposure.propensity);
    const auto* insight = insight_of(result, exposure.insight);
    if (insight == nullptr) {
      text += sentence("- " + line + ": no longer in the base", style);
      continue;
    }
    line += "; today " + std::string(name_of(insight->state)) + ", gain " +
            gain_of(insight->utility) + ": " + clean_line(insight->claim);
    text += sentence("- " + line, style);
  }
  return text;
}

std::string edit_title(const Candidate& c) {
  if (c.technique.empty()) return "an edit without a name";
  return clean_line(c.technique) + (c.parameters.empty() ? "" : " " + clean_line(c.parameters));
}

std::string prediction_part(const Candidate& c, const Style& style) {
  std::string line = edit_title(c) + ": " + format_ratio(c.predicted_gain) + " (80 % interval " +
                     format_ratio(c.predicted_low) + " … " + format_ratio(c.predicted_high) +
                     ") over the kernel that was edited";
  if (!c.rationale.empty()) line += ". " + clean_line(c.rationale);
  return part("Prediction", style) + sentence(line, style);
}

std::string painted_outcome(Outcome outcome, const Paint& paint) {
  const std::string name(name_of(outcome));
  if (outcome == Outcome::improved) return paint.good(name);
  const bool neutral = outcome == Outcome::same || outcome == Outcome::inconclusive;
  return neutral ? paint.strong(name) : paint.bad(name);
}

std::string stages_table(const Verdict& verdict) {
  Table table({Align::left, Align::left, Align::right, Align::left});
  table.add({"stage", "", "took", ""});
  for (const auto& stage : verdict.stages) {
    table.add({std::string(name_of(stage.stage)), stage.passed ? "passed" : "failed",
               format_duration(stage.seconds), clip(clean_line(stage.detail), kStageDetail)});
  }
  if (table.rows() <= 1) return {};
  double total = 0;
  for (const auto& stage : verdict.stages) total += stage.seconds;
  table.add({"in all", "", format_duration(total),
             "effort " + std::string(name_of(verdict.effort)) +
                 (verdict.effort == Effort::quick ? ": fewer checks than evidence needs" : "")});
  return table.render(2);
}

std::string result_part(const Step& step, const Style& style) {
  const Verdict& verdict = step.verdict;
  std::string text = part("Result", style) + "  " + painted_outcome(verdict.outcome, style.paint);
  if (step.accepted) text += ", accepted as the incumbent";
  text += "\n";
  if (!verdict.reason.empty()) text += sentence(clean_line(verdict.reason), style);
  if (verdict.comparison) {
    text +=
        sentence("against the edited kernel: " + ratio_and_interval(*verdict.comparison), style);
  }
  if (step.promotion) {
    text += sentence("against the incumbent: " + ratio_and_interval(*step.promotion), style);
  }
  if (verdict.measurement) {
    const Measurement& m = *verdict.measurement;
    const bool predicted = m.provider == Provider::sim;
    text += sentence(std::string(predicted ? "predicted time of a run " : "time of a run ") +
                         format_time(m.median_ns) + (predicted ? " (" : " (95 % interval ") +
                         format_interval(m.low_ns, m.high_ns, format_time) + "), workload " +
                         clean_line(m.workload) + ", " + (predicted ? "for " : "on ") +
                         clean_line(m.device.name),
                     style);
    const std::string library = describe_best_library(m.best_library, m.median_ns);
    if (!library.empty()) text += sentence(clean_line(library), style);
  }
  return text + stages_table(verdict);
}

std::string gain_text(double log_gain) { return format_ratio(std::exp(log_gain)); }

std::string gradient_part(const Step& step, const Style& style) {
  std::string text = part("Gradient", style);
  if (!step.gradient) return text + "  none recorded\n";
  const Gradient& g = *step.gradient;
  std::string line =
      "by " + clean_line(g.author) + ": predicted " + gain_text(g.predicted_log_gain);
  line += g.measured_log_gain ? ", got " + gain_text(*g.measured_log_gain) : ", nothing was timed";
  if (g.after) line += "; limited by " + std::string(name_of(*g.after)) + " afterwards";
  text += sentence(line, style);
  Table table({Align::left, Align::right, Align::right});
  table.add({"metric", "before", "after"});
  for (const auto& change : g.changes) {
    const std::string unit = clean_line(change.unit);
    table.add({clean_line(change.name), format_metric(change.before, unit),
               format_metric(change.after, unit)});
  }
  if (table.rows() > 1) text += table.render(2);
  return text + (g.text.empty() ? "" : sentence(clean_line(g.text), style));
}

std::string reward_part(const Episode& episode, const Step& step, const Style& style) {
  std::string text = part("Reward", style);
  if (!records_search(episode)) return text + "  not recorded by the build that stored it\n";
  std::string line =
      "score " + fixed(step.score, 3) +
      (step.score > 0 ? " (0.3 for a right kernel, and the speedup over the given one)"
                      : " (not right)") +
      ", return " + fixed(step.turn_return, 3) + " (discount 0.4)";
  const std::string spent = spending_text(step.spending);
  return text + sentence(line, style) + (spent.empty() ? "" : sentence("paid: " + spent, style));
}

}  // namespace

std::string step_title(const Step& step) {
  const bool given = step.index == 0 && step.candidate.technique.empty();
  return given ? "the given kernel" : edit_title(step.candidate);
}

std::string render_step(const protocol::EpisodeExplainResult& result, std::size_t position,
                        const Style& style) {
  const Episode& episode = result.episode;
  const Step& step = episode.steps[position];
  std::string title = "Step " + std::to_string(position) + ": " + step_title(step);
  std::string text = style.paint.strong(title) + "\n";
  if (position == 0) return text + result_part(step, style);
  const std::size_t edited = edited_by(episode, position);
  std::string by = "by " + clean_line(step.candidate.proposer);
  if (!step.candidate.model.empty()) by += ", model " + clean_line(step.candidate.model);
  by += step.edited < 0 ? "; which kernel it edited is not recorded, taken to be that of step "
                        : "; edited the kernel of step ";
  text += sentence(by + std::to_string(edited), style);
  return text + metrics_part(episode, edited, style) + bottleneck_part(step.before, style) +
         advice_part(result, step, style) + prediction_part(step.candidate, style) +
         result_part(step, style) + gradient_part(step, style) + reward_part(episode, step, style);
}

}  // namespace warpmind::clients
