#include "knowledge_base/graph/regrapht_reader.h"
#include "tests/unit/kb_graph/graph_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::knowledge_base {
namespace {

using fakes::EpisodeSketch;
using testing::AllOf;
using testing::HasSubstr;

std::string error_of(const std::string& json) {
  const auto read = read_regrapht(json);
  EXPECT_FALSE(read.has_value()) << json;
  if (read) return {};
  EXPECT_EQ(read.error().code, Errc::invalid_argument);
  return read.error().message;
}

constexpr auto kSmall = R"({"node":[
  {"index":0,"name":"init state","in":[],"out":[1,2]},
  {"index":1,"name":"Shared Memory Tiling","in":[0],"out":[2]},
  {"index":2,"name":"Loop Unrolling","in":[0,1],"out":[]}],
 "edge":[
  {"src":0,"tgt":1,"examples":[
    {"name":"gemm","think":"Reuse is high.","detail":"16x16 tiles","before":"a","after":"b"}]},
  {"src":1,"tgt":2,"examples":[
    {"name":"gemm","think":"Latency remains.","detail":"factor 4"},
    {"name":"conv","think":null,"detail":"factor 8"}]}]})";

TEST(ReadRegrapht, ReadsTheFormAndForgivesTheEdgesThatItsWriterLoses) {
  const auto graph = read_regrapht(kSmall).value();

  EXPECT_EQ(graph.nodes,
            (std::vector<std::string>{"init state", "Shared Memory Tiling", "Loop Unrolling"}));
  ASSERT_EQ(graph.edges.size(), 2U);
  EXPECT_EQ(graph.edges[1].source, 1U);
  EXPECT_EQ(graph.edges[1].target, 2U);
  EXPECT_EQ(graph.edges[1].examples[1], (ForeignExample{"conv", "", "factor 8"}));
  EXPECT_EQ(graph.lost_edges, 1U) << "0 to 2 is in the lists only";
}

TEST(ReadRegrapht, NodesMayComeInAnyOrder) {
  const auto graph =
      read_regrapht(
          R"({"node":[{"index":1,"name":"b"},{"index":0,"name":"init state"}],"edge":[]})")
          .value();
  EXPECT_EQ(graph.nodes[1], "b");
}

TEST(ReadRegrapht, RefusalsNameThePlace) {
  EXPECT_THAT(error_of("{"), HasSubstr("no JSON"));
  EXPECT_THAT(error_of("[]"), HasSubstr("must be a JSON object"));
  EXPECT_THAT(error_of("{}"), HasSubstr("node must be an array"));
  EXPECT_THAT(error_of(R"({"node":[],"edge":[]})"), HasSubstr("allowed are 1 to"));
  EXPECT_THAT(error_of(R"({"node":[{"index":0,"name":"i"}]})"), HasSubstr("edge must be an array"));
  EXPECT_THAT(error_of(R"({"node":[3],"edge":[]})"), HasSubstr("node[0] must be an object"));
  EXPECT_THAT(error_of(R"({"node":[{"name":"i"}],"edge":[]})"),
              HasSubstr("node[0].index is missing"));
  EXPECT_THAT(error_of(R"({"node":[{"index":1,"name":"i"}],"edge":[]})"),
              HasSubstr("node[0].index must be the index of a node, 0 to 0"));
  EXPECT_THAT(error_of(R"({"node":[{"index":-1,"name":"i"}],"edge":[]})"),
              HasSubstr("node[0].index"));
  EXPECT_THAT(error_of(R"({"node":[{"index":0.5,"name":"i"}],"edge":[]})"),
              HasSubstr("node[0].index"));
  EXPECT_THAT(error_of(R"({"node":[{"index":0,"name":"i"},{"index":0,"name":"j"}],"edge":[]})"),
              HasSubstr("node[1].index is 0, which an earlier node has"));
  EXPECT_THAT(error_of(R"({"node":[{"index":0,"name":7}],"edge":[]})"),
              HasSubstr("node[0].name must be a text"));
  EXPECT_THAT(error_of(R"({"node":[{"index":0}],"edge":[]})"),
              HasSubstr("node[0].name must have 1 to 100 bytes"));
  EXPECT_THAT(error_of(R"({"node":[{"index":0,"name":"i","out":[4]}],"edge":[]})"),
              HasSubstr("node[0].out[0] must be the index of a node"));
  EXPECT_THAT(error_of(R"({"node":[{"index":0,"name":"i"}],"edge":[{"src":0}]})"),
              HasSubstr("edge[0].tgt is missing"));
  EXPECT_THAT(error_of(R"({"node":[{"index":0,"name":"i"}],"edge":[{"src":0,"tgt":1}]})"),
              HasSubstr("edge[0].tgt must be the index of a node, 0 to 0"));
  EXPECT_THAT(
      error_of(R"({"node":[{"index":0,"name":"i"}],"edge":[{"src":0,"tgt":0,"examples":{}}]})"),
      HasSubstr("edge[0].examples must be an array"));
  EXPECT_THAT(
      error_of(
          R"({"node":[{"index":0,"name":"i"}],"edge":[{"src":0,"tgt":0,"examples":[{"think":1}]}]})"),
      HasSubstr("edge[0].examples[0].think must be a text"));
}

TEST(ReadRegrapht, DepthAndSizeHaveLimits) {
  std::string deep(100'000, '[');
  EXPECT_THAT(error_of(deep), HasSubstr("no JSON"));
  const std::string nodes =
      R"({"node":[{"index":0,"name":"i"}],"edge":[{"src":0,"tgt":0,"examples":[)";
  std::string many = nodes + "{}";
  for (std::size_t i = 0; i < kMostGraphExamples; ++i) many += ",{}";
  EXPECT_THAT(error_of(many + "]}]}"), AllOf(HasSubstr("edge[0]"), HasSubstr("split the graph")));
  EXPECT_THAT(error_of(std::string(kMostGraphBytes + 1, ' ')), HasSubstr("at most"));
}

TEST(ReadRegrapht, EveryBeginningOfAGraphIsRefusedOrRead) {
  const std::string whole = kSmall;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(read_regrapht(whole.substr(0, length)).has_value()) << length;
  }
}

TEST(ExportJson, IsReadByTheReaderOfTheForm) {
  GraphBase base;
  const Task task = fakes::sample_task("scale");
  Episode episode = EpisodeSketch(1, task)
                        .step({.technique = "tiling", .ratio = 1.5})
                        .step({.technique = "unroll", .ratio = 1.2})
                        .finish();
  episode.steps[2].candidate.rationale = "the loop is short";
  episode.steps[2].candidate.parameters = "factor=4";
  ASSERT_TRUE(base.learn(episode).has_value());

  const std::string json = base.graph().export_json().value();
  const auto graph = read_regrapht(json).value();

  EXPECT_EQ(graph.nodes, (std::vector<std::string>{"init state", "tiling", "unroll"}));
  EXPECT_EQ(graph.lost_edges, 0U);
  ASSERT_EQ(graph.edges.size(), 2U);
  EXPECT_EQ(graph.edges[0].source, 0U);
  EXPECT_EQ(graph.edges[0].target, 1U);
  EXPECT_EQ(graph.edges[1].source, 1U);
  EXPECT_EQ(graph.edges[1].target, 2U);
  EXPECT_EQ(graph.edges[1].examples,
            (std::vector<ForeignExample>{{"scale", "the loop is short", "factor=4"}}));
  EXPECT_THAT(json, HasSubstr("__global__")) << "the code before and after";
  EXPECT_THAT(json, HasSubstr("\"statistics\""));
  EXPECT_THAT(json, HasSubstr("\"log_gain\""));
}

TEST(ExportJson, OfAnEmptyBaseIsTheInitialState) {
  GraphBase base;
  const auto graph = read_regrapht(base.graph().export_json().value()).value();
  EXPECT_EQ(graph.nodes, std::vector<std::string>{"init state"});
  EXPECT_TRUE(graph.edges.empty());
}

}  // namespace
}  // namespace warpmind::knowledge_base
