#include "clients/cli/report/episode_brief.h"

#include "clients/cli/report/episode_sections.h"
#include "clients/cli/report/job_summary.h"
#include "clients/cli/report/launch_table.h"
#include "clients/cli/report/text.h"
#include "clients/cli/report/units.h"

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;
constexpr std::size_t kTechniques = 8;

std::string heading(const char* name, const Style& style) {
  return "\n" + style.paint.strong(name) + "\n";
}

std::string item(const std::string& text, const Style& style) {
  return wrap("- " + clean_line(text), 2, style.columns);
}

std::string launches_part(const EpisodeBrief& brief, const Style& style) {
  std::vector<LaunchChange> launches;
  for (const LaunchRow& row : brief.launches) launches.push_back({{}, row, PairedBy::none});
  const std::string table =
      launch_table(launches, {"", "step " + format_count(brief.step)}, style.columns);
  return table.empty() ? table : heading("Launches", style) + table;
}

std::string advice_part(const EpisodeBrief& brief, const Style& style) {
  std::string text = heading("Advice", style);
  if (!brief.advice.first.empty()) text += item(brief.advice.first, style);
  std::size_t told = 0;
  for (const auto& technique : brief.advice.techniques) {
    if (technique.observations == 0 || ++told > kTechniques) continue;
    text += item(technique.technique + ": " + technique.why, style);
  }
  for (const auto& insight : brief.advice.insights) {
    if (!insight.shown) continue;
    text +=
        item(insight.id.str() + " (" + std::string(name_of(insight.state)) + "): " + insight.claim,
             style);
  }
  const bool none = told == 0 && brief.advice.insights.empty();
  return none ? text + item("nothing was measured about this bottleneck yet", style) : text;
}

}  // namespace

std::string render_brief(const EpisodeBrief& brief, const Style& style) {
  std::string text = style.paint.strong(clean_line(brief.job.str())) +
                     " is open: " + format_count(brief.evaluations_left) +
                     " candidates will be judged; it is " + "closed when nobody calls for " +
                     format_duration(brief.lease_s) + "\n";
  text += heading("Kernel", style) +
          item("step " + format_count(brief.step) + ", " + format_ratio(brief.best_ratio) +
                   " as fast as the given kernel, on " + brief.device.name,
               style);
  text += heading("Bottleneck", style) + item(brief.bottleneck.explanation, style);
  text += launches_part(brief, style) + advice_part(brief, style);
  if (!brief.gradient.empty()) {
    text += heading("Last step", style) + item(brief.gradient, style);
  }
  text += heading("Contract", style) + item(brief.contract, style);
  text += heading("Refused", style);
  for (const auto& thing : brief.forbidden) text += item(thing, style);
  return text;
}

std::string render_feedback(const protocol::EpisodeSubmitResult& feedback, const Style& style) {
  const auto& verdict = feedback.verdict;
  const bool good = verdict.outcome == Outcome::improved;
  const std::string outcome(name_of(verdict.outcome));
  std::string text = "step " + format_count(feedback.step) +
                     (feedback.known ? ", judged before: " : ": ") +
                     (good ? style.paint.good(outcome) : style.paint.bad(outcome)) + "\n";
  text += wrap(clean_line(verdict.reason), 2, style.columns);
  if (const auto time = time_words(verdict); !time.empty()) text += wrap(time, 2, style.columns);
  if (feedback.promotion) {
    text += wrap("against the best kernel: " + format_ratio(feedback.promotion->ratio) + " (" +
                     interval_of(*feedback.promotion) + ")",
                 2, style.columns);
  }
  if (feedback.accepted) text += "  it is the best kernel now\n";
  if (feedback.gradient) text += wrap(clean_line(feedback.gradient->text), 2, style.columns);
  const bool build_failed = verdict.outcome == Outcome::build_failed && verdict.build;
  if (build_failed) text += heading("Compiler", style) + clean(verdict.build->diagnostics) + "\n";
  return text;
}

}  // namespace warpmind::clients
