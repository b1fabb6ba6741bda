#include "profilers/judge/input_generator.h"

#include "profilers/judge/elements.h"
#include "profilers/judge/random_numbers.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

constexpr std::int64_t kCount = 200'000;  // several chunks
constexpr std::int64_t kRow = 1000;

Argument argument_of(Dtype dtype) {
  Argument argument;
  argument.name = "x";
  argument.dtype = dtype;
  return argument;
}

std::vector<double> draw(Dtype dtype, Distribution distribution, std::uint64_t seed) {
  return decode_elements(draw_input(argument_of(dtype), distribution, kCount, kRow, seed), dtype);
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

TEST(InputGenerator, EqualSeedsGiveEqualInputsAndOthersDiffer) {
  for (const auto& [distribution, name] : EnumNames<Distribution>::table) {
    if (distribution == Distribution::index_range) continue;
    EXPECT_EQ(draw(Dtype::f32, distribution, 1), draw(Dtype::f32, distribution, 1)) << name;
    std::set<std::vector<double>> seen;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      seen.insert(draw(Dtype::f32, distribution, seed));
    }
    // constant knows two phases only.
    EXPECT_EQ(seen.size(), distribution == Distribution::constant ? 2U : 8U) << name;
  }
}

TEST(InputGenerator, NormalHasZeroMeanAndAPowerOfTwoAsSpread) {
  std::set<double> spreads;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto values = draw(Dtype::f32, Distribution::normal, seed);
    const double spread = deviation(values);
    const double nearest = std::exp2(std::round(std::log2(spread)));
    spreads.insert(nearest);
    EXPECT_NEAR(spread / nearest, 1, 0.02);
    EXPECT_NEAR(mean(values) / spread, 0, 0.02);
  }
  EXPECT_EQ(spreads, (std::set<double>{0.5, 1, 2}));
}

TEST(InputGenerator, NormalNumbersFollowTheBell) {
  SplitMix random(9);
  const NormalQuantiles quantiles;
  std::vector<double> values(1'000'000);
  for (double& value : values) value = quantiles.draw(random);
  std::sort(values.begin(), values.end());
  for (const double p : {1e-4, 0.001, 0.0227501, 0.158655, 0.5, 0.841345, 0.977250, 0.9999}) {
    const double seen = values[static_cast<std::size_t>(p * 1e6)];
    EXPECT_NEAR(seen, normal_quantile(p), 0.12) << p;
  }
  EXPECT_NEAR(normal_quantile(0.841344746068543), 1, 1e-7);
  EXPECT_NEAR(normal_quantile(1e-4), -3.719016485455709, 1e-7);
  EXPECT_GT(values.back(), 4.2);  // the tails are not cut off
}

TEST(InputGenerator, EachDistributionIsWhatItsNameSays) {
  const auto uniform = draw(Dtype::f32, Distribution::uniform, 3);
  EXPECT_LE(*std::max_element(uniform.begin(), uniform.end()), 1);
  EXPECT_GE(*std::min_element(uniform.begin(), uniform.end()), -1);
  EXPECT_NEAR(deviation(uniform), 1 / std::sqrt(3.0), 0.01);

  const auto constant = draw(Dtype::f32, Distribution::constant, 3);
  for (std::size_t i = 1; i < constant.size(); ++i) ASSERT_EQ(constant[i], -constant[i - 1]);
  EXPECT_EQ(std::fabs(constant[0]), 1);

  const auto one_hot = draw(Dtype::f32, Distribution::one_hot, 3);
  for (std::int64_t row = 0; row < kCount / kRow; ++row) {
    const auto begin = one_hot.begin() + row * kRow;
    ASSERT_EQ(std::count(begin, begin + kRow, 1.0), 1) << row;
    ASSERT_EQ(std::count(begin, begin + kRow, 0.0), kRow - 1) << row;
  }

  EXPECT_NEAR(deviation(draw(Dtype::f32, Distribution::large, 3)), 1024, 20);
  EXPECT_NEAR(deviation(draw(Dtype::f16, Distribution::large, 3)), 64, 2);

  const auto exact = draw(Dtype::f16, Distribution::exact, 3);
  EXPECT_EQ(std::set<double>(exact.begin(), exact.end()),
            (std::set<double>{-4, -3, -2, -1, 0, 1, 2, 3, 4}));
}

TEST(InputGenerator, DenormalsAreDenormalInTheirOwnDtype) {
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::f64}) {
    const auto values = draw(dtype, Distribution::denormal, 5);
    const double step = smallest_denormal(dtype);
    std::set<double> steps;
    for (const double value : values) steps.insert(value / step);
    EXPECT_EQ(steps.size(), 17U) << name_of(dtype);
    EXPECT_EQ(*steps.begin(), -8) << name_of(dtype);
    EXPECT_EQ(*steps.rbegin(), 8) << name_of(dtype);
  }
}

TEST(InputGenerator, IndicesStayInTheirRange) {
  Argument argument = argument_of(Dtype::i32);
  argument.distributions = {Distribution::index_range};
  argument.low = 3;
  argument.high = 7;
  const auto values =
      decode_elements(draw_input(argument, Distribution::index_range, kCount, kRow, 1), Dtype::i32);
  EXPECT_EQ(std::set<double>(values.begin(), values.end()), (std::set<double>{3, 4, 5, 6, 7}));
}

TEST(InputGenerator, UnsignedIntegersAreNeverClampedFromBelow) {
  const auto values = draw(Dtype::u8, Distribution::large, 1);
  EXPECT_EQ(*std::min_element(values.begin(), values.end()), 0);
  EXPECT_EQ(*std::max_element(values.begin(), values.end()), 100);
  EXPECT_LT(std::count(values.begin(), values.end(), 0.0), kCount / 50);
}

TEST(InputGenerator, CasesTakeWhatAnyInputAllows) {
  Task task;
  Argument free = argument_of(Dtype::f32);
  Argument narrow = argument_of(Dtype::f32);
  narrow.distributions = {Distribution::uniform};
  Argument index = argument_of(Dtype::i32);
  index.distributions = {Distribution::index_range};
  Argument output = argument_of(Dtype::f32);
  output.kind = ArgumentKind::out;
  output.distributions = {Distribution::exact};
  task.arguments = {narrow, index, output};
  EXPECT_EQ(distributions_of(task), std::vector<Distribution>{Distribution::uniform});
  task.arguments.push_back(free);
  EXPECT_EQ(distributions_of(task).size(), 8U);
  EXPECT_EQ(distributions_of(task).front(), Distribution::normal);
  task.arguments = {index};
  EXPECT_EQ(distributions_of(task), std::vector<Distribution>{Distribution::index_range});

  EXPECT_EQ(distribution_for(free, Distribution::large, 0), Distribution::large);
  EXPECT_EQ(distribution_for(narrow, Distribution::large, 5), Distribution::uniform);
  EXPECT_EQ(distribution_for(index, Distribution::large, 5), Distribution::index_range);
}

}  // namespace
}  // namespace warpmind::profilers
