#include "profilers/judge/elements.h"
#include "profilers/judge/judge_desk.h"
#include "profilers/judge/tolerance.h"
#include "tests/unit/judge/reference_build.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::read_bytes;
using testing::TemporaryDirectory;
using testing::write_bytes;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Contract reduction() {
  Contract contract;
  contract.tolerance = ToleranceClass::reduction;
  return contract;
}

OutputComparison compare(const std::vector<double>& given, const std::vector<double>& got,
                         const ToleranceRule& rule, Dtype dtype = Dtype::f32) {
  const std::string bytes = encode_elements(given, dtype);
  const std::vector<double> values = decode_elements(bytes, dtype);
  Expected expected{dtype, {static_cast<std::int64_t>(given.size())}, values, {}, bytes};
  return compare_output(expected, rule, encode_elements(got, dtype));
}

/// Of a probe, with what strained runs moved.
OutputComparison compare_probe(Probe probe, const std::vector<double>& given,
                               const std::vector<double>& got, const std::vector<double>& strained,
                               Dtype dtype = Dtype::f32) {
  ToleranceRule rule = given_rule(reduction(), false);
  rule.probe = probe;
  const std::string bytes = encode_elements(given, dtype);
  const std::vector<double> values = decode_elements(bytes, dtype);
  ElementSpread spread;
  spread.rounding.resize(given.size());
  spread.sums.resize(given.size());
  spread.strained = strained;
  Expected expected{dtype, {static_cast<std::int64_t>(given.size())}, values, {}, bytes};
  expected.spread = &spread;
  return compare_output(expected, rule, encode_elements(got, dtype));
}

TEST(GivenProbe, NumbersThatStrainedArithmeticMovesSayNothing) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  EXPECT_LE(compare_probe(Probe::numbers, {1, 2, kNan}, {1, 3, 4}, {0, 1, 0}).worst_ratio, 1);
  EXPECT_GT(compare_probe(Probe::numbers, {1, 2, 3}, {1, 3, 3}, {0, 1e-9, 0}).worst_ratio, 1);
  EXPECT_GT(compare_probe(Probe::numbers, {1, 2, 3}, {1, kNan, 3}, {0, 0, 0}).worst_ratio, 1);
  EXPECT_LE(compare_probe(Probe::numbers, {1, 2, 3}, {1, kNan, 3}, {0, kFar, 0}).worst_ratio, 1);
}

TEST(GivenProbe, IntegersThatWouldWrapSayNothing) {
  EXPECT_LE(compare_probe(Probe::numbers, {7, -9}, {7, 9}, {0, 1}, Dtype::i32).worst_ratio, 1);
  EXPECT_GT(compare_probe(Probe::numbers, {7, -9}, {8, -9}, {0, 1}, Dtype::i32).worst_ratio, 1);
}

TEST(GivenProbe, NanAndInfinityMustNotBecomeNumbers) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  EXPECT_GT(compare_probe(Probe::nan, {1, kNan}, {1, 0}, {0, 0}).worst_ratio, 1);
  EXPECT_LE(compare_probe(Probe::nan, {1, kNan}, {9, kNan}, {0, 0}).worst_ratio, 1);
  // A comparison saw it: the other way round it is lost.
  EXPECT_LE(compare_probe(Probe::nan, {1, kNan}, {1, 0}, {0, kFar}).worst_ratio, 1);
  EXPECT_GT(compare_probe(Probe::infinities, {1, -kFar}, {1, -1e38}, {0, 0}).worst_ratio, 1);
  EXPECT_LE(compare_probe(Probe::infinities, {kNan, -kFar}, {1, kNan}, {0, 0}).worst_ratio, 1);
  EXPECT_EQ(compare_probe(Probe::infinities, {kNan, -kFar}, {1, kNan}, {0, 0}).elements, 1);
}

TEST(GivenRule, SumsInAnotherOrderPassWrongOnesDoNot) {
  const ToleranceRule rule = given_rule(reduction(), false);
  const std::vector<double> given(200, 100.1);
  std::vector<double> got = given;
  got[7] += 100.1 * 500 * 0x1p-24;
  EXPECT_LE(compare(given, got, rule).worst_ratio, 1);
  got[7] += 100.1 * 1000 * 0x1p-24;
  const OutputComparison wrong = compare(given, got, rule);
  EXPECT_EQ(wrong.wrong, 1);
  EXPECT_THAT(wrong.worst, HasSubstr("[7]: got"));
}

TEST(GivenRule, AnErrorThatAllElementsShareIsNoRounding) {
  const ToleranceRule rule = given_rule(reduction(), false);
  const std::vector<double> given(256, 1);
  const std::vector<double> got(256, 1 + 900 * 0x1p-24);
  EXPECT_GT(compare(given, got, rule).worst_ratio, 1);
}

TEST(GivenRule, SixteenBitsMayDifferByTheirRounding) {
  const ToleranceRule rule = given_rule(reduction(), false);
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16}) {
    const double step = 2 * unit_roundoff(dtype);
    const std::vector<double> given{1, 1.5, 1, 1.25};
    EXPECT_LE(compare(given, {1 + step, 1.5, 1, 1.25}, rule, dtype).worst_ratio, 1);
    EXPECT_GT(compare(given, {1 + 8 * step, 1.5, 1, 1.25}, rule, dtype).worst_ratio, 1);
  }
}

TEST(GivenRule, AZeroAmongNumbersIsRoundedToo) {
  const ToleranceRule rule = given_rule(reduction(), false);
  std::vector<double> given(256, 0.5);
  given[9] = 0;
  std::vector<double> got = given;
  got[9] = 0x1p-20;
  EXPECT_LE(compare(given, got, rule, Dtype::f16).worst_ratio, 1);
}

TEST(GivenRule, IntegersFromIntegersMustBeEqual) {
  const ToleranceRule rule = given_rule(reduction(), true);
  EXPECT_LE(compare({100000, -3, 0}, {100000, -3, -0.0}, rule).worst_ratio, 1);
  EXPECT_GT(compare({100000, -3, 0}, {100000.0078125, -3, 0}, rule).worst_ratio, 1);
  // The kernel divides or exponentiates: its own bytes are rounded there.
  EXPECT_LE(compare({100000, -3.3, 0}, {100000.0078125, -3.3, 0}, rule).worst_ratio, 1);
  // Beyond 2^24 sums of f32 are not exact, below they are.
  EXPECT_LE(compare({0x1p25, 5, 0}, {0x1p25 + 4, 5, 0}, rule).worst_ratio, 1);
  EXPECT_GT(compare({0x1p25, 5, 0}, {0x1p25, 5.000001, 0}, rule).worst_ratio, 1);
}

TEST(GivenRule, IntegerOutputsMustBeEqual) {
  const ToleranceRule rule = given_rule(reduction(), false);
  EXPECT_LE(compare({7, -1, 12}, {7, -1, 12}, rule, Dtype::i32).worst_ratio, 1);
  EXPECT_GT(compare({7, -1, 12}, {7, -1, 13}, rule, Dtype::i32).worst_ratio, 1);
  EXPECT_GT(compare({100000000, 1}, {100000001, 1}, rule, Dtype::i64).worst_ratio, 1);
}

TEST(GivenRule, AnExactContractLeavesNothing) {
  Contract exact;
  exact.tolerance = ToleranceClass::exact;
  const ToleranceRule rule = given_rule(exact, false);
  EXPECT_LE(compare({1.5, kNan}, {1.5, kNan}, rule).worst_ratio, 1);
  EXPECT_GT(compare({1.5, kNan}, {1.5 + 0x1p-23, kNan}, rule).worst_ratio, 1);
}

TEST(GivenRule, NanAndInfinityStayWhereTheyAre) {
  const ToleranceRule rule = given_rule(reduction(), false);
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_LE(compare({kNan, inf, -inf, 1}, {kNan, inf, -inf, 1}, rule).worst_ratio, 1);
  EXPECT_GT(compare({kNan, inf, 1}, {1, inf, 1}, rule).worst_ratio, 1);
  EXPECT_GT(compare({kNan, inf, 1}, {kNan, inf, kNan}, rule).worst_ratio, 1);
  EXPECT_GT(compare({kNan, inf, 1}, {kNan, -inf, 1}, rule).worst_ratio, 1);
}

TEST(GivenRule, NextToOverflowEitherSideIsRight) {
  const ToleranceRule rule = given_rule(reduction(), false);
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_LE(compare({inf, 1}, {65504, 1}, rule, Dtype::f16).worst_ratio, 1);
  EXPECT_LE(compare({-65504, 1}, {-inf, 1}, rule, Dtype::f16).worst_ratio, 1);
  EXPECT_GT(compare({inf, 1}, {-65504, 1}, rule, Dtype::f16).worst_ratio, 1);
  EXPECT_GT(compare({inf, 1}, {60000, 1}, rule, Dtype::f16).worst_ratio, 1);
  EXPECT_GT(compare({60000, 1}, {inf, 1}, rule, Dtype::f16).worst_ratio, 1);
}

TEST(GivenRule, A16BitSumMayLoseWhatTheContractGivesAway) {
  Contract loose = reduction();
  const std::vector<double> given{1.1, 1};
  const std::vector<double> got{1.1 + 4 * 0x1p-11, 1};
  EXPECT_GT(compare(given, got, given_rule(loose, false)).worst_ratio, 1);
  loose.accumulate = Dtype::f16;
  EXPECT_LE(compare(given, got, given_rule(loose, false)).worst_ratio, 1);
}

std::string poison(std::size_t words, char low, char high) {
  std::string bytes;
  for (std::size_t i = 0; i < words; ++i) bytes += std::string{low, high};
  return bytes;
}

TEST(GivenRule, WhatIsLeftUnwrittenStaysSo) {
  const ToleranceRule rule = given_rule(reduction(), false);
  for (const Dtype dtype : {Dtype::f32, Dtype::i32, Dtype::f64}) {
    const std::size_t words = size_in_bytes(dtype) / 2;
    const std::string one = encode_elements({1}, dtype);
    const std::string given = one + poison(words, '\xF3', '\x7F');
    const std::vector<double> values = decode_elements(given, dtype);
    const Expected expected{dtype, {2}, values, {}, given};
    // Another session has another poison.
    EXPECT_LE(compare_output(expected, rule, one + poison(words, '\xF9', '\xFF')).worst_ratio, 1);
    const OutputComparison writes = compare_output(expected, rule, one + one);
    EXPECT_GT(writes.worst_ratio, 1);
    EXPECT_THAT(writes.worst, HasSubstr("[1]: got 1, where the given kernel writes nothing"));
    EXPECT_GT(compare_output(expected, rule, given.substr(words * 2) + given.substr(words * 2))
                  .worst_ratio,
              1);
  }
}

TEST(GivenRule, AnIntegerMinusOneIsNoPoison) {
  const std::string bytes = encode_elements({-1, 5}, Dtype::i32);
  EXPECT_FALSE(is_unwritten(bytes, Dtype::i32, 0));
  EXPECT_TRUE(is_unwritten(poison(2, '\xF4', '\xFF'), Dtype::i32, 0));
  EXPECT_TRUE(is_unwritten(poison(2, '\xF4', '\x7F'), Dtype::u8, 3));
  EXPECT_FALSE(is_unwritten(encode_elements({3, 127, 9}, Dtype::u8), Dtype::u8, 1));
}

/// y = 2 x + b; the runners are played by the test.
class GivenDeskTest : public ::testing::Test {
 protected:
  static Task task() {
    Task task;
    task.name = "line";
    task.arguments = {{"x", ArgumentKind::in, Dtype::f32, {"n"}, "", {}, 0, 0},
                      {"b", ArgumentKind::in, Dtype::f32, {"n"}, "", {}, 0, 0},
                      {"y", ArgumentKind::out, Dtype::f32, {"n"}, "", {}, 0, 0}};
    task.workloads = {{"only", {{"n", 300}}, true}};
    task.contract = reduction();
    return task;
  }
  std::vector<PreparedCase> prepare(std::int64_t seeds) {
    JudgeJob job;
    job.task = task();
    job.directory = candidate_.path().string();
    job.expected_directory = given_.path().string();
    job.workloads = {"only"};
    job.seeds = seeds;
    const JudgeReply reply = desk_.handle(job);
    EXPECT_TRUE(reply.ok) << reply.error;
    return reply.cases;
  }
  /// What a kernel that computes scale x + b leaves in `directory`, and the last element as it was.
  static void run(const std::filesystem::path& directory, const std::vector<PreparedCase>& cases,
                  float scale, char poison_byte) {
    for (const PreparedCase& one : cases) {
      const auto x = decode_elements(read_bytes(directory / one.inputs.at("x")), Dtype::f32);
      const auto b = decode_elements(read_bytes(directory / one.inputs.at("b")), Dtype::f32);
      std::vector<double> y(x.size() - 1);
      for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] = double{scale * static_cast<float>(x[i]) + static_cast<float>(b[i])};
      }
      write_bytes(directory / one.outputs.at("y"),
                  encode_elements(y, Dtype::f32) + poison(2, poison_byte, '\x7F'));
    }
  }
  JudgeReply compare(const std::vector<PreparedCase>& cases, bool itself,
                     std::vector<PerturbedRun> perturbed = {}) {
    JudgeJob job;
    job.command = JudgeCommand::compare;
    job.given_itself = itself;
    job.perturbed = std::move(perturbed);
    for (const PreparedCase& one : cases) job.cases.push_back(one.id);
    return desk_.handle(job);
  }

  /// A perturbed run of the given kernel: its output, with the first `moved` elements off by
  /// `distance`.
  PerturbedRun perturb_given(const std::vector<PreparedCase>& cases, std::size_t moved,
                             double distance) {
    const PerturbedRun run{".p0", PerturbedPart::arithmetic, Dtype::f32, 1};
    for (const PreparedCase& one : cases) {
      const auto file = given_.path() / one.outputs.at("y");
      write_bytes(file.string() + run.suffix, moved_output(file, moved, distance));
    }
    return run;
  }
  static std::string moved_output(const std::filesystem::path& file, std::size_t moved,
                                  double distance) {
    auto y = decode_elements(read_bytes(file), Dtype::f32);
    for (std::size_t i = 0; i < moved; ++i) y[i] += distance;
    return encode_elements(std::vector<double>(y.begin(), y.end() - 1), Dtype::f32) +
           poison(2, '\xF5', '\x7F');
  }
  /// The candidate's output is the given kernel's, with the first `moved` elements off by `off`.
  JudgeReply compare_moved(std::size_t perturbed, double distance, std::size_t moved, double off) {
    const auto cases = prepare(1);
    run(given_.path(), cases, 2, '\xF5');
    for (const PreparedCase& one : cases) {
      write_bytes(candidate_.path() / one.outputs.at("y"),
                  moved_output(given_.path() / one.outputs.at("y"), moved, off));
    }
    const JudgeReply first = compare(cases, false);
    EXPECT_EQ(first.doubtful.size(), 1U);
    EXPECT_EQ(first.correctness.cases, 0);
    return compare(cases, false, {perturb_given(cases, perturbed, distance)});
  }

  TemporaryDirectory candidate_;
  TemporaryDirectory given_;
  JudgeDesk desk_;
};

TEST_F(GivenDeskTest, BothRunnersGetTheSameInputs) {
  for (const PreparedCase& one : prepare(7)) {
    EXPECT_EQ(read_bytes(candidate_.path() / one.inputs.at("x")),
              read_bytes(given_.path() / one.inputs.at("x")));
    EXPECT_FALSE(one.inputs.contains("y"));
  }
}

TEST_F(GivenDeskTest, TheGivenKernelAgreesWithItself) {
  const auto cases = prepare(7);
  run(given_.path(), cases, 2, '\xF5');
  run(candidate_.path(), cases, 2, '\xF8');

  const JudgeReply reply = compare(cases, true);

  ASSERT_TRUE(reply.ok) << reply.error;
  EXPECT_TRUE(reply.correctness.passed) << reply.correctness.worst_case;
  EXPECT_EQ(reply.correctness.cases, 7);
  EXPECT_EQ(reply.correctness.elements, 7 * 300);
  EXPECT_EQ(reply.correctness.baseline_error, 0);
}

TEST_F(GivenDeskTest, AnotherFunctionIsWrong) {
  const auto cases = prepare(7);
  run(given_.path(), cases, 2, '\xF5');
  run(candidate_.path(), cases, 2.001F, '\xF8');

  const JudgeReply first = compare(cases, false);
  EXPECT_FALSE(first.doubtful.empty());
  std::vector<PreparedCase> doubtful;
  std::copy_if(cases.begin(), cases.end(), std::back_inserter(doubtful), [&](const auto& one) {
    return std::find(first.doubtful.begin(), first.doubtful.end(), one.id) != first.doubtful.end();
  });
  const JudgeReply reply = compare(doubtful, false, {perturb_given(doubtful, 0, 0)});

  ASSERT_TRUE(reply.ok) << reply.error;
  EXPECT_FALSE(reply.correctness.passed);
  EXPECT_THAT(reply.correctness.worst_case, AllOf(HasSubstr("only/"), HasSubstr("y[")));
  EXPECT_THAT(reply.worst_place, HasSubstr("output 'y', inputs of the distribution '"));
}

TEST_F(GivenDeskTest, AnElementMayBeOffByWhatRoundingMakesOfIt) {
  const JudgeReply right = compare_moved(4, 0.01, 4, 0.025);
  ASSERT_TRUE(right.ok) << right.error;
  EXPECT_TRUE(right.correctness.passed) << right.correctness.worst_case;

  const JudgeReply wrong = compare_moved(4, 0.01, 4, 0.05);
  EXPECT_FALSE(wrong.correctness.passed);
  EXPECT_THAT(wrong.correctness.worst_case,
              AllOf(HasSubstr("1024 roundoffs of f32 at"),
                    HasSubstr("0.03 for the spread of perturbed runs"), HasSubstr("4 of 300")));

  // Others have nothing of it.
  EXPECT_FALSE(compare_moved(4, 0.01, 5, 0.025).correctness.passed);
}

TEST_F(GivenDeskTest, ACaseThatRoundingDecidesSaysNothing) {
  const JudgeReply silent = compare_moved(60, 0.1, 60, 0.25);
  ASSERT_TRUE(silent.ok) << silent.error;
  EXPECT_EQ(silent.silent.size(), 1U);
  EXPECT_EQ(silent.correctness.cases, 0);

  const JudgeReply wrong = compare_moved(60, 0.1, 60, 0.5);
  EXPECT_TRUE(wrong.silent.empty());
  EXPECT_FALSE(wrong.correctness.passed);
}

TEST_F(GivenDeskTest, ItselfLeavesNoRoomForRounding) {
  const auto cases = prepare(1);
  run(given_.path(), cases, 2, '\xF5');
  run(candidate_.path(), cases, 2 + 0x1p-22F, '\xF8');
  EXPECT_FALSE(compare(cases, true).correctness.passed);
}

TEST_F(GivenDeskTest, AnOutputThatNeverChangesIsDegenerate) {
  const auto cases = prepare(7);
  for (const PreparedCase& one : cases) {
    for (const auto* directory : {&given_, &candidate_}) {
      write_bytes(directory->path() / one.outputs.at("y"),
                  encode_elements(std::vector<double>(300, 1), Dtype::f32));
    }
  }

  const JudgeReply reply = compare(cases, true);

  ASSERT_TRUE(reply.ok) << reply.error;
  EXPECT_FALSE(reply.correctness.passed);
  EXPECT_EQ(reply.correctness.worst_case,
            "output 'y' is the same for all 7 inputs that were drawn");
}

TEST_F(GivenDeskTest, OnATinyWorkloadAnOutputMayStayTheSameByChance) {
  JudgeJob job;
  job.task = task();
  job.task.workloads = {{"tiny", {{"n", 2}}, false}, {"only", {{"n", 300}}, true}};
  job.directory = candidate_.path().string();
  job.expected_directory = given_.path().string();
  job.workloads = {"tiny"};
  job.seeds = 5;
  const auto cases = desk_.handle(job).cases;
  for (const PreparedCase& one : cases) {
    for (const auto* directory : {&given_, &candidate_}) {
      write_bytes(directory->path() / one.outputs.at("y"), encode_elements({1, 0}, Dtype::f32));
    }
  }
  EXPECT_TRUE(compare(cases, true).correctness.passed);
}

TEST_F(GivenDeskTest, ATaskWithoutOutputsIsDegenerate) {
  JudgeJob job;
  job.task = task();
  job.task.arguments.pop_back();
  job.directory = candidate_.path().string();
  job.expected_directory = given_.path().string();
  job.workloads = {"only"};
  job.seeds = 1;

  const JudgeReply reply = compare(desk_.handle(job).cases, true);

  EXPECT_FALSE(reply.correctness.passed);
  EXPECT_EQ(reply.correctness.worst_case, "the task has no output");
}

TEST_F(GivenDeskTest, AnOutputThatIsNeverWrittenIsDegenerate) {
  const auto cases = prepare(2);
  for (const PreparedCase& one : cases) {
    for (const auto* directory : {&given_, &candidate_}) {
      write_bytes(directory->path() / one.outputs.at("y"), poison(600, '\xF2', '\xFF'));
    }
  }

  const JudgeReply reply = compare(cases, true);

  EXPECT_FALSE(reply.correctness.passed);
  EXPECT_EQ(reply.correctness.worst_case, "the kernel writes no element of output 'y'");
}

TEST_F(GivenDeskTest, WhatTheGivenKernelDidNotLeaveIsOurFailure) {
  const auto cases = prepare(1);
  run(candidate_.path(), cases, 2, '\xF8');

  const JudgeReply reply = compare(cases, false);

  EXPECT_FALSE(reply.ok);
  EXPECT_THAT(reply.error, HasSubstr("left no output file"));
}

TEST_F(GivenDeskTest, WithoutAPlaceForWhatIsExpectedNothingCanBeCompared) {
  JudgeJob job;
  job.task = task();
  job.directory = candidate_.path().string();
  job.workloads = {"only"};
  job.seeds = 1;
  const auto cases = desk_.handle(job).cases;
  run(candidate_.path(), cases, 2, '\xF8');

  const JudgeReply reply = compare(cases, false);

  EXPECT_FALSE(reply.ok);
  EXPECT_THAT(reply.error, HasSubstr("nothing to be compared with"));
}

}  // namespace
}  // namespace warpmind::profilers
