#include "knowledge_base/graph/graph_codec.h"

#include "base/codec/described_json.h"
#include "base/codec/model_json.h"
#include "knowledge_base/sealed_json.h"

namespace warpmind::knowledge_base {

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
  return seal(nlohmann::json(cluster), "cluster");
}

Result<StateCluster> decode_cluster(std::string_view bytes) {
  WARPMIND_TRY(const auto payload, open_json(bytes, "cluster"));
  return codec::from_json<StateCluster>(payload, "stored cluster");
}

Result<std::string> encode_step_cluster(const std::string& cluster) {
  return seal({{"cluster", cluster}}, "cluster of a step");
}

Result<std::string> decode_step_cluster(std::string_view bytes) {
  WARPMIND_TRY(const auto payload, open_json(bytes, "cluster of a step"));
  return member<std::string>(payload, "cluster", {});
}

}  // namespace warpmind::knowledge_base
