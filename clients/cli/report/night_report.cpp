#include "clients/cli/report/night_report.h"

#include "base/drawing/svg.h"
#include "clients/cli/report/night_charts.h"
#include "clients/cli/report/night_facts.h"
#include "clients/cli/report/units.h"

#include <string_view>
#include <vector>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;
using drawing::escaped;

/// Text of others inside Markdown: what would be markup there is written out.
std::string plain(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>#|").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

std::vector<std::string> cells_of(const NightRow& row) {
  return {row.number, row.job, row.task,       row.user,       row.outcome,       row.speedup,
          row.time,   row.how, row.bottleneck, row.candidates, row.device_seconds};
}

constexpr const char* kMarkdownHead =
    "\n| # | job | task | user | outcome | speedup | time | how | bottleneck | candidates | device "
    "s |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|\n";

constexpr const char* kHtmlHead =
    "<tr><th>#</th><th>job</th><th>task</th><th>user</th><th>outcome</th><th>speedup</th>"
    "<th>time</th><th>how</th><th>bottleneck</th><th>candidates</th><th>device s</th>"
    "<th>learning curve</th></tr>\n";

// Colours are those of the page; print has none of the screen's.
constexpr const char* kStyle =
    ":root{--ink:#1b1b1b;--paper:#fff;--line:#ddd;--mark:#2563eb;--band:#93b4f5;--roof:#555}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e6e6;--paper:#161616;--line:#3a3a3a;"
    "--mark:#7aa2ff;--band:#3b5a9a;--roof:#aaa}}"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:90rem;margin:2rem auto;padding:0 1rem;"
    "color:var(--ink);background:var(--paper)}table{border-collapse:collapse;width:100%;font-size:."
    "9em}"
    "th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid var(--line);"
    "vertical-align:top}td:nth-child(2),td:nth-child(7){white-space:nowrap}"
    "td:nth-child(6){min-width:12em}.wide{overflow-x:auto}figure{margin:1rem 0}figure "
    "svg{max-width:100%;"
    "width:42rem;height:auto}figure svg.square{width:28rem}figcaption{font-size:.9em}svg "
    "text{fill:currentColor}"
    "svg .paper{fill:none}svg .grid{stroke:var(--line)}svg .roof{stroke:var(--roof)}"
    "svg .dot{fill:var(--mark)}svg .hollow,svg .line{stroke:var(--mark)}svg "
    ".band{stroke:var(--band)}"
    "svg polyline{fill:none;stroke:var(--mark);stroke-width:1.5}"
    "@page{size:landscape;margin:12mm}@media "
    "print{:root{--ink:#000;--paper:#fff;--line:#bbb;--mark:#000;--band:#999;--roof:#000}"
    "body{max-width:none;margin:0;font-size:10pt}.wide{overflow:visible}"
    "tr,figure{break-inside:avoid}h2{break-after:avoid}}";

std::string figure(const std::string& svg, std::string_view caption) {
  if (svg.empty()) return {};
  return "<figure>" + svg + "<figcaption>" + escaped(caption) + "</figcaption></figure>\n";
}

std::string table_of(const protocol::QueueReportResult& report, const NightFacts& facts) {
  std::string html = std::string("<div class=\"wide\"><table>\n") + kHtmlHead;
  for (std::size_t i = 0; i < facts.rows.size(); ++i) {
    html += "<tr>";
    for (const auto& cell : cells_of(facts.rows[i])) html += "<td>" + escaped(cell) + "</td>";
    html += "<td>" + curve_svg(report.jobs[i].curve, facts.best) + "</td></tr>\n";
  }
  return html + "</table></div>\n";
}

std::string pictures_of(const protocol::QueueReportResult& report, const NightFacts& facts) {
  std::string html;
  if (facts.best > 1) {
    html += "<p>Curves: best ratio after each candidate, logarithmic, from 1 to " +
            format_ratio(facts.best) + ".</p>\n";
  }
  html += figure(night_curve_svg(report.jobs),
                 std::string(report.night.empty() ? "All jobs" : "The night") +
                     ": geometric mean of the best ratios of all jobs after each candidate, "
                     "logarithmic.");
  for (const auto& picture : roofline_svgs(report.jobs)) {
    html += figure(picture,
                   "Given kernels (hollow) and best ones under the roofline, by the "
                   "number of the job.");
  }
  return html + figure(calibration_svg(report.jobs),
                       "Calibration: each line is a predicted interval at the ratio that was "
                       "found; on the diagonal they are the same.");
}

}  // namespace

std::string night_markdown(const protocol::QueueReportResult& report) {
  const NightFacts facts = night_facts(report);
  std::string text = "# " + facts.title + "\n\n";
  for (const auto& line : facts.sentences) text += line + "\n";
  text += kMarkdownHead;
  for (const auto& row : facts.rows) {
    for (const auto& cell : cells_of(row)) text += "| " + plain(cell) + " ";
    text += "|\n";
  }
  for (const auto& section : facts.sections) {
    text += "\n## " + section.title + "\n\n";
    if (!section.remark.empty()) text += section.remark + "\n\n";
    for (const auto& line : section.lines) text += "- " + plain(line) + "\n";
  }
  return text;
}

std::string night_html(const protocol::QueueReportResult& report) {
  const NightFacts facts = night_facts(report);
  const std::string title = escaped(facts.title);
  std::string html =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
      title + "</title>\n<style>" + kStyle + "</style></head>\n<body>\n<h1>" + title + "</h1>\n<p>";
  for (const auto& line : facts.sentences) html += escaped(line) + "<br>\n";
  html += "</p>\n" + table_of(report, facts) + pictures_of(report, facts);
  for (const auto& section : facts.sections) {
    html += "<h2>" + escaped(section.title) + "</h2>\n";
    if (!section.remark.empty()) html += "<p>" + escaped(section.remark) + "</p>\n";
    html += "<ul>\n";
    for (const auto& line : section.lines) html += "<li>" + escaped(line) + "</li>\n";
    html += "</ul>\n";
  }
  return html + "</body></html>\n";
}

}  // namespace warpmind::clients
