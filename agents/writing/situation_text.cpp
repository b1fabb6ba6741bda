#include "agents/writing/situation_text.h"

#include "agents/writing/quoted_text.h"
#include "base/text.h"

#include <algorithm>
#include <cmath>

namespace warpmind::agents::writing {
namespace {

constexpr std::size_t kLineBytes = 400;
constexpr std::size_t kGradientBytes = 1000;
constexpr std::size_t kDeciders = 6;
constexpr std::size_t kFindings = 8;
constexpr std::size_t kAdvised = 8;

/// Three significant digits at any size.
std::string number(double value) {
  const double size = std::abs(value);
  return fixed(value, size >= 100 || size == 0 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 4);
}

}  // namespace

std::string or_none(std::string text, const char* none) {
  while (text.ends_with('\n')) text.pop_back();
  return text.empty() ? none : text;
}

std::string describe_bottleneck(const Bottleneck& bottleneck) {
  std::string text =
      std::string(name_of(bottleneck.primary)) + ", confidence " + fixed(bottleneck.confidence, 2);
  if (bottleneck.headroom > 0) {
    text += "; " + number(100 / bottleneck.headroom) + " % of the limit (time is " +
            number(bottleneck.headroom) + " times it)";
  }
  text += "\n";
  if (!bottleneck.kernel.empty())
    text += "found in: " + quoted_line(bottleneck.kernel, kLineBytes) + "\n";
  for (const auto& cause : bottleneck.causes) {
    text += std::string(name_of(cause.which)) + ": up to " + number(100 * cause.share) +
            " % of the time, confidence " + fixed(cause.confidence, 2) + "\n";
  }
  if (bottleneck.causes.empty()) {  // a record from before causes had a cost
    for (const auto other : bottleneck.secondary)
      text += "also: " + std::string(name_of(other)) + "\n";
  }
  for (std::size_t i = 0; i < std::min(kDeciders, bottleneck.deciders.size()); ++i) {
    const auto& metric = bottleneck.deciders[i];
    text += metric.name + " = " + number(metric.value) + " " + metric.unit;
    if (metric.needed) text += " (" + number(*metric.needed) + " would do)";
    text += "\n";
  }
  return text + quoted_line(bottleneck.explanation, kLineBytes);
}

std::string describe_advice(const Advice& advice) {
  std::string text;
  std::size_t told = 0;
  for (const auto& known : advice.techniques) {
    if (known.observations == 0 || ++told > kAdvised) continue;
    text += known.technique + ": " + quoted_line(known.why, kLineBytes) + "\n";
  }
  for (const auto& insight : advice.insights) {
    if (!insight.shown) continue;  // withheld, to measure what it is worth
    text += "insight " + insight.id.str() + " (" + std::string(name_of(insight.kind)) + ", " +
            std::string(name_of(insight.state)) + "): " + quoted_line(insight.claim, kLineBytes) +
            "\n";
  }
  if (text.empty() && !advice.insights_note.empty()) {
    text = quoted_line(advice.insights_note, kLineBytes);
  }
  return or_none(std::move(text), "nothing is known for this situation");
}

std::string describe_gradient(const Gradient& gradient) {
  std::string text =
      "predicted " + fixed(std::exp(gradient.predicted_log_gain), 2) + "x, measured " +
      (gradient.measured_log_gain ? fixed(std::exp(*gradient.measured_log_gain), 2) + "x"
                                  : std::string("nothing")) +
      "\n";
  for (const auto& change : gradient.changes) {
    text += change.name + ": " + number(change.before) + " to " + number(change.after) + " " +
            change.unit + "\n";
  }
  if (gradient.after) text += "now limited by: " + std::string(name_of(*gradient.after)) + "\n";
  return text + quoted_text(gradient.text, kGradientBytes);
}

std::string diagnostics_of(const Verdict& verdict) {
  std::string text = quoted_text(verdict.reason, kLineBytes);
  if (verdict.build && !verdict.build->diagnostics.empty()) {
    text += "\n" + quoted_text(verdict.build->diagnostics, kDiagnosticBytes);
  }
  return or_none(std::move(text), "no reason was given");
}

std::string findings_of(const Verdict& verdict) {
  std::string text = std::string(name_of(verdict.outcome)) + ": " +
                     quoted_text(verdict.reason, 2 * kLineBytes) + "\n";
  if (verdict.correctness) {
    text += std::to_string(verdict.correctness->cases) + " cases were compared";
    if (!verdict.correctness->worst_case.empty()) {
      text += "; worst: " + quoted_line(verdict.correctness->worst_case, kLineBytes);
    }
    text += "\n";
  }
  for (std::size_t i = 0; i < std::min(kFindings, verdict.findings.size()); ++i) {
    const auto& finding = verdict.findings[i];
    text += quoted_line(finding.kind, 80) + " in " + quoted_line(finding.kernel, 80) + ", line " +
            std::to_string(finding.line) + ", " + std::to_string(finding.count) +
            " times: " + quoted_line(finding.where, kLineBytes) + "\n";
  }
  return or_none(std::move(text), "nothing was found");
}

}  // namespace warpmind::agents::writing
