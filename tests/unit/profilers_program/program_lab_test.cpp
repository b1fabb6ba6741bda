// Real programs, built by nvcc, in the real sandbox, on the simulator's runtime.
#include "profilers/program/program_lab.h"

#include "base/file.h"
#include "config/device_table.h"
#include "config/program_task_file.h"
#include "profilers/program/linked_runtime.h"

#include <fstream>
#include <thread>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

namespace fs = std::filesystem;

class ProgramLabTest : public testing::Test {
 protected:
  void SetUp() override {
    settings_.lab.simulator = WARPMIND_SIMULATOR_FOLDER;
    settings_.lab.scratch_directory = folder_.path() / "scratch";
    fs::create_directories(settings_.lab.scratch_directory);
    const auto devices = config::DeviceTable::load();
    ASSERT_TRUE(devices);
    auto place = simulated_program_place(settings_, *devices, "h200");
    ASSERT_TRUE(place) << place.error().message;
    auto lab = ProgramLab::create(settings_, std::move(*place), std::make_shared<DeviceTurn>());
    if (!lab && lab.error().code == Errc::unavailable) GTEST_SKIP() << lab.error().message;
    ASSERT_TRUE(lab) << lab.error().message;
    lab_ = std::move(*lab);
  }

  /// A folder with a built program called "program", and its task without a build command.
  ProgramTask built(const std::string& program) {
    fs::create_directories(files());
    fs::copy_file(fs::path(WARPMIND_BUILT_PROGRAMS) / program, files() / "program");
    std::ofstream(files() / "main.cu") << "// edited by nobody here\n";
    ProgramTask task;
    task.name = program;
    task.run = "./program 64 96";
    task.pass = {0, "PASS", "FAIL"};
    task.kernels = {".*"};
    task.editable = {"main.cu"};
    task.run_seconds = 60;
    return task;
  }

  [[nodiscard]] fs::path files() const { return folder_.path() / "files"; }

  ProgramCheck check(const ProgramTask& task, const ProgramLab::Progress& progress = {}) {
    auto result = lab_->check(task, files(), 2, {}, progress);
    EXPECT_TRUE(result) << result.error().message;
    return result ? std::move(*result) : ProgramCheck{};
  }

  void expect_refusal(const ProgramCheck& result, ProgramControl control,
                      const std::string& words) {
    ASSERT_FALSE(result.admitted) << "was admitted";
    EXPECT_EQ(name_of(result.refused_by), name_of(control)) << result.reason;
    EXPECT_NE(result.reason.find(words), std::string::npos) << result.reason;
  }

  ScratchDirectory folder_ = ScratchDirectory::create(fs::temp_directory_path(), "wm-test").value();
  config::Settings settings_;
  std::unique_ptr<ProgramLab> lab_;
};

TEST_F(ProgramLabTest, AdmitsAProgramThatIsBuiltByMake) {
  fs::copy(fs::path(WARPMIND_TEST_DATA) / "programs" / "row_sums", files());
  ProgramTask task;
  task.name = "row_sums";
  task.build = "make ARCH={arch}";
  task.run = "./row_sums 64 96";
  task.pass = {0, "PASS", "FAIL"};
  task.kernels = {"sum"};
  task.editable = {"main.cu"};

  const auto result = check(task);

  ASSERT_TRUE(result.admitted) << result.reason << "\n" << result.diagnostics;
  EXPECT_EQ(result.provider, Provider::sim);
  EXPECT_EQ(result.device, "NVIDIA H200, simulated");
  ASSERT_EQ(result.runs.size(), 2U);
  const auto& kernels = result.runs[0].kernels;
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].kernel, "rows::sum");
  EXPECT_TRUE(kernels[0].timed);
  EXPECT_EQ(kernels[0].launches, 2);
  EXPECT_FALSE(kernels[1].timed) << "fill is launched and not named";
  EXPECT_GT(kernels[0].median_ns, 1000) << "the model's time, not what the program prints";
  EXPECT_EQ(result.runs[1].kernels, kernels) << "predictions do not vary";
  ASSERT_TRUE(result.null_run.has_value());
  EXPECT_FALSE(result.null_run->passed);
  EXPECT_EQ(result.null_run->launches, 3);
  EXPECT_TRUE(fs::exists(files() / "main.cu"));
  EXPECT_FALSE(fs::exists(files() / "row_sums")) << "the user's folder is not built in";
}

TEST_F(ProgramLabTest, RefusesAProgramThatPassesWhenKernelsDoNothing) {
  const auto task = built("unchecked_shared");

  const auto result = check(task);

  expect_refusal(result, ProgramControl::null_kernels,
                 "it passes even when its kernels do nothing");
  ASSERT_TRUE(result.null_run.has_value());
  EXPECT_EQ(result.null_run->launches, 1);
}

TEST_F(ProgramLabTest, RefusesARuntimeThatIsLinkedIn) {
  const auto result = check(built("row_sums_static"));

  expect_refusal(result, ProgramControl::linkage, "link it with -cudart shared");
  EXPECT_TRUE(result.runs.empty());
}

TEST_F(ProgramLabTest, NamesTheLineOfTheCompilerThatSaysWhatIsWrong) {
  auto task = built("row_sums_shared");
  std::ofstream(files() / "part.cpp") << "int missing(); int main() { return missing(); }\n";
  task.build = "g++ part.cpp -o program";

  const auto result = check(task);

  expect_refusal(result, ProgramControl::build, "undefined reference to `missing()'");
  EXPECT_NE(result.diagnostics.find("collect2"), std::string::npos);
}

TEST_F(ProgramLabTest, RefusesAFirstRunThatFails) {
  auto task = built("row_sums_shared");
  task.run = "./program";

  expect_refusal(check(task), ProgramControl::pass, "it ended with exit code 2, not 0");
}

TEST_F(ProgramLabTest, ReadsTheOutputForThePassRule) {
  auto task = built("row_sums_shared");
  task.pass.output = "^ALL RIGHT$";
  expect_refusal(check(task), ProgramControl::pass, "no line of its output matches '^ALL RIGHT$'");

  task.pass = {0, "", "PASS"};
  expect_refusal(check(task), ProgramControl::pass, "a line of its output matches 'PASS'");
}

TEST_F(ProgramLabTest, RefusesAPatternThatNamesNoLaunchedKernel) {
  auto task = built("row_sums_shared");
  task.kernels = {"fill", "transpose"};

  expect_refusal(check(task), ProgramControl::kernels,
                 "no kernel that it launched is named 'transpose'; these were: rows::sum, fill");
}

TEST_F(ProgramLabTest, RefusesAProgramWithoutLaunches) {
  auto task = built("row_sums_shared");
  task.run = "echo PASS";

  expect_refusal(check(task), ProgramControl::kernels, "without a launch that can be seen");
}

TEST_F(ProgramLabTest, RefusesAProgramThatPassesOnlyOnce) {
  auto task = built("row_sums_shared");
  const fs::path shown = folder_.path() / "shown";
  fs::create_directories(shown);
  task.needs = {shown.string()};
  task.run = "[ ! -e " + shown.string() + "/late ] && exec ./program 64 96";

  const auto result = check(task, [&shown](const std::string& line) {
    if (line == "run 2 of 2") std::ofstream(shown / "late") << "now\n";
  });

  expect_refusal(result, ProgramControl::agreement, "it passed, and run 2 did not");
}

TEST_F(ProgramLabTest, NoRunSeesFilesOfAnEarlierOne) {
  auto task = built("row_sums_shared");
  task.run = "[ ! -e seen ] && : > seen && exec ./program 64 96";

  const auto result = check(task);

  EXPECT_TRUE(result.admitted) << result.reason;
}

TEST_F(ProgramLabTest, EndsAProgramThatDoesNotEnd) {
  auto task = built("row_sums_shared");
  task.run = "while :; do :; done";
  task.run_seconds = 0.3;

  expect_refusal(check(task), ProgramControl::pass, "it did not end within 1 s");
}

TEST_F(ProgramLabTest, SaysThatARunningProgramStartsNoOthers) {
  auto task = built("row_sums_shared");
  task.run = "./program 64 96; true";

  const auto result = check(task);

  expect_refusal(result, ProgramControl::pass, "put exec before the last");
}

TEST_F(ProgramLabTest, SetsVariablesBeforeTheCommand) {
  auto task = built("row_sums_shared");
  task.run = "ROWS=64  OTHER=1 /usr/bin/env sh -c 'exec ./program $ROWS 96'";

  EXPECT_TRUE(check(task).admitted);
}

TEST_F(ProgramLabTest, IsCancelledInARun) {
  auto task = built("row_sums_shared");
  task.run = "while :; do :; done";
  std::stop_source stop;

  const auto result = lab_->check(task, files(), 2, stop.get_token(), [&](const std::string& line) {
    if (line == "run 1 of 2") stop.request_stop();
  });

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::cancelled);
}

TEST_F(ProgramLabTest, SeesNothingOfTheUsersHome) {
  auto task = built("row_sums_shared");
  task.run = "[ ! -e " WARPMIND_SOURCE_DIR "/README.md ] && exec ./program 64 96";

  EXPECT_TRUE(check(task).admitted) << "the sources are outside of the sandbox";
}

TEST(LinkedRuntimeTest, IsReadFromTheProgramsFile) {
  const fs::path programs = WARPMIND_BUILT_PROGRAMS;

  EXPECT_EQ(linked_runtime(programs / "row_sums_shared"), LinkedRuntime::shared);
  EXPECT_EQ(linked_runtime(programs / "row_sums_static"), LinkedRuntime::inside);
  EXPECT_EQ(linked_runtime("/bin/sh"), LinkedRuntime::unknown);
  EXPECT_EQ(linked_runtime(__FILE__), LinkedRuntime::unknown);
  EXPECT_EQ(linked_runtime(programs / "none"), LinkedRuntime::unknown);
}

}  // namespace
}  // namespace warpmind::profilers
