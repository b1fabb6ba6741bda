// What agents read of verdicts and profiles: times against the limit, and no metric that counted
// nothing.
#include "daemon/mcp/kernel_answers.h"

#include "daemon/protocol/analysis_messages.h"
#include "tests/unit/mcp/mcp_client.h"

#include <string>

#include <gtest/gtest.h>

namespace warpmind::daemon::mcp {
namespace {

using nlohmann::json;

json metric(const std::string& name, double value) {
  return {{"name", name}, {"value", value}, {"unit", "count"}, {"origin", "modelled"}};
}

json profiled_verdict() {
  const json metrics = json::array({metric("warpmind__limit_time_ns", 6990),
                                    metric("bank_conflicts", 0), metric("sectors", 12345678)});
  return {{"outcome", "improved"},
          {"reason", "faster"},
          {"measurement",
           {{"provider", "sim"},
            {"median_ns", 7060.4},
            {"workload", "large"},
            {"limit", {{"ns", 6990}, {"by", "memory"}, {"unknown", ""}}},
            {"share_of_limit", 0.99004}}},
          {"comparison", {{"ratio", 31.0}}},
          {"profile",
           {{"tier", "T2"},
            {"kernels", json::array({{{"kernel", "k"}, {"time_share", 1}, {"metrics", metrics}}})},
            {"lines", json::array({{{"kernel", "k"}, {"line", 3}, {"metrics", metrics}}})}}}};
}

TEST(VerdictReply, SaysTheTimeAndHowFarTheLimitIs) {
  const auto reply =
      verdict_reply({{"job_id", "j-0000000007"}, {"step", 2}, {"verdict", profiled_verdict()}});
  const json& data = reply.data.json();
  EXPECT_EQ(data["time_us"], 7.06);
  EXPECT_EQ(data["limit_us"], 6.99);
  EXPECT_EQ(data["share_of_limit"], 0.99);
  EXPECT_EQ(data["launches"], (json::array({{{"kernel", "k"}, {"time_share", 1}}})));
}

TEST(VerdictReply, SaysWhatTheBestLibraryTakes) {
  json verdict = profiled_verdict();
  verdict["measurement"]["best_library"] = {
      {"library", "cuBLASLt 13.1.0"}, {"call", "cublasLtMatmul"}, {"ns", 9178}, {"unknown", ""}};
  verdict["measurement"]["times_best_library"] = 1.3;
  const auto reply = verdict_reply({{"job_id", "j-0000000007"}, {"verdict", verdict}});
  EXPECT_EQ(reply.data.json()["times_best_library"], 1.3);
  EXPECT_EQ(reply.data.json()["best_library"], "cuBLASLt 13.1.0 (cublasLtMatmul)");
}

TEST(VerdictReply, LeavesOutWhatWasNotMeasured) {
  const json failed{{"outcome", "build_failed"}, {"reason", "it does not build"}};
  const auto reply = verdict_reply({{"job_id", "j-0000000007"}, {"step", 2}, {"verdict", failed}});
  for (const char* name : {"time_us", "limit_us", "share_of_limit", "ratio", "provider"}) {
    EXPECT_FALSE(reply.data.json().contains(name)) << name;
  }
  json unknown_limit = profiled_verdict();
  unknown_limit["measurement"].erase("share_of_limit");
  unknown_limit["measurement"]["limit"] = {{"ns", 0}, {"unknown", "it was not counted"}};
  const auto timed = verdict_reply({{"job_id", "j-0000000007"}, {"verdict", unknown_limit}});
  EXPECT_TRUE(timed.data.json().contains("time_us"));
  EXPECT_FALSE(timed.data.json().contains("share_of_limit"));
  EXPECT_EQ(timed.data.json()["limit_unknown"], "it was not counted");
}

/// As `episode.profile` answers: a helper stands before the main kernel in the new plan.
json profiled_step() {
  const auto launch = [](const char* kernel, double share, double ns) {
    return KernelProfile{kernel, share, {{"gpu__time_duration.sum", ns, "ns"}, {"none", 0, ""}}};
  };
  Profile before;
  before.kernels = {launch("conv", 1, 4000)};
  before.kernels[0].metrics.push_back({"dram__bytes_read.sum", 8000, "bytes"});
  protocol::EpisodeProfileResult result;
  result.job_id = "j-0000000007";
  result.step = 2;
  result.against = 0;
  result.provider = Provider::sim;
  result.profile.caches = CacheState::cold;
  result.profile.kernels = {launch("pack", 0.1, 100), launch("conv_tiled", 0.9, 900)};
  result.profile.lines = {{"conv_tiled", 7, {{"warpmind__line_cycles_issue_pct", 50, "percent"}}}};
  result.launches = launch_changes(&before, result.profile);
  return json::parse(protocol::encode(result));
}

TEST(StepProfileReply, HasOneRowALaunchBesideTheOneThatDidItsWork) {
  const auto reply = step_profile_reply(profiled_step(), false);
  const json& data = reply.data.json();
  EXPECT_EQ(data["caches"], "cold");
  EXPECT_EQ(data["against"], 0);
  ASSERT_EQ(data["launches"].size(), 2U);
  const json& main = data["launches"][0];
  EXPECT_EQ(main["kernel"], "conv_tiled");
  EXPECT_EQ(main["time_us"], 0.9);
  EXPECT_EQ(main["stall"], "issue");
  EXPECT_EQ(main["stall_line"], 7);
  EXPECT_EQ(main["before"]["kernel"], "conv");
  EXPECT_EQ(main["before"]["gb_per_s"], 2);
  EXPECT_EQ(main["paired_by"], "time_share");
  EXPECT_FALSE(data["launches"][1].contains("before"));
  EXPECT_FALSE(data.contains("metrics"));
}

TEST(StepProfileReply, HoldsTheMetricsThatCountedSomethingWhenAskedForThem) {
  const auto reply = step_profile_reply(profiled_step(), true);
  const json& data = reply.data.json();
  EXPECT_EQ(data["metrics"][0]["metrics"], (json{{"gpu__time_duration.sum", 100}}));
}

json limited() {
  const auto cause = [](const char* which, double share, double confidence) {
    return json{{"which", which}, {"share", share}, {"confidence", confidence}};
  };
  return {
      {"primary", "wave_tail"},
      {"causes", json::array({cause("wave_tail", 0.42, 0.8), cause("low_occupancy", 0.1, 0.65)})}};
}

TEST(ExplanationReply, RanksCausesByTheirCostAndAdvisesAgainstTheFirst) {
  const json advice{{"against", "wave_tail"},
                    {"text", "Choose the grid by whole waves."},
                    {"technique", "whole_waves"},
                    {"by_agent", false}};
  const json card{{"name", "whole_waves"}, {"how", "Divide."}};
  const auto reply =
      explanation_reply({{"bottleneck", limited()}, {"advice", advice}, {"card", card}},
                        {{"of", "the given kernel"}});
  EXPECT_EQ(reply.sentence,
            "Limited by wave_tail: up to 42 % of the time. Choose the grid by whole waves.");
  const json& data = reply.data.json();
  EXPECT_EQ(data["bottleneck"]["causes"][1]["confidence"], 0.65);
  EXPECT_EQ(data["advice"]["card"], (json{{"how", "Divide."}}));
  EXPECT_EQ(data["of"], "the given kernel");
}

TEST(ExplanationReply, AdvisesNothingWhereNothingIsKnown) {
  const json advice{{"against", "unknown"}, {"text", "Nothing is known."}, {"technique", ""}};
  const auto unknown = explanation_reply(
      {{"bottleneck", {{"primary", "unknown"}}}, {"advice", advice}}, json::object());
  EXPECT_NE(unknown.sentence.find("not known"), std::string::npos);
  EXPECT_FALSE(unknown.data.json().contains("advice"));

  const auto without_task =
      explanation_reply({{"bottleneck", limited()}, {"advice", nullptr}}, json::object());
  EXPECT_EQ(without_task.sentence, "Limited by wave_tail: up to 42 % of the time.");
  const auto without_card = explanation_reply(
      {{"bottleneck", limited()}, {"advice", advice}, {"card", nullptr}}, json::object());
  EXPECT_FALSE(without_card.data.json()["advice"].contains("card"));
}

TEST(ExplanationReply, OfStepZeroIsAboutTheGivenKernel) {
  const auto step = [](int index, int edited, const char* limit) {
    return json{{"index", index}, {"edited", edited}, {"before", {{"primary", limit}}}};
  };
  json explained{
      {"step", 0},
      {"episode",
       {{"steps", {step(0, -1, "unknown"), step(1, 0, "wave_tail"), step(2, 1, "at_limit")}}}}};
  EXPECT_EQ(state_before(explained)["primary"], "wave_tail");
  explained["step"] = 2;
  EXPECT_EQ(state_before(explained)["primary"], "at_limit");
}

TEST(BriefReply, BeginsItsAdviceWithWhatToDoFirst) {
  const auto reply = brief_reply({{"job_id", "j-0000000007"},
                                  {"kernel", {{"source", "x"}}},
                                  {"advice", {{"first", "Use tensor cores."}}}});
  EXPECT_EQ(reply.data.json()["advice"]["first"], "Use tensor cores.");
}

class KernelProfileTest : public testing::Test {
 protected:
  KernelProfileTest() {
    bench_.dispatcher.add<protocol::KernelAnalyzeParams, KernelAnalysis>(
        "kernel.analyze", Execution::guest,
        [this](const protocol::KernelAnalyzeParams& params,
               RequestContext&) -> Result<KernelAnalysis> {
          asked_ = params;
          return KernelAnalysis{};
        });
  }

  json profile(const json& arguments) { return bench_.call("kernel_profile", arguments)["result"]; }

  McpBench bench_;
  protocol::KernelAnalyzeParams asked_;
};

TEST_F(KernelProfileTest, TakesASourceWithItsPlan) {
  const json plan{
      {"launches", json::array({{{"kernel", "k"}, {"grid", {"rows"}}, {"block", {128}}}})}};
  const json result = profile({{"directory", WARPMIND_SOURCE_DIR "/tasks/row_softmax_f16"},
                               {"source", "__global__ void k() {}"},
                               {"plan", plan}});
  EXPECT_FALSE(result.contains("isError")) << result;
  ASSERT_TRUE(asked_.plan);
  ASSERT_EQ(asked_.plan->launches.size(), 1U);
  EXPECT_EQ(asked_.plan->launches[0].grid[0], "rows");
  EXPECT_EQ(asked_.plan->launches[0].block[0], "128");
}

TEST_F(KernelProfileTest, SaysInPlainWordsWhatIsWrongWithAPlan) {
  const json plan{{"launches", json::array({{{"kernel", "k"}, {"grid", json::array()}}})}};
  const json result = profile({{"directory", WARPMIND_SOURCE_DIR "/tasks/row_softmax_f16"},
                               {"source", "__global__ void k() {}"},
                               {"plan", plan}});
  EXPECT_EQ(result["isError"], true);
  const std::string said = result["structuredContent"].dump();
  EXPECT_NE(said.find("'plan.launches.grid' must be a list of one to three extents"),
            std::string::npos)
      << said;
  EXPECT_EQ(said.find("exception"), std::string::npos) << said;
}

}  // namespace
}  // namespace warpmind::daemon::mcp
