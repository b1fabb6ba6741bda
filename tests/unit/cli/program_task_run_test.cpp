// A program task as the commands of `optimize FILE.cu --run`, done in a copy of its folder.
#include "clients/cli/program_run/program_task_run.h"

#include "base/file.h"
#include "clients/shell_command.h"

#include <fstream>

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

namespace fs = std::filesystem;

class ProgramTaskRunTest : public testing::Test {
 protected:
  void SetUp() override {
    write("task dir/main.cu", "__global__ void given() {}\n");
    write("task dir/host.cpp", "int other();\n");
    write("task dir/program.toml", "");
    task_.name = "sums";
    task_.build = "grep -q better main.cu && echo {arch} {capability} > built.txt";
    task_.run = "cat built.txt main.cu";
    task_.editable = {"main.cu", "host.cpp"};
    runtime_.nvcc = "/bin/sh";
    runtime_.target = "-gencode arch=compute_90,code=compute_90";
    given_.directory = folder().string();
  }
  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((scratch_.path() / file).parent_path());
    std::ofstream(scratch_.path() / file) << text;
  }
  [[nodiscard]] fs::path folder() const { return scratch_.path() / "task dir"; }

  ScratchDirectory scratch_ =
      ScratchDirectory::create(fs::temp_directory_path(), "wm-test").value();
  ProgramTask task_;
  ProgramRuntime runtime_;
  OptimizeOptions given_;
};

TEST_F(ProgramTaskRunTest, BuildsAndRunsAnotherSourceInACopy) {
  ASSERT_TRUE(is_program_task(folder()));
  const auto options = program_task_options(given_, task_, runtime_);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(fs::path(options->directory), fs::canonical(folder()) / "main.cu");
  fs::create_directories(options->work);
  write("optimized.cu", "// better\n");
  const UserProgram program({options->run, options->build, std::chrono::seconds(20)}, runtime_,
                            options->work, folder(), -1);

  ASSERT_TRUE(program.can_build_others());
  const auto given = program.build(folder() / "main.cu");
  EXPECT_FALSE(given) << "the build command was not run";
  const auto built = program.build(scratch_.path() / "optimized.cu");
  ASSERT_TRUE(built) << built.error().message;
  const auto end = program.run(scratch_.path() / "record");

  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->output, "sm_90 90\n// better\n");
  EXPECT_EQ(read_file(folder() / "main.cu", 100).value(), "__global__ void given() {}\n");
  EXPECT_FALSE(fs::exists(folder() / "built.txt")) << "the task's folder is left alone";
}

TEST_F(ProgramTaskRunTest, RefusesWhatItCannotTryOut) {
  const auto reason = [this] {
    const auto options = program_task_options(given_, task_, runtime_);
    return options ? std::string() : options.error().message;
  };
  runtime_.is_simulated = false;
  EXPECT_NE(reason().find("has {capability}"), std::string::npos) << reason();
  runtime_.is_simulated = true;
  task_.pass.exit_code = 3;
  EXPECT_NE(reason().find("must end with 0"), std::string::npos) << reason();
  task_.pass.exit_code = 0;
  write("task dir/host.cpp", "__global__ void second() {}\n");
  EXPECT_NE(reason().find("several files with kernels (main.cu, host.cpp)"), std::string::npos)
      << reason();
  task_.editable = {"missing.cu"};
  EXPECT_NE(reason().find("no file of `editable`"), std::string::npos) << reason();
  write("task dir/task.toml", "");
  EXPECT_FALSE(is_program_task(folder())) << "a task folder comes first";
}

TEST_F(ProgramTaskRunTest, ThePassRuleLooksAtLines) {
  EXPECT_TRUE(passes({0, "^PASS", "FAIL"}, "took 3 ms\nPASS\n"));
  EXPECT_FALSE(passes({0, "^PASS", "FAIL"}, "took 3 ms\n"));
  EXPECT_FALSE(passes({0, "^PASS", "FAIL"}, "PASS\nrow 3 FAIL\n"));
  EXPECT_TRUE(passes({}, "anything"));
}

}  // namespace
}  // namespace warpmind::clients
