// The library that the CUDA driver loads into programs: with a GPU as it is used, without one as
// far as it goes.
#include "base/file.h"
#include "config/device_table.h"
#include "profilers/inject/kernel_record.h"
#include "profilers/process/child_process.h"
#include "profilers/program/program_lab.h"

#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

namespace fs = std::filesystem;

bool has_gpu() { return ::access("/dev/nvidiactl", F_OK) == 0; }

TEST(Injection, LoadsWhereThereIsNoDriver) {
  void* const library = ::dlopen(WARPMIND_INJECT_LIBRARY, RTLD_NOW | RTLD_LOCAL);

  ASSERT_NE(library, nullptr) << ::dlerror();
  EXPECT_NE(::dlsym(library, "InitializeInjection"), nullptr);
}

/// How injected_program ended, in an environment of its own.
ProcessOutcome run_injected(const std::vector<std::string>& arguments,
                            std::vector<std::string> environment) {
  ProcessOrder order;
  order.command = {WARPMIND_INJECTED_PROGRAM, WARPMIND_INJECT_LIBRARY};
  order.command.insert(order.command.end(), arguments.begin(), arguments.end());
  order.environment = std::move(environment);
  RunLimits limits;
  limits.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  auto outcome = run_process(std::move(order), limits, {});
  EXPECT_TRUE(outcome) << outcome.error().message;
  return outcome ? std::move(*outcome) : ProcessOutcome{};
}

TEST(Injection, WritesWhatCuptiDelivers) {
  const auto folder = ScratchDirectory::create(fs::temp_directory_path(), "wm-test").value();
  const fs::path record = folder.path() / "kernels";
  const fs::path cupti = fs::path(WARPMIND_FAKE_CUPTI_FOLDER) / "libcupti.so.13";

  const auto outcome = run_injected(
      {cupti.string()},
      {"LD_LIBRARY_PATH=" WARPMIND_FAKE_CUPTI_FOLDER, "WARPMIND_KERNELS=" + record.string()});

  EXPECT_EQ(outcome.output, "PASS\n");
  EXPECT_EQ(outcome.diagnostics, "");
  EXPECT_TRUE(outcome.end.success()) << describe(outcome.end);
  const auto kernels = read_kernel_record(record);
  ASSERT_TRUE(kernels) << kernels.error().message;
  EXPECT_EQ(kernels->recorder, "cupti");
  EXPECT_TRUE(kernels->complete);
  EXPECT_EQ(kernels->dropped, 2U);
  ASSERT_EQ(kernels->runs.size(), 3U);
  KernelRun want;
  want.kernel = "_Z3addPKfPfi";
  want.start_ns = 400;
  want.end_ns = 700;
  want.grid = {8, 2, 1};
  want.block = {128, 1, 1};
  want.registers = 24;
  want.shared_bytes = 1280;
  want.stream = 7;
  EXPECT_EQ(kernels->runs[1], want);
  EXPECT_EQ(kernels->runs[2].kernel, "_Z4lastPf") << "flushed at the end of the program";
}

TEST(Injection, AProgramRunsOnWithoutARecordOrWithoutCupti) {
  const auto unasked = run_injected({}, {"LD_LIBRARY_PATH=" WARPMIND_FAKE_CUPTI_FOLDER});
  EXPECT_EQ(unasked.output, "PASS\n");
  EXPECT_NE(unasked.diagnostics.find("does not name a file"), std::string::npos);

  const auto unwritable = run_injected(
      {}, {"LD_LIBRARY_PATH=" WARPMIND_FAKE_CUPTI_FOLDER, "WARPMIND_KERNELS=/nowhere/kernels"});
  EXPECT_EQ(unwritable.output, "PASS\n");
  EXPECT_NE(unwritable.diagnostics.find("cannot be written"), std::string::npos)
      << unwritable.diagnostics;
}

/// The lab on the GPU at hand, built by hand: the daemon's own look-ups start beside its program.
class GpuInjection : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_gpu()) GTEST_SKIP() << "no GPU: /dev/nvidiactl is not there";
    config::Settings settings;
    settings.lab.scratch_directory = folder_.path() / "scratch";
    settings.lab.unsafe_no_sandbox = ::access("/usr/bin/bwrap", X_OK) != 0;
    fs::create_directories(settings.lab.scratch_directory);
    ProgramPlace place;
    place.provider = Provider::gpu;
    place.device = "the GPU at hand";
    place.architecture = "sm_90";
    auto nvcc = find_nvcc(settings.toolchain);
    if (!nvcc) GTEST_SKIP() << nvcc.error().message;
    place.nvcc = *nvcc;
    place.toolkit.folders = nvcc->toolkit.folders;
    place.host_root = "/usr";
    place.kernel_library = WARPMIND_INJECT_LIBRARY;
    place.null_library = WARPMIND_RECORD_LIBRARY;
    auto lab = ProgramLab::create(settings, std::move(place), std::make_shared<DeviceTurn>());
    ASSERT_TRUE(lab) << lab.error().message;
    lab_ = std::move(*lab);
  }

  ProgramCheck check(const std::string& program) {
    const fs::path files = folder_.path() / program;
    fs::create_directories(files);
    fs::copy_file(fs::path(WARPMIND_BUILT_PROGRAMS) / program, files / "program");
    std::ofstream(files / "main.cu") << "//\n";
    ProgramTask task;
    task.name = program;
    task.run = "./program 64 96";
    task.pass = {0, "PASS", "FAIL"};
    task.kernels = {".*"};
    task.editable = {"main.cu"};
    auto result = lab_->check(task, files, 2, {});
    EXPECT_TRUE(result) << result.error().message;
    return result ? std::move(*result) : ProgramCheck{};
  }

  ScratchDirectory folder_ = ScratchDirectory::create(fs::temp_directory_path(), "wm-test").value();
  std::unique_ptr<ProgramLab> lab_;
};

TEST_F(GpuInjection, TimesKernelsByActivityRecords) {
  const auto result = check("row_sums_shared");

  ASSERT_EQ(result.refused_by, ProgramControl::none) << result.reason << "\n" << result.diagnostics;
  ASSERT_EQ(result.runs.size(), 2U);
  const auto& run = result.runs[0];
  EXPECT_EQ(run.launches, 3);
  EXPECT_EQ(run.note, "");
  ASSERT_EQ(run.kernels.size(), 2U);
  for (const auto& kernel : run.kernels) {
    EXPECT_GT(kernel.least_ns, 100) << kernel.kernel;
    EXPECT_LT(kernel.total_ns, 1e9) << kernel.kernel;
    EXPECT_GT(kernel.registers, 0) << kernel.kernel;
  }
  ASSERT_TRUE(result.null_run.has_value());
  EXPECT_EQ(result.null_run->launches, 3) << "all of them were skipped";
}

TEST_F(GpuInjection, RefusesAProgramThatPassesWhenKernelsDoNothing) {
  const auto result = check("unchecked_shared");

  EXPECT_EQ(result.refused_by, ProgramControl::null_kernels) << result.reason;
}

}  // namespace
}  // namespace warpmind::profilers
