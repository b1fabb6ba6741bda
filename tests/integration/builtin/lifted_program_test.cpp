/// From a program that nvcc built to a task: run with a launch record, lifted, run again as tier A.
#include "agents/builtin/lifting/recorded_task.h"
#include "base/file.h"
#include "profilers/judge/elements.h"
#include "tests/integration/builtin/rewrite_check.h"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class LiftedProgram : public RewriteTest {
 protected:
  void SetUp() override {
    RewriteTest::SetUp();
    if (std::string(WARPMIND_RECORDED_PROGRAM).empty()) {
      GTEST_SKIP() << "built with sanitizers, or without nvcc: no CUDA program to run";
    }
  }
};

TEST_F(LiftedProgram, ComputesWhatTheProgramDoes) {
  const auto scratch = ScratchDirectory::create(std::filesystem::temp_directory_path(), "lifted");
  ASSERT_TRUE(scratch.has_value());
  const auto file = scratch->path() / "record";
  const std::string command =
      "env LD_LIBRARY_PATH=" WARPMIND_CUDART_FOLDER " CUDASIM_TRACE=" + file.string() +
      " timeout 60 " WARPMIND_RECORDED_PROGRAM " > /dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto record = profilers::read_program_record(file);
  ASSERT_TRUE(record.has_value()) << record.error().message;
  const auto text = read_file(WARPMIND_PROGRAM_SOURCE, 1 << 20);
  ASSERT_TRUE(text.has_value());
  const auto source = syntax::CudaSource::read(*text);
  ASSERT_TRUE(source.has_value());

  const auto recorded = agents::builtin::recorded_task("recorded", *source, *record);
  ASSERT_TRUE(recorded.has_value()) << recorded.error().message;
  EXPECT_THAT(recorded->skipped, IsEmpty());
  const Task& task = recorded->task;
  ASSERT_THAT(task.kernel.plan.launches, SizeIs(2));
  ASSERT_THAT(task.kernel.plan.scratch, SizeIs(1));
  const auto ptx = builder().ptx(task.kernel);
  ASSERT_TRUE(ptx.has_value()) << ptx.error().message;
  const BufferContents contents = {
      {"x", profilers::encode_elements(std::vector<double>(300, 1.0), Dtype::f32)},
      {"sums", profilers::encode_elements(std::vector<double>(6, 0.0), Dtype::f32)}};
  const auto run = run_plan(*ptx, task, task.kernel.plan, task.workloads.at(0), contents);
  ASSERT_TRUE(run.has_value()) << run.error().message;
  EXPECT_EQ(run->describe_findings(), "");
  EXPECT_THAT(profilers::decode_elements(run->buffers.at("sums"), Dtype::f32), Each(25.0))
      << "what the program prints";
  expect_all_same(task, "restrict");
}

}  // namespace
}  // namespace warpmind::rewrites
