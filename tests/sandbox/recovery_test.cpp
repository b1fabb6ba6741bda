#include "config/device_table.h"
#include "profilers/health/sanity_probe.h"
#include "profilers/lab/lab_parts.h"
#include "profilers/lab/simulation.h"
#include "profilers/worker_kernel_lab.h"
#include "tests/unit/profilers/lab_places.h"
#include "tests/unit/profilers/twice_task.h"

#include <cstdlib>
#include <iostream>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

/// The whole probe, with nvcc, worker and the simulator's runtime in the place of a GPU.
TEST(RecoveryOnTheSimulator, TheProbesKernelComputesItsKnownAnswer) {
  LabPlaces places;
  config::Settings settings = places.settings();
  use_own_programs(settings);
  const auto sandbox = Sandbox::create(settings.lab);
  ASSERT_TRUE(sandbox) << sandbox.error().message;
  const auto devices = config::DeviceTable::load().value();
  auto parts = make_lab_parts(settings, devices, *devices.find("h200"), *sandbox);
  ASSERT_TRUE(parts) << parts.error().message;
  ASSERT_TRUE((*parts)->simulator) << (*parts)->simulator.error().message;
  ProbeSettings probe;
  probe.bytes = 100'000;
  probe.run_s = 120;
  probe.timed = false;
  const SanityProbe sanity(
      *sandbox, place_for(*(*parts)->simulator, SimulationMode::verify, "h200", probe.run_s),
      [&](const std::string& source, const std::string& architecture,
          const std::stop_token& stop) -> Result<std::filesystem::path> {
        Kernel kernel;
        kernel.source = source;
        WARPMIND_TRY(auto built, (*parts)->toolchain.build_kernel(kernel, architecture, stop));
        EXPECT_TRUE(built.report.succeeded) << built.report.diagnostics;
        return built.binary;
      },
      probe);

  const auto report = sanity.probe_device({});

  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->trouble, "");
}

/// T-HANG. HANG_COUNT kernels of each kind (the long run: 100).
class RecoveryGpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    config::Settings settings = places_.settings();
    settings.lab.case_timeout_s = 2;
    auto lab = WorkerKernelLab::create(settings, config::DeviceTable::load().value());
    ASSERT_TRUE(lab) << lab.error().message;
    lab_ = std::move(*lab);
    const auto device = lab_->device();
    if (!device) GTEST_SKIP() << "no GPU: " << device.error().message;
  }

  Verdict judge(const Kernel& kernel, const Kernel* incumbent) {
    auto verdict = lab_->judge({task_, kernel, incumbent, 0, {}}, {});
    EXPECT_TRUE(verdict) << verdict.error().message;
    return verdict.value_or(Verdict{});
  }

  static Kernel with_body(const std::string& body) {
    Kernel kernel = twice_kernel();
    kernel.source =
        "extern \"C\" __global__ void twice(const float* x, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
        body + "}\n";
    return kernel;
  }

  LabPlaces places_;
  Task task_ = twice_task();
  std::unique_ptr<WorkerKernelLab> lab_;
};

TEST_F(RecoveryGpuTest, EveryBadKernelCostsOneJob) {
  const char* wanted = std::getenv("HANG_COUNT");
  const long count = wanted == nullptr ? 2 : std::strtol(wanted, nullptr, 10);
  const Verdict before = judge(task_.kernel, nullptr);
  ASSERT_TRUE(before.measurement) << before.reason;
  const Kernel bad[] = {
      with_body("  volatile const float* p = x; while (p[0] != 12345.678f) {}\n  y[i] = 0;\n"),
      with_body("  y[(long)i + (1L << 38)] = x[0];\n"),
      with_body("  *reinterpret_cast<double*>(reinterpret_cast<char*>(y) + 4) = x[0] + n;\n"),
      with_body("  if (n >= 0) asm volatile(\"trap;\");\n  y[i] = x[i];\n")};
  for (long i = 0; i < count; ++i) {
    for (const Kernel& kernel : bad) {
      const Verdict verdict = judge(kernel, &task_.kernel);
      EXPECT_TRUE(verdict.outcome == Outcome::timed_out || verdict.outcome == Outcome::crashed ||
                  verdict.outcome == Outcome::wrong)
          << name_of(verdict.outcome) << ": " << verdict.reason;
    }
  }
  const Verdict after = judge(task_.kernel, nullptr);
  ASSERT_TRUE(after.measurement) << after.reason;
  std::cout << 4 * count << " bad kernels; baseline " << before.measurement->median_ns
            << " ns before, " << after.measurement->median_ns << " ns after\n";
}

}  // namespace
}  // namespace warpmind::profilers
