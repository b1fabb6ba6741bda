/// \file
/// Memory at work: an episode on a task that the base never saw starts from what another task
/// taught. Same proposer, same simulator, same budget; only the base differs. The proposer knows
/// only techniques of whose gain it has no idea: with the others its own model needs no memory
/// here.

#include "agents/builtin/builtin_proposer.h"
#include "agents/episode_service.h"
#include "base/clock.h"
#include "base/log.h"
#include "config/device_table.h"
#include "config/task_file.h"
#include "knowledge_base/knowledge_base.h"
#include "knowledge_base/knowledge_store.h"
#include "profilers/simulated_kernel_lab.h"
#include "tests/unit/profilers/lab_places.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind {
namespace {

constexpr std::int64_t kBudget = 20;

class SmallProposer final : public agents::Proposer {
 public:
  [[nodiscard]] std::string name() const override { return whole_.name(); }
  [[nodiscard]] std::vector<std::string> techniques() const override {
    return {kKnown.begin(), kKnown.end()};
  }
  [[nodiscard]] std::vector<agents::Move> moves(
      const agents::ProposalContext& context) const override {
    auto moves = whole_.moves(context);
    std::erase_if(moves, [](const agents::Move& move) { return !kKnown.contains(move.technique); });
    return moves;
  }
  [[nodiscard]] Result<agents::Writing> write(const agents::Move& move,
                                              const agents::ProposalContext& context,
                                              std::stop_token stop) override {
    return whole_.write(move, context, std::move(stop));
  }

 private:
  inline static const std::set<std::string> kKnown{
      "block_size", "launch_bounds",   "restrict",      "unroll",
      "fast_math",  "fast_intrinsics", "register_limit"};
  agents::builtin::BuiltinProposer whole_;
};

Result<agents::Writers> small_writers(const JobRequest& /*request*/) {
  agents::Writers writers;
  writers.proposer = std::make_unique<SmallProposer>();
  return writers;
}

class RelatedTask : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "warpmind-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    scratch_ = pattern;
    profilers::use_own_programs(settings_);
    settings_.lab.scratch_directory = scratch_;
    settings_.toolchain.cache_directory = scratch_ / "cache";
    auto lab = profilers::SimulatedKernelLab::create(settings_, devices_, "h200");
    if (!lab) GTEST_SKIP() << lab.error().message;
    lab_ = std::move(*lab);
  }
  void TearDown() override {
    lab_.reset();
    std::filesystem::remove_all(scratch_);
  }

  std::unique_ptr<knowledge_base::KnowledgeBase> open_base(const std::string& name) {
    auto base =
        knowledge_base::KnowledgeBase::open({.directory = scratch_ / name, .clock = clock_});
    EXPECT_TRUE(base) << (base ? "" : base.error().message);
    return base ? std::move(*base) : nullptr;
  }

  Episode run(knowledge_base::KnowledgeBase& base, const std::filesystem::path& directory,
              agents::MemoryUse memory) {
    auto task = config::load_task(directory);
    EXPECT_TRUE(task) << (task ? "" : task.error().message);
    JobRequest request;
    request.task = task->task;
    request.budget = {kBudget, 600};
    request.provider = Provider::sim;
    auto job = base.store().add_job(request, clock_.wall());
    EXPECT_TRUE(job);
    job->state = JobState::running;
    agents::EpisodeService service(
        base.store(), devices_, [this](const JobRequest&) { return lab_; }, clock_, memory,
        small_writers);
    agents::RunControl control;
    control.progress = [](const JobProgress& news) {
      if (news.line.starts_with("insights") || news.line.starts_with("memory")) {
        std::printf("  %s\n", news.line.c_str());
      }
    };
    const auto ran = service.run_job(*job, control);
    EXPECT_TRUE(ran) << (ran ? "" : ran.error().message);
    const auto ended = base.store().find_job(job->id);
    EXPECT_TRUE(ended && *ended && (*ended)->episode);
    return (*ended)->episode.value_or(Episode{});
  }

  /// Candidates judged until the product of accepted gains reached 95 % of `best`, in logarithms.
  static std::int64_t evaluations_to(const Episode& episode, double best) {
    double reached = 0;
    for (const auto& step : episode.steps) {
      if (step.index > 0 && step.accepted && step.verdict.comparison) {
        reached += std::log(step.verdict.comparison->ratio);
      }
      if (reached >= 0.95 * best) return step.index;
    }
    return kBudget + 1;
  }

  static void print(const Episode& episode) {
    for (const auto& step : episode.steps) {
      std::printf("  %lld %s %s: %s\n", static_cast<long long>(step.index),
                  step.candidate.technique.c_str(), step.candidate.parameters.c_str(),
                  std::string(name_of(step.verdict.outcome)).c_str());
    }
  }

  static double best_of(const Episode& episode) {
    double best = 0;
    for (const auto& step : episode.steps) {
      if (step.index > 0 && step.accepted && step.verdict.comparison) {
        best += std::log(step.verdict.comparison->ratio);
      }
    }
    return best;
  }

  const std::filesystem::path tasks_ = std::filesystem::path(WARPMIND_SOURCE_DIR) / "tasks";
  const std::filesystem::path other_tasks_ = std::filesystem::path(WARPMIND_TEST_DATA) / "tasks";
  SystemClock clock_;
  config::Settings settings_;
  config::DeviceTable devices_ = config::DeviceTable::load().value();
  std::filesystem::path scratch_;
  std::shared_ptr<profilers::KernelLab> lab_;
};

TEST_F(RelatedTask, NeedsAtMostHalfTheEvaluationsOfAnEmptyBase) {
  const agents::MemoryUse everything_shown{true, 0};
  const auto empty = open_base("empty");
  const auto taught = open_base("taught");
  ASSERT_TRUE(empty && taught);

  const Episode alone = run(*empty, other_tasks_ / "transpose_bias", everything_shown);
  const Episode lesson = run(*taught, tasks_ / "transpose", everything_shown);
  print(lesson);
  ASSERT_GT(best_of(lesson), std::log(1.3));
  const Episode related = run(*taught, other_tasks_ / "transpose_bias", everything_shown);

  print(alone);
  print(related);
  const double best = std::max(best_of(alone), best_of(related));
  ASSERT_GT(best, std::log(1.3)) << "the task must leave something to be found";
  const std::int64_t without = evaluations_to(alone, best);
  const std::int64_t with = evaluations_to(related, best);
  std::printf("evaluations to 95 %% of the best: %lld with an empty base, %lld after transpose\n",
              static_cast<long long>(without), static_cast<long long>(with));
  EXPECT_LE(2 * with, without);

  // Because of an insight of the other task, and not by luck.
  ASSERT_GT(related.steps.size(), 1U);
  EXPECT_FALSE(related.steps[1].exposures.empty());
}

}  // namespace
}  // namespace warpmind
