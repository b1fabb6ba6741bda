#include "agents/benchmark/experiment.h"

#include "agents/benchmark/bench_program.h"
#include "agents/benchmark/scratch_base.h"
#include "agents/benchmark/summary.h"
#include "agents/benchmark/table_file.h"
#include "agents/builtin/builtin_proposer.h"
#include "base/clock.h"
#include "base/file.h"
#include "planted_bench.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warpmind::agents::benchmark {
namespace {

constexpr const char* kShipped = WARPMIND_TEST_DATA "/bench/shipped_tasks_sim.jsonl";

class MemoryExperiment : public ::testing::Test {
 protected:
  [[nodiscard]] static ExperimentPlan plan_of(std::initializer_list<std::string_view> arms) {
    ExperimentPlan plan;
    for (const auto arm : arms) plan.arms.push_back(*find_arm(arm));
    plan.policy = "greedy";
    plan.evaluations = 14;
    plan.orders = 1;
    plan.seeds = 3;
    return plan;
  }
  Summary experiment(const EvaluationTable& table, const ExperimentPlan& plan) {
    const auto result = run_experiment({table, proposer_, devices_, clock_}, plan);
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    return result ? summarise(table, plan, result->runs, {2000, 1}) : Summary{};
  }

  PlantedProposer proposer_;
  config::DeviceTable devices_ = config::DeviceTable::load().value();
  SystemClock clock_;
};

TEST(ScratchBase, IsCopiedForSeveralThreadsAtOnce) {
  const auto folder = ScratchDirectory::create(scratch_root(), "copies");
  ASSERT_TRUE(folder);
  const SystemClock clock;
  const auto base = ScratchBase::create(folder->path(), "base", clock);
  ASSERT_TRUE(base) << base.error().message;
  std::array<std::string, 8> refusals;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < refusals.size(); ++i) {
    threads.emplace_back([&, i] {
      const auto copy = (*base)->copy("copy" + std::to_string(i));
      if (!copy) refusals[i] = copy.error().message;
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& refusal : refusals) EXPECT_EQ(refusal, "");
}

TEST_F(MemoryExperiment, FindsHelpWhereFamiliesAreAlike) {
  const auto table = planted_table(3, 2, [](int) {
    return PlantedGains{{9, 1.5}, {11, 1.3}, {4, 0.8}};
  });

  const Summary summary = experiment(
      table, plan_of({"none", "grow", "pretrained-frozen", "pretrained-growing", "same-again"}));

  ASSERT_EQ(summary.arms.size(), 5U);
  for (const auto& arm : summary.arms) EXPECT_EQ(arm.episodes, 6 * 3) << arm.name;
  const auto ratio = [&](std::string_view arm) { return summary.find(arm)->log_ratio; };
  EXPECT_LT(std::exp(ratio("pretrained-frozen").high), 0.6);
  EXPECT_LT(std::exp(ratio(kProduct).high), 0.6);
  EXPECT_LT(ratio("grow").mean, 0);
  EXPECT_GT(ratio("grow").mean, ratio(kProduct).mean) << "its first tasks have nothing to go by";
  EXPECT_LE(summary.find("same-again")->evaluations.mean, 1.5) << "the best kernel comes first";
  EXPECT_EQ(summary.find(kProduct)->harm.mean, 0);
}

TEST_F(MemoryExperiment, ClaimsNoHelpWhereFamiliesHaveNothingInCommon) {
  // What pays in one family does not build in the others.
  const auto table = planted_table(4, 1, [](int family) {
    PlantedGains gains{{2, 0}, {5, 0}, {8, 0}, {11, 0}};
    gains[2 + 3 * family] = 1.6;
    return gains;
  });

  const Summary summary = experiment(table, plan_of({"none", "pretrained-frozen", "placebo"}));

  EXPECT_GE(std::exp(summary.find("pretrained-frozen")->log_ratio.high), 1);
  EXPECT_GE(std::exp(summary.find("placebo")->log_ratio.high), 1);
}

TEST_F(MemoryExperiment, IsTheSameTwiceWhateverTheThreads) {
  const auto table = planted_table(2, 1, [](int) { return PlantedGains{{9, 1.5}, {3, 0}}; });
  ExperimentPlan plan = plan_of({"none", "pretrained-growing", "grow"});
  plan.evaluations = 6;
  plan.seeds = 2;
  plan.threads = 1;
  const auto once = run_experiment({table, proposer_, devices_, clock_}, plan);
  plan.threads = 3;
  const auto twice = run_experiment({table, proposer_, devices_, clock_}, plan);

  ASSERT_TRUE(once && twice);
  ASSERT_EQ(once->runs.size(), twice->runs.size());
  for (std::size_t i = 0; i < once->runs.size(); ++i) {
    EXPECT_EQ(once->runs[i].score.curve, twice->runs[i].score.curve) << i;
    EXPECT_EQ(once->runs[i].arm, twice->runs[i].arm);
  }
  ASSERT_EQ(once->forecasts.size(), twice->forecasts.size());
  EXPECT_FALSE(once->forecasts.empty());
  for (std::size_t i = 0; i < once->forecasts.size(); ++i) {
    EXPECT_EQ(once->forecasts[i].order, twice->forecasts[i].order) << i;
  }
}

TEST_F(MemoryExperiment, RefusesOneFamilyAlone) {
  const auto table = planted_table(1, 2, [](int) { return PlantedGains{}; });

  const auto runs = run_experiment({table, proposer_, devices_, clock_}, plan_of({"none"}));

  ASSERT_FALSE(runs);
  EXPECT_EQ(runs.error().code, Errc::invalid_argument);
  EXPECT_NE(runs.error().message.find("leaving one out"), std::string::npos);
}

TEST_F(MemoryExperiment, StopsWhenAsked) {
  const auto table = planted_table(2, 1, [](int) { return PlantedGains{}; });
  std::stop_source source;
  source.request_stop();

  const auto runs =
      run_experiment({table, proposer_, devices_, clock_}, plan_of({"none"}), source.get_token());

  ASSERT_FALSE(runs);
  EXPECT_EQ(runs.error().code, Errc::cancelled);
}

TEST_F(MemoryExperiment, PlaceboSituationsAreOfOtherFamilies) {
  const auto table = planted_table(3, 1, [](int) { return PlantedGains{{1, 1.2}}; });

  const auto situations = situations_elsewhere({table, proposer_, devices_, clock_}, "family_1");

  EXPECT_EQ(situations.size(), 2 * table.tasks()[0].kernels().size());
  for (const auto& situation : situations) {
    EXPECT_NE(situation.operator_family, "family_1");
    EXPECT_EQ(situation.query.operator_family, situation.operator_family);
  }
}

TEST(ShippedTable, IsReadWholeAndReplays) {
  const auto reading = read_table(kShipped);
  ASSERT_TRUE(reading) << reading.error().message;

  EXPECT_TRUE(reading->problems.empty()) << reading->problems.front();
  EXPECT_EQ(reading->table.origin().provider, Provider::sim);
  EXPECT_GE(reading->table.tasks().size(), 6U);
  for (const auto& recording : reading->table.tasks()) {
    EXPECT_GE(recording.kernels().size(), 5U) << recording.task().name;
  }
}

class BenchProgram : public ::testing::Test {
 protected:
  int run(std::vector<const char*> words) {
    words.insert(words.begin(), {"warpmind-bench", "memory"});
    out_.str("");
    err_.str("");
    return run_bench_program(static_cast<int>(words.size()), words.data(), out_, err_, {});
  }
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(BenchProgram, ReplaysTheShippedTable) {
  const auto folder =
      ScratchDirectory::create(std::filesystem::temp_directory_path(), "warpmind-bench").value();
  const std::string svg = (folder.path() / "curves.svg").string();

  const int code = run({"--table", kShipped, "--orders", "1", "--seeds", "1", "--evaluations", "6",
                        "--samples", "200", "--arms", "pretrained-growing,placebo", "--policy",
                        "greedy", "--svg", svg.c_str()});

  ASSERT_EQ(code, 0) << err_.str();
  const std::string text = out_.str();
  EXPECT_NE(text.find("NVIDIA H200 (sim)"), std::string::npos);
  const auto last = text.rfind('\n', text.size() - 2);
  EXPECT_EQ(text.compare(last + 1, 25, "RESULT evaluations_ratio="), 0) << text;
  const auto picture = read_file(svg, 1U << 20U);
  ASSERT_TRUE(picture);
  EXPECT_NE(picture->find(">placebo<"), std::string::npos);
}

TEST_F(BenchProgram, WritesOneDocument) {
  ASSERT_EQ(
      run({"--table", kShipped, "--orders", "1", "--seeds", "1", "--evaluations", "4", "--samples",
           "200", "--arms", "pretrained-frozen", "--policy", "greedy", "--json"}),
      0)
      << err_.str();

  const auto document = nlohmann::json::parse(out_.str(), nullptr, false);
  ASSERT_TRUE(document.is_object());
  EXPECT_EQ(document["arms"].size(), 2U);
  EXPECT_EQ(document["arms"][1]["arm"], "pretrained-frozen");
  EXPECT_EQ(document["arms"][1]["curve_log_gain"].size(), 5U);
}

TEST_F(BenchProgram, BadWordsEndWithOneSentence) {
  const std::vector<std::vector<const char*>> bad{
      {},
      {"--provider", "gpu"},
      {"--table", "nowhere.jsonl"},
      {"--table", kShipped, "--policy", "best"},
      {"--table", kShipped, "--arms", "nobody"},
      {"--table", kShipped, "--arms", "placebo", "--arm", "grow"},
      {"--table", kShipped, "--orders", "0"},
      {"--table", kShipped, "--record", "x"},
      {"--provider", "sim", "--tasks", "/nowhere"},
      {"--provider", "sim", "--tasks", "x", "--record-only"},
      {"--nonsense"},
  };
  for (const auto& words : bad) {
    EXPECT_EQ(run(words), 2) << (words.empty() ? "" : words.back());
    EXPECT_EQ(err_.str().compare(0, 16, "warpmind-bench: "), 0);
    const std::string text = err_.str();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
    EXPECT_TRUE(out_.str().empty());
  }
}

TEST_F(BenchProgram, HelpsItself) {
  EXPECT_EQ(run({"--help"}), 0);
  EXPECT_NE(out_.str().find("--kernels-per-task"), std::string::npos);
}

}  // namespace
}  // namespace warpmind::agents::benchmark
