#include "knowledge_base/graph/regrapht_export.h"

#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "knowledge_base/graph/edge_learning.h"
#include "knowledge_base/graph/edge_reader.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/sealed_json.h"

#include <map>
#include <set>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

using nlohmann::json;
using Transitions = std::map<std::pair<std::string, std::string>, std::vector<EdgeStatistics>>;

/// Collects the records that examples refer to, from one snapshot.
class ExampleText {
 public:
  ExampleText(const Database& database, const rocksdb::Snapshot* snapshot)
      : database_(database), snapshot_(snapshot) {}

  [[nodiscard]] Result<json> example_json(const EdgeExample& example, Provider provider) const {
    const auto number = number_of(example.episode).value_or(0);
    const auto position = static_cast<std::size_t>(example.step);
    WARPMIND_TRY(const auto episode_bytes, required(Family::episodes, episode_key(number)));
    WARPMIND_TRY(const auto episode, decode_episode(episode_bytes));
    WARPMIND_TRY(const auto step_bytes, required(Family::steps, step_key(number, position)));
    WARPMIND_TRY(const auto step, decode_step(step_bytes));
    WARPMIND_TRY(const auto before, source(example.before));
    WARPMIND_TRY(const auto after, source(example.after));
    return json{{"name", episode.episode.task_name},
                {"think", step.step.candidate.rationale},
                {"detail", example.parameters},
                {"before", before},
                {"after", after},
                {"provider", provider},
                {"episode", example.episode},
                {"step", example.step},
                {"task", example.task},
                {"operator_family", example.operator_family},
                {"log_gain", example.log_gain}};
  }

 private:
  [[nodiscard]] Result<std::string> required(Family family, const std::string& key) const {
    WARPMIND_TRY(auto bytes, database_.get(family, key, snapshot_));
    if (bytes) return std::move(*bytes);
    return fail(Errc::corrupt_data, "an example of the graph names a record of the family " +
                                        std::string(name_of(family)) +
                                        " that is missing in the base; rebuild the base");
  }

  [[nodiscard]] Result<std::string> source(const KernelId& id) const {
    WARPMIND_TRY(const auto bytes, required(Family::kernels, kernel_key(id)));
    WARPMIND_TRY(auto kernel, decode_kernel(bytes));
    return std::move(kernel.source);
  }

  const Database& database_;
  const rocksdb::Snapshot* snapshot_;
};

json statistics_json(const EdgeStatistics& edge) {
  return {{"provider", edge.provider}, {"cluster", edge.cluster},        {"family", edge.family},
          {"device", edge.device},     {"counts", json_of(edge.counts)}, {"better", edge.better},
          {"failures", edge.failures}};
}

/// The examples of all providers together; each says whose it is.
Result<json> examples_json(const ExampleText& text, const std::vector<EdgeStatistics>& edges) {
  json examples = json::array();
  for (const auto& edge : edges) {
    if (!edge.cluster.empty()) continue;
    for (const auto& example : edge.examples) {
      WARPMIND_TRY(auto written, text.example_json(example, edge.provider));
      examples.push_back(std::move(written));
    }
  }
  return examples;
}

Result<Transitions> load_transitions(const EdgeReader& reader) {
  Transitions transitions;
  for (const auto level :
       {EdgeLevel::edge, EdgeLevel::cluster, EdgeLevel::family, EdgeLevel::device}) {
    WARPMIND_TRY(auto edges, reader.all(level));
    for (auto& edge : edges) {
      auto& of_pair = transitions[{edge.from, edge.to}];
      of_pair.push_back(std::move(edge));
    }
  }
  return transitions;
}

/// Index of a technique's node; "" is node 0.
std::map<std::string, std::size_t> number_nodes(const Transitions& transitions) {
  std::set<std::string> names;
  for (const auto& [pair, edges] : transitions) {
    names.insert(pair.first);
    names.insert(pair.second);
  }
  names.erase("");
  std::map<std::string, std::size_t> nodes{{"", 0}};
  for (const auto& name : names) nodes.emplace(name, nodes.size());
  return nodes;
}

json nodes_json(const std::map<std::string, std::size_t>& nodes, const Transitions& transitions) {
  json list = json::array();
  for (const auto& [name, index] : nodes) {
    list.push_back({{"index", index},
                    {"name", name.empty() ? std::string(kInitNode) : name},
                    {"in", json::array()},
                    {"out", json::array()}});
  }
  for (const auto& [pair, edges] : transitions) {
    const std::size_t from = nodes.at(pair.first);
    const std::size_t to = nodes.at(pair.second);
    list[from]["out"].push_back(to);
    list[to]["in"].push_back(from);
  }
  return list;
}

}  // namespace

Result<std::string> export_regrapht(const Database& database) {
  const auto snapshot = database.snapshot();
  EdgeReader reader(database, snapshot.get());
  const ExampleText text(database, snapshot.get());
  WARPMIND_TRY(const auto transitions, load_transitions(reader));
  const auto nodes = number_nodes(transitions);
  json edges = json::array();
  for (const auto& [pair, statistics] : transitions) {
    json rows = json::array();
    for (const auto& edge : statistics) rows.push_back(statistics_json(edge));
    WARPMIND_TRY(auto examples, examples_json(text, statistics));
    edges.push_back({{"src", nodes.at(pair.first)},
                     {"tgt", nodes.at(pair.second)},
                     {"examples", std::move(examples)},
                     {"statistics", std::move(rows)}});
  }
  json graph = json::object();
  graph["node"] = nodes_json(nodes, transitions);
  graph["edge"] = std::move(edges);
  graph["format"] = "warpmind graph 1";
  return codec::dump_json(graph);
}

}  // namespace warpmind::knowledge_base
