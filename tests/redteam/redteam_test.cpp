// Every kernel of the corpus gets the verdict that it deserves: those that cheat are refused for
// the right reason, those that only look like it are not. The lab is the simulator's; sources of
// tier B without a task are only read.
#include "config/device_table.h"
#include "profilers/simulated_kernel_lab.h"
#include "tests/redteam/red_suite.h"
#include "tests/redteam/small_task.h"
#include "tests/unit/profilers/lab_places.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include <gmock/gmock.h>

namespace warpmind::redteam {
namespace {

/// Of timed workloads that count; and what is still run as a whole, so little that samples are
/// taken.
constexpr std::int64_t kMostTimedBytes = std::int64_t{4} << 20U;
constexpr double kWholeGinst = 1e-3;

class RedSource : public testing::TestWithParam<RedCase> {};

TEST_P(RedSource, IsReadRight) {
  const Verdict verdict = judge_source(GetParam());
  expect_right(GetParam(), verdict, fit_of(GetParam(), verdict));
}

INSTANTIATE_TEST_SUITE_P(Corpus, RedSource, testing::ValuesIn(corpus_with(false)), test_name);

/// Verdicts by what said what is right, of this process: the corpus may be run in slices
/// (GTEST_TOTAL_SHARDS), whose figures add up.
class RedLab : public testing::TestWithParam<RedCase> {
 public:
  static void TearDownTestSuite() {
    for (const auto& [way, tally] : tallies()) {
      std::printf("RESULT redteam_test%s\n", tally.figures(way + "_").c_str());
    }
    tallies().clear();
    labs().clear();
  }

 protected:
  /// A lab as a daemon keeps it: what it built for one case serves the next.
  struct Kept {
    profilers::LabPlaces places;
    std::unique_ptr<profilers::SimulatedKernelLab> lab;
  };

  /// Errors: as SimulatedKernelLab::create.
  static Result<profilers::SimulatedKernelLab*> lab_for(bool timed) {
    Kept& kept = labs()[timed];
    if (!kept.lab) {
      config::Settings settings = kept.places.settings();
      if (timed) settings.lab.simulated_ginst = kWholeGinst;
      WARPMIND_TRY(const auto devices, config::DeviceTable::load());
      use_suite_settings(settings);
      WARPMIND_TRY(kept.lab, profilers::SimulatedKernelLab::create(settings, devices, "h200"));
    }
    return kept.lab.get();
  }

  static std::map<std::string, Tally>& tallies() {
    static std::map<std::string, Tally> all;
    return all;
  }

  /// `lifted`: without the task's reference.
  Result<Verdict> judge(bool lifted) {
    WARPMIND_TRY(Task task, corpus_task(GetParam().task));
    const Kernel kernel = kernel_for(GetParam(), task);
    if (GetParam().timed) {
      WARPMIND_CHECK(shrink_timed(task, kMostTimedBytes));
    } else {
      // What cheats on small workloads is no better on large ones, and those need a GPU.
      std::erase_if(task.workloads, [](const Workload& workload) { return workload.timed; });
    }
    const bool by_given = lifted || task.reference.empty();
    if (lifted) task = as_lifted(std::move(task));
    WARPMIND_TRY(auto* const lab, lab_for(GetParam().timed));
    WARPMIND_TRY(auto verdict, lab->judge({.task = task, .kernel = kernel}, {}));
    tallies()[by_given ? "given" : "reference"].add(GetParam(), verdict,
                                                    fit_of(GetParam(), verdict));
    return verdict;
  }

 private:
  static std::map<bool, Kept>& labs() {
    static std::map<bool, Kept> all;  // by whether timed workloads count
    return all;
  }
};

class RedKernel : public RedLab {};

TEST_P(RedKernel, GetsItsVerdict) {
  const auto verdict = judge(false);
  ASSERT_TRUE(verdict) << verdict.error().message;
  expect_right(GetParam(), *verdict, fit_of(GetParam(), *verdict));
}

INSTANTIATE_TEST_SUITE_P(Corpus, RedKernel, testing::ValuesIn(corpus_with(true)), test_name);

/// One of `every` cases whose task has a reference: they are judged without it.
std::vector<RedCase> cases_to_lift(std::size_t every) {
  static std::map<std::string, bool> has_reference;  // by task; read once
  std::vector<RedCase> some;
  std::size_t number = 0;
  for (const auto& one : corpus_with(true)) {
    const auto [at, is_new] = has_reference.try_emplace(one.task, false);
    if (is_new) {
      const auto task = corpus_task(one.task);
      at->second = task && !task->reference.empty();
    }
    if (at->second && number++ % every == 0) some.push_back(one);
  }
  return some;
}

class RedLifted : public RedLab {};
class DISABLED_RedLifted : public RedLab {};

TEST_P(RedLifted, GetsItsVerdict) {
  const auto verdict = judge(true);
  ASSERT_TRUE(verdict) << verdict.error().message;
  expect_right_by_given(GetParam(), *verdict);
}

TEST_P(DISABLED_RedLifted, GetsItsVerdict) {
  const auto verdict = judge(true);
  ASSERT_TRUE(verdict) << verdict.error().message;
  expect_right_by_given(GetParam(), *verdict);
}

/// What an ordinary run has time for; --gtest_also_run_disabled_tests runs all.
constexpr std::size_t kSampledLifted = 12;

INSTANTIATE_TEST_SUITE_P(Sample, RedLifted, testing::ValuesIn(cases_to_lift(kSampledLifted)),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Corpus, DISABLED_RedLifted, testing::ValuesIn(cases_to_lift(1)),
                         test_name);

TEST(RedSuite, ALiftedTaskIsJudgedByItsKernelAlone) {
  const Task task = as_lifted(*corpus_task("row_sum"));
  EXPECT_TRUE(task.reference.empty());
  EXPECT_EQ(task.contract.tolerance, ToleranceClass::reduction);
  EXPECT_TRUE(task.hidden.empty());
}

TEST(RedCorpus, HoldsTwoVariantsOfEachExploitAndFortyHonestKernels) {
  std::map<std::string, int> variants;
  int honest = 0;
  for (const auto& one : corpus()) {
    if (one.is_cheat()) {
      ++variants[one.name.substr(0, 3)];
    } else {
      ++honest;
    }
  }
  for (const auto& [row, count] : variants) EXPECT_GE(count, 2) << row;
  EXPECT_GE(variants.size(), 32U);
  EXPECT_GE(honest, 40);
}

TEST(RedCorpus, HoldsSixtyHonestKernelsAndFortyWrongOnesOfTasksWithoutReference) {
  int honest = 0;
  int wrong = 0;
  for (const auto& one : corpus_with(true)) {
    const auto task = corpus_task(one.task);
    ASSERT_TRUE(task) << task.error().message;
    if (task->reference.empty()) ++(one.is_cheat() ? wrong : honest);
  }
  EXPECT_GE(honest, 60);
  EXPECT_GE(wrong, 40);
}

RedCase case_that_expects(std::optional<Outcome> outcome, std::string reason = "") {
  RedCase one;
  one.name = outcome ? "cheat" : "honest";
  one.outcome = outcome;
  one.reason = std::move(reason);
  return one;
}

Verdict verdict_of(Outcome outcome, std::string reason = "") {
  Verdict verdict;
  verdict.outcome = outcome;
  verdict.reason = std::move(reason);
  verdict.stages = {{Stage::build, 0, true, ""}, {Stage::simulation, 0, false, ""}};
  return verdict;
}

TEST(RedFit, WantsTheOutcomeAndTheReason) {
  const RedCase cheat = case_that_expects(Outcome::crashed, "out of bounds");
  EXPECT_EQ(fit_of(cheat, verdict_of(Outcome::crashed, "read out of bounds")), Fit::right);
  EXPECT_EQ(fit_of(cheat, verdict_of(Outcome::crashed, "illegal address")), Fit::other_reason);
  EXPECT_EQ(fit_of(cheat, verdict_of(Outcome::wrong, "out of bounds")), Fit::other_reason);
  EXPECT_EQ(fit_of(cheat, verdict_of(Outcome::improved)), Fit::missed);
  EXPECT_EQ(fit_of(cheat, verdict_of(Outcome::blocked)), Fit::unjudged);
  const RedCase honest = case_that_expects(std::nullopt);
  EXPECT_EQ(fit_of(honest, verdict_of(Outcome::regressed)), Fit::right);
  EXPECT_EQ(fit_of(honest, verdict_of(Outcome::wrong)), Fit::refused);
  EXPECT_EQ(fit_of(honest, verdict_of(Outcome::blocked)), Fit::unjudged);
  EXPECT_EQ(fit_of(honest, verdict_of(Outcome::unjudgeable)), Fit::unjudged);
}

TEST(RedFit, LetsADeviceAloneNameADefectOtherwise) {
  const RedCase race = case_that_expects(Outcome::crashed, "race");
  EXPECT_EQ(fit_on_device_alone(race, verdict_of(Outcome::wrong)), Fit::right);
  EXPECT_EQ(fit_on_device_alone(race, verdict_of(Outcome::timed_out)), Fit::other_reason);
  EXPECT_EQ(fit_on_device_alone(race, verdict_of(Outcome::same)), Fit::missed);
  const RedCase rule = case_that_expects(Outcome::build_failed, "1024");
  EXPECT_EQ(fit_on_device_alone(rule, verdict_of(Outcome::wrong)), Fit::other_reason);
}

TEST(RedTally, CountsWhatEachStageCaughtAndWhoChangedHisMind) {
  const RedCase cheat = case_that_expects(Outcome::wrong);
  const RedCase honest = case_that_expects(std::nullopt);
  Tally tally;
  for (const auto& [one, outcome] :
       {std::pair(cheat, Outcome::wrong), std::pair(cheat, Outcome::same),
        std::pair(honest, Outcome::same), std::pair(honest, Outcome::same)}) {
    const Verdict verdict = verdict_of(outcome);
    tally.add(one, verdict, fit_of(one, verdict));
  }
  EXPECT_EQ(tally.figures("x_"),
            " x_cheats=2 x_right=1 x_other_reason=0 x_missed=1 x_honest=2 x_accepted=2 x_refused=0"
            " x_unjudged=0 x_flips=1 x_catches_simulation=1");
  EXPECT_THAT(tally.describe(), testing::HasSubstr("2 cheats: 1 refused for the right reason"));
}

}  // namespace
}  // namespace warpmind::redteam
