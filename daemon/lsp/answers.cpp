#include "daemon/lsp/answers.h"

#include "base/launch_profile.h"
#include "base/model/metric_names.h"
#include "base/text.h"
#include "daemon/lsp/wording.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::lsp {
namespace {

using nlohmann::json;
using syntax::Range;

struct NamedPlace {
  std::string kernel;
  Range range;
};

std::optional<NamedPlace> place_at(const OpenFile& file, std::size_t offset) {
  const auto holds = [offset](Range range) { return range.begin <= offset && offset <= range.end; };
  for (const auto& mark : file.marks.kernels) {
    if (holds(mark.name_range)) return NamedPlace{mark.name, mark.name_range};
  }
  for (const auto& launch : file.marks.launches) {
    if (holds(launch.name_range)) return NamedPlace{launch.kernel, launch.name_range};
  }
  return std::nullopt;
}

std::string share_of_limit(const Bottleneck& bottleneck) {
  const bool said = bottleneck.explanation.find("the limit") != std::string::npos;
  if (said || bottleneck.headroom <= 0) return {};
  return "Reaches " + significant(100 / bottleneck.headroom, 3) + " % of the limit.";
}

std::string times(const OpenFile& file, const KernelFacts& facts) {
  if (facts.measurement == nullptr) return {};
  const Measurement& one = *facts.measurement;
  std::string text = "- " + time_text(one.median_ns) + " " +
                     provider_text(one.provider, plain_markdown(one.device.name)) + ", workload `" +
                     one.workload + "`\n";
  if (const Step* better = better_step(file); better != nullptr && better != shown_step(file)) {
    text += "- best: " + gain_text(file.knowledge.last->episode.best_against_baseline->ratio) +
            " by `" + better->candidate.technique + "`, step " + std::to_string(better->index) +
            " of " + file.knowledge.last->episode.id.str() + "\n";
  }
  return text;
}

std::string deciders(const Bottleneck& bottleneck) {
  std::string text;
  for (const auto& metric : bottleneck.deciders) {
    text += "- `" + metric.name + "` " + significant(metric.value) + " " + metric.unit;
    if (metric.needed) text += " (" + significant(*metric.needed) + " would do)";
    text += "\n";
  }
  return text;
}

std::string advice_of(const KernelFacts& facts) {
  return facts.advice == nullptr ? std::string() : facts.advice->text;
}

}  // namespace

std::string bottleneck_sentence(const OpenFile& file, const std::string& kernel) {
  const auto facts = facts_of(file, kernel);
  if (facts.bottleneck == nullptr || facts.bottleneck->primary == BottleneckClass::unknown) {
    return kernel + ": not known yet; optimize it once, and the profile of the given kernel says";
  }
  std::string text = kernel + ": " + name_in_words(name_of(facts.bottleneck->primary));
  if (!facts.bottleneck->explanation.empty()) text += ". " + facts.bottleneck->explanation;
  if (const auto line = share_of_limit(*facts.bottleneck); !line.empty()) text += " " + line;
  if (const auto advice = advice_of(facts); !advice.empty()) text += " " + advice;
  return text + (facts.stale ? " (The text was edited since.)" : "");
}

std::string bottleneck_markdown(const OpenFile& file, const std::string& kernel) {
  const auto facts = facts_of(file, kernel);
  std::string text = "**" + plain_markdown(kernel) + "**";
  if (!file.knowledge.task.empty()) text += ", task `" + file.knowledge.task + "`";
  text += facts.stale ? " (before the last edit)\n\n" : "\n\n";
  text += times(file, facts);
  if (facts.bottleneck != nullptr && facts.bottleneck->primary != BottleneckClass::unknown) {
    text += "- bottleneck: **" + name_in_words(name_of(facts.bottleneck->primary)) + "**. " +
            plain_markdown(facts.bottleneck->explanation) + " " +
            share_of_limit(*facts.bottleneck) + "\n" + deciders(*facts.bottleneck);
    if (const auto advice = advice_of(facts); !advice.empty()) text += "- advice: " + advice + "\n";
  } else {
    text += "- bottleneck: not known yet\n";
  }
  if (file.knowledge.directory.empty() && !file.knowledge.note.empty()) {
    text += "- no task: " + plain_markdown(file.knowledge.note) + "\n";
  }
  const auto claims = claims_of(file, kernel);
  if (!claims.empty()) text += "\nInsights that match:\n";
  for (const auto& claim : claims) text += "- " + plain_markdown(claim) + "\n";
  return text;
}

json hover(const OpenFile& file, Position position) {
  const auto place = place_at(file, file.document.offset(position));
  if (!place) return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", bottleneck_markdown(file, place->kernel)}}},
          {"range", range_of(file, place->range)}};
}

namespace {

using nlohmann::json;

void append(std::string& label, const std::string& part) {
  if (!label.empty()) label += " · ";
  label += part;
}

std::string of_analysis(const AnalyzedKernel& kernel) {
  std::string label;
  append(label, std::to_string(kernel.registers) + " registers");
  append(label, bytes_text(kernel.static_shared_bytes + kernel.dynamic_shared_bytes) + " shared");
  if (kernel.occupancy_percent > 0) {
    append(label, fixed(kernel.occupancy_percent, 0) + " % occupancy");
  }
  const auto spilled = kernel.spill_store_bytes + kernel.spill_load_bytes;
  if (spilled > 0) append(label, bytes_text(spilled) + " spilled");
  return label;
}

std::string of_episode(const KernelFacts& facts) {
  std::string label;
  append(label, std::to_string(facts.built->registers) + " registers");
  auto shared = static_cast<double>(facts.built->static_shared_bytes);
  if (facts.profile != nullptr) {
    shared += facts.profile->find(metric_names::kDynamicSharedBytes).value_or(0);
  }
  append(label, bytes_text(static_cast<std::int64_t>(shared)) + " shared");
  if (facts.profile != nullptr) {
    const auto occupancy = facts.profile->find(metric_names::kOccupancyPct);
    if (occupancy) append(label, fixed(*occupancy, 0) + " % occupancy");
  }
  const auto spilled = facts.built->spill_store_bytes + facts.built->spill_load_bytes;
  if (spilled > 0) append(label, bytes_text(spilled) + " spilled");
  return label;
}

}  // namespace

json inlay_hints(const OpenFile& file, std::int64_t first_line, std::int64_t last_line) {
  json hints = json::array();
  for (const auto& mark : file.marks.kernels) {
    if (mark.parameters_end == 0) continue;
    const Position at = file.document.position(mark.parameters_end);
    if (at.line < first_line || at.line > last_line) continue;
    const auto facts = facts_of(file, mark.name);
    std::string label;
    bool stale = facts.stale;
    if (facts.analysed != nullptr && facts.analysed->built) {
      label = of_analysis(*facts.analysed);
      stale = facts.analysis_stale;
    } else if (facts.built != nullptr) {
      label = of_episode(facts);
    }
    if (label.empty()) continue;
    hints.push_back({{"position", {{"line", at.line}, {"character", at.character}}},
                     {"label", label + (stale ? " (before the last edit)" : "")},
                     {"paddingLeft", true}});
  }
  return hints;
}

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

namespace {

using nlohmann::json;

json lens(const json& range, const std::string& title, const char* command, json argument) {
  return {{"range", range},
          {"command",
           {{"title", title},
            {"command", command},
            {"arguments", json::array({std::move(argument)})}}}};
}

/// "41.2 µs predicted for NVIDIA H200, best 18 µs (2.29× faster)"; empty when nothing was measured.
std::string time_title(const OpenFile& file, const KernelFacts& facts) {
  if (facts.measurement == nullptr) {
    if (facts.analysed == nullptr || !facts.analysed->predicted_ns) return {};
    return time_text(*facts.analysed->predicted_ns) + " " +
           provider_text(Provider::sim, file.knowledge.analysis->device);
  }
  const Measurement& measured = *facts.measurement;
  std::string title =
      time_text(measured.median_ns) + " " + provider_text(measured.provider, measured.device.name);
  const Step* better = better_step(file);
  if (better == shown_step(file) && better != nullptr) {
    title += ", " + gain_text(file.knowledge.last->episode.best_against_baseline->ratio) +
             " than the given kernel";
  } else if (better != nullptr && better->verdict.measurement) {
    title += ", best " + time_text(better->verdict.measurement->median_ns) + " (" +
             gain_text(file.knowledge.last->episode.best_against_baseline->ratio) + ")";
  }
  return title + (facts.stale ? " (before the last edit)" : "");
}

}  // namespace

json range_of(const OpenFile& file, syntax::Range range) {
  const Position begin = file.document.position(range.begin);
  const Position end = file.document.position(range.end);
  return {{"start", {{"line", begin.line}, {"character", begin.character}}},
          {"end", {{"line", end.line}, {"character", end.character}}}};
}

json kernel_lenses(const OpenFile& file, const KernelMark& mark) {
  json lenses = json::array();
  const json range = range_of(file, mark.name_range);
  const json argument{{"uri", file.uri}, {"kernel", mark.name}};
  const auto facts = facts_of(file, mark.name);
  if (file.job.empty()) {
    lenses.push_back(lens(range, "Optimize", kOptimize, argument));
  } else {
    lenses.push_back(lens(range, "Optimizing: " + file.activity + " (cancel)", kCancel,
                          {{"uri", file.uri}, {"job_id", file.job}}));
  }
  std::string explain = "Explain bottleneck";
  if (facts.bottleneck != nullptr && facts.bottleneck->primary != BottleneckClass::unknown) {
    explain += ": " + name_in_words(name_of(facts.bottleneck->primary));
  }
  lenses.push_back(lens(range, explain, kExplain, argument));
  if (const auto title = time_title(file, facts); !title.empty()) {
    lenses.push_back(lens(range, title, kShowResult, argument));
  }
  if (file.job.empty() && why_not_applied(file).empty()) {
    lenses.push_back(
        lens(range, "Apply " + better_step(file)->candidate.technique, kApply, argument));
  }
  const auto claims = claims_of(file, mark.name).size();
  if (claims > 0)
    lenses.push_back(
        lens(range, count_noun(static_cast<std::int64_t>(claims), "insight"), kInsights, argument));
  return lenses;
}

json code_lenses(const OpenFile& file) {
  json lenses = json::array();
  for (const auto& mark : file.marks.kernels) {
    for (auto& one : kernel_lenses(file, mark)) lenses.push_back(std::move(one));
  }
  return lenses;
}

namespace {

using nlohmann::json;
using syntax::Range;

constexpr const char* kRewrite = "refactor.rewrite";
constexpr const char* kRefactor = "refactor";

/// The whole lines in which two texts differ.
struct Difference {
  Range given;
  std::string text;
};

Difference difference(const std::string& given, const std::string& better) {
  const std::size_t shorter = std::min(given.size(), better.size());
  std::size_t head = 0;
  while (head < shorter && given[head] == better[head]) ++head;
  const std::size_t line_start = head == 0 ? std::string::npos : given.rfind('\n', head - 1);
  head = line_start == std::string::npos ? 0 : line_start + 1;
  std::size_t tail = 0;
  while (tail < shorter - head &&
         given[given.size() - 1 - tail] == better[better.size() - 1 - tail]) {
    ++tail;
  }
  while (tail > 0 && given[given.size() - tail] != '\n') --tail;
  if (tail > 0) --tail;  // the end of the line goes with the line
  return {{head, given.size() - tail}, better.substr(head, better.size() - tail - head)};
}

bool touches(const OpenFile& file, const KernelMark& mark, std::int64_t first_line,
             std::int64_t last_line) {
  return file.document.position(mark.range.begin).line <= last_line &&
         file.document.position(mark.range.end).line >= first_line;
}

/// The action that applies the better kernel; null when there is none, or none that can be shown.
json apply_action(const OpenFile& file, bool shows_disabled) {
  const Step* better = better_step(file);
  if (better == nullptr || better == shown_step(file)) return nullptr;
  const auto& episode = file.knowledge.last->episode;
  json action{
      {"title", "warpmind: apply " + better->candidate.technique + " (" +
                    gain_text(episode.best_against_baseline->ratio) +
                    (episode.provider == Provider::sim ? ", predicted" : "") + ", verified; step " +
                    std::to_string(better->index) + " of " + episode.id.str() + ")"},
      {"kind", kRewrite}};
  json edit = variant_edit(file);
  if (!edit.is_null()) {
    action["edit"] = std::move(edit);
  } else if (shows_disabled) {
    action["disabled"] = {{"reason", why_not_applied(file)}};
  } else {
    return nullptr;
  }
  return action;
}

/// A lens as an action: what it runs says something or starts something.
json lens_action(json lens) {
  json command = std::move(lens["command"]);
  const json& argument = command["arguments"].front();
  const std::string title = "warpmind: " + command["title"].get<std::string>() + " · " +
                            argument.value("kernel", argument.value("job_id", ""));
  return {{"title", title}, {"kind", kRefactor}, {"command", std::move(command)}};
}

}  // namespace

json variant_edit(const OpenFile& file) {
  if (!why_not_applied(file).empty()) return nullptr;
  const std::string& given = file.document.text();
  const Difference change =
      difference(given, applied_text(file.knowledge.last->episode, *better_step(file)));
  const json edit{{"range", range_of(file, change.given)}, {"newText", change.text}};
  return {{"documentChanges",
           json::array({{{"textDocument", {{"uri", file.uri}, {"version", file.version}}},
                         {"edits", json::array({edit})}}})}};
}

json code_actions(const OpenFile& file, std::int64_t first_line, std::int64_t last_line,
                  const EditorProfile& profile) {
  json actions = json::array();
  for (const auto& mark : file.marks.kernels) {
    if (!touches(file, mark, first_line, last_line)) continue;
    if (actions.empty()) {  // the variant is of the whole file
      json apply = apply_action(file, profile.shows_disabled_actions);
      if (!apply.is_null()) actions.push_back(std::move(apply));
    }
    if (profile.shows_lenses) continue;
    for (auto& lens : kernel_lenses(file, mark)) {
      const std::string command = lens["command"]["command"];
      if (command == kApply || command == kShowResult) continue;
      actions.push_back(lens_action(std::move(lens)));
    }
  }
  return actions;
}

}  // namespace warpmind::daemon::lsp
