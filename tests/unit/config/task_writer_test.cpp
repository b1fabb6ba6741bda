#include "config/task_writer.h"

#include "base/file.h"
#include "config/task_file.h"

#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::config {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char* kSource =
    "// \"quotes\", \\ and \xc3\xa9\n"
    "extern \"C\" __global__ void scale(const float* x, float* y, float* spare, int n,\n"
    "                                 float alpha) {}\n";

/// One workload without sizes, numbers where a person would write expressions, no reference: what
/// is made from the record of a program.
Task recorded() {
  Task task;
  task.name = "recorded";
  task.description = "Recorded from a run of the program.";
  task.operator_family = "other";
  task.arguments = {{"x", ArgumentKind::in, Dtype::f32, {"1024"}, "", {}},
                    {"y", ArgumentKind::out, Dtype::f32, {"1024"}, "", {}}};
  task.workloads = {{"recorded", {}, true}};
  task.contract.tolerance = ToleranceClass::reduction;
  task.cost = {"1024 * 4 + 1024 * 4", "1"};
  task.kernel.source = kSource;
  task.kernel.plan.scratch = {{"spare", Dtype::f64, "7", true}};
  Launch launch;
  launch.kernel = "scale";
  launch.grid = {"ceil_div(1024, block_x)", "1", "1"};
  launch.block = {"256", "2", "1"};
  launch.shared_bytes = "4096";
  launch.arguments = {"x", "y", "spare", "i32:1024", "f32:9.99999997475242708e-07"};
  task.kernel.plan.launches = {launch, launch};
  task.kernel.plan.launches[1].cooperative = true;
  return task;
}

Task with_everything() {
  Task task = recorded();
  task.name = "everything";
  task.description = "two lines,\n\ta tab, \"quotes\" and a \\";
  task.split = Split::heldout;
  task.workloads = {{"tiny", {{"columns", 3}, {"rows", 2}}, false},
                    {"big", {{"columns", 512}, {"rows", 4096}}, true}};
  task.arguments = {{"x",
                     ArgumentKind::in,
                     Dtype::f16,
                     {"rows", "columns"},
                     "",
                     {Distribution::normal, Distribution::exact}},
                    {"index",
                     ArgumentKind::in,
                     Dtype::i32,
                     {"rows"},
                     "",
                     {Distribution::index_range},
                     -1,
                     123456789},
                    {"y", ArgumentKind::inout, Dtype::bf16, {"rows*columns", "2"}, "", {}},
                    {"alpha", ArgumentKind::scalar, Dtype::f32, {}, "1e-5", {}}};
  task.hidden = {{"rows", 1, 9, 3}, {"columns", 2, 31, 1}};
  task.relations = {{RelationKind::scaling, {"x", "y"}, -2},
                    {RelationKind::additivity, {"x"}, 1},
                    {RelationKind::permutation, {"y"}, 1}};
  task.contract = {ToleranceClass::elementwise, Dtype::f64, 0.1, "", true, false};
  task.cost = {"rows * columns", "0"};
  task.reference = "void reference(const warpmind::ReferenceCall& call) {}\n";
  task.kernel.build_flags = {"-O2", "--maxrregcount=64"};
  task.kernel.plan.constants = {{"TILE", 4}, {"WIDE", -3}};
  task.kernel.plan.scratch = {{"spare", Dtype::f32, "rows * TILE", false}};
  Launch& first = task.kernel.plan.launches.front();
  first.grid = {"ceil_div(rows * columns, block_x)", "TILE", "1"};
  first.arguments = {"x", "y", "spare", "i32:rows*columns", "alpha"};
  task.kernel.plan.launches.resize(1);
  return task;
}

Task tier_b() {
  Task task = recorded();
  task.kernel.tier = Tier::b;
  task.kernel.entry = "run";
  task.kernel.source = "extern \"C\" int run(const float*, float*, void*) { return 0; }";
  task.kernel.plan = {};
  task.contract.tolerance = ToleranceClass::exact;
  return task;
}

Task contraction() {
  Task task = with_everything();
  task.contract = {ToleranceClass::contraction, Dtype::f16, 2, "columns * 2", false, true};
  return task;
}

/// With figures of a recorded run.
Task with_figures() {
  Task task = recorded();
  RecordedInput figures;
  figures.offset = 8;
  figures.reorder = false;
  figures.most = "7";
  figures.low = -0.5;
  figures.high = 1e30;
  figures.mean = 0.1;
  figures.deviation = 3;
  figures.zeros = 0.25;
  figures.denormals = 0.125;
  figures.not_finite = 1e-6;
  figures.sorted = true;
  figures.shares = {0.5, 0, 0.5};
  for (Argument& argument : task.arguments) {
    if (is_input(argument)) argument.recorded = figures;
  }
  return task;
}

class TaskWriterTest : public testing::Test {
 protected:
  ScratchDirectory scratch_ =
      *ScratchDirectory::create(fs::temp_directory_path(), "task_writer_test");
};

TEST_F(TaskWriterTest, WhatIsWrittenReadsBackTheSame) {
  int number = 0;
  for (const auto& make : {recorded, with_everything, tier_b, contraction, with_figures}) {
    Task task = make();
    const fs::path folder = scratch_.path() / "deep" / std::to_string(number++);
    const auto written = write_task(folder, task);
    ASSERT_TRUE(written) << written.error().message;
    const auto read = load_task(folder);
    ASSERT_TRUE(read) << read.error().message;
    task.id = id_of(task);
    task.directory = read->task.directory;
    EXPECT_EQ(read->task, task) << task_toml(read->task);
    EXPECT_EQ(task_toml(read->task), task_toml(task));
  }
}

TEST_F(TaskWriterTest, RefusesWhatCouldNotBeRead) {
  Task task = recorded();
  task.name = "001_relu";
  const auto written = write_task(scratch_.path() / "a", task);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::invalid_argument);
  EXPECT_THAT(written.error().message, HasSubstr("'001_relu'"));
  EXPECT_FALSE(fs::exists(scratch_.path() / "a"));
}

TEST_F(TaskWriterTest, NeverReplacesATask) {
  ASSERT_TRUE(write_task(scratch_.path(), recorded()));
  const auto again = write_task(scratch_.path(), with_everything());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Errc::conflict);
  EXPECT_EQ(load_task(scratch_.path())->task.name, "recorded");
}

TEST_F(TaskWriterTest, WithoutReferenceOnlyTheGivenKernelCanBeComparedWith) {
  Task task = recorded();
  task.contract.tolerance = ToleranceClass::elementwise;
  const auto written = write_task(scratch_.path() / "a", task);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("without [reference]"));
}

TEST_F(TaskWriterTest, TheGivenKernelIsPartOfTheQuestionWhereItIsTheReference) {
  Task one = recorded();
  Task other = one;
  other.kernel.source += "// another\n";
  EXPECT_NE(id_of(one), id_of(other));
  one.reference = other.reference = "void reference(const warpmind::ReferenceCall&) {}";
  EXPECT_EQ(id_of(one), id_of(other));
}

}  // namespace
}  // namespace warpmind::config
