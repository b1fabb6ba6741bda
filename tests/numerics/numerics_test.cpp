// T-MUT and T-HON in the size that a test can pay; tests/bench/numerics_bench has all of it.
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
  const HonestRow row = run_honest(Family(GetParam()), 1);
  print(std::cout, std::vector{row});
  EXPECT_EQ(row.kernels, 10);
  EXPECT_EQ(row.rejected, 0);
}

INSTANTIATE_TEST_SUITE_P(Families, Numerics, ::testing::ValuesIn(family_names()),
                         [](const auto& named) { return named.param; });

}  // namespace
}  // namespace warpmind::numerics
