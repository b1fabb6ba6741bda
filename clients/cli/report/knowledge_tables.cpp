#include "clients/cli/report/knowledge_tables.h"

#include "base/text.h"
#include "clients/cli/report/table.h"
#include "clients/cli/report/units.h"

#include <cmath>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;

std::string or_all(const std::string& text) { return text.empty() ? "all" : clean_line(text); }

}  // namespace

std::string render_sources(const protocol::KbSourcesResult& result, const Style& style) {
  if (result.sources.empty()) return "no sources: the base holds no insights\n";
  Table table({Align::left, Align::right, Align::right, Align::left});
  table.add({"source", "insights", "skills", ""});
  for (const auto& source : result.sources) {
    table.add({clean_line(source.source), format_count(source.insights),
               format_count(source.skills),
               source.quarantined ? style.paint.bad("quarantined") : std::string()});
  }
  std::string text = table.render(0);
  if (result.sources.size() == 1 && result.sources.front().insights == 0 &&
      result.sources.front().skills == 0) {
    text += "no insight is from it so far; `warpmind kb sources` lists those that are\n";
  }
  return text;
}

std::string render_facts(const protocol::KbFactsResult& result, const Style& style) {
  if (result.facts.empty()) return "no facts\n";
  Table table({Align::left, Align::left, Align::right, Align::left, Align::left});
  table.add({"subject", "fact", "value", "unit", "source"});
  for (const auto& fact : result.facts) {
    std::string source = clean_line(fact.source);
    if (!fact.note.empty()) source += " (" + clean_line(fact.note) + ")";
    table.add({clean_line(fact.subject), clean_line(fact.name), significant(fact.value, 15),
               clean_line(fact.unit), clip(source, style.columns)});
  }
  return table.render(0);
}

std::string render_edges(const protocol::KbGraphResult& result, const Style& style) {
  if (result.edges.empty()) return "no edges: nothing was measured there yet\n";
  Table table({Align::left, Align::left, Align::left, Align::left, Align::left, Align::right,
               Align::right, Align::right, Align::right});
  table.add({"from", "to", "cluster", "device", "provider", "gain", "measured", "better",
             "not feasible"});
  for (const auto& edge : result.edges) {
    const Moments& gains = edge.counts.confirmed;
    table.add({edge.from.empty() ? "(start)" : clean_line(edge.from), clean_line(edge.to),
               or_all(edge.cluster), or_all(edge.device.empty() ? edge.family : edge.device),
               std::string(name_of(edge.provider)),
               gains.weight > 0 ? format_ratio(std::exp(gains.mean)) : std::string("-"),
               format_count(edge.counts.observations()), format_count(edge.better),
               format_count(edge.counts.infeasible)});
  }
  return table.render(0) +
         style.paint.strong(format_count(static_cast<std::int64_t>(result.edges.size()))) +
         (result.edges.size() == 1 ? " edge\n" : " edges\n");
}

std::string render_graph_export(const protocol::KbGraphExportResult& result) {
  return "written to " + clean_line(result.file) + ", " +
         format_bytes(static_cast<double>(result.bytes)) + "\n";
}

std::string render_graph_import(const protocol::KbGraphImportResult& result) {
  return format_count(result.added) + (result.added == 1 ? " new claim" : " new claims") +
         "; statistics of the other graph were not taken over\n";
}

std::string render_clusters(const protocol::KbClustersResult& result, const Style& style) {
  if (result.clusters.empty()) return "no clusters\n";
  Table table({Align::left, Align::right, Align::left, Align::left});
  table.add({"cluster", "members", "from", "name"});
  for (const auto& cluster : result.clusters) {
    std::string name = clip(clean_line(cluster.name), style.columns);
    if (!cluster.merged_into.empty()) name += " (now " + clean_line(cluster.merged_into) + ")";
    table.add(
        {clean_line(cluster.id), format_count(cluster.members), clean_line(cluster.source), name});
  }
  return table.render(0);
}

std::string render_calibration(const Calibration& result) {
  if (result.predictions == 0) return "no step was both predicted and measured yet\n";
  Table table({Align::left, Align::left});
  table.add({"predictions", format_count(result.predictions)});
  table.add({"inside the 80 % interval",
             fixed(100 * result.coverage, 1) + " % (95 %: " + fixed(100 * result.coverage_low, 1) +
                 " to " + fixed(100 * result.coverage_high, 1) + " %)"});
  table.add({"rank correlation", fixed(result.spearman, 3)});
  table.add({"measured against predicted", format_ratio(std::exp(result.bias)) + " on average"});
  return table.render(0);
}

}  // namespace warpmind::clients
