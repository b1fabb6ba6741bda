#include "clients/cli/report/daemon_reports.h"

#include "base/text.h"
#include "clients/cli/report/table.h"
#include "clients/cli/report/units.h"

namespace warpmind::clients {
namespace {

Table pairs() { return Table({Align::left, Align::left}); }

}  // namespace

std::string render_status(const daemon::protocol::StatusResult& status, const Paint& paint) {
  std::string text = paint.strong("warpmindd " + clean_line(status.version)) + " (pid " +
                     std::to_string(status.pid) + "), up " + format_duration(status.uptime_s) +
                     "\n";
  Table table = pairs();
  table.add({"mode", clean_line(status.mode)});
  table.add({"device", status.device.empty() ? "none" : clean_line(status.device)});
  if (!status.note.empty()) table.add({"note", clean_line(status.note)});
  for (std::size_t i = 0; i < status.lanes.size() && status.lanes.size() > 1; ++i) {
    table.add({i == 0 ? "lanes" : "", clean_line(status.lanes[i])});
  }
  table.add({"base", status.degraded ? "read-only; `warpmind kb stats` says why" : "ok"});
  table.add({"state", clean_line(status.state_directory)});
  table.add({"jobs", format_count(status.running) + " running, " + format_count(status.queued) +
                         " queued"});
  table.add({"clients", format_count(status.connections) + " connected"});
  text += table.render(2);
  for (const auto& job : status.jobs) text += "  " + clean_line(job) + "\n";
  return text;
}

std::string render_statistics(const daemon::protocol::KbStatsResult& statistics,
                              const Paint& paint) {
  std::string text = paint.strong("knowledge base") + "\n";
  Table table = pairs();
  table.add({"state", statistics.degraded ? "read-only" : "ok"});
  if (!statistics.note.empty()) table.add({"note", clean_line(statistics.note)});
  table.add({"schema", "version " + std::to_string(statistics.schema_version)});
  table.add({"last change", format_count(statistics.last_sequence)});
  table.add({"on disk", format_bytes(static_cast<double>(statistics.disk_bytes))});
  text += table.render(2);
  const auto counts = [&](const char* title, const std::map<std::string, std::int64_t>& rows) {
    if (rows.empty()) return;
    Table counted({Align::left, Align::right});
    for (const auto& [name, count] : rows) counted.add({clean_line(name), format_count(count)});
    text += "\n" + paint.strong(title) + "\n" + counted.render(2);
  };
  counts("records", statistics.records);
  counts("episodes by outcome", statistics.episodes_by_outcome);
  auto insights = statistics.insights;
  std::erase_if(insights, [](const auto& row) { return row.second == 0; });
  counts("insights", insights);
  const auto& index = statistics.index;
  if (index.documents + index.dead + index.memory_bytes == 0) return text;
  Table figures = pairs();
  figures.add({"insights", format_count(index.documents) + " that may be offered"});
  if (index.dead > 0) {
    figures.add({"dead", format_count(index.dead) + " until `warpmind kb rebuild`"});
  }
  figures.add({"memory", format_bytes(static_cast<double>(index.memory_bytes))});
  figures.add({"embedders", clean_line(index.embedders)});
  if (!index.endpoint.empty()) figures.add({"endpoint", clean_line(index.endpoint)});
  text += "\n" + paint.strong("search index") + "\n" + figures.render(2);
  return text;
}

std::string render_validation(const daemon::protocol::TaskValidateResult& answer,
                              const Paint& paint) {
  std::string text = paint.good("valid") + ": " + clean_line(answer.name) + " (" +
                     clean_line(answer.task_id) +
                     ")\n  workloads: " + join_text(answer.workloads, ", ", clean_line) + "\n";
  for (const auto& warning : answer.warnings) {
    text += wrap("warning: " + clean_line(warning), 2, 100);
  }
  return text;
}

std::string render_settings(const std::vector<config::RenderedSetting>& settings,
                            const std::string& file, bool origin) {
  std::string text = "file: " + (file.empty() ? std::string("none") : clean_line(file)) + "\n";
  Table table({Align::left, Align::left, Align::left});
  for (const auto& setting : settings) {
    std::string value = clean_line(setting.value);
    if (value.empty() && !setting.when_empty.empty()) value = "(" + setting.when_empty + ")";
    if (!setting.unit.empty()) value += " " + setting.unit;
    table.add({setting.name, value, origin ? clean_line(setting.origin) : std::string()});
  }
  return text + table.render(0);
}

}  // namespace warpmind::clients
