#include "profilers/judge/input_generator.h"

#include "profilers/judge/elements.h"
#include "profilers/judge/random_numbers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <gmock/gmock.h>
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

std::vector<double> draw_uneven(const Argument& argument, std::int64_t row, std::uint64_t seed) {
  const Distribution own = distribution_for(argument, Distribution::normal, 0);
  const InputDraw draw{own, InputTrait::uneven};
  return decode_elements(draw_input(argument, draw, kCount, row, seed), argument.dtype);
}

TEST(InputGenerator, UnevenRowsLieAroundMeansFarAwayLevelAndAtZero) {
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32}) {
    const auto values = draw_uneven(argument_of(dtype), kRow, 4);
    int level = 0;
    int zero = 0;
    int shifted = 0;
    int far = 0;
    int plain = 0;
    for (std::int64_t row = 0; row < kCount / kRow; ++row) {
      const std::vector<double> own(values.begin() + row * kRow, values.begin() + (row + 1) * kRow);
      const double spread = deviation(own);
      const double centre = std::fabs(mean(own));
      if (spread == 0) {
        ++(centre == 0 ? zero : level);
        EXPECT_LE(centre, 4);
      } else if (centre > 20) {
        ++far;
        EXPECT_GT(centre / spread, 3);
      } else {
        ++(centre > 0.9 ? shifted : plain);
      }
    }
    for (const int rows : {level, zero, shifted, far, plain}) EXPECT_GT(rows, 8) << name_of(dtype);
  }
}

TEST(InputGenerator, AVectorInPiecesIsNeverZeroAsAWhole) {
  const Argument vector = argument_of(Dtype::f32);
  for (std::uint64_t seed = 1; seed <= 64; ++seed) {
    const InputDraw draw{.trait = InputTrait::uneven, .in_pieces = true};
    const auto values =
        decode_elements(draw_input(vector, draw, kCount, kCount, seed), vector.dtype);
    EXPECT_LE(std::count(values.begin(), values.end(), 0.0), kCount / 4) << "seed " << seed;
  }
}

TEST(InputGenerator, UnevenRowsKeepToWhatTheAuthorAllows) {
  Argument narrow = argument_of(Dtype::f16);
  narrow.distributions = {Distribution::normal, Distribution::uniform};
  const auto values = draw_uneven(narrow, kRow, 4);
  EXPECT_LT(*std::max_element(values.begin(), values.end()), 16) << "no large";
  for (std::int64_t row = 0; row < kCount / kRow; ++row) {
    EXPECT_NE(values[row * kRow], values[row * kRow + 1]) << "no exact: no level rows";
    break;
  }
  EXPECT_EQ(std::count(values.begin(), values.end(), 0.0), 0);
}

TEST(InputGenerator, UnevenIndicesCrowdOnFewValuesOfTheirRange) {
  Argument index = argument_of(Dtype::i32);
  index.distributions = {Distribution::index_range};
  index.low = -3;
  index.high = 1000;
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    const auto values = draw_uneven(index, kRow, seed);
    EXPECT_GE(*std::min_element(values.begin(), values.end()), -3);
    EXPECT_LE(*std::max_element(values.begin(), values.end()), 1000);
    std::map<double, int> counts;
    for (const double value : values) ++counts[value];
    int most = 0;
    for (const auto& [value, count] : counts) most = std::max(most, count);
    EXPECT_GT(most, kCount / 5);
    EXPECT_GT(counts[-3], kCount / 7) << "only the least, and both ends";
    EXPECT_GT(counts[1000], kCount / 7);
    EXPECT_GT(counts.size(), 900U) << "and some rows are even";
  }
}

TEST(InputGenerator, WideIntegersFillTheirDtypeUnlessHalved) {
  const auto whole = draw(Dtype::i32, Distribution::wide, 1);
  EXPECT_GT(*std::max_element(whole.begin(), whole.end()), 2.1e9);
  EXPECT_LT(*std::min_element(whole.begin(), whole.end()), -2.1e9);
  const auto bytes = draw(Dtype::u8, Distribution::wide, 1);
  EXPECT_EQ(*std::max_element(bytes.begin(), bytes.end()), 255);
  InputDraw smaller{Distribution::wide};
  smaller.halvings = 16;
  const auto halved =
      decode_elements(draw_input(argument_of(Dtype::i32), smaller, kCount, kRow, 1), Dtype::i32);
  EXPECT_EQ(*std::max_element(halved.begin(), halved.end()), 32767);
}

TEST(InputGenerator, WideFloatsPassWhatHalfPrecisionAndSumsOfOnesCanHold) {
  const auto values = draw(Dtype::f32, Distribution::wide, 1);
  EXPECT_GT(*std::max_element(values.begin(), values.end()), 65504 * 8);
  double sum = 0;
  for (const double value : values) sum += std::fabs(value);
  EXPECT_GT(sum, 0x1p24);
}

TEST(InputGenerator, SpecialValuesAreFewAndStandInsTakeTheirPlaces) {
  const Argument argument = argument_of(Dtype::f32);
  InputDraw special{Distribution::normal, InputTrait::special};
  special.infinities = true;
  const std::string raw = draw_input(argument, Distribution::normal, 1000, 10, 1);
  const auto with = decode_elements(with_special_values(argument, special, raw, 7), Dtype::f32);
  const auto other =
      decode_elements(with_special_values(argument, special, raw, 7, 1.5), Dtype::f32);
  int found = 0;
  for (std::size_t i = 0; i < with.size(); ++i) {
    EXPECT_EQ(std::isfinite(with[i]), other[i] != 1.5);
    found += std::isfinite(with[i]) ? 0 : 1;
  }
  EXPECT_GT(found, 3);
  EXPECT_LE(found, 8);
}

TEST(InputGenerator, ProbesAreForTasksWithoutReference) {
  Task task;
  task.arguments = {argument_of(Dtype::f32), argument_of(Dtype::i32)};
  const auto probes = [&](bool wanted) {
    std::set<std::string> names;
    for (const InputDraw& draw : draws_of(task, wanted)) {
      if (draw.probe != Probe::none) names.insert(describe(draw));
    }
    return names;
  };
  EXPECT_THAT(probes(true),
              ::testing::UnorderedElementsAre("wide, whole ranges", "normal, uneven rows",
                                              "normal, near zero", "normal, some not finite"));
  EXPECT_TRUE(probes(false).empty());
  task.arguments[1].distributions = {Distribution::index_range};
  EXPECT_THAT(probes(true),
              ::testing::UnorderedElementsAre("normal, near zero", "normal, some not finite"))
      << "what indices gather is no row";
  task.arguments[0].distributions = {Distribution::normal};
  EXPECT_TRUE(probes(true).empty()) << "its author says what is drawn";
  task.arguments[0].distributions = {};
  task.reference = "r";
  EXPECT_TRUE(probes(true).empty());
}

TEST(InputGenerator, WholeRangesHaveAllMagnitudes) {
  InputDraw draw{Distribution::wide, InputTrait::whole_range};
  for (const auto& [dtype, most] : {std::pair(Dtype::i32, 0x1p31), std::pair(Dtype::u8, 256.0),
                                    std::pair(Dtype::i64, 0x1p31)}) {
    const auto values =
        decode_elements(draw_input(argument_of(dtype), draw, 10000, 10000, 3), dtype);
    const auto count = [&](double low) {
      return std::count_if(values.begin(), values.end(),
                           [&](double value) { return std::fabs(value) >= low; });
    };
    EXPECT_EQ(count(most), 0);
    EXPECT_GT(count(most / 4), 50);
    EXPECT_LT(count(4), 9500);
    EXPECT_EQ(std::any_of(values.begin(), values.end(), [](double v) { return v < 0; }),
              dtype != Dtype::u8);
  }
}

TEST(InputGenerator, InfinitiesComeAloneInTheirProbe) {
  InputDraw draw{Distribution::normal, InputTrait::special};
  draw.infinities = true;
  draw.probe = Probe::infinities;
  const std::string raw = draw_input(argument_of(Dtype::f32), Distribution::normal, 1000, 10, 1);
  const auto values =
      decode_elements(with_special_values(argument_of(Dtype::f32), draw, raw, 7), Dtype::f32);
  EXPECT_TRUE(std::any_of(values.begin(), values.end(), [](double v) { return std::isinf(v); }));
  EXPECT_FALSE(std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); }));
}

TEST(InputGenerator, TraitsAreForTasksThatTheyMakeSenseFor) {
  Task task;
  task.arguments = {argument_of(Dtype::f32)};
  task.reference = "r";
  task.contract.tolerance = ToleranceClass::elementwise;
  const auto has = [&](InputTrait trait) {
    const auto all = draws_of(task);
    return std::any_of(all.begin(), all.end(), [&](const auto& d) { return d.trait == trait; });
  };
  EXPECT_TRUE(has(InputTrait::uneven));
  EXPECT_TRUE(has(InputTrait::special));
  task.contract.tolerance = ToleranceClass::reduction;
  EXPECT_FALSE(has(InputTrait::special));
  task.contract.tolerance = ToleranceClass::elementwise;
  task.arguments[0].distributions = {Distribution::normal};
  EXPECT_FALSE(has(InputTrait::special)) << "its author says what is drawn";
}

}  // namespace
}  // namespace warpmind::profilers
