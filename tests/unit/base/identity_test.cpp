#include "base/model/task.h"

#include <gtest/gtest.h>

namespace warpmind {
namespace {

TEST(KernelIdentity, FollowsContent) {
  Kernel kernel;
  kernel.source = "__global__ void k() {}";
  const auto id = id_of(kernel);

  EXPECT_EQ(id, id_of(kernel));
  EXPECT_EQ(id.str().size(), 18U);
  Kernel flags = kernel;
  flags.build_flags = {"--use_fast_math"};
  EXPECT_NE(id, id_of(flags));
  Kernel plan = kernel;
  plan.plan.constants["TILE"] = 16;
  EXPECT_NE(id, id_of(plan));
}

TEST(TaskIdentity, IgnoresNameAndInitialKernelButNotTheContract) {
  Task task;
  task.name = "a";
  task.contract.ulp = 2;
  task.reference = "void reference(const warpmind::ReferenceCall&) {}";
  const auto id = id_of(task);

  Task renamed = task;
  renamed.name = "b";
  renamed.kernel.source = "x";
  renamed.directory = "/elsewhere";
  EXPECT_EQ(id, id_of(renamed));
  Task stricter = task;
  stricter.contract.ulp = 1;
  EXPECT_NE(id, id_of(stricter));
}

TEST(TaskIdentity, FollowsRecordedIntegersAndNotTheFiguresOfNumbers) {
  Task task;
  task.arguments = {{"x", ArgumentKind::in, Dtype::f32, {"4"}, "", {}},
                    {"to", ArgumentKind::in, Dtype::i32, {"4"}, "", {}}};
  const auto id = id_of(task);
  Task numbers = task;
  numbers.arguments[0].recorded = RecordedInput{};
  numbers.arguments[0].recorded->mean = 3;
  EXPECT_EQ(id, id_of(numbers)) << "another seed of the same program";
  Task integers = task;
  integers.arguments[1].recorded = RecordedInput{};
  integers.arguments[1].recorded->values = "0123456789abcdef";
  EXPECT_NE(id, id_of(integers)) << "other indices take another time";
}

}  // namespace
}  // namespace warpmind
