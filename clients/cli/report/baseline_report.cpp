#include "clients/cli/report/baseline_report.h"

#include "base/best_library.h"
#include "base/limit.h"
#include "clients/cli/report/table.h"
#include "clients/cli/report/text.h"
#include "clients/cli/report/units.h"

namespace warpmind::clients {
namespace {

/// What the stage found out; empty where the time was kept from before.
std::string tried_words(const Verdict& verdict) {
  for (const StageReport& stage : verdict.stages) {
    if (stage.stage != Stage::library) continue;
    const auto at = stage.detail.find("tried: ");
    return at == std::string::npos ? "" : stage.detail.substr(at);
  }
  return {};
}

std::string times_table(const Measurement& measurement) {
  const BestLibrary& best = measurement.best_library;
  Table table({Align::left, Align::right, Align::left});
  table.add({"given kernel", format_time(measurement.median_ns), ""});
  if (best.ns > 0) {
    table.add({clean_line(best.library), format_time(best.ns), clean_line(best.call)});
  }
  if (measurement.limit.ns > 0) {
    table.add({"limit", format_time(measurement.limit.ns), limited_by(measurement.limit)});
  }
  return table.render(2);
}

}  // namespace

std::string render_baseline(const daemon::protocol::LibraryBaselineResult& result,
                            const Style& style) {
  const Verdict& verdict = result.verdict;
  const std::string task = style.paint.strong(clean_line(result.task));
  if (!verdict.measurement) {
    return task + ": nothing was timed\n" + wrap(clean_line(verdict.reason), 2, style.columns);
  }
  const Measurement& measurement = *verdict.measurement;
  const BestLibrary& best = measurement.best_library;
  std::string text = task + " on " + clean_line(measurement.device.name) + ", workload " +
                     clean_line(measurement.workload) + "\n" + times_table(measurement);
  if (const auto times = times_best_library(best, measurement.median_ns)) {
    text += wrap("the given kernel is " + format_ratio(*times) + " as fast as the library", 2,
                 style.columns);
  } else if (!best.unknown.empty()) {
    text += wrap(clean_line(best.unknown), 2, style.columns);
  }
  const std::string tried = tried_words(verdict);
  return best.ns > 0 && !tried.empty() ? text + wrap(clean_line(tried), 2, style.columns) : text;
}

}  // namespace warpmind::clients
