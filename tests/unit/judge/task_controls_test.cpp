// Task admission: every task that we ship is admitted, and degenerate ones are refused by name.
#include "config/task_file.h"
#include "profilers/judge/task_admission.h"
#include "tests/unit/judge/reference_build.h"

#include <algorithm>
#include <iostream>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

using testing::build_reference;
using testing::TemporaryDirectory;
namespace fs = std::filesystem;

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(WARPMIND_SOURCE_DIR "/tasks")) {
    if (fs::exists(entry.path() / "task.toml")) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<AdmissionReport> admit(const Task& task, std::uint64_t seed = 1) {
  const TemporaryDirectory directory;
  const auto library =
      ReferenceLibrary::load(build_reference(task.reference, directory.path()).string());
  if (!library) return fail(library.error());
  return check_admission(task, **library, admission_workloads(task), 10, seed);
}

class ShippedTasks : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedTasks, AreAdmitted) {
  const auto loaded = config::load_task(fs::path(WARPMIND_SOURCE_DIR "/tasks") / GetParam());
  ASSERT_TRUE(loaded) << loaded.error().message;
  const auto report = admit(loaded->task);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->admitted) << report->refusal;
  std::cout << GetParam() << ": " << report->controls << " controls on " << report->seeds
            << " inputs in " << report->seconds << " s; nearest " << report->closest << " at "
            << report->closest_ratio << " tolerances; varying " << report->varying << "\n";
  EXPECT_GT(report->closest_ratio, 2) << report->closest;
}

INSTANTIATE_TEST_SUITE_P(Tasks, ShippedTasks, ::testing::ValuesIn(task_names()),
                         [](const auto& named) { return named.param; });

/// y = f(x), n elements; `formula` gives y[i].
Task formula_task(const std::string& formula) {
  Task task;
  task.name = "suspect";
  task.arguments = {{"x", ArgumentKind::in, Dtype::f32, {"n"}, "", {}, 0, 0},
                    {"y", ArgumentKind::out, Dtype::f32, {"n"}, "", {}, 0, 0}};
  task.workloads = {{"tiny", {{"n", 7}}, false},
                    {"odd", {{"n", 1009}}, false},
                    {"large", {{"n", 1 << 20}}, true}};
  task.contract.tolerance = ToleranceClass::elementwise;
  task.reference =
      "#include \"warpmind_reference.h\"\n#include <cmath>\n"
      "void reference(const warpmind::ReferenceCall& call) {\n"
      "  const int64_t n = call.size(\"n\");\n  const double* x = call.input(\"x\");\n"
      "  double* y = call.output(\"y\");\n  (void)x;\n"
      "  for (int64_t i = 0; i < n; ++i) { y[i] = " +
      formula + "; }\n}\n";
  return task;
}

void expect_refused(const Task& task, const std::string& control) {
  const auto report = admit(task);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->admitted);
  EXPECT_NE(report->refusal.find("task 'suspect' is degenerate"), std::string::npos);
  EXPECT_NE(report->refusal.find(control), std::string::npos) << report->refusal;
  EXPECT_EQ(report->refusal.find('\n'), std::string::npos);
}

TEST(TaskAdmission, AnHonestTaskIsAdmitted) {
  const auto report = admit(formula_task("std::sin(x[i]) + 2"));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->admitted) << report->refusal;
  EXPECT_EQ(report->workloads, (std::vector<std::string>{"tiny", "odd"}));
  EXPECT_EQ(report->seeds, 10);
  EXPECT_EQ(report->controls, 60);  // six controls, one of them with one input
}

TEST(TaskAdmission, AConstantReferenceIsRefused) {
  expect_refused(formula_task("3"), "control: mean");
  expect_refused(formula_task("0 * x[i]"), "control: zeros");
}

TEST(TaskAdmission, ACopyIsRefused) {
  expect_refused(formula_task("x[i]"), "control: input copy");
  Task loose = formula_task("x[i] * (1 + 1e-4 * std::sin(x[i]))");
  loose.arguments[1].dtype = Dtype::bf16;
  loose.contract.ulp = 4;
  expect_refused(loose, "copies input 'x' to 'y'");
}

TEST(TaskAdmission, ATaskThatAnUntouchedBufferSolvesIsRefused) {
  Task in_place = formula_task("x[i]");
  in_place.arguments = {{"x", ArgumentKind::inout, Dtype::f32, {"n"}, "", {}, 0, 0}};
  in_place.reference =
      "#include \"warpmind_reference.h\"\n"
      "void reference(const warpmind::ReferenceCall& call) {\n"
      "  for (int64_t i = 0; i < call.size(\"n\"); ++i) call.output(\"x\")[i] = "
      "call.input(\"x\")[i] * 1.0;\n}\n";
  expect_refused(in_place, "control: input copy");
}

TEST(TaskAdmission, AToleranceThatSwallowsTheOutputIsRefused) {
  // As the softmax whose rows sum to one over many columns, held to a tenth of one.
  Task task = formula_task("1 / (1000.0 + x[i])");
  task.contract.tolerance = ToleranceClass::reduction;
  task.arguments[1].dtype = Dtype::bf16;
  expect_refused(task, "control: mean");
}

TEST(TaskAdmission, AnOutputThatHardlyDependsOnTheInputsIsRefused) {
  // No constant is within two units, but the input moves it by a few of them only.
  expect_refused(formula_task("(i % 7 + 1) * (1 + 1e-6 * x[i])"), "hardly depends on the inputs");
}

TEST(TaskAdmission, AnOutputThatIsMostlyTheSameIsRefused) {
  expect_refused(formula_task("i % 3 == 0 ? x[i] * x[i] : i"), "are the same for all 10 inputs");
  Task integers = formula_task("i + (i % 5 == 0 ? std::floor(3 * x[i]) : 0)");
  integers.arguments[1].dtype = Dtype::i32;
  integers.contract.tolerance = ToleranceClass::exact;
  expect_refused(integers, "half must");
}

TEST(TaskAdmission, OneDegenerateOutputOfTwoIsEnough) {
  Task task = formula_task("x[i] + 1; call.output(\"z\")[i] = i % 2");
  task.arguments.push_back({"z", ArgumentKind::out, Dtype::f32, {"n"}, "", {}, 0, 0});
  expect_refused(task, "'z'");
}

TEST(TaskAdmission, TheSameSeedGivesTheSameAnswer) {
  const Task task = formula_task("std::exp(x[i])");
  auto first = admit(task, 9);
  auto second = admit(task, 9);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->closest_ratio, second->closest_ratio);
  EXPECT_EQ(first->varying, second->varying);
}

TEST(TaskAdmission, AReferenceThatFailsIsAnError) {
  const auto report = admit(formula_task("(call.size(\"m\"), 0)"));
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message.find("a size that the workload lacks: m"), std::string::npos);
}

}  // namespace
}  // namespace warpmind::profilers
