// Admission as the lab does it: the real compiler, sandbox and judge process.
#include "profilers/admission/task_admissions.h"

#include "profilers/lab/lab_parts.h"
#include "profilers/lab/scratch_root.h"
#include "tests/unit/judge/reference_build.h"

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

Task scaled_task(const std::string& factor) {
  Task task;
  task.name = "scaled";
  task.arguments = {{"x", ArgumentKind::in, Dtype::f32, {"n"}, "", {}, 0, 0},
                    {"y", ArgumentKind::out, Dtype::f32, {"n"}, "", {}, 0, 0}};
  task.workloads = {{"odd", {{"n", 1009}}, false}, {"large", {{"n", 1 << 20}}, true}};
  task.reference =
      "#include \"warpmind_reference.h\"\n"
      "void reference(const warpmind::ReferenceCall& call) {\n"
      "  for (int64_t i = 0; i < call.size(\"n\"); ++i) {\n"
      "    call.output(\"y\")[i] = " +
      factor + " * call.input(\"x\")[i];\n  }\n}\n";
  task.id = id_of(task);
  return task;
}

class TaskAdmissionsTest : public ::testing::Test {
 protected:
  TaskAdmissionsTest() {
    settings_.lab.judge = WARPMIND_BINARY_DIR "/warpmind-judge";
    settings_.toolchain.cache_directory = directory_.path() / "cache";
  }
  testing::TemporaryDirectory directory_;
  config::Settings settings_;
};

TEST_F(TaskAdmissionsTest, AdmitsAndRefusesInAProcessOfItsOwn) {
  const auto good = run_admission(settings_, scaled_task("3"), {});
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_TRUE(good->admitted) << good->refusal;
  EXPECT_EQ(good->workloads, std::vector<std::string>{"odd"});
  const auto copy = run_admission(settings_, scaled_task("1"), {});
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_FALSE(copy->admitted);
  EXPECT_NE(copy->refusal.find("control: input copy"), std::string::npos) << copy->refusal;
}

TEST_F(TaskAdmissionsTest, ARefusedTaskEndsBeforeAnythingIsBuiltForIt) {
  const auto sandbox = make_sandbox(settings_);
  ASSERT_TRUE(sandbox) << sandbox.error().message;
  const auto toolchain = KernelToolchain::create(settings_.toolchain, **sandbox);
  ASSERT_TRUE(toolchain) << toolchain.error().message;
  const auto scratch = ScratchRoot::create({});
  ASSERT_TRUE(scratch) << scratch.error().message;
  const AdmissionPlace place{**sandbox, *toolchain, settings_.lab.judge, scratch->path()};
  TaskAdmissions admissions;
  EXPECT_TRUE(admissions.require(place, scaled_task("2"), {}));
  const auto refused = admissions.require(place, scaled_task("1"), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::invalid_argument);
  EXPECT_NE(refused.error().message.find("task 'scaled' is degenerate: a kernel that only copies"),
            std::string::npos)
      << refused.error().message;
  // Known by now: no judge is asked again, or it would be missed here.
  const AdmissionPlace without_judge{**sandbox, *toolchain, "/nonexistent/judge", scratch->path()};
  EXPECT_TRUE(admissions.require(without_judge, scaled_task("2"), {}));
  EXPECT_FALSE(admissions.require(without_judge, scaled_task("4"), {}));
}

TEST_F(TaskAdmissionsTest, ATaskWithoutReferenceIsLeftToItsFirstJudging) {
  Task task = scaled_task("2");
  task.reference.clear();
  const auto report = run_admission(settings_, task, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->admitted);
  EXPECT_EQ(report->controls, 0);
}

}  // namespace
}  // namespace warpmind::profilers
