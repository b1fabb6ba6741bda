#include "clients/cli/report/night_report.h"

#include "base/text.h"
#include "clients/cli/report/queue_text.h"
#include "clients/cli/report/text.h"
#include "clients/cli/report/units.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;

/// What both renderings say.
struct NightFacts {
  std::int64_t improved = 0;
  std::int64_t compared = 0;
  double mean_ratio = 0;  ///< geometric, over those compared; 0 = none was
  std::int64_t predicted = 0;
  std::int64_t covered = 0;
  bool simulated = false;
};

NightFacts facts_of(const protocol::QueueReportResult& report) {
  NightFacts facts;
  double logs = 0;
  for (const auto& job : report.jobs) {
    if (job.outcome == "improved") ++facts.improved;
    facts.predicted += job.predicted;
    facts.covered += job.covered;
    facts.simulated = facts.simulated || job.provider == "sim";
    if (job.ratio <= 0) continue;
    ++facts.compared;
    logs += std::log(job.ratio);
  }
  if (facts.compared > 0) {
    facts.mean_ratio = std::exp(logs / static_cast<double>(facts.compared));
  }
  return facts;
}

std::string outcome_of(const protocol::QueueReportJob& job) {
  return clean_line(job.outcome.empty() ? std::string(name_of(job.state)) : job.outcome);
}

std::string speedup_of(const protocol::QueueReportJob& job) {
  if (job.ratio <= 0) return "-";
  return format_ratio(job.ratio) + " (" + format_ratio(job.low) + " to " + format_ratio(job.high) +
         ", " + format_percent_of(job.confidence) + ")" +
         (job.provider == "sim" ? ", predicted" : "");
}

std::vector<std::string> sentences(const protocol::QueueReportResult& report,
                                   const NightFacts& facts) {
  std::vector<std::string> lines;
  lines.push_back(format_count(static_cast<std::int64_t>(report.jobs.size())) + " jobs, " +
                  format_count(facts.improved) + " improved.");
  if (facts.compared > 0) {
    lines.push_back("Geometric mean of the " + format_count(facts.compared) +
                    " comparisons with the given kernel: " + format_ratio(facts.mean_ratio) + ".");
  }
  if (facts.simulated) {
    lines.emplace_back("Times of the simulator are predicted, nothing was measured there.");
  }
  lines.push_back("Spent: " + spent_text(report.spent) + ".");
  if (facts.predicted > 0) {
    lines.push_back("Calibration: " + format_count(facts.covered) + " of " +
                    format_count(facts.predicted) +
                    " candidates lay inside their predicted interval; 80 % should.");
  }
  return lines;
}

/// "gpu_seconds: 600 of 3600"; nothing for what has no limit.
std::vector<std::string> budget_lines(const protocol::QueueReportResult& report) {
  const std::map<std::string, double> spent{
      {"evaluations", static_cast<double>(report.spent.evaluations)},
      {"seconds", report.spent.seconds},
      {"gpu_seconds", report.spent.gpu_seconds},
      {"tokens", static_cast<double>(report.spent.tokens)},
      {"usd", static_cast<double>(report.spent.micro_usd) * 1e-6}};
  std::vector<std::string> lines;
  for (const auto& [name, limit] : report.night_limits) {
    const auto used = spent.find(name);
    if (limit <= 0 || used == spent.end()) continue;
    const int digits = name == "usd" ? 2 : 0;
    lines.push_back(name + ": " + fixed(used->second, digits) + " of " + fixed(limit, digits));
  }
  return lines;
}

std::vector<std::string> lessons_of(const protocol::QueueReportResult& report) {
  std::vector<std::string> lessons;
  for (const auto& job : report.jobs) {
    for (const auto& lesson : job.lessons) {
      lessons.push_back(clean_line(job.task) + ": " + clean_line(lesson));
    }
  }
  return lessons;
}

/// Why jobs came to nothing, with every start.
std::vector<std::string> failures_of(const protocol::QueueReportResult& report) {
  std::vector<std::string> lines;
  for (const auto& job : report.jobs) {
    if (job.error.empty()) continue;
    std::string line = clean_line(job.job_id) + " " + clean_line(job.task) +
                       (job.dead ? ", given up: " : ": ") + clean_line(job.error);
    for (const auto& attempt : job.history) {
      if (attempt.outcome.empty() || attempt.outcome == job.error) continue;
      line += "; start " + std::to_string(attempt.epoch) + ": " + clean_line(attempt.outcome);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

/// Text of others inside Markdown: what would be markup there is written out.
std::string plain(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>#|").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += c;
    }
  }
  return safe;
}

/// The best ratio after each candidate, on a logarithmic axis from 1 to the best of all jobs.
std::string curve_svg(const std::vector<double>& curve, double best) {
  constexpr double kWidth = 160;
  constexpr double kHeight = 36;
  if (curve.empty()) return {};
  const double scale = std::log(std::max(best, 1.05));
  std::string points = "0," + fixed(kHeight, 1);
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const double x = kWidth * static_cast<double>(i + 1) / static_cast<double>(curve.size());
    const double y =
        kHeight * (1 - std::clamp(std::log(std::max(curve[i], 1.0)) / scale, 0.0, 1.0));
    points += ' ' + fixed(x, 1) + ',' + fixed(y, 1);
  }
  return "<svg viewBox=\"0 0 160 36\" width=\"160\" height=\"36\" role=\"img\" aria-label=\"best "
         "ratio after each of " +
         std::to_string(curve.size()) + " candidates, " + format_ratio(curve.back()) +
         " at the end\"><polyline points=\"" + points + "\"/></svg>";
}

void add_list(std::string& html, const char* title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  html += std::string("<h2>") + title + "</h2>\n<ul>\n";
  for (const auto& line : lines) html += "<li>" + escaped(line) + "</li>\n";
  html += "</ul>\n";
}

void add_section(std::string& text, const char* title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  text += std::string("\n## ") + title + "\n\n";
  for (const auto& line : lines) text += "- " + plain(line) + "\n";
}

constexpr const char* kStyle =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;"
    "color:#1b1b1b;background:#fff}table{border-collapse:collapse;width:100%}th,td{text-align:left;"
    "padding:.3rem .6rem;border-bottom:1px solid #ddd;vertical-align:top}svg polyline{fill:none;"
    "stroke:#2563eb;stroke-width:1.5}div{overflow-x:auto}@media(prefers-color-scheme:dark){body{"
    "color:#e6e6e6;background:#161616}th,td{border-color:#333}svg polyline{stroke:#7aa2ff}}";

}  // namespace

std::string night_markdown(const protocol::QueueReportResult& report) {
  std::string text = "# Night " + clean_line(report.night) + "\n\n";
  for (const auto& line : sentences(report, facts_of(report))) text += line + "\n";
  text += "\n| job | task | user | outcome | speedup | candidates | device s |\n";
  text += "|---|---|---|---|---|---|---|\n";
  for (const auto& job : report.jobs) {
    text += "| " + clean_line(job.job_id) + " | " + plain(clean_line(job.task)) + " | " +
            plain(clean_line(job.user)) + " | " + outcome_of(job) + " | " + speedup_of(job) +
            " | " + std::to_string(job.spent.evaluations) + " | " +
            fixed(job.spent.gpu_seconds, 1) + " |\n";
  }
  add_section(text, "Budget of the night", budget_lines(report));
  add_section(text, "What was learned", lessons_of(report));
  add_section(text, "What came to nothing", failures_of(report));
  return text;
}

std::string night_html(const protocol::QueueReportResult& report) {
  double best = 1;
  for (const auto& job : report.jobs) {
    for (const double ratio : job.curve) best = std::max(best, ratio);
  }
  const std::string title = "Night " + escaped(clean_line(report.night));
  std::string html =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
      title + "</title>\n<style>" + kStyle + "</style></head>\n<body>\n<h1>" + title + "</h1>\n<p>";
  for (const auto& line : sentences(report, facts_of(report))) html += escaped(line) + "<br>\n";
  html +=
      "</p>\n<div><table>\n<tr><th>job</th><th>task</th><th>user</th><th>outcome</th>"
      "<th>speedup</th><th>learning curve</th><th>summary</th></tr>\n";
  for (const auto& job : report.jobs) {
    html += "<tr><td>" + escaped(clean_line(job.job_id)) + "</td><td>" +
            escaped(clean_line(job.task)) + "</td><td>" + escaped(clean_line(job.user)) +
            "</td><td>" + escaped(outcome_of(job)) + "</td><td>" + escaped(speedup_of(job)) +
            "</td><td>" + curve_svg(job.curve, best) + "</td><td>" +
            escaped(clean_line(job.summary)) + "</td></tr>\n";
  }
  html += "</table></div>\n";
  if (best > 1) {
    html += "<p>Curves: best ratio after each candidate, logarithmic, from 1 to " +
            format_ratio(best) + ".</p>\n";
  }
  add_list(html, "Budget of the night", budget_lines(report));
  add_list(html, "What was learned", lessons_of(report));
  add_list(html, "What came to nothing", failures_of(report));
  return html + "</body></html>\n";
}

}  // namespace warpmind::clients
