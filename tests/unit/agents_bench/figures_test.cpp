#include "agents/benchmark/bootstrap.h"
#include "agents/benchmark/curves_svg.h"
#include "agents/benchmark/episode_score.h"
#include "agents/benchmark/move_forecasts.h"
#include "agents/benchmark/report.h"
#include "agents/benchmark/summary.h"
#include "planted_bench.h"

#include <cmath>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::agents::benchmark {
namespace {

TEST(Bootstrap, OfEqualGroupsIsThePoint) {
  const Interval interval = bootstrap({{0.5, 0.5}, {0.5}, {}}, {1000, 1});

  EXPECT_DOUBLE_EQ(interval.mean, 0.5);
  EXPECT_DOUBLE_EQ(interval.low, 0.5);
  EXPECT_DOUBLE_EQ(interval.high, 0.5);
  EXPECT_DOUBLE_EQ(interval.p, 2.0 / 1001);
}

TEST(Bootstrap, CountsEveryTaskTheSame) {
  EXPECT_DOUBLE_EQ(bootstrap({{1, 1, 1, 1, 1, 1}, {3}}, {100, 1}).mean, 2);
}

TEST(Bootstrap, OfTwoTasksReachesBoth) {
  // Both draws are the first task with probability 1/4, both the second with 1/4.
  const Interval interval = bootstrap({{-1}, {2}}, {10'000, 7});

  EXPECT_DOUBLE_EQ(interval.low, -1);
  EXPECT_DOUBLE_EQ(interval.high, 2);
  EXPECT_NEAR(interval.p, 0.5, 0.03);
}

TEST(Bootstrap, RunsOfATaskAreDrawnToo) {
  const Interval interval = bootstrap({{0, 1}}, {10'000, 7});

  EXPECT_DOUBLE_EQ(interval.mean, 0.5);
  EXPECT_DOUBLE_EQ(interval.low, 0);
  EXPECT_DOUBLE_EQ(interval.high, 1);
}

TEST(Bootstrap, OfNothingSaysNothing) {
  const Interval interval = bootstrap({{}, {}}, {});
  EXPECT_EQ(interval.mean, 0);
  EXPECT_EQ(interval.p, 1);
}

TEST(Bootstrap, FollowsTheSeed) {
  const Groups groups{{0.1, 0.4, 0.2}, {0.3, -0.2}, {0.9}};
  EXPECT_EQ(bootstrap(groups, {500, 3}).low, bootstrap(groups, {500, 3}).low);
  EXPECT_NE(bootstrap(groups, {500, 3}).low, bootstrap(groups, {500, 4}).low);
}

TEST(Holm, CorrectsInTheOrderOfTheValues) {
  // 0.01 x 3; max(0.03, 0.02 x 2); max(0.04, 0.03 x 1).
  const auto corrected = holm({0.02, 0.01, 0.03});

  ASSERT_EQ(corrected.size(), 3U);
  EXPECT_DOUBLE_EQ(corrected[0], 0.04);
  EXPECT_DOUBLE_EQ(corrected[1], 0.03);
  EXPECT_DOUBLE_EQ(corrected[2], 0.04);
  EXPECT_EQ(holm({0.9, 0.8}), (std::vector<double>{1, 1}));
  EXPECT_TRUE(holm({}).empty());
}

TEST(Curve, EvaluationsToATarget) {
  const std::vector<double> curve{0, 0, 0.3, 0.3, 0.5};

  EXPECT_EQ(evaluations_to(curve, 0), 0);
  EXPECT_EQ(evaluations_to(curve, 0.3), 2);
  EXPECT_EQ(evaluations_to(curve, 0.31), 4);
  EXPECT_EQ(evaluations_to(curve, 0.6), 5) << "budget 4, and one";
}

TEST(Curve, AreaIsTheMeanAfterEachEvaluation) {
  EXPECT_DOUBLE_EQ(anytime_area({0, 0.1, 0.3, 0.3, 0.5}), 0.3);
  EXPECT_EQ(anytime_area({0}), 0);
}

TEST(Curve, HarmIsMoreThanNoise) {
  EpisodeScore control;
  control.curve = {0, 0.5};
  EpisodeScore arm;
  arm.curve = {0, 0.485};
  EXPECT_FALSE(did_harm(arm, control)) << "1.5 %";
  arm.curve = {0, 0.47};
  EXPECT_TRUE(did_harm(arm, control));
  arm.reach = 0.03;
  control.reach = 0.04;
  EXPECT_FALSE(did_harm(arm, control)) << "noise of 0.05";
}

Step step_of(const Kernel& kernel, Outcome outcome, bool accepted, const std::string& technique) {
  Step step;
  step.candidate.kernel = kernel;
  step.candidate.technique = technique;
  step.verdict.outcome = outcome;
  step.accepted = accepted;
  return step;
}

TEST(Score, FollowsTheKernelThatWouldBeHandedOut) {
  const auto table = planted_table(1, 1, [](int) {
    return PlantedGains{{1, 2.0}, {2, 1.5}, {3, 0}};
  });
  const TaskRecording& recording = table.tasks()[0];
  const Task& task = recording.task();
  Kernel fast = task.kernel;
  fast.source = "#define technique_01 1\n" + fast.source;
  Kernel wrong = task.kernel;
  wrong.source = "#define technique_03 1\n" + wrong.source;
  ASSERT_NE(recording.find(id_of(fast)), nullptr);
  Episode episode;
  episode.steps = {step_of(task.kernel, Outcome::same, true, ""),
                   step_of(wrong, Outcome::wrong, false, "technique_03"),
                   step_of(fast, Outcome::improved, true, "technique_01"),
                   step_of(wrong, Outcome::wrong, false, "technique_03")};

  const EpisodeScore score = score_of(episode, recording, 5, {});

  ASSERT_EQ(score.curve.size(), 6U);
  EXPECT_EQ(score.curve[1], 0);
  EXPECT_NEAR(score.curve[2], std::log(2), 1e-9);
  EXPECT_NEAR(score.curve[5], std::log(2), 1e-9) << "held to the end of the budget";
  EXPECT_EQ(score.evaluations, 3);
  EXPECT_EQ(score.failed, 2);
  EXPECT_EQ(score.repeated, 1);
  EXPECT_EQ(failures_of(episode).size(), 1U);
  EXPECT_EQ(score_of(episode, recording, 5, failures_of(episode)).repeated, 2);
}

/// Two tasks, two arms, one order, two seeds; curves as given.
class Figures : public ::testing::Test {
 protected:
  Figures() : table_(planted_table(2, 1, [](int) { return PlantedGains{{1, 2.0}}; })) {
    plan_.arms = {*find_arm(kControl), *find_arm(kProduct)};
    plan_.evaluations = 4;
    plan_.orders = 1;
    plan_.seeds = 2;
    const double whole = std::log(2);
    // The control needs 4 and 2 on the first task, never gets there on the second; memory needs 1.
    add(0, 0, 0, {0, 0, 0, 0, whole});
    add(0, 0, 1, {0, 0, whole, whole, whole});
    add(0, 1, 0, {0, 0, 0, 0, 0});
    add(0, 1, 1, {0, 0, 0, 0, 0});
    for (std::size_t task : {0U, 1U}) {
      for (std::int64_t seed : {0, 1}) add(1, task, seed, {0, whole, whole, whole, whole});
    }
    summary_ = summarise(table_, plan_, runs_, {1000, 1});
  }
  void add(std::size_t arm, std::size_t task, std::int64_t seed, std::vector<double> curve) {
    benchmark::Run run{arm, task, 0, seed, {}};
    run.score.curve = std::move(curve);
    run.score.evaluations = 4;
    run.score.failed = 1;
    runs_.push_back(std::move(run));
  }

  EvaluationTable table_;
  ExperimentPlan plan_;
  std::vector<benchmark::Run> runs_;
  Summary summary_;
};

TEST_F(Figures, AsCountedByHand) {
  const ArmOutcome& none = summary_.arms.at(0);
  const ArmOutcome& memory = summary_.arms.at(1);

  EXPECT_DOUBLE_EQ(none.evaluations.mean, 4) << "(4 + 2)/2 and 5, for never is budget + 1";
  EXPECT_DOUBLE_EQ(memory.evaluations.mean, 1);
  EXPECT_DOUBLE_EQ(none.reached, 0.5);
  EXPECT_DOUBLE_EQ(memory.reached, 1);
  const double first = (std::log(1.0 / 4) + std::log(1.0 / 2)) / 2;
  EXPECT_NEAR(memory.log_ratio.mean, (first + std::log(1.0 / 5)) / 2, 1e-12);
  EXPECT_LT(memory.log_ratio.high, 0);
  EXPECT_EQ(none.log_ratio.mean, 0);
  EXPECT_NEAR(memory.area.mean, std::log(2), 1e-12);
  EXPECT_NEAR(none.area.mean, std::log(2) * (1 + 3) / 4 / 2 / 2, 1e-12);
  EXPECT_NEAR(none.regret.mean, std::log(2) / 2, 1e-9);
  EXPECT_NEAR(memory.regret.mean, 0, 1e-9);
  EXPECT_EQ(memory.harm.mean, 0);
  EXPECT_DOUBLE_EQ(memory.failed, 0.25);
  EXPECT_EQ(memory.episodes, 4);
  EXPECT_NEAR(none.curve.at(2), std::log(2) / 4, 1e-12);
  ASSERT_EQ(summary_.planned.size(), 1U) << "of the planned ones, only this one was run";
  EXPECT_DOUBLE_EQ(summary_.planned[0].corrected_p, memory.log_ratio.p);
}

TEST_F(Figures, ATaskWithNothingToFindIsNotCounted) {
  for (auto& run : runs_) {
    if (run.task == 1) run.score.curve.assign(5, 0.0);
  }

  const Summary summary = summarise(table_, plan_, runs_, {1000, 1});

  EXPECT_TRUE(summary.tasks.at(0).counted);
  EXPECT_FALSE(summary.tasks.at(1).counted);
  EXPECT_DOUBLE_EQ(summary.arms.at(0).evaluations.mean, 3);
}

TEST_F(Figures, HarmIsFound) {
  for (auto& run : runs_) {
    if (run.arm == 1 && run.task == 0) run.score.curve.assign(5, 0.0);
  }
  EXPECT_DOUBLE_EQ(summarise(table_, plan_, runs_, {1000, 1}).arms.at(1).harm.mean, 0.5);
}

TEST_F(Figures, ResultLineIsOneLineOfFigures) {
  const std::string line = result_line(summary_, kProduct);

  EXPECT_TRUE(std::regex_match(
      line, std::regex("RESULT evaluations_ratio=0\\.\\d{4} ci_low=0\\.\\d{4} ci_high=0\\.\\d{4} "
                       "arm=pretrained-growing against=none evaluations=1\\.000 "
                       "evaluations_without=4\\.000 harm_rate=0\\.0000 anytime_gain=2\\.0000 "
                       "anytime_gain_without=1\\.\\d{4} rank_by_guess=0\\.000 "
                       "rank_by_memory=0\\.000 tasks=2 episodes=4")))
      << line;
}

TEST_F(Figures, TableNamesArmsAndTasks) {
  const std::string text = render_table(summary_);

  for (const auto* word : {"none", "pretrained-growing", "f0_0", "family_1", "ratio to none"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word;
  }
  EXPECT_EQ(text.find(" \n"), std::string::npos) << "no line ends in spaces";
}

/// Tags open and close in order, attributes are quoted, text holds no bare '<' or '&'.
bool is_well_formed(const std::string& xml) {
  static const std::regex kToken("<(/?)([a-z]+)((?: [a-zA-Z0-9-]+=\"[^\"<&]*\")*)(/?)>|[^<]+");
  static const std::regex kText("(?:[^&<]|&(?:amp|lt|gt|quot);)*");
  std::vector<std::string> open;
  auto at = xml.cbegin();
  std::smatch token;
  while (at != xml.cend() &&
         std::regex_search(at, xml.cend(), token, kToken, std::regex_constants::match_continuous)) {
    at = token.suffix().first;
    if (!token[2].matched) {
      if (!std::regex_match(token.str(), kText)) return false;
    } else if (token[1].length() > 0) {
      if (open.empty() || open.back() != token[2]) return false;
      open.pop_back();
    } else if (token[4].length() == 0) {
      open.push_back(token[2]);
    }
  }
  return at == xml.cend() && open.empty();
}

TEST_F(Figures, SvgIsWellFormedAndLabelsEveryLine) {
  const std::string svg = curves_svg(summary_, "a < b & \"c\"");

  EXPECT_TRUE(is_well_formed(svg)) << svg;
  EXPECT_FALSE(is_well_formed("<a><b></a></b>")) << "the check itself";
  for (const auto* word : {">none<", ">pretrained-growing<", "evaluations", "factor of time"}) {
    EXPECT_NE(svg.find(word), std::string::npos) << word;
  }
  std::smatch line;
  ASSERT_TRUE(std::regex_search(svg, line, std::regex("<polyline[^>]*points=\"([^\"]*)\"")));
  EXPECT_EQ(std::count(line[1].first, line[1].second, ','), 5) << "0 … 4 evaluations";
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST_F(Figures, SvgOfFlatCurvesStillHasAScale) {
  for (auto& run : runs_) run.score.curve.assign(5, 0.0);

  const std::string svg = curves_svg(summarise(table_, plan_, runs_, {100, 1}), "flat");

  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(RankCorrelation, SharesTheRanksOfEqualValues) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {10, 20, 90}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 1, 2}, {1, 2, 2}), 0.5);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 1, 1}, {1, 2, 3}), 0) << "what does not vary has no order";
}

TEST(ForecastFigures, CountTasksTheSameAndLeaveOutThoseOfFewMoves) {
  std::vector<MoveForecast> forecasts;
  for (int i = 0; i < 10; ++i) {  // guesses of task 0 are in order and always 0.5 too low
    const double gain = 0.1 * i;
    forecasts.push_back({0, gain - 0.5, gain, gain - 0.1, gain + 0.1, gain, gain});
  }
  for (int i = 0; i < 5; ++i) {  // task 1: the other way round, outside of their intervals
    const double gain = 0.1 * i;
    forecasts.push_back({1, -gain, -gain, 2, 3, gain, gain});
  }
  forecasts.push_back({2, 0, 0, 0, 0, 0, 1});

  const ForecastFigures figures = figures_of(forecasts);

  EXPECT_EQ(figures.tasks, 2);
  EXPECT_EQ(figures.moves, 15);
  EXPECT_NEAR(figures.rank_by_guess, 0, 1e-12);
  EXPECT_NEAR(figures.rank_of_order, 1, 1e-12);
  EXPECT_NEAR(figures.covered, 0.5, 1e-12);
  EXPECT_NEAR(figures.error_of_guess, (0.5 + std::sqrt(0.24)) / 2, 1e-12);
  EXPECT_NEAR(figures.error_with_memory, std::sqrt(0.24) / 2, 1e-12);
}

}  // namespace
}  // namespace warpmind::agents::benchmark
