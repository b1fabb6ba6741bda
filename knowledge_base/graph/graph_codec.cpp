#include "knowledge_base/graph/graph_codec.h"

#include "base/codec/model_json.h"
#include "knowledge_base/sealed_json.h"

namespace warpmind::knowledge_base {

// nlohmann finds these by the namespace of their argument.
static void to_json(nlohmann::json& j, const EdgeExample& example) {
  j = {{"episode", example.episode},   {"step", example.step},
       {"task", example.task},         {"operator_family", example.operator_family},
       {"before", example.before},     {"after", example.after},
       {"log_gain", example.log_gain}, {"parameters", example.parameters}};
}

static void from_json(const nlohmann::json& j, EdgeExample& example) {
  const EdgeExample none;
  example.episode = j.value("episode", none.episode);
  example.step = j.value("step", none.step);
  example.task = j.value("task", none.task);
  example.operator_family = j.value("operator_family", none.operator_family);
  example.before = j.value("before", none.before);
  example.after = j.value("after", none.after);
  example.log_gain = j.value("log_gain", none.log_gain);
  example.parameters = j.value("parameters", none.parameters);
}

Result<std::string> encode_edge(const EdgeStatistics& edge) {
  return seal({{"from", edge.from},
               {"to", edge.to},
               {"cluster", edge.cluster},
               {"family", edge.family},
               {"device", edge.device},
               {"provider", edge.provider},
               {"counts", json_of(edge.counts)},
               {"better", edge.better},
               {"examples", edge.examples},
               {"failures", edge.failures}},
              "edge");
}

Result<EdgeStatistics> decode_edge(std::string_view bytes) {
  WARPMIND_TRY(const auto payload, open_json(bytes, "edge"));
  EdgeStatistics edge;
  WARPMIND_TRY(edge.from, member(payload, "from", edge.from));
  WARPMIND_TRY(edge.to, member(payload, "to", edge.to));
  WARPMIND_TRY(edge.cluster, member(payload, "cluster", edge.cluster));
  WARPMIND_TRY(edge.family, member(payload, "family", edge.family));
  WARPMIND_TRY(edge.device, member(payload, "device", edge.device));
  WARPMIND_TRY(edge.provider, member(payload, "provider", edge.provider));
  WARPMIND_TRY(const auto counts, member(payload, "counts", nlohmann::json::object()));
  WARPMIND_TRY(edge.counts, counts_of(counts));
  WARPMIND_TRY(edge.better, member(payload, "better", edge.better));
  WARPMIND_TRY(edge.examples, member(payload, "examples", edge.examples));
  WARPMIND_TRY(edge.failures, member(payload, "failures", edge.failures));
  return edge;
}

Result<std::string> encode_cluster(const StateCluster& cluster) {
  return seal({{"id", cluster.id},
               {"name", cluster.name},
               {"bottleneck", cluster.bottleneck},
               {"centroid", cluster.centroid},
               {"members", cluster.members},
               {"merged_into", cluster.merged_into},
               {"source", cluster.source}},
              "cluster");
}

Result<StateCluster> decode_cluster(std::string_view bytes) {
  WARPMIND_TRY(const auto payload, open_json(bytes, "cluster"));
  StateCluster cluster;
  WARPMIND_TRY(cluster.id, member(payload, "id", cluster.id));
  WARPMIND_TRY(cluster.name, member(payload, "name", cluster.name));
  WARPMIND_TRY(cluster.bottleneck, member(payload, "bottleneck", cluster.bottleneck));
  WARPMIND_TRY(cluster.centroid, member(payload, "centroid", cluster.centroid));
  WARPMIND_TRY(cluster.members, member(payload, "members", cluster.members));
  WARPMIND_TRY(cluster.merged_into, member(payload, "merged_into", cluster.merged_into));
  WARPMIND_TRY(cluster.source, member(payload, "source", cluster.source));
  return cluster;
}

Result<std::string> encode_step_cluster(const std::string& cluster) {
  return seal({{"cluster", cluster}}, "cluster of a step");
}

Result<std::string> decode_step_cluster(std::string_view bytes) {
  WARPMIND_TRY(const auto payload, open_json(bytes, "cluster of a step"));
  return member<std::string>(payload, "cluster", {});
}

}  // namespace warpmind::knowledge_base
