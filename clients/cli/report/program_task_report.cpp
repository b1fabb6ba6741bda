#include "clients/cli/report/program_task_report.h"

#include "base/text.h"
#include "clients/cli/report/table.h"
#include "clients/cli/report/units.h"

#include <map>

namespace warpmind::clients {
namespace {

using daemon::protocol::ProgramImportReport;
using daemon::protocol::ProgramTaskNewReport;

std::string heading_of(const ProgramCheck& check, const Style& style) {
  const std::string verdict =
      check.admitted ? style.paint.good("can be a task") : style.paint.bad("refused");
  std::string text = style.paint.strong(clean_line(check.name)) + ": " + verdict;
  if (!check.admitted) text += " by the control " + std::string(name_of(check.refused_by));
  return text + "\n";
}

std::string kernel_table(const ProgramCheck& check) {
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::left});
  const bool predicted = check.provider == Provider::sim;
  table.add({"kernel", "launches", predicted ? "total, predicted" : "total, measured", "median",
             "least", ""});
  for (const auto& kernel : check.runs.front().kernels) {
    table.add({clip(clean_line(kernel.kernel), 40), format_count(kernel.launches),
               format_time(kernel.total_ns), format_time(kernel.median_ns),
               format_time(kernel.least_ns), kernel.timed ? "" : "not timed"});
  }
  return table.render(2);
}

std::string last_lines(const std::string& text, std::size_t count) {
  const auto lines = split_lines(text);
  std::string out;
  for (std::size_t i = lines.size() > count ? lines.size() - count : 0; i < lines.size(); ++i) {
    out += "    " + clip(clean_line(lines[i]), 160) + "\n";
  }
  return out;
}

}  // namespace

std::string render_program_check(const ProgramCheck& check, const Style& style) {
  std::string text = heading_of(check, style);
  if (!check.reason.empty()) text += wrap(clean_line(check.reason), 2, style.columns);
  if (!check.diagnostics.empty()) text += last_lines(check.diagnostics, 8);
  if (!check.runs.empty() && !check.runs.front().kernels.empty()) text += kernel_table(check);
  std::string facts = "on " + clean_line(check.device);
  if (check.build_s > 0) facts += ", built in " + format_duration(check.build_s);
  if (!check.runs.empty()) {
    facts += ", " + std::to_string(check.runs.size()) +
             (check.runs.size() == 1 ? " run" : " runs") + ", the first took " +
             format_duration(check.runs.front().wall_s);
    if (!check.runs.front().note.empty()) facts += "; " + clean_line(check.runs.front().note);
  }
  if (check.null_run && check.admitted) {
    facts += "; without its kernels it fails: " + clean_line(check.null_run->reason);
  }
  text += wrap(facts, 2, style.columns);
  if (!check.restricted.empty()) {
    text += wrap("restricted: " + clean_line(check.restricted), 2, style.columns);
  }
  return text;
}

std::string render_program_task(const ProgramTask& task, const ProgramTaskNewReport& report,
                                const Style& style) {
  std::string text = style.paint.strong(clean_line(report.file)) + "\n";
  const auto line = [&text](const char* what, const std::string& value) {
    text += "  " + std::string(what) + clean_line(value) + "\n";
  };
  line("build  ", task.build.empty() ? "(nothing)" : task.build);
  line("run    ", task.run);
  std::string rule = "exit code " + std::to_string(task.pass.exit_code);
  if (!task.pass.output.empty()) rule += ", a line matches '" + task.pass.output + "'";
  if (!task.pass.never.empty()) rule += ", none matches '" + task.pass.never + "'";
  line("passes ", rule);
  const std::string files = join_text(task.editable, ", ");
  line("edits  ", files);
  for (const auto& note : report.notes) text += wrap(clean_line(note), 2, style.columns);
  return report.check ? text + render_program_check(*report.check, style) : text;
}

std::string program_import_markdown(const ProgramImportReport& report) {
  std::map<std::string, std::int64_t> counts;
  std::string rows;
  std::string reasons;
  for (const auto& program : report.programs) {
    ++counts[program.refused_by.empty() ? program.state : "refused by " + program.refused_by];
    rows += "| " + clean_line(program.name) + " | " + clean_line(program.state) + " | " +
            (program.refused_by.empty() ? "–" : clean_line(program.refused_by)) + " | " +
            std::to_string(program.launches) + " | " +
            (program.kernels_ns > 0 ? format_time(program.kernels_ns) : "–") + " | " +
            format_duration(program.build_s) + " | " + format_duration(program.seconds) + " |\n";
    if (program.reason.empty()) continue;
    reasons += "- " + clean_line(program.name) + ": " + clean_line(program.reason) + "\n";
  }
  std::string text = "# Program tasks of " + clean_line(report.suite) + "\n\n" +
                     std::to_string(report.programs.size()) + " programs";
  for (const auto& [what, count] : counts) text += ", " + std::to_string(count) + " " + what;
  if (!report.device.empty()) text += " (on " + clean_line(report.device) + ")";
  text += ".\n\n| program | result | by | launches | kernels | build | check |\n";
  text += "|---|---|---|---:|---:|---:|---:|\n" + rows;
  return reasons.empty() ? text : text + "\n" + reasons;
}

std::string render_program_import(const ProgramImportReport& report, const Style& style) {
  Table table({Align::left, Align::left, Align::left, Align::right, Align::right, Align::right});
  const bool predicted = report.provider == "sim";
  table.add({"program", "result", "by", "launches", predicted ? "kernels, predicted" : "kernels",
             "check"});
  std::map<std::string, std::int64_t> counts;
  for (const auto& program : report.programs) {
    ++counts[program.refused_by.empty() ? program.state : "refused by " + program.refused_by];
    table.add({clip(clean_line(program.name), 32), clean_line(program.state),
               program.refused_by.empty() ? "–" : clean_line(program.refused_by),
               program.launches > 0 ? format_count(program.launches) : "–",
               program.kernels_ns > 0 ? format_time(program.kernels_ns) : "–",
               program.seconds > 0 ? format_duration(program.seconds) : "–"});
  }
  std::string text = table.render(0) + "\n";
  for (const auto& program : report.programs) {
    if (!program.reason.empty()) {
      text += wrap(clean_line(program.name) + ": " + clean_line(program.reason), 0, style.columns);
    }
    if (!program.restricted.empty()) {
      text += wrap(clean_line(program.name) + ": restricted, " + clean_line(program.restricted), 0,
                   style.columns);
    }
  }
  std::string summary = std::to_string(report.programs.size()) + " programs";
  for (const auto& [what, count] : counts) summary += ", " + std::to_string(count) + " " + what;
  text += summary + (report.device.empty() ? "" : " (on " + clean_line(report.device) + ")") + "\n";
  return text;
}

}  // namespace warpmind::clients
