#include "clients/cli/report/technique_report.h"

#include "base/text.h"
#include "clients/cli/report/insight_report.h"
#include "clients/cli/report/table.h"
#include "clients/cli/report/units.h"

namespace warpmind::clients {
namespace {

std::string bottlenecks_of(const Technique& technique) {
  std::string text;
  for (const auto bottleneck : technique.bottlenecks) {
    if (!text.empty()) text += ", ";
    text += name_of(bottleneck);
  }
  return text;
}

std::string gain_range(const Technique& technique) {
  if (technique.typical_low == 1 && technique.typical_high == 1) return "not said";
  return format_ratio(technique.typical_low) + " to " + format_ratio(technique.typical_high);
}

}  // namespace

std::string render_techniques(const std::vector<Technique>& techniques, const Style& style) {
  if (techniques.empty()) return "no techniques\n";
  Table table({Align::left, Align::left, Align::left, Align::left});
  table.add({"technique", "category", "typical gain", "against"});
  for (const auto& technique : techniques) {
    table.add({clean_line(technique.name), clean_line(technique.category), gain_range(technique),
               bottlenecks_of(technique)});
  }
  return table.render(0) +
         style.paint.strong(format_count(static_cast<std::int64_t>(techniques.size()))) +
         (techniques.size() == 1 ? " technique" : " techniques") +
         "; `warpmind kb show NAME` shows one in full\n";
}

std::string render_technique(const Technique& technique, const Style& style) {
  std::string text =
      style.paint.strong(clean_line(technique.name)) + "  " + clean_line(technique.title) + "\n";
  const auto say = [&](const char* what, const std::string& said) {
    if (!said.empty()) {
      text += wrap(std::string(what) + ": " + clean_line(said), 2, style.columns);
    }
  };
  say("category", technique.category);
  say("against", bottlenecks_of(technique));
  say("compute capability", capability_range(technique.capability_min, technique.capability_max));
  say("typical gain", gain_range(technique) + " where it applies; a claim, not a measurement");
  say("when", technique.when);
  say("when not", technique.when_not);
  say("how", technique.how);
  for (const auto& parameter : technique.parameters) say("parameter", parameter);
  say("risks", technique.risks);
  for (const auto& [generation, note] : technique.generations) {
    text += wrap("on " + clean_line(generation) + ": " + clean_line(note), 2, style.columns);
  }
  const std::string aliases = join_text(technique.aliases, ", ");
  say("also called", aliases);
  say("source", technique.source + (technique.edited ? ", edited here" : ""));
  return text;
}

}  // namespace warpmind::clients
