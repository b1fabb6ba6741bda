#include "config/task_validator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::config {
namespace {

using testing::HasSubstr;

Task copy_task() {
  Task task;
  task.name = "copy";
  task.operator_family = "elementwise";
  Argument x;
  x.name = "x";
  x.shape = {"n"};
  Argument y = x;
  y.name = "y";
  y.kind = ArgumentKind::out;
  task.arguments = {x, y};
  task.workloads = {{"tiny", {{"n", 4}}, true}};
  task.cost = {"8 * n", "0"};
  task.reference = "void reference(const warpmind::ReferenceCall&) {}";
  task.kernel.source = "extern \"C\" __global__ void copy(const float* x, float* y, int n) {}";
  Launch launch;
  launch.kernel = "copy";
  launch.arguments = {"x", "y", "i32:n"};
  task.kernel.plan.launches = {launch};
  return task;
}

TEST(TaskValidator, AcceptsATaskThatCameFromElsewhere) {
  const auto valid = validate_task(copy_task());

  EXPECT_TRUE(valid.has_value()) << valid.error().message;
}

TEST(TaskValidator, NamesTheTaskAndTheEntry) {
  auto task = copy_task();
  task.arguments[1].shape = {"m"};

  const auto valid = validate_task(task);

  ASSERT_FALSE(valid.has_value());
  EXPECT_EQ(valid.error().code, Errc::invalid_argument);
  EXPECT_EQ(valid.error().message,
            "task 'copy': argument[1].shape: workload 'tiny': expression 'm', column 1: unknown "
            "size 'm'; known: n");
}

TEST(TaskValidator, RelationsMustFitTheOutputs) {
  Task task = copy_task();
  task.relations = {{RelationKind::scaling, {"x"}, 1}, {RelationKind::permutation, {"x"}, 1}};
  EXPECT_TRUE(validate_task(task)) << validate_task(task).error().message;

  task.arguments[1].dtype = Dtype::i32;
  EXPECT_THAT(validate_task(task).error().message,
              HasSubstr("relation[0].kind: output 'y' is i32, and this relation needs floating"));
  task.relations[0].degree = 0;
  EXPECT_TRUE(validate_task(task)) << validate_task(task).error().message;

  task.arguments[1].shape = {"n / 2", "2"};
  EXPECT_THAT(validate_task(task).error().message,
              HasSubstr("relation[1].arguments: a permutation needs the same slowest extent"));
}

TEST(TaskValidator, TheIdDoesNotDependOnHowATaskIsJudged) {
  const Task task = copy_task();
  Task judged = task;
  judged.hidden = {{"n", 1, 9, 1}};
  judged.relations = {{RelationKind::scaling, {"x"}, 1}};
  EXPECT_EQ(id_of(task), id_of(judged));
  EXPECT_TRUE(shown_part(judged).hidden.empty());
  EXPECT_EQ(shown_part(judged).relations, judged.relations);
}

TEST(TaskValidator, HoldsACandidateToTheSameRules) {
  const auto task = copy_task();
  auto kernel = task.kernel;
  EXPECT_TRUE(validate_kernel(kernel, task).has_value());

  kernel.plan.launches[0].block = {"2048", "1", "1"};
  EXPECT_THAT(validate_kernel(kernel, task).error().message,
              HasSubstr("kernel.launch[0].block: workload 'tiny': launch of 'copy': block x"));
  kernel = task.kernel;
  kernel.plan.launches.clear();
  EXPECT_THAT(validate_kernel(kernel, task).error().message,
              HasSubstr("needs at least one launch"));
  kernel = task.kernel;
  kernel.plan.constants["copy"] = 1;
  EXPECT_THAT(validate_kernel(kernel, task).error().message,
              HasSubstr("constant name 'copy' is already taken"));
}

TEST(TaskValidator, BoundsEveryList) {
  auto task = copy_task();
  task.kernel.plan.launches.resize(65, task.kernel.plan.launches.front());
  EXPECT_THAT(validate_task(task).error().message, HasSubstr("65 launches, more than 64"));

  task = copy_task();
  task.workloads.resize(65, task.workloads.front());
  EXPECT_THAT(validate_task(task).error().message, HasSubstr("65 workloads, more than 64"));

  task = copy_task();
  task.workloads.clear();
  EXPECT_THAT(validate_task(task).error().message, HasSubstr("there is no workload"));
}

TEST(TaskValidator, CountsScratchIntoTheBytes) {
  auto task = copy_task();
  ScratchBuffer scratch;
  scratch.name = "s";
  scratch.elements = "n * 1073741824";
  task.kernel.plan.scratch = {scratch};

  EXPECT_THAT(validate_task(task).error().message,
              HasSubstr("workload[0].sizes: workload 'tiny' needs 17179869216 bytes"));
}

}  // namespace
}  // namespace warpmind::config
