#include "clients/cli/report/episode_why.h"

#include "clients/cli/report/episode_sections.h"
#include "clients/cli/report/insight_report.h"
#include "clients/cli/report/job_summary.h"
#include "clients/cli/report/spending.h"
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

}  // namespace warpmind::clients
