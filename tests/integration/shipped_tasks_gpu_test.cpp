// What the built-in agent makes of six shipped tasks on this machine's GPU, three candidates each.
// A task fails below half of the gain that was recorded for it on an NVIDIA H200
// (docs/results/2026-11-22-six-tasks-h200.md, docs/results/2026-11-26-front-door.md), or where the
// agent's own text was refused.
#include "agents/episode_service.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/limit.h"
#include "base/model/verdict_reading.h"
#include "config/device_table.h"
#include "config/task_file.h"
#include "knowledge_base/knowledge_base.h"
#include "profilers/worker_kernel_lab.h"
#include "tests/unit/profilers/lab_places.h"

#include <cstdio>

#include <gtest/gtest.h>

namespace warpmind {
namespace {

constexpr std::int64_t kCandidates = 3;
constexpr double kSeconds = 300;

struct Recorded {
  const char* task;
  double gain;
};
std::ostream& operator<<(std::ostream& out, const Recorded& one) { return out << one.task; }

/// The lab of all tasks, as a daemon keeps it; the base starts empty for each.
class ShippedTask : public testing::TestWithParam<Recorded> {
 protected:
  static void SetUpTestSuite() {
    places_ = std::make_unique<profilers::LabPlaces>();
    auto table = config::DeviceTable::load();
    ASSERT_TRUE(table) << table.error().message;
    devices_ = std::move(*table);
    config::Settings settings = places_->settings();
    profilers::use_own_programs(settings);
    settings.lab.prefilter = true;
    auto lab = profilers::WorkerKernelLab::create(settings, devices_);
    if (lab) {
      lab_ = std::move(*lab);
    } else {
      obstacle_ = lab.error().message;
    }
  }
  static void TearDownTestSuite() {
    lab_.reset();
    places_.reset();
  }

  void SetUp() override {
    if (!lab_) GTEST_SKIP() << obstacle_;
    const auto device = lab_->device();
    if (!device) GTEST_SKIP() << device.error().message;
    device_ = *device;
  }

  Result<Episode> episode_of(const Task& task) {
    WARPMIND_TRY(const auto scratch,
                 ScratchDirectory::create(std::filesystem::temp_directory_path(), "shipped"));
    WARPMIND_TRY(const auto base, knowledge_base::KnowledgeBase::open(
                                      {.directory = scratch.path() / "base", .clock = clock_}));
    JobRequest request;
    request.task = task;
    request.budget = {kCandidates, kSeconds};
    request.provider = Provider::gpu;
    request.seed = 1;
    WARPMIND_TRY(auto job, base->store().add_job(request, clock_.wall()));
    job.state = JobState::running;
    agents::EpisodeService service(
        base->store(), devices_, [](const JobRequest&) { return lab_; }, clock_);
    WARPMIND_CHECK(service.run_job(job, {}));
    WARPMIND_TRY(auto ended, base->store().find_job(job.id));
    if (!ended || !ended->episode) {
      return fail(Errc::external_failure, ended ? ended->error : "the job is gone");
    }
    return std::move(*ended->episode);
  }

  /// A row of docs/results.
  void print(const Task& task, const Episode& episode, double gain) const {
    const auto time_of = [&](std::int64_t step) {
      const auto& measured = episode.steps.at(static_cast<std::size_t>(step)).verdict.measurement;
      return measured ? measured->median_ns : 0;
    };
    const auto& fastest =
        episode.steps.at(static_cast<std::size_t>(episode.best_step)).verdict.measurement;
    const double share =
        fastest ? 100 * share_of_limit(fastest->limit, fastest->median_ns).value_or(0) : 0;
    const auto& best = episode.best_against_baseline;
    std::printf("| %s | %.4g µs → %.4g µs | %.2fx (%.2f to %.2f) | %.0f %% | %.4g | %s |\n",
                task.name.c_str(), time_of(0) / 1e3, time_of(episode.best_step) / 1e3, gain,
                best ? best->low : 1, best ? best->high : 1, share, GetParam().gain,
                device_.name.c_str());
    std::fflush(stdout);
  }

  static std::unique_ptr<profilers::LabPlaces> places_;
  static config::DeviceTable devices_;
  static std::shared_ptr<profilers::KernelLab> lab_;
  static std::string obstacle_;  ///< why there is no lab
  SystemClock clock_;
  DeviceIdentity device_;
};

std::unique_ptr<profilers::LabPlaces> ShippedTask::places_;
config::DeviceTable ShippedTask::devices_;
std::shared_ptr<profilers::KernelLab> ShippedTask::lab_;
std::string ShippedTask::obstacle_;

TEST_P(ShippedTask, ReachesHalfOfItsRecordedGain) {
  const auto loaded =
      config::load_task(std::filesystem::path(WARPMIND_SOURCE_DIR "/tasks") / GetParam().task);
  ASSERT_TRUE(loaded) << loaded.error().message;
  const auto episode = episode_of(loaded->task);
  ASSERT_TRUE(episode) << episode.error().message;
  const double gain =
      episode->outcome == Outcome::improved ? episode->best_against_baseline->ratio : 1;
  print(loaded->task, *episode, gain);

  EXPECT_GE(gain, GetParam().gain / 2) << episode->summary;
  for (const Step& step : episode->steps) {
    EXPECT_FALSE(is_own_fault(step.candidate, step.verdict))
        << step.candidate.technique << " " << step.candidate.parameters << ": "
        << step.verdict.reason;
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, ShippedTask,
                         testing::Values(Recorded{"row_softmax_f16", 44.5},
                                         Recorded{"layernorm_f16", 30.5},
                                         Recorded{"column_sum", 11.8},
                                         Recorded{"rmsnorm_bf16", 1.58},
                                         Recorded{"transpose", 3.25}, Recorded{"gemm_f16", 37.0}),
                         [](const auto& tested) { return std::string(tested.param.task); });

}  // namespace
}  // namespace warpmind
