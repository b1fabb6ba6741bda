#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "base/file.h"
#include "base/text.h"
#include "clients/cli/report/episode_why.h"
#include "clients/cli/report/export_report.h"
#include "clients/cli/report/job_report.h"
#include "clients/cli/report/launch_table.h"
#include "clients/cli/report/spending.h"
#include "sample_jobs.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;

/// As a build stored it that knew no policies, gradients and rewards.
protocol::EpisodeExplainResult of_an_older_build() {
  const Job job = samples::improved();
  protocol::EpisodeExplainResult result;
  result.job_id = job.id.str();
  result.state = job.state;
  result.budget = job.request.budget;
  result.episode = *job.episode;
  return result;
}

Gradient sample_gradient() {
  Gradient gradient;
  gradient.author = "builtin critic";
  gradient.predicted_log_gain = 0.336;
  gradient.measured_log_gain = 0.837;
  gradient.changes = {{"warpmind__sectors_per_load", 32, 4.25, "sectors/request"}};
  gradient.after = BottleneckClass::memory_bandwidth;
  gradient.text = "Loads are side by side now; what is left is bandwidth.";
  return gradient;
}

protocol::EpisodeExplainResult recorded() {
  auto result = of_an_older_build();
  Episode& e = result.episode;
  e.policy = "mcgs";
  e.proposer = "llm";
  e.seed = 7;
  e.ended = "24 candidates judged, the budget";
  constexpr TokenCounts kTokens{.input_tokens = 1200, .cached_tokens = 300, .output_tokens = 800};
  constexpr std::int64_t kReasoning = 500;
  e.spending = {kTokens, 5, kReasoning, 12'300, 3.2};
  e.claims.resize(2);
  e.claims[0].text = "One block a row removes the uncoalesced access.";
  e.claims[0].technique = "coalesce_rows";
  e.claims[0].bottleneck = BottleneckClass::uncoalesced_access;
  e.claims[0].steps = {2};
  e.claims[0].log_gain = 0.837;
  e.claims[0].confidence = 0.8;
  e.claims[1] = e.claims[0];
  e.claims[1].kind = ClaimKind::negative;
  e.claims[1].refused = "the sign of its gain is not that of step 2";
  e.deltas.resize(1);
  e.deltas[0].kind = DeltaKind::amend;
  e.deltas[0].technique = "coalesce_rows";
  e.deltas[0].field = "when";
  e.deltas[0].text = "rows of at least 256 elements";
  const std::vector<std::int64_t> edited{-1, 0, 0, 2, 2};
  for (std::size_t i = 1; i < e.steps.size(); ++i) e.steps[i].edited = edited[i];
  Step& best = e.steps[2];
  best.gradient = sample_gradient();
  best.score = 2.61;
  best.turn_return = 2.73;
  best.spending = {{.input_tokens = 400, .output_tokens = 200}, 1, 0, 0, 1};
  best.exposures = {{InsightId("i-3fa85b1c00112233"), 0.9, true},
                    {InsightId("i-9c01000000000000"), 0.1, false}};
  best.verdict.stages = {{Stage::build, 2.1, true, "from source"},
                         {Stage::timing, 8.4, true, "7 process pairs"}};
  best.promotion = Comparison{
      .ratio = 1.21, .low = 1.18, .high = 1.24, .confidence = 0.99, .processes = 7, .quads = 70};
  protocol::ExplainedInsight insight;
  insight.id = InsightId("i-3fa85b1c00112233");
  insight.known = true;
  insight.state = InsightState::confirmed;
  insight.claim = "Neighbouring threads must read neighbouring elements.";
  insight.utility = {.mean = 0.3, .deviation = 0.1, .low = 0.2, .high = 0.4, .observations = 9};
  protocol::ExplainedInsight gone;
  gone.id = InsightId("i-9c01000000000000");
  result.insights = {insight, gone};
  return result;
}

std::string golden_of(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(WARPMIND_TEST_DATA) / "reports" / (name + ".txt");
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    EXPECT_TRUE(write_file_atomic(path, text));
  }
  const auto read = read_file(path, 1U << 20U);
  return read ? *read : read.error().message;
}

TEST(WhyReport, OfAWholeEpisodeIsTheGoldenOne) {
  const std::string text = render_why(recorded(), {});

  EXPECT_EQ(text, golden_of("why_episode", text));
}

TEST(WhyReport, OfOneStepIsTheGoldenOne) {
  auto result = recorded();
  result.step = 2;
  const std::string text = render_why(result, {});

  EXPECT_EQ(text, golden_of("why_step", text));
}

/// A plan that gained a helper in front of its main kernel.
protocol::EpisodeProfileResult profiled() {
  const auto launch = [](const char* kernel, double share, double ns, double dram_percent) {
    return KernelProfile{
        kernel,
        share,
        {{"gpu__time_duration.sum", ns, "ns"},
         {"dram__bytes_read.sum", 40 * 1024 * 1024, "bytes"},
         {"warpmind__flops_f32", 2e9, "count"},
         {"warpmind__atomics", 0, "count"},
         {"dram__throughput.avg.pct_of_peak_sustained_elapsed", dram_percent, "percent"}}};
  };
  Profile before;
  before.kernels = {launch("conv", 1, 533'000, 10.6)};
  protocol::EpisodeProfileResult result;
  result.job_id = "j-0000000007";
  result.step = 2;
  result.against = 0;
  result.provider = Provider::sim;
  result.made_now = true;
  result.profile.tier = ProfileTier::t2;
  result.profile.workload = "large";
  result.profile.caches = CacheState::cold;
  result.profile.kernels = {launch("pack", 0.1, 23'100, 71),
                            launch("conv_tiled", 0.9, 207'900, 81)};
  result.profile.lines = {
      {"conv_tiled",
       12,
       {{"warpmind__line_cycles_pct", 61, "percent", MetricOrigin::modelled},
        {"warpmind__line_cycles_global_memory_pct", 50, "percent", MetricOrigin::modelled},
        {"warpmind__line_cycles_issue_pct", 11, "percent", MetricOrigin::modelled}}}};
  result.launches = launch_changes(&before, result.profile);
  return result;
}

TEST(ProfileReport, PutsEachLaunchBesideTheOneThatDidItsWork) {
  const std::string text = render_profile(profiled(), false, {.paint = {}, .columns = 140});

  EXPECT_EQ(text, golden_of("why_profile", text));
}

TEST(ProfileReport, ShowsEveryMetricThatCountedSomethingOnlyWhenAsked) {
  const std::string brief = render_profile(profiled(), false, {});
  const std::string whole = render_profile(profiled(), true, {});
  EXPECT_EQ(brief.find("warpmind__flops_f32"), std::string::npos);
  EXPECT_NE(whole.find("warpmind__flops_f32"), std::string::npos);
  EXPECT_EQ(whole.find("warpmind__atomics"), std::string::npos);
}

TEST(ProfileReport, FitsANarrowTerminal) {
  const std::string text = render_profile(profiled(), false, {.paint = {}, .columns = 80});
  for (const auto line : split_lines(text)) {
    EXPECT_LE(columns_of(line), 80U) << line;
  }
}

TEST(WhyReport, SaysWhatAnOlderBuildDidNotRecord) {
  auto result = of_an_older_build();
  const std::string whole = render_why(result, {});
  EXPECT_EQ(whole, golden_of("why_older_build", whole));

  result.step = 3;
  const std::string step = render_why(result, {});
  EXPECT_NE(step.find("which kernel it edited is not recorded"), std::string::npos);
  EXPECT_NE(step.find("Gradient\n  none recorded"), std::string::npos);
  EXPECT_NE(step.find("Reward\n  not recorded by the build that stored it"), std::string::npos);
}

TEST(WhyReport, OfTheBaselineIsItsResult) {
  auto result = recorded();
  result.step = 0;
  const std::string text = render_why(result, {});

  EXPECT_NE(text.find("Step 0: the given kernel"), std::string::npos);
  EXPECT_EQ(text.find("Prediction"), std::string::npos);
}

TEST(WhyReport, HoldsEpisodesWithoutSteps) {
  auto result = recorded();
  result.episode.steps.clear();

  EXPECT_NE(render_why(result, {}).find("the episode holds no steps"), std::string::npos);
}

TEST(WhyReport, ALongRowOfEditsIsDrawn) {
  auto result = recorded();
  auto& steps = result.episode.steps;
  while (steps.size() < 3000) {
    steps.push_back(steps.back());
    steps.back().edited = std::ssize(steps) - 2;
  }

  const std::string text = render_why(result, {});

  EXPECT_NE(text.find("2999  "), std::string::npos);
  EXPECT_LT(text.size(), 400'000U);
}

void poison_texts(nlohmann::json& value) {
  static const std::set<std::string> kEnums{
      "tier",  "dtype", "outcome",    "primary",   "provider",   "split",
      "state", "stage", "secondary",  "tolerance", "accumulate", "origin",
      "kind",  "after", "bottleneck", "effort",    "which"};
  if (value.is_string()) value = value.get<std::string>() + "\x1b[31m\xc2\x9b\x07";
  if (!value.is_structured()) return;
  for (auto& [key, member] : value.items()) {
    if (!kEnums.contains(key)) poison_texts(member);
  }
}

TEST(WhyReport, PrintsNoEscapeSequenceThatSomebodyElseWrote) {
  auto result = recorded();
  nlohmann::json value = result.episode;
  poison_texts(value);
  const auto episode = codec::from_json<Episode>(value, "episode");
  ASSERT_TRUE(episode) << episode.error().message;
  result.episode = *episode;
  result.insights[0].claim += "\x1b[31m";

  for (const std::optional<std::int64_t> step : {std::optional<std::int64_t>(), {2}, {4}}) {
    result.step = step;
    const std::string text = render_why(result, {});
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
    EXPECT_EQ(text.find('\x07'), std::string::npos);
  }
}

TEST(WhyReport, TheJobsReportSaysHowItWasSearched) {
  Job job = samples::improved();
  job.episode = recorded().episode;

  const std::string text = render_job_in_full(job, {});

  EXPECT_NE(text.find("policy mcgs, proposer llm, seed 7"), std::string::npos);
  EXPECT_NE(text.find("ended: 24 candidates judged, the budget"), std::string::npos);
  EXPECT_NE(text.find("0.0123 USD"), std::string::npos);
}

TEST(Spending, NamesWhatWasPaid) {
  EXPECT_EQ(spending_text({}), "");
  EXPECT_EQ(spending_text({{.input_tokens = 40, .output_tokens = 2}, 1, 0, 0, 1.5}),
            "1 call: 40 input tokens, 2 output, price unknown, waited 1.5 s");
  Budget budget;
  budget.tokens = 50'000;
  budget.micro_usd = 2'500'000;
  EXPECT_EQ(budget_text(budget), "24 candidates, 10 min 0 s, 50 000 tokens, 2.50 USD");
}

TEST(ExportReport, CountsWhatWasLeftOut) {
  protocol::ExportWriteResult result;
  result.file = "/tmp/turns.jsonl";
  result.bytes = 2048;
  result.sha256 = "0123456789abcdef0123";
  result.lines = 25;
  result.episodes = 5;
  result.tasks = 1;
  result.heldout = 5;

  EXPECT_EQ(render_written(result, {}),
            "25 lines of 5 episodes and 1 task written to /tmp/turns.jsonl (2.00 KiB, sha256 "
            "0123456789abcdef…)\n"
            "  left out: 5 attempts of held-out tasks, or with their kernels\n");
}

TEST(ExportReport, NamesEachProblem) {
  protocol::ExportVerifyResult result;
  result.lines = 3;
  result.problems = 1;
  result.kinds = {"warpmind.concur.1"};
  result.notes = {"line 2: its hash does not fit: the line was changed"};

  EXPECT_EQ(render_checked(result, "/tmp/a.jsonl", {}),
            "/tmp/a.jsonl: 3 lines of warpmind.concur.1, 1 problem\n"
            "  - line 2: its hash does not fit: the line was changed\n");
}

}  // namespace
}  // namespace warpmind::clients
