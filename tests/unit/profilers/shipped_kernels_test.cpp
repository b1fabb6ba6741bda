// The tasks of this repository on the simulator, in their small workloads: the given kernel is
// right, and a kernel that does nothing is not. SHIPPED_KERNELS_TIMED=1 keeps the timed workloads,
// which takes minutes.
#include "config/device_table.h"
#include "config/task_file.h"
#include "lab_places.h"
#include "profilers/simulated_kernel_lab.h"

#include <algorithm>
#include <regex>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> shipped_tasks() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(WARPMIND_SOURCE_DIR "/tasks")) {
    if (fs::exists(entry.path() / "task.toml")) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Every kernel returns at once; the launches stay.
Kernel null_kernel(Kernel kernel) {
  static const std::regex head(R"((__global__\s+void\s+\w+\s*\([^)]*\)\s*\{))");
  kernel.source = std::regex_replace(kernel.source, head, "$1 if (gridDim.x != 0) return;");
  return kernel;
}

class ShippedKernel : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto devices = config::DeviceTable::load();
    ASSERT_TRUE(devices) << devices.error().message;
    config::Settings settings = places_.settings();
    use_own_programs(settings);
    auto lab = SimulatedKernelLab::create(settings, *devices, "h200");
    ASSERT_TRUE(lab) << lab.error().message;
    lab_ = std::move(*lab);
    auto loaded = config::load_task(fs::path(WARPMIND_SOURCE_DIR) / "tasks" / GetParam());
    ASSERT_TRUE(loaded) << loaded.error().message;
    task_ = std::move(loaded->task);
    if (std::getenv("SHIPPED_KERNELS_TIMED") == nullptr) leave_small_workloads();
  }

  /// The first small workload is the one whose time is predicted.
  void leave_small_workloads() {
    std::erase_if(task_.workloads, [](const Workload& workload) { return workload.timed; });
    ASSERT_FALSE(task_.workloads.empty());
    task_.workloads.front().timed = true;
  }

  Verdict judge(const Kernel& kernel) {
    auto verdict = lab_->judge({task_, kernel, nullptr}, {});
    EXPECT_TRUE(verdict) << verdict.error().message;
    return verdict.value_or(Verdict{});
  }

  LabPlaces places_;
  Task task_;
  std::unique_ptr<SimulatedKernelLab> lab_;
};

TEST_P(ShippedKernel, IsRightAndDoingNothingIsNot) {
  const Verdict given = judge(task_.kernel);
  const Kernel nothing = null_kernel(task_.kernel);
  ASSERT_NE(nothing, task_.kernel);
  const Verdict idle = judge(nothing);

  EXPECT_EQ(given.outcome, Outcome::same) << given.reason;
  ASSERT_TRUE(given.measurement);
  EXPECT_GT(given.measurement->median_ns, 0);
  RecordProperty("predicted_ns", std::to_string(given.measurement->median_ns));
  EXPECT_EQ(idle.outcome, Outcome::wrong) << idle.reason;
  EXPECT_FALSE(idle.measurement);
}

INSTANTIATE_TEST_SUITE_P(Tasks, ShippedKernel, ::testing::ValuesIn(shipped_tasks()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace warpmind::profilers
