#include "base/codec/json_guard.h"
#include "daemon/protocol/knowledge_messages.h"
#include "daemon/protocol/message_codec.h"

#include <gtest/gtest.h>

namespace warpmind::daemon::protocol {
namespace {

template <class T>
T round_trip(const T& value) {
  const auto document = Document::parse(encode(value));
  EXPECT_TRUE(document);
  auto decoded = decode<T>(*document);
  EXPECT_TRUE(decoded) << decoded.error().message;
  return decoded ? *decoded : T{};
}

Insight sample_insight() {
  Insight insight;
  insight.id = InsightId("i-3fa85b1c00112233");
  insight.claim = "Eight halves a load fill the bus.";
  insight.action.techniques = {"vectorized_loads"};
  insight.scope.dtypes = {Dtype::f16};
  insight.state = InsightState::contested;
  EvidenceRef& evidence = insight.evidence.emplace_back();
  evidence.episode = EpisodeId("e-0000000007");
  evidence.log_gain = 0.25;
  insight.utility.observations = 1;
  return insight;
}

TEST(KnowledgeMessages, AWholeInsightTravels) {
  KbWhyResult result;
  result.insight = sample_insight();
  result.lift = {.shown = 12, .withheld = 3, .lift = 0.1, .low = -0.1, .high = 0.3, .known = true};
  HistoryEntry& decision = result.decisions.emplace_back();
  decision.change = 9;
  decision.op = InsightOp::transition;
  decision.actor = "gate";

  const auto back = round_trip(result);

  EXPECT_EQ(back.insight, result.insight);
  EXPECT_EQ(back.lift, result.lift);
  EXPECT_EQ(back.decisions, result.decisions);
}

TEST(KnowledgeMessages, AnAbsentPartIsNullAndComesBackAbsent) {
  KbShowResult result;
  result.technique.emplace();
  result.technique->name = "vectorized_loads";

  EXPECT_TRUE(codec::parse_json(encode(result))->at("insight").is_null());
  const auto back = round_trip(result);
  EXPECT_FALSE(back.insight);
  ASSERT_TRUE(back.technique);
  EXPECT_EQ(back.technique->name, "vectorized_loads");
}

TEST(KnowledgeMessages, AnEditTellsAnEmptyListFromNone) {
  KbEditParams params;
  params.id = "i-3fa";
  params.dtypes = std::vector<std::string>{};

  const auto back = round_trip(params);

  ASSERT_TRUE(back.dtypes);
  EXPECT_TRUE(back.dtypes->empty());
  EXPECT_FALSE(back.bottlenecks);
  EXPECT_FALSE(back.claim);
}

TEST(KnowledgeMessages, AnEdgeKeepsItsExamples) {
  KbGraphResult result;
  EdgeStatistics& edge = result.edges.emplace_back();
  edge.to = "vectorized_loads";
  edge.provider = Provider::sim;
  edge.counts.confirmed = {.weight = 3, .mean = 0.2};
  EdgeExample& example = edge.examples.emplace_back();
  example.episode = EpisodeId("e-0000000001");
  example.log_gain = 0.4;

  EXPECT_EQ(round_trip(result).edges, result.edges);
}

TEST(KnowledgeMessages, AnEdgeTravelsAsItsSummary) {
  KbGraphResult result;
  EdgeStatistics& edge = result.edges.emplace_back();
  edge.counts.confirmed = {.weight = 3, .mean = 0.2, .squares = 0.01};
  edge.counts.screened = {.weight = 0.5, .mean = -0.1, .squares = 0};
  edge.counts.feasible = 4;
  edge.counts.infeasible = 1;
  edge.failures = {{"build_failed", 1}};
  edge.examples.emplace_back().episode = EpisodeId("e-0000000001");

  EXPECT_EQ(encode(result),
            R"({"edges":[{"better":0,"cluster":"","device":"","examples":[{"after":"","before":"",)"
            R"("episode":"e-0000000001","log_gain":0.0,"operator_family":"","parameters":"",)"
            R"("step":0,"task":""}],"family":"","feasible":4,"from":"","infeasible":1,)"
            R"("mean_log_gain":0.2,"measured":3.0,"provider":"gpu","screened":0.5,"to":""}]})");
}

TEST(KnowledgeMessages, ReportsOfTheBaseKeepTheirNames) {
  KbHistoryResult history;
  history.entries = {{.change = 7,
                      .position = 1,
                      .at = UnixMillis{5},
                      .op = InsightOp::amend,
                      .actor = "user:alice",
                      .reason = "by hand",
                      .summary = "claim amended",
                      .undone = true}};
  history.blame = {{"claim", "Eight halves", 7, "user:alice"}};
  EXPECT_EQ(
      encode(history),
      R"({"blame":[{"actor":"user:alice","change":7,"field":"claim","value":"Eight halves"}],)"
      R"("entries":[{"actor":"user:alice","at":5,"change":7,"op":"amend","position":1,)"
      R"("reason":"by hand","summary":"claim amended","undone":true}],"id":"",)"
      R"("insight":null})");
  EXPECT_EQ(encode(KbSourcesResult{{{"seed", true, 40}}}),
            R"({"sources":[{"insights":40,"quarantined":true,"skills":0,"source":"seed"}]})");
  EXPECT_EQ(encode(KbClustersResult{{StateCluster{}}}),
            R"({"clusters":[{"bottleneck":"unknown","centroid":{},"id":"","members":0,)"
            R"("merged_into":"","name":"","source":""}]})");
}

TEST(KnowledgeMessages, ListsOfTheWrongKindAreAnError) {
  const auto decoded = decode<KbSearchParams>(*Document::parse(R"({"dtypes":[1]})"));

  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, Errc::corrupt_data);
}

}  // namespace
}  // namespace warpmind::daemon::protocol
