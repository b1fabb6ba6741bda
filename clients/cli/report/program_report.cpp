#include "clients/cli/report/program_report.h"

#include "clients/cli/report/table.h"
#include "clients/cli/report/units.h"

#include <algorithm>

namespace warpmind::clients {
namespace {

using daemon::protocol::ProgramPartReport;
using daemon::protocol::ProgramReport;

std::string comma_list(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + clean_line(word);
  return text;
}

std::string done_to(const ProgramPartReport& part) {
  if (!part.techniques.empty()) return clip(comma_list(part.techniques), 60);
  return part.outcome.empty() ? "–" : clean_line(part.outcome);
}

std::string table_of(const ProgramReport& report) {
  const bool predicted = std::any_of(report.parts.begin(), report.parts.end(),
                                     [](const auto& part) { return part.predicted; });
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::left,
               Align::left});
  table.add({"kernel", "launches", "given", "best", predicted ? "predicted" : "measured",
             "in the file", "what was done"});
  for (const auto& part : report.parts) {
    const auto time = [](double ns) { return ns > 0 ? format_time(ns) : std::string("–"); };
    table.add({clip(comma_list(part.kernels), 36), std::to_string(part.times), time(part.given_ns),
               time(part.best_ns), part.best_ns > 0 ? format_ratio(part.gain) : "–",
               part.written ? "yes" : "no", done_to(part)});
  }
  return table.render(2);
}

std::string left_out(std::string_view title, const std::vector<daemon::protocol::LeftOut>& all,
                     const Style& style) {
  std::string text;
  for (const auto& one : all) {
    text += wrap(std::string(title) + clean_line(one.name) + ": " + clean_line(one.reason), 2,
                 style.columns);
  }
  return text;
}

}  // namespace

std::string render_program(const ProgramReport& report, const Style& style) {
  std::string text = style.paint.strong(clean_line(report.source)) + "\n" + table_of(report);
  std::string remarks;
  for (const auto& part : report.parts) {
    if (!part.reason.empty()) {
      remarks += wrap(clean_line(part.name) + ": " + clean_line(part.reason), 2, style.columns);
    }
    for (const auto& note : part.notes) {
      remarks += wrap(clean_line(part.name) + ": " + clean_line(note), 2, style.columns);
    }
  }
  remarks += left_out("not looked at: ", report.skipped, style);
  if (!report.host_edits.empty()) {
    remarks += wrap("host code: " + comma_list(report.host_edits), 2, style.columns);
  }
  remarks += left_out("host code, not edited: ", report.unedited, style);
  for (const auto& note : report.notes) remarks += wrap(clean_line(note), 2, style.columns);
  if (!remarks.empty()) text += "\n" + remarks;
  text += "\n";
  if (!report.output.empty()) {
    text += wrap("The optimised program is " + clean_line(report.output) +
                     (report.verified.empty() ? "" : " (" + clean_line(report.verified) + ").") +
                     (report.verified.empty() ? "; it was not run." : ""),
                 0, style.columns);
  } else {
    text += "No program was written: there is nothing better to put into it.\n";
  }
  text += wrap("Record, tasks and kernels are kept in " + clean_line(report.folder) + ".", 0,
               style.columns);
  return text;
}

}  // namespace warpmind::clients
