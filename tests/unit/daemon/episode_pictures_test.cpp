/// \file
/// What pictures of episodes are drawn from: rooflines and the curves of a night.

#include "base/clock.h"
#include "base/file.h"
#include "config/device_table.h"
#include "daemon/handlers/episode_handlers.h"
#include "daemon/handlers/queue_handlers.h"
#include "knowledge_base/knowledge_base.h"
#include "knowledge_base/knowledge_store.h"

#include <filesystem>

#include <gtest/gtest.h>

namespace warpmind::daemon {
namespace {

constexpr const char* kNight = "2026-11-25";
constexpr double kGivenNs = 100'000;

Step timed(std::int64_t index, double speedup) {
  Step step;
  step.index = index;
  step.edited = index - 1;
  step.accepted = true;
  step.candidate.kernel.source = "__global__ void k" + std::to_string(index) + "();";
  step.verdict.outcome = index == 0 ? Outcome::same : Outcome::improved;
  auto& taken = step.verdict.measurement.emplace();
  taken.device.name = "NVIDIA H200";
  taken.device.compute_major = 9;
  taken.workload = "large";
  taken.median_ns = kGivenNs / speedup;
  return step;
}

class EpisodePicturesTest : public testing::Test {
 protected:
  static JobRequest request() {
    JobRequest request;
    request.task.name = "scale";
    request.task.reference = "scale";
    request.task.workloads = {{"large", {{"n", 10'000'000}}, true}};
    request.task.cost = {"8*n", "2*n"};
    request.task.id = id_of(request.task);
    request.terms.background = true;
    return request;
  }
  std::string commit(const JobRequest& request, std::vector<Step> steps) {
    auto job = base_->store().add_job(request, UnixMillis{1});
    EXPECT_TRUE(job.has_value());
    job->request.terms.night = kNight;  // as its start does
    EXPECT_TRUE(base_->store().update_job(*job).has_value());
    Episode episode;
    episode.id = EpisodeId("e-" + job->id.str().substr(2));
    episode.task = request.task.id;
    episode.task_name = request.task.name;
    episode.best_step = std::ssize(steps) - 1;
    episode.steps = std::move(steps);
    job->state = JobState::done;
    EXPECT_TRUE(base_->store().commit(episode, *job).has_value());
    return job->id.str();
  }
  Result<protocol::EpisodeRooflineResult> roofline(const std::string& id) {
    RequestContext context;
    return episode_roofline(base_->store())({id}, context);
  }

  SystemClock clock_;
  ScratchDirectory folder_ =
      *ScratchDirectory::create(std::filesystem::temp_directory_path(), "pictures");
  std::unique_ptr<knowledge_base::KnowledgeBase> base_ = *knowledge_base::KnowledgeBase::open(
      {.directory = folder_.path() / "base", .reserve_bytes = 0, .clock = clock_});
};

TEST_F(EpisodePicturesTest, EveryTimedStepStandsUnderTheRoofline) {
  Step failed = timed(2, 1);
  failed.verdict.measurement.reset();
  failed.accepted = false;
  const auto drawn = roofline(commit(request(), {timed(0, 1), timed(1, 4), failed, timed(3, 8)}));
  ASSERT_TRUE(drawn.has_value()) << drawn.error().message;
  EXPECT_GT(drawn->peak_gflops, 0);
  EXPECT_GT(drawn->bandwidth_gb_s, 0);
  EXPECT_EQ(drawn->workload, "large");
  ASSERT_EQ(drawn->steps.size(), 3U);
  EXPECT_EQ(drawn->steps[2].step, 3);
  EXPECT_DOUBLE_EQ(drawn->steps[0].intensity, 0.25);
  EXPECT_DOUBLE_EQ(drawn->steps[0].gflops, 2e7 / kGivenNs);
  EXPECT_DOUBLE_EQ(drawn->steps[1].gflops, 4 * 2e7 / kGivenNs);
}

TEST_F(EpisodePicturesTest, ThePeakIsThatOfTheTypesOfTheTask) {
  const auto h200 = config::DeviceTable::load()->find("h200");
  struct Case {
    Dtype dtype;
    bool tf32;
    const char* peak;
    double tflops;
  };
  for (const auto& one : {Case{Dtype::f32, false, "FP32", h200->fp32_tflops},
                          Case{Dtype::f32, true, "TF32 tensor cores", h200->fp16_tensor_tflops / 2},
                          Case{Dtype::f64, false, "FP64 tensor cores", 2 * h200->fp64_tflops},
                          Case{Dtype::f16, false, "FP16 tensor cores", h200->fp16_tensor_tflops}}) {
    auto product = request();
    product.task.contract.tolerance = ToleranceClass::contraction;
    product.task.contract.tf32_allowed = one.tf32;
    product.task.arguments = {{"x", ArgumentKind::in, one.dtype, {"n"}, "", {}, 0, 0}};
    const auto drawn = roofline(commit(product, {timed(0, 1)}));
    ASSERT_TRUE(drawn.has_value()) << drawn.error().message;
    EXPECT_EQ(drawn->peak, one.peak);
    EXPECT_DOUBLE_EQ(drawn->peak_gflops, 1000 * one.tflops) << one.peak;
  }
}

TEST_F(EpisodePicturesTest, ATaskThatOnlyMovesBytesHasItsShareOfTheLimit) {
  auto copy = request();
  copy.task.cost.flops = "0";
  const auto drawn = roofline(commit(copy, {timed(0, 1), timed(1, 4)}));
  ASSERT_TRUE(drawn.has_value()) << drawn.error().message;
  ASSERT_EQ(drawn->steps.size(), 2U);
  EXPECT_EQ(drawn->steps[1].intensity, 0);
  EXPECT_DOUBLE_EQ(drawn->steps[0].share, 8e7 / drawn->bandwidth_gb_s / kGivenNs);
  EXPECT_DOUBLE_EQ(drawn->steps[1].share, 4 * drawn->steps[0].share);
}

TEST_F(EpisodePicturesTest, TheLimitIsTheOneThatTheVerdictCarries) {
  Step given = timed(0, 1);
  auto& measured = *given.verdict.measurement;
  measured.limit = {.ns = 25'000,
                    .by = LimitedBy::arithmetic,
                    .bytes = 1e6,
                    .flops = 2e9,
                    .bandwidth_gb_s = 4300,
                    .peak_gflops = 80'000,
                    .peak = "FP32",
                    .counted = true,
                    .measured = true};
  const auto drawn = roofline(commit(request(), {given}));
  ASSERT_TRUE(drawn.has_value()) << drawn.error().message;
  EXPECT_DOUBLE_EQ(drawn->steps[0].share, 0.25);
  EXPECT_DOUBLE_EQ(drawn->peak_gflops, 80'000);

  measured.limit = {.unknown = "a loop depends on loaded values"};
  const auto unknown = roofline(commit(request(), {given}));
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(unknown.error().message.find("loaded values"), std::string::npos);
}

TEST_F(EpisodePicturesTest, AListSaysHowFarEachTaskGot) {
  Step moved = timed(1, 4);
  moved.candidate.technique = "vector_loads";
  moved.before.primary = BottleneckClass::uncoalesced_access;
  moved.verdict.comparison = Comparison{.ratio = 4};
  (void)commit(request(), {timed(0, 1), moved});
  const auto handler = episode_list(base_->store());
  RequestContext context;
  const auto first = handler({}, context);
  ASSERT_TRUE(first.has_value()) << first.error().message;
  ASSERT_EQ(first->episodes.size(), 1U);
  const auto& one = first->episodes[0];
  EXPECT_EQ(one.curve, (std::vector<double>{4}));
  EXPECT_EQ(one.how, (std::vector<std::string>{"vector_loads"}));
  EXPECT_EQ(one.bottleneck, "uncoalesced_access");
  EXPECT_EQ(one.limited_by, "memory bandwidth");
  EXPECT_NEAR(one.limit_ns, 8e7 / 4800, 0.01);
  EXPECT_EQ(handler({}, context)->episodes, first->episodes) << "as it is remembered";
}

TEST_F(EpisodePicturesTest, AListKnowsJobsThatChange) {
  const auto handler = episode_list(base_->store());
  RequestContext context;
  auto job = base_->store().add_job(request(), UnixMillis{1});
  ASSERT_TRUE(job.has_value());
  EXPECT_EQ(handler({}, context)->episodes.at(0).state, JobState::queued);
  job->state = JobState::failed;
  job->error = "no such device";
  ASSERT_TRUE(base_->store().update_job(*job).has_value());
  EXPECT_EQ(handler({}, context)->episodes.at(0).summary, "no such device");
  EXPECT_EQ(base_->store().recent_records(1)->at(0).state, JobState::failed);
}

TEST_F(EpisodePicturesTest, WithoutTimesOrCostThereIsNoRoofline) {
  auto priceless = request();
  priceless.task.cost = {};
  Step untimed = timed(0, 1);
  untimed.verdict.measurement.reset();
  for (const auto& id : {commit(priceless, {timed(0, 1)}), commit(request(), {untimed})}) {
    const auto drawn = roofline(id);
    ASSERT_FALSE(drawn.has_value());
    EXPECT_EQ(drawn.error().code, Errc::not_found);
  }
}

TEST_F(EpisodePicturesTest, ACurveGrowsWithEachIncumbent) {
  Step against_edited = timed(1, 2);  // the incumbent was edited
  against_edited.verdict.comparison = Comparison{.ratio = 2};
  Step refused = timed(2, 3);
  refused.verdict.comparison = Comparison{.ratio = 0.5};
  refused.accepted = false;
  Step promoted = timed(3, 6);  // another kernel was edited
  promoted.verdict.comparison = Comparison{.ratio = 6};
  promoted.promotion = Comparison{.ratio = 3};
  (void)commit(request(), {timed(0, 1), against_edited, refused, promoted});
  const auto report = queue_report(*base_, {kNight});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  ASSERT_EQ(report->jobs.size(), 1U);
  EXPECT_EQ(report->jobs[0].curve, (std::vector<double>{2, 2, 6}));
}

}  // namespace
}  // namespace warpmind::daemon
