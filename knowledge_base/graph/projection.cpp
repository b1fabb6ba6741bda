#include "knowledge_base/graph/projection.h"

#include "base/part.h"
#include "knowledge_base/graph/edge_learning.h"
#include "knowledge_base/graph/graph_codec.h"
#include "knowledge_base/graph/state_clusters.h"
#include "knowledge_base/graph/state_store.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/retrieval/features.h"

#include <map>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

/// What the episode itself says of its device. The device table is no part of the base: with it, a
/// rebuild under another table would give other bytes.
DeviceSpec spec_of(const DeviceIdentity& device) {
  constexpr double kMib = 1024.0 * 1024;
  DeviceSpec spec;
  spec.name = device.name;
  spec.compute_major = device.compute_major;
  spec.compute_minor = device.compute_minor;
  spec.sm_count = device.sm_count;
  spec.memory_gib = static_cast<double>(device.memory_bytes) / (1024 * kMib);
  spec.l2_mib = static_cast<double>(device.l2_bytes) / kMib;
  return spec;
}

/// Puts the states of an episode into clusters: each kernel that was edited is one member, however
/// many steps edited it.
class EpisodeStates {
 public:
  EpisodeStates(ChangeSet& change, const Episode& episode) : change_(change), episode_(episode) {}

  Result<std::string> cluster_of(std::size_t origin, const Evidence& evidence) {
    const auto key = std::pair(origin, evidence.scope.bottleneck);
    if (const auto known = clusters_.find(key); known != clusters_.end()) return known->second;
    const Features profile =
        profile_features(episode_.steps[origin].verdict, episode_.steps[evidence.step].before,
                         spec_of(evidence.scope.device));
    WARPMIND_TRY(const auto before, load_states(change_, evidence.scope.bottleneck));
    auto after = before;
    const std::string id = take_in(after, evidence.scope.bottleneck, profile);
    WARPMIND_CHECK(save_states(change_, before, after));
    clusters_[key] = id;
    return id;
  }

 private:
  ChangeSet& change_;
  const Episode& episode_;
  std::map<std::pair<std::size_t, BottleneckClass>, std::string> clusters_;
};

Result<void> learn_at(ChangeSet& change, const EdgeKey& key, const Step& step,
                      const Evidence& evidence, const EdgeExample& example) {
  const std::string where = edge_key(key);
  WARPMIND_TRY(const auto stored, change.get(Family::edges, where));
  EdgeStatistics edge;
  part<Edge>(edge) = part<Edge>(key);
  if (stored) {
    WARPMIND_TRY(edge, decode_edge(*stored));
  }
  learn(edge, step, evidence, example);
  WARPMIND_TRY(auto bytes, encode_edge(edge));
  if (stored) {
    change.put(Family::edges, where, std::move(bytes));
  } else {
    change.add(Family::edges, where, std::move(bytes));
  }
  return {};
}

}  // namespace

Result<void> project_graph(ChangeSet& change, const Episode& episode,
                           const std::vector<KernelId>& kernels) {
  const auto all = evidence_of(episode);
  if (all.empty()) return {};
  const auto number = number_of(episode.id);
  if (!number || kernels.size() != episode.steps.size()) {
    return fail(Errc::invalid_argument,
                "episode '" + episode.id.str() + "' has no number, or a kernel without an id");
  }
  EpisodeStates states(change, episode);
  for (const auto& evidence : all) {
    const std::size_t origin = origin_of(episode, kernels, evidence.step);
    WARPMIND_TRY(const auto cluster, states.cluster_of(origin, evidence));
    WARPMIND_TRY(auto assigned, encode_step_cluster(cluster));
    change.put(Family::edges, step_cluster_key(*number, evidence.step), std::move(assigned));
    const Transition transition{evidence, technique_behind(episode.steps[origin].candidate),
                                cluster};
    const EdgeExample example = example_of(episode, kernels, evidence, origin);
    for (const auto& key : keys_of(transition)) {
      WARPMIND_CHECK(learn_at(change, key, episode.steps[evidence.step], evidence, example));
    }
  }
  return {};
}

}  // namespace warpmind::knowledge_base
