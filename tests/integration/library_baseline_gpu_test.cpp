// The best library call for every shipped task that has one, on this machine's GPU: found, judged
// right by the task's own oracle, and timed. Prints a row of docs/results for each.
#include "base/best_library.h"
#include "config/device_table.h"
#include "config/task_file.h"
#include "profilers/worker_kernel_lab.h"
#include "tests/unit/profilers/lab_places.h"

#include <cstdio>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

struct Expected {
  const char* task;
  const char* library;  ///< that has to be right, though another may be faster
};
std::ostream& operator<<(std::ostream& out, const Expected& one) { return out << one.task; }

/// One lab for all, as a daemon keeps it.
class LibraryBaseline : public testing::TestWithParam<Expected> {
 protected:
  static void SetUpTestSuite() {
    places_ = std::make_unique<LabPlaces>();
    auto table = config::DeviceTable::load();
    ASSERT_TRUE(table) << table.error().message;
    devices_ = std::move(*table);
    config::Settings settings = places_->settings();
    use_own_programs(settings);
    auto lab = WorkerKernelLab::create(settings, devices_);
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
    if (const auto device = lab_->device(); !device) GTEST_SKIP() << device.error().message;
  }

  static std::unique_ptr<LabPlaces> places_;
  static config::DeviceTable devices_;
  static std::unique_ptr<WorkerKernelLab> lab_;
  static std::string obstacle_;  ///< why there is no lab
};

std::unique_ptr<LabPlaces> LibraryBaseline::places_;
config::DeviceTable LibraryBaseline::devices_;
std::unique_ptr<WorkerKernelLab> LibraryBaseline::lab_;
std::string LibraryBaseline::obstacle_;

TEST_P(LibraryBaseline, IsRightAndTimed) {
  const auto loaded =
      config::load_task(std::filesystem::path(WARPMIND_SOURCE_DIR "/tasks") / GetParam().task);
  ASSERT_TRUE(loaded) << loaded.error().message;
  JudgeOrder order{loaded->task, loaded->task.kernel};
  order.effort = Effort::quick;
  order.library = LibraryTiming::wanted;
  const auto verdict = lab_->judge(order, {});
  ASSERT_TRUE(verdict) << verdict.error().message;
  ASSERT_TRUE(verdict->measurement) << verdict->reason;
  const Measurement& given = *verdict->measurement;
  const BestLibrary& best = given.best_library;
  std::string tried;
  double seconds = 0;
  for (const auto& stage : verdict->stages) {
    if (stage.stage != Stage::library) continue;
    tried = stage.detail;
    seconds = stage.seconds;
  }
  std::printf("| %s | %.4g | %.4g | %s, %s | %.3g | %.0f s | %s |\n", GetParam().task,
              given.median_ns / 1e3, best.ns / 1e3, best.library.c_str(), best.call.c_str(),
              best.ns > 0 ? given.median_ns / best.ns : 0, seconds, given.device.name.c_str());
  if (best.ns <= 0) std::printf("  %s\n", best.unknown.c_str());
  std::printf("  %s\n", tried.c_str());
  std::fflush(stdout);
  if (best.unknown.find("is not here") != std::string::npos) GTEST_SKIP() << best.unknown;
  EXPECT_GT(best.ns, 0) << best.unknown;
  EXPECT_NE(tried.find(GetParam().library), std::string::npos) << tried;
}

INSTANTIATE_TEST_SUITE_P(
    Shipped, LibraryBaseline,
    testing::Values(Expected{"gemm_f16", "cuBLASLt"}, Expected{"row_softmax_f16", "cuDNN"},
                    Expected{"exclusive_scan", "CUB"}, Expected{"gemm_f32", "cuBLASLt"},
                    Expected{"batched_gemm_f16", "cuBLASLt"}, Expected{"row_sum", "CUB"},
                    Expected{"column_sum", "cuBLAS"}, Expected{"dot", "cuBLAS"},
                    Expected{"dot_f64", "cuBLAS"}, Expected{"histogram", "CUB"},
                    Expected{"radix_pass", "CUB"}, Expected{"transpose", "cuBLAS"},
                    Expected{"vector_add", "cuBLAS"}, Expected{"conv2d_3x3_f16", "cuDNN"},
                    Expected{"top8_rows", "CUB"}),
    [](const auto& tested) { return std::string(tested.param.task); });

}  // namespace
}  // namespace warpmind::profilers
