#include "base/launch_profile.h"
#include "base/model/metric_names.h"
#include "base/text.h"
#include "daemon/lsp/answers.h"
#include "daemon/lsp/wording.h"

#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::lsp {
namespace {

using nlohmann::json;

constexpr int kInformation = 3;      // DiagnosticSeverity
constexpr double kHotPercent = 20;   // of the kernel's cycles
constexpr double kWorthPercent = 2;  // below, a line's accesses do not matter
constexpr std::size_t kMostLines = 24;

/// The lines of the newest profile, and the text that they count in.
struct Profiled {
  const std::vector<LineProfile>* lines = nullptr;
  const std::vector<SimulatorFinding>* findings = nullptr;
  const std::string* text = nullptr;
  bool stale = false;  // the file's text is another one
};

Profiled newest_profile(const OpenFile& file) {
  const auto& known = file.knowledge;
  if (known.analysis && !known.analysis->lines.empty()) {
    return {&known.analysis->lines, &known.analysis->findings, &known.analysed_text,
            known.analysed_text != file.document.text()};
  }
  const Step* step = shown_step(file);
  if (step == nullptr || !step->verdict.profile) return {};
  return {&step->verdict.profile->lines, &step->verdict.findings, &step->candidate.kernel.source,
          !holds(file, *step)};
}

std::optional<double> metric(const LineProfile& line, std::string_view name) {
  for (const auto& one : line.metrics) {
    if (one.name == name) return one.value;
  }
  return std::nullopt;
}

struct Remark {
  const char* code = "";
  std::string message;
};

std::optional<Remark> remark_on(const LineProfile& line) {
  const auto samples = metric(line, metric_names::kLineSamplesPct);  // of a GPU
  const double cycles = samples.value_or(metric(line, metric_names::kLineCyclesPct).value_or(0));
  const auto sectors = line_sectors(line);
  const auto conflicts = metric(line, metric_names::kLineBankConflicts);
  const std::string share = fixed(cycles, 0) + (samples ? " % of the samples" : " % of the cycles");
  if (cycles >= kWorthPercent && sectors && sectors->is_uncoalesced()) {
    return Remark{"uncoalesced-access",
                  "uncoalesced access: " + fixed(sectors->each, 1) + " sectors a request where " +
                      significant(sectors->needed, 2) + " would do; " + share};
  }
  if (cycles >= kWorthPercent && conflicts && *conflicts > 0) {
    return Remark{"bank-conflicts",
                  "shared memory: " + significant(*conflicts) + " bank conflicts; " + share};
  }
  if (cycles >= kHotPercent) return Remark{"hot-line", "hot line: " + share + " of the kernel"};
  return std::nullopt;
}

json on_line(const OpenFile& file, std::int64_t line, const char* code, const std::string& message,
             bool stale) {
  const std::string_view text = file.document.line(line);
  const std::size_t begin_of_line = file.document.offset({line, 0});
  const std::size_t indent = std::min(text.find_first_not_of(" \t"), text.size());
  return {{"range", range_of(file, {begin_of_line + indent, begin_of_line + text.size()})},
          {"severity", kInformation},
          {"source", "warpmind"},
          {"code", code},
          {"message", (stale ? "before the last edit: " : "") + message}};
}

}  // namespace

json diagnostics(const OpenFile& file) {
  json found = json::array();
  const Profiled profiled = newest_profile(file);
  if (profiled.lines == nullptr) return found;
  const auto add = [&](int line, const char* code, const std::string& message) {
    const std::int64_t now =
        line_after_edit(*profiled.text, file.document.text(), std::int64_t{line} - 1);
    if (now < 0 || found.size() >= kMostLines) return;
    found.push_back(on_line(file, now, code, message, profiled.stale));
  };
  for (const auto& line : *profiled.lines) {
    if (const auto remark = remark_on(line)) add(line.line, remark->code, remark->message);
  }
  for (const auto& finding : *profiled.findings) {
    if (finding.line <= 0) continue;
    add(finding.line, finding.defect ? "defect" : "wasted-work",
        finding.kind + " in " + finding.kernel + ", " + finding.where + ", " +
            count_noun(std::max<std::int64_t>(finding.count, 1), "time"));
  }
  return found;
}

}  // namespace warpmind::daemon::lsp
