#include "profilers/judge/relation_desk.h"

#include "profilers/judge/elements.h"
#include "tests/unit/judge/reference_build.h"

#include <functional>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::HasSubstr;
using testing::read_bytes;
using testing::TemporaryDirectory;
using testing::write_bytes;

/// What a kernel makes of the matrix x: y, as large.
using KernelBody = std::function<std::vector<double>(const std::vector<double>& x)>;

constexpr std::int64_t kRows = 5;
constexpr std::int64_t kColumns = 7;

/// Without reference: the kernel's outputs are only held against each other.
Task matrix_task() {
  Task task;
  task.name = "matrix";
  task.arguments = {{"x", ArgumentKind::in, Dtype::f32, {"rows", "columns"}, "", {}, 0, 0},
                    {"y", ArgumentKind::out, Dtype::f32, {"rows", "columns"}, "", {}, 0, 0}};
  task.workloads = {{"tiny", {{"rows", kRows}, {"columns", kColumns}}, false}};
  task.contract.tolerance = ToleranceClass::reduction;
  return task;
}

std::vector<double> doubled(const std::vector<double>& x) {
  std::vector<double> y;
  for (const double value : x) y.push_back(2 * value);
  return y;
}

std::vector<double> affine(const std::vector<double>& x) {
  std::vector<double> y;
  for (const double value : x) y.push_back(2 * value + 0.01);
  return y;
}

/// The last row is that of the first.
std::vector<double> confused(const std::vector<double>& x) {
  std::vector<double> y = doubled(x);
  std::copy(y.begin(), y.begin() + kColumns, y.end() - kColumns);
  return y;
}

class RelationDeskTest : public ::testing::Test {
 protected:
  JudgeJob relate_job(RelationKind kind, std::int64_t degree = 1) const {
    JudgeJob job;
    job.command = JudgeCommand::relate;
    job.task = matrix_task();
    job.directory = job_.path().string();
    job.workloads = {"tiny"};
    job.seeds = 3;
    job.relation = {kind, {"x"}, degree};
    return job;
  }

  /// Prepares, runs `body` in place of a kernel, compares.
  JudgeReply judged(const JudgeJob& job, const KernelBody& body) {
    RelationDesk desk;
    const JudgeReply prepared = desk.handle(job);
    EXPECT_TRUE(prepared.ok) << prepared.error;
    cases_ = prepared.cases;
    for (const PreparedCase& one : prepared.cases) {
      const auto x = decode_elements(read_bytes(job_.path() / one.inputs.at("x")), Dtype::f32);
      write_bytes(job_.path() / one.outputs.at("y"), encode_elements(body(x), Dtype::f32));
    }
    JudgeJob compare;
    compare.command = JudgeCommand::compare_related;
    const JudgeReply reply = desk.handle(compare);
    EXPECT_TRUE(reply.ok) << reply.error;
    return reply;
  }

  TemporaryDirectory job_;
  std::vector<PreparedCase> cases_;
};

TEST_F(RelationDeskTest, ALinearKernelKeepsEveryRelation) {
  for (const auto& [kind, name] : EnumNames<RelationKind>::table) {
    const Correctness found = judged(relate_job(kind), doubled).correctness;
    EXPECT_TRUE(found.passed) << name << ": " << found.worst_case;
    EXPECT_EQ(found.cases, 3) << name;
    EXPECT_EQ(found.elements, 3 * kRows * kColumns) << name;
  }
}

TEST_F(RelationDeskTest, AnAffineBugShowsInScalingAndAdditivity) {
  const Correctness scaled = judged(relate_job(RelationKind::scaling), affine).correctness;
  EXPECT_FALSE(scaled.passed);
  EXPECT_THAT(scaled.worst_case, HasSubstr("scaling of x by "));
  EXPECT_THAT(scaled.worst_case, HasSubstr("of y is "));
  const Correctness added = judged(relate_job(RelationKind::additivity), affine).correctness;
  EXPECT_FALSE(added.passed);
  EXPECT_THAT(added.worst_case, HasSubstr("additivity in x on workload 'tiny'"));
  EXPECT_TRUE(judged(relate_job(RelationKind::permutation), affine).correctness.passed);
}

TEST_F(RelationDeskTest, MixedUpRowsShowInAPermutation) {
  EXPECT_TRUE(judged(relate_job(RelationKind::scaling), confused).correctness.passed);
  const Correctness found = judged(relate_job(RelationKind::permutation), confused).correctness;
  EXPECT_FALSE(found.passed);
  EXPECT_THAT(found.worst_case, HasSubstr("permutation of x"));
}

TEST_F(RelationDeskTest, TheDegreeCounts) {
  const auto squared = [](const std::vector<double>& x) {
    std::vector<double> y;
    for (const double value : x) y.push_back(value * value);
    return y;
  };
  EXPECT_FALSE(judged(relate_job(RelationKind::scaling, 1), squared).correctness.passed);
  EXPECT_TRUE(judged(relate_job(RelationKind::scaling, 2), squared).correctness.passed);
}

TEST_F(RelationDeskTest, RunsOnTheSameInputsMayDifferByAQuarterOfTheTolerance) {
  JudgeJob job = relate_job(RelationKind::scaling);
  job.repetition = true;
  job.seeds = 1;
  double error = 0;
  int run = 0;
  const KernelBody drifting = [&](const std::vector<double>& x) {
    std::vector<double> y = doubled(x);
    for (double& value : y) value *= 1 + error * run;
    ++run;
    return y;
  };
  EXPECT_TRUE(judged(job, drifting).correctness.passed);
  ASSERT_EQ(cases_.size(), 3U);
  EXPECT_EQ(read_bytes(job_.path() / cases_[0].inputs.at("x")),
            read_bytes(job_.path() / cases_[2].inputs.at("x")));
  // 1024 roundoffs of f32 are the tolerance where the given kernel is the reference.
  error = 0x1p-24 * 1024 / 16;
  run = 0;
  EXPECT_TRUE(judged(job, drifting).correctness.passed);
  error = 0x1p-24 * 1024 / 2;
  run = 0;
  EXPECT_FALSE(judged(job, drifting).correctness.passed);
}

TEST_F(RelationDeskTest, WhatCannotBeDoneIsSaid) {
  RelationDesk desk;
  JudgeJob compare;
  compare.command = JudgeCommand::compare_related;
  EXPECT_THAT(desk.handle(compare).error, HasSubstr("no related runs are waiting"));
  JudgeJob unknown = relate_job(RelationKind::scaling);
  unknown.relation.arguments = {"z"};
  EXPECT_THAT(desk.handle(unknown).error, HasSubstr("changes 'z', which is no input"));
  JudgeJob nowhere = relate_job(RelationKind::scaling);
  nowhere.workloads = {"huge"};
  EXPECT_THAT(desk.handle(nowhere).error, HasSubstr("no workload named huge"));
}

}  // namespace
}  // namespace warpmind::profilers
