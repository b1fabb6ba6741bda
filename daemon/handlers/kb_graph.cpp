#include "base/file.h"
#include "base/hash.h"
#include "daemon/handlers/kb_arguments.h"
#include "daemon/handlers/kb_handlers.h"
#include "daemon/protocol/knowledge_messages.h"
#include "knowledge_base/graph/reasoning_graph.h"

namespace warpmind::daemon {
namespace {

using knowledge_base::EdgeFilter;
using knowledge_base::ReasoningGraph;
using namespace protocol;  // NOLINT(google-build-using-namespace): the messages of one group

constexpr std::int64_t kMostEdges = 10'000;
constexpr std::size_t kGraphBytes = std::size_t{256} * 1024 * 1024;

Result<std::optional<Provider>> provider_of(const std::string& text) {
  if (text.empty()) return std::optional<Provider>();
  WARPMIND_TRY(const Provider provider, enum_of<Provider>("provider", text));
  return std::optional<Provider>(provider);
}

KbEdge edge_of(knowledge_base::EdgeStatistics edge) {
  KbEdge wire;
  wire.from = std::move(edge.from);
  wire.to = std::move(edge.to);
  wire.cluster = std::move(edge.cluster);
  wire.family = std::move(edge.family);
  wire.device = std::move(edge.device);
  wire.provider = edge.provider;
  wire.measured = edge.counts.confirmed.weight;
  wire.mean_log_gain = edge.counts.confirmed.mean;
  wire.screened = edge.counts.screened.weight;
  wire.feasible = edge.counts.feasible;
  wire.infeasible = edge.counts.infeasible;
  wire.better = edge.better;
  for (auto& one : edge.examples) {
    wire.examples.push_back({one.episode.str(), one.step, one.task.str(), one.operator_family,
                             one.before.str(), one.after.str(), one.log_gain, one.parameters});
  }
  return wire;
}

Result<KbGraphResult> edges(const ReasoningGraph& graph, const KbGraphParams& params) {
  EdgeFilter filter;
  filter.from = params.from.value_or("*");
  filter.cluster = params.cluster;
  WARPMIND_TRY(const NamedDevice device, device_of(params.device));
  filter.device = device.name;
  WARPMIND_TRY(filter.provider, provider_of(params.provider));
  WARPMIND_TRY(filter.limit, within("limit", params.limit.value_or(filter.limit), 1, kMostEdges));
  WARPMIND_TRY(auto found, graph.edges(filter));
  KbGraphResult result;
  for (auto& edge : found) result.edges.push_back(edge_of(std::move(edge)));
  return result;
}

Result<KbGraphExportResult> export_graph(const ReasoningGraph& graph, const std::string& text) {
  WARPMIND_TRY(const auto file, new_file("file", text));
  WARPMIND_TRY(const std::string json, graph.export_json());
  WARPMIND_CHECK(write_output_file(file, json));
  return KbGraphExportResult{file.string(), static_cast<std::int64_t>(json.size())};
}

Result<KbGraphImportResult> import_graph(ReasoningGraph& graph, const KbGraphImportParams& params) {
  WARPMIND_TRY(const auto file, readable_path("file", params.file));
  WARPMIND_TRY(const std::string json, read_file(file, kGraphBytes));
  const std::string source = params.source.empty() ? "regrapht:" + short_hash(json) : params.source;
  auto added = graph.import_json(json, source);
  if (!added) return fail(std::move(added).error().while_doing(file.string()));
  return KbGraphImportResult{*added};
}

Result<KbClustersResult> clusters(const ReasoningGraph& graph) {
  WARPMIND_TRY(auto found, graph.clusters());
  KbClustersResult result;
  for (auto& one : found) {
    result.clusters.push_back({std::move(one.id), std::move(one.name), one.bottleneck,
                               std::move(one.centroid), one.members, std::move(one.merged_into),
                               std::move(one.source)});
  }
  return result;
}

Result<KbCalibrationResult> calibration(const ReasoningGraph& graph, const std::string& provider) {
  WARPMIND_TRY(const auto wanted, provider_of(provider));
  WARPMIND_TRY(const auto found, graph.calibration(wanted));
  return KbCalibrationResult{found.predictions,   found.coverage, found.coverage_low,
                             found.coverage_high, found.spearman, found.bias};
}

}  // namespace

void add_graph_methods(Dispatcher& dispatcher, const KnowledgeAccess& access) {
  auto& graph = access.base.graph();
  dispatcher.add(
      protocol::kKbGraph, Execution::pool,
      [&graph](const KbGraphParams& params, RequestContext&) { return edges(graph, params); });
  dispatcher.add(protocol::kKbExportGraph, Execution::slow,
                 [&graph](const KbGraphExportParams& params, RequestContext&) {
                   return export_graph(graph, params.file);
                 });
  dispatcher.add(protocol::kKbImportGraph, Execution::slow,
                 [&graph](const KbGraphImportParams& params, RequestContext&) {
                   return import_graph(graph, params);
                 });
  dispatcher.add(protocol::kKbClusters, Execution::pool,
                 [&graph](const Empty&, RequestContext&) { return clusters(graph); });
  dispatcher.add(protocol::kKbCalibration, Execution::slow,
                 [&graph](const KbCalibrationParams& params, RequestContext&) {
                   return calibration(graph, params.provider);
                 });
}

}  // namespace warpmind::daemon
