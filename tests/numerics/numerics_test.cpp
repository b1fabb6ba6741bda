// T-MUT, T-HON and T-CAL in the size that a test can pay; tests/bench/numerics_bench has all of it.
#include "tests/numerics/experiments.h"

#include <iostream>

#include <gtest/gtest.h>

namespace warpmind::numerics {
namespace {

class Numerics : public ::testing::TestWithParam<std::string> {};

TEST_P(Numerics, MutantsAreKilled) {
  const Family family(GetParam());
  const MutationRow row = run_mutants(family, 7);
  print(std::cout, std::vector{row});
  EXPECT_GE(row.mutants, 25);
  // Eight roundoffs of bf16 are 3 %: three mutants of rmsnorm stay below.
  EXPECT_GE(static_cast<double>(row.killed), 0.92 * static_cast<double>(row.mutants));
  EXPECT_EQ(row.beyond4x_killed, row.beyond4x);
}

TEST_P(Numerics, HonestKernelsPass) {
  constexpr std::int64_t kDraws = 2;
  const HonestRow row = run_honest(Family(GetParam()), kDraws);
  print(std::cout, std::vector{row});
  EXPECT_EQ(row.kernels, 10 * kDraws);
  EXPECT_EQ(row.rejected, 0);
}

INSTANTIATE_TEST_SUITE_P(Families, Numerics, ::testing::ValuesIn(family_names()),
                         [](const auto& named) { return named.param; });

class Calibration : public ::testing::TestWithParam<std::string> {};

TEST_P(Calibration, LeavesRoomOnBothSides) {
  const CalibrationRow row = calibrate(Family(GetParam(), true), 2);
  print(std::cout, std::vector{row});
  EXPECT_GE(row.cheat_ratio, 3);
  EXPECT_GE(row.honest_ratio, 3);
}

// Those with the least room on one side, and a bound that is known beforehand.
INSTANTIATE_TEST_SUITE_P(Families, Calibration,
                         ::testing::Values("row_sum", "rmsnorm_bf16", "dot", "spmv_ell"),
                         [](const auto& named) { return named.param; });

}  // namespace
}  // namespace warpmind::numerics
