#include "knowledge_base/graph/state_store.h"

#include "knowledge_base/graph/graph_codec.h"
#include "knowledge_base/graph/seed_states.h"
#include "knowledge_base/key_codec.h"

#include <algorithm>
#include <charconv>

namespace warpmind::knowledge_base {
namespace {

/// 12 of "memory_bandwidth/12".
std::int64_t age_of(std::string_view id) {
  const std::string_view digits = id.substr(id.find('/') + 1);
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

Result<void> lay_over(std::vector<StateCluster>& states, std::string_view bytes) {
  WARPMIND_TRY(auto stored, decode_cluster(bytes));
  const auto known =
      std::find_if(states.begin(), states.end(),
                   [&stored](const StateCluster& state) { return state.id == stored.id; });
  if (known == states.end()) {
    states.push_back(std::move(stored));
  } else {
    *known = std::move(stored);
  }
  return {};
}

void order_by_age(std::vector<StateCluster>& states, std::size_t seeds) {
  std::sort(
      states.begin() + static_cast<std::ptrdiff_t>(seeds), states.end(),
      [](const StateCluster& a, const StateCluster& b) { return age_of(a.id) < age_of(b.id); });
}

}  // namespace

Result<std::vector<StateCluster>> load_states(const ChangeSet& change, BottleneckClass bottleneck) {
  auto states = seed_states(bottleneck);
  const std::size_t seeds = states.size();
  WARPMIND_TRY(const auto stored, change.values(Family::edges, cluster_prefix(bottleneck)));
  for (const auto& bytes : stored) WARPMIND_CHECK(lay_over(states, bytes));
  order_by_age(states, seeds);
  return states;
}

Result<std::vector<StateCluster>> load_states(const Database& database,
                                              const rocksdb::Snapshot* snapshot,
                                              BottleneckClass bottleneck) {
  auto states = seed_states(bottleneck);
  const std::size_t seeds = states.size();
  const Database::Range range{Family::edges, cluster_prefix(bottleneck), ScanOrder::ascending,
                              snapshot};
  const auto take = [&states](std::string_view, std::string_view value) -> Result<bool> {
    WARPMIND_CHECK(lay_over(states, value));
    return true;
  };
  WARPMIND_CHECK(database.scan(range, take));
  order_by_age(states, seeds);
  return states;
}

Result<void> save_states(ChangeSet& change, const std::vector<StateCluster>& before,
                         const std::vector<StateCluster>& after) {
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (i < before.size() && before[i] == after[i]) continue;
    WARPMIND_TRY(auto bytes, encode_cluster(after[i]));
    change.put(Family::edges, cluster_key(after[i].bottleneck, after[i].id), std::move(bytes));
  }
  return {};
}

std::optional<BottleneckClass> class_of(std::string_view cluster) {
  return parse_enum<BottleneckClass>(cluster.substr(0, cluster.find('/')));
}

}  // namespace warpmind::knowledge_base
