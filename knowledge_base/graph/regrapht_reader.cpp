#include "knowledge_base/graph/regrapht_reader.h"

#include "base/codec/json_guard.h"

#include <optional>
#include <set>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

using nlohmann::json;

/// The form needs six levels.
constexpr codec::JsonLimits kLimits{.depth = 16, .nodes = 4'000'000};

tl::unexpected<Error> refuse(const std::string& place, const std::string& why) {
  return fail(Errc::invalid_argument, "the graph's " + place + " " + why);
}

std::string at(const char* list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

Result<const json*> array_member(const json& object, const char* name, const std::string& place) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) {
    return refuse(place + name, "must be an array");
  }
  return &*found;
}

/// A node's index: a whole number below `nodes`.
Result<std::size_t> index_in(const json& value, std::size_t nodes, const std::string& place) {
  if (!value.is_number_integer() || value.get<std::int64_t>() < 0 ||
      value.get<std::uint64_t>() >= nodes) {
    return refuse(place, "must be the index of a node, 0 to " + std::to_string(nodes - 1));
  }
  return value.get<std::size_t>();
}

Result<std::size_t> index_member(const json& object, const char* name, std::size_t nodes,
                                 const std::string& place) {
  const auto found = object.find(name);
  if (found == object.end()) return refuse(place + "." + name, "is missing");
  return index_in(*found, nodes, place + "." + name);
}

/// Absent or null counts as empty: an author leaves out what he does not know.
Result<std::string> text_member(const json& object, const char* name, const std::string& place) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::string();
  if (!found->is_string()) return refuse(place + "." + name, "must be a text");
  return found->get<std::string>();
}

using Pair = std::pair<std::size_t, std::size_t>;

/// Adds the transitions that the lists of node `index` name.
Result<void> read_lists(const json& node, std::size_t index, std::size_t nodes,
                        std::set<Pair>& named) {
  for (const char* list : {"in", "out"}) {
    const auto found = node.find(list);
    if (found == node.end()) continue;
    const std::string place = at("node", index) + "." + list;
    if (!found->is_array()) return refuse(place, "must be an array");
    for (std::size_t i = 0; i < found->size(); ++i) {
      WARPMIND_TRY(const auto other,
                   index_in((*found)[i], nodes, place + "[" + std::to_string(i) + "]"));
      named.insert(*list == 'i' ? Pair(other, index) : Pair(index, other));
    }
  }
  return {};
}

Result<void> read_nodes(const json& list, ForeignGraph& graph, std::set<Pair>& named) {
  if (list.empty() || list.size() > kMostGraphNodes) {
    return refuse("node", "holds " + std::to_string(list.size()) + " nodes, allowed are 1 to " +
                              std::to_string(kMostGraphNodes));
  }
  std::vector<std::optional<std::string>> names(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = at("node", i);
    if (!list[i].is_object()) return refuse(place, "must be an object");
    WARPMIND_TRY(const auto index, index_member(list[i], "index", list.size(), place));
    WARPMIND_TRY(auto name, text_member(list[i], "name", place));
    if (name.empty() || name.size() > kLongestNodeName) {
      return refuse(place + ".name", "must have 1 to " + std::to_string(kLongestNodeName) +
                                         " bytes, it has " + std::to_string(name.size()));
    }
    if (names[index]) {
      return refuse(place + ".index",
                    "is " + std::to_string(index) + ", which an earlier node has");
    }
    names[index] = std::move(name);
    WARPMIND_CHECK(read_lists(list[i], index, list.size(), named));
  }
  for (auto& name : names) graph.nodes.push_back(std::move(*name));
  return {};
}

Result<std::vector<ForeignExample>> read_examples(const json& edge, const std::string& place) {
  std::vector<ForeignExample> examples;
  if (!edge.contains("examples")) return examples;
  WARPMIND_TRY(const auto* list, array_member(edge, "examples", place + "."));
  for (std::size_t i = 0; i < list->size(); ++i) {
    const json& given = (*list)[i];
    const std::string where = place + "." + at("examples", i);
    if (!given.is_object()) return refuse(where, "must be an object");
    ForeignExample example;
    WARPMIND_TRY(example.name, text_member(given, "name", where));
    WARPMIND_TRY(example.think, text_member(given, "think", where));
    WARPMIND_TRY(example.detail, text_member(given, "detail", where));
    examples.push_back(std::move(example));
  }
  return examples;
}

Result<void> read_edges(const json& list, ForeignGraph& graph, std::set<Pair>& described) {
  std::size_t examples = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = at("edge", i);
    if (!list[i].is_object()) return refuse(place, "must be an object");
    ForeignEdge edge;
    WARPMIND_TRY(edge.source, index_member(list[i], "src", graph.nodes.size(), place));
    WARPMIND_TRY(edge.target, index_member(list[i], "tgt", graph.nodes.size(), place));
    WARPMIND_TRY(edge.examples, read_examples(list[i], place));
    examples += edge.examples.size();
    if (examples > kMostGraphExamples) {
      return refuse(place, "brings the examples above " + std::to_string(kMostGraphExamples) +
                               "; split the graph into several files");
    }
    described.insert({edge.source, edge.target});
    graph.edges.push_back(std::move(edge));
  }
  return {};
}

}  // namespace

Result<ForeignGraph> read_regrapht(std::string_view json_text) {
  if (json_text.size() > kMostGraphBytes) {
    return fail(Errc::invalid_argument, "the graph has " + std::to_string(json_text.size()) +
                                            " bytes, at most " + std::to_string(kMostGraphBytes) +
                                            " are read; split it into several files");
  }
  auto parsed = codec::parse_json(json_text, kLimits);
  if (!parsed) {
    return fail(Errc::invalid_argument, "the graph is no JSON: " + parsed.error().message);
  }
  if (!parsed->is_object()) {
    return fail(Errc::invalid_argument,
                "the graph must be a JSON object with the members node and edge");
  }
  WARPMIND_TRY(const auto* nodes, array_member(*parsed, "node", ""));
  WARPMIND_TRY(const auto* edges, array_member(*parsed, "edge", ""));
  ForeignGraph graph;
  std::set<Pair> named;
  std::set<Pair> described;
  WARPMIND_CHECK(read_nodes(*nodes, graph, named));
  WARPMIND_CHECK(read_edges(*edges, graph, described));
  for (const auto& pair : named) {
    if (!described.contains(pair)) ++graph.lost_edges;
  }
  return graph;
}

}  // namespace warpmind::knowledge_base
