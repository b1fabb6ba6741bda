#include "profilers/job/perturbed_run.h"

#include "profilers/job/runner_job.h"
#include "profilers/judge/elements.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::ElementsAre;

std::vector<double> perturbed(const std::vector<double>& values, Dtype dtype, bool keep_integers,
                              const std::vector<double>& before = {}) {
  const auto bytes_of = [dtype](const std::vector<double>& of) {
    const std::string text = encode_elements(of, dtype);
    std::vector<std::byte> bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
  };
  auto bytes = bytes_of(values);
  perturb(bytes, dtype, 7, keep_integers, bytes_of(before));
  return decode_elements({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, dtype);
}

TEST(Perturb, EveryNumberMovesByOneStepOfItsType) {
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::f64}) {
    const std::vector<double> values(100, 1.25);
    int up = 0;
    for (const double value : perturbed(values, dtype, false)) {
      EXPECT_EQ(std::fabs(value - 1.25), last_place(1.25, dtype));
      up += value > 1.25 ? 1 : 0;
    }
    EXPECT_GT(up, 20);
    EXPECT_LT(up, 80);
  }
}

TEST(Perturb, ZerosAndWhatIsNotFiniteStay) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto moved = perturbed({0, inf, -inf, std::nan(""), 65504}, Dtype::f16, false);
  EXPECT_EQ(moved[0], 0);
  EXPECT_EQ(moved[1], inf);
  EXPECT_EQ(moved[2], -inf);
  EXPECT_TRUE(std::isnan(moved[3]));
  EXPECT_TRUE(std::isfinite(moved[4]));
}

TEST(Perturb, ExactIntegersStayWhereTheyAreKept) {
  EXPECT_THAT(perturbed({1, -3, 2047}, Dtype::f16, true), ElementsAre(1, -3, 2047));
  EXPECT_NE(perturbed({2050}, Dtype::f16, true)[0], 2050);
  EXPECT_NE(perturbed({1.5}, Dtype::f16, true)[0], 1.5);
}

TEST(Perturb, WhatWasThereBeforeStays) {
  const auto moved = perturbed({1.5, 2.5}, Dtype::f32, false, {1.5, 2});
  EXPECT_EQ(moved[0], 1.5);
  EXPECT_NE(moved[1], 2.5);
}

TEST(PerturbedRuns, TellWhatIsHandedOn) {
  RunCase one;
  one.buffers = {{"x", 64, "in/x", "", 2, Dtype::f16}, {"y", 64, "", "out/y", 4, Dtype::f32}};
  one.candidate.scratch = {{"h", 64, false, Dtype::bf16}, {"count", 64, true, Dtype::i32}};
  const auto add_launch = [&one](const std::vector<std::string>& names) {
    LaunchCall& call = one.candidate.launches.emplace_back();
    for (const std::string& name : names) call.arguments.emplace_back().buffer = name;
  };
  add_launch({"x", "h", "count"});
  add_launch({"x", "h", "count", "y"});

  const auto handed = handed_on(one, 0);
  ASSERT_EQ(handed.size(), 1U);
  EXPECT_EQ(handed[0].name, "h");
  EXPECT_TRUE(handed_on(one, 1).empty());

  int between = 0;
  int inputs = 0;
  int arithmetic = 0;
  int strained = 0;
  for (const PerturbedRun& run : perturbed_runs(one, {{"bin/rounded"}, {"bin/strained"}})) {
    between += run.part == PerturbedPart::between && run.dtype == Dtype::bf16 ? 1 : 0;
    inputs += run.part == PerturbedPart::inputs && run.dtype == Dtype::f16 ? 1 : 0;
    arithmetic += run.part == PerturbedPart::arithmetic && run.binary == "bin/rounded" ? 1 : 0;
    strained += run.part == PerturbedPart::strained && run.binary == "bin/strained" ? 1 : 0;
  }
  EXPECT_EQ(between, 3);
  EXPECT_EQ(inputs, 3);
  EXPECT_EQ(arithmetic, 1);
  EXPECT_EQ(strained, 1);
}

}  // namespace
}  // namespace warpmind::profilers
