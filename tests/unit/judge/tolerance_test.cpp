#include "profilers/judge/tolerance.h"

#include "profilers/judge/elements.h"
#include "profilers/judge/input_generator.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> draw(Dtype dtype, Distribution distribution, std::int64_t count,
                         std::uint64_t seed) {
  Argument argument;
  argument.dtype = dtype;
  return decode_elements(draw_input(argument, distribution, count, 64, seed), dtype);
}

OutputComparison compare(const std::vector<double>& reference, const std::vector<double>& got,
                         const ToleranceRule& rule, Dtype dtype,
                         const std::vector<double>& magnitude = {}) {
  Expected expected;
  expected.dtype = dtype;
  expected.extents = {static_cast<std::int64_t>(reference.size())};
  expected.reference = reference;
  expected.magnitude = magnitude;
  return compare_output(expected, rule, encode_elements(got, dtype));
}

ToleranceRule rule_of(ToleranceClass kind, double baseline_error = 0) {
  Contract contract;
  contract.tolerance = kind;
  contract.reduction_length = "k";
  const auto rule = tolerance_rule(contract, {{"k", 512}}, baseline_error);
  return *rule;
}

/// What a wrong kernel could leave instead of `right`.
using Mutation = std::function<void(std::vector<double>&)>;
struct Mutant {
  std::string name;
  Mutation apply;
};

std::vector<Mutant> output_mutants(std::size_t columns) {
  return {{"one element", [](auto& v) { v[v.size() / 2] += 0.1; }},
          {"last tile dropped", [](auto& v) { std::fill(v.end() - 64, v.end(), 0.0); }},
          {"stale zeros", [](auto& v) { std::fill(v.begin(), v.end(), 0.0); }},
          {"a NaN", [](auto& v) { v[3] = kNan; }},
          {"an infinity", [](auto& v) { v[3] = kInfinity; }},
          {"first element of the next row",
           [](auto& v) { std::rotate(v.begin(), v.begin() + 1, v.end()); }},
          {"transposed",
           [columns](auto& v) {
             const auto old = v;
             const std::size_t rows = old.size() / columns;
             for (std::size_t i = 0; i < old.size(); ++i) {
               v[i] = old[i % rows * columns + i / rows];
             }
           }},
          {"1 % too large", [](auto& v) {
             for (double& value : v) value *= 1.01;
           }}};
}

TEST(Tolerance, ExactTakesTheRoundedReferenceAndNothingElse) {
  const auto reference = draw(Dtype::f32, Distribution::normal, 1000, 1);
  const auto rule = rule_of(ToleranceClass::exact);
  EXPECT_EQ(compare(reference, reference, rule, Dtype::f32).worst_ratio, 0);
  for (const Mutant& mutant : output_mutants(40)) {
    auto got = reference;
    mutant.apply(got);
    EXPECT_GT(compare(reference, got, rule, Dtype::f32).worst_ratio, 1) << mutant.name;
  }
  auto one_ulp = reference;
  one_ulp[7] = double{std::nextafterf(static_cast<float>(one_ulp[7]), 10.0F)};
  EXPECT_GT(compare(reference, one_ulp, rule, Dtype::f32).worst_ratio, 1);
  EXPECT_EQ(compare({0.0}, {-0.0}, rule, Dtype::f32).worst_ratio, 0);
  EXPECT_EQ(compare({3}, {3}, rule, Dtype::i32).worst_ratio, 0);
  EXPECT_GT(compare({3}, {4}, rule, Dtype::i32).worst_ratio, 1);
}

TEST(Tolerance, ElementwiseTakesHonestF32AndRefusesHalfPrecision) {
  const auto x = draw(Dtype::f32, Distribution::normal, 4096, 2);
  const auto rule = rule_of(ToleranceClass::elementwise);
  std::vector<double> reference;
  std::vector<double> honest;
  std::vector<double> downcast;
  for (const double value : x) {
    reference.push_back(std::exp(value) * 3);
    honest.push_back(double{std::exp(static_cast<float>(value)) * 3.0F});
    downcast.push_back(round_to(reference.back(), Dtype::f16));
  }
  EXPECT_LE(compare(reference, honest, rule, Dtype::f32).worst_ratio, 1);
  EXPECT_GT(compare(reference, downcast, rule, Dtype::f32).worst_ratio, 100);
  for (const Mutant& mutant : output_mutants(64)) {
    auto got = honest;
    mutant.apply(got);
    EXPECT_GT(compare(reference, got, rule, Dtype::f32).worst_ratio, 1) << mutant.name;
  }
}

TEST(Tolerance, ElementwiseKeepsDenormals) {
  const auto rule = rule_of(ToleranceClass::elementwise);
  const std::vector<double> reference{8 * 0x1p-149};
  EXPECT_EQ(compare(reference, reference, rule, Dtype::f32).worst_ratio, 0);
  EXPECT_GT(compare(reference, {0}, rule, Dtype::f32).worst_ratio, 1) << "flushed to zero";
}

struct Product {
  static constexpr std::size_t kM = 24;
  static constexpr std::size_t kN = 32;
  static constexpr std::size_t kK = 512;
  std::vector<double> a, b;
  std::vector<double> reference, magnitude;

  Product(Dtype dtype, Distribution distribution, std::uint64_t seed)
      : a(draw(dtype, distribution, kM * kK, seed)),
        b(draw(dtype, distribution, kK * kN, seed + 1)) {
    reference = multiply(a, b, kK);
    auto absolute = [](std::vector<double> v) {
      for (double& value : v) value = std::fabs(value);
      return v;
    };
    magnitude = multiply(absolute(a), absolute(b), kK);
  }

  static std::vector<double> multiply(const std::vector<double>& a, const std::vector<double>& b,
                                      std::size_t length) {
    std::vector<double> c(kM * kN);
    for (std::size_t i = 0; i < c.size(); ++i) {
      for (std::size_t k = 0; k < length; ++k) {
        c[i] += a[i / kN * kK + k] * b[k * kN + i % kN];
      }
    }
    return c;
  }

  /// f32 sums over `split` strands, as different kernels would order them.
  [[nodiscard]] std::vector<double> in_f32(std::size_t split, bool fused) const {
    std::vector<double> c(kM * kN);
    for (std::size_t i = 0; i < c.size(); ++i) {
      std::vector<float> strands(split, 0.0F);
      for (std::size_t k = 0; k < kK; ++k) {
        const auto x = static_cast<float>(a[i / kN * kK + k]);
        const auto y = static_cast<float>(b[k * kN + i % kN]);
        float& sum = strands[k % split];
        sum = fused ? std::fma(x, y, sum) : sum + x * y;
      }
      float total = 0;
      for (const float sum : strands) total += sum;
      c[i] = double{total};
    }
    return c;
  }

  [[nodiscard]] std::vector<double> with_inputs_as(Dtype dtype) const {
    auto rounded = [dtype](std::vector<double> v) {
      for (double& value : v) value = round_to(value, dtype);
      return v;
    };
    return multiply(rounded(a), rounded(b), kK);
  }
};

TEST(Tolerance, ContractionTakesEveryHonestOrderOfSummation) {
  const auto rule = rule_of(ToleranceClass::contraction);
  for (const Distribution distribution :
       {Distribution::normal, Distribution::uniform, Distribution::constant, Distribution::one_hot,
        Distribution::large, Distribution::denormal, Distribution::exact}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Product product(Dtype::f32, distribution, seed);
      for (const std::size_t split : {1U, 2U, 8U, 32U}) {
        for (const bool fused : {false, true}) {
          const auto found = compare(product.reference, product.in_f32(split, fused), rule,
                                     Dtype::f32, product.magnitude);
          EXPECT_LE(found.worst_ratio, 0.5)  // a margin of two at least
              << name_of(distribution) << " split " << split << found.worst;
        }
      }
    }
  }
}

TEST(Tolerance, ContractionRefusesCheaperArithmeticAndMissingTerms) {
  const auto rule = rule_of(ToleranceClass::contraction);
  for (const Distribution distribution : {Distribution::normal, Distribution::uniform}) {
    const Product product(Dtype::f32, distribution, 11);
    auto ratio = [&](const std::vector<double>& got) {
      return compare(product.reference, got, rule, Dtype::f32, product.magnitude).worst_ratio;
    };
    EXPECT_GT(ratio(product.with_inputs_as(Dtype::f16)), 3);
    EXPECT_GT(ratio(product.with_inputs_as(Dtype::bf16)), 3);
    EXPECT_GT(ratio(Product::multiply(product.a, product.b, Product::kK - 1)), 3);
    EXPECT_GT(ratio(Product::multiply(product.b, product.a, Product::kK / 2)), 3);
    for (const Mutant& mutant : output_mutants(Product::kN)) {
      auto got = product.reference;
      mutant.apply(got);
      EXPECT_GT(ratio(got), 1) << mutant.name;
    }
  }
}

TEST(Tolerance, Tf32IsTakenWhereTheContractSaysSo) {
  Contract contract;
  contract.tolerance = ToleranceClass::contraction;
  contract.reduction_length = "k";
  contract.tf32_allowed = true;
  const auto rule = tolerance_rule(contract, {{"k", 512}}, 0);
  ASSERT_TRUE(rule);
  const Product product(Dtype::f32, Distribution::normal, 3);
  EXPECT_LE(compare(product.reference, product.with_inputs_as(Dtype::f16), *rule, Dtype::f32,
                    product.magnitude)
                .worst_ratio,
            1);
  EXPECT_GT(compare(product.reference, std::vector<double>(product.reference.size(), 0), *rule,
                    Dtype::f32, product.magnitude)
                .worst_ratio,
            1);
}

TEST(Tolerance, AHalfPrecisionOutputCostsOneRounding) {
  const auto rule = rule_of(ToleranceClass::contraction);
  for (const Distribution distribution : {Distribution::normal, Distribution::exact}) {
    const Product product(Dtype::f16, distribution, 5);
    EXPECT_LE(
        compare(product.reference, product.in_f32(4, true), rule, Dtype::f16, product.magnitude)
            .worst_ratio,
        1);
    auto one_step_off = product.reference;
    for (double& value : one_step_off) value *= 1 + 0x1p-9;
    EXPECT_GT(
        compare(product.reference, one_step_off, rule, Dtype::f16, product.magnitude).worst_ratio,
        1);
  }
}

struct Norm {
  static constexpr std::size_t kRows = 16;
  static constexpr std::size_t kColumns = 257;

  template <class T>
  static std::vector<double> compute(const std::vector<double>& x, T epsilon, bool biased = true) {
    std::vector<double> y(x.size());
    for (std::size_t row = 0; row < kRows; ++row) {
      const double* in = x.data() + row * kColumns;
      T sum = 0;
      for (std::size_t i = 0; i < kColumns; ++i) sum += static_cast<T>(in[i]);
      const T mean = sum / static_cast<T>(kColumns);
      T squares = 0;
      for (std::size_t i = 0; i < kColumns; ++i) {
        const T d = static_cast<T>(in[i]) - mean;
        squares += d * d;
      }
      const T count = static_cast<T>(biased ? kColumns : kColumns - 1);
      const T scale = T{1} / std::sqrt(squares / count + epsilon);
      for (std::size_t i = 0; i < kColumns; ++i) {
        y[row * kColumns + i] = static_cast<double>((static_cast<T>(in[i]) - mean) * scale);
      }
    }
    return y;
  }
};

TEST(Tolerance, ReductionTakesHonestNormsAndRefusesWrongOnes) {
  for (const Dtype dtype : {Dtype::f16, Dtype::f32}) {
    for (const Distribution distribution :
         {Distribution::normal, Distribution::uniform, Distribution::one_hot, Distribution::large,
          Distribution::exact, Distribution::denormal}) {
      const auto x = draw(dtype, distribution, Norm::kRows * Norm::kColumns, 21);
      const auto reference = Norm::compute<double>(x, 1e-5);
      const auto honest = Norm::compute<float>(x, 1e-5F);
      const auto as_baseline =
          compare(reference, honest, rule_of(ToleranceClass::reduction), dtype);
      EXPECT_LE(as_baseline.worst_ratio, 1) << name_of(distribution) << as_baseline.worst;
      const auto strict = rule_of(ToleranceClass::reduction, as_baseline.baseline_error);
      const auto found = compare(reference, honest, strict, dtype);
      EXPECT_LE(found.worst_ratio, 1) << name_of(distribution) << found.worst;
      if (distribution == Distribution::denormal) continue;
      for (const Mutant& mutant : output_mutants(Norm::kColumns)) {
        auto got = honest;
        mutant.apply(got);
        EXPECT_GT(compare(reference, got, strict, dtype).worst_ratio, 1)
            << mutant.name << " " << name_of(distribution);
      }
    }
  }
}

TEST(Tolerance, ReductionAllowsEightTimesWhatTheBaselineLosesBeyondRounding) {
  const double u = std::ldexp(1.0, -24);
  const std::vector<double> reference(8, 1.0);
  const auto off_by = [&](double roundoffs, double baseline) {
    std::vector<double> got = reference;
    got[3] += roundoffs * u;
    return compare(reference, got, rule_of(ToleranceClass::reduction, baseline * u), Dtype::f32)
        .worst_ratio;
  };
  // One roundoff is the rounding of the output: such a baseline allows the least, eight.
  EXPECT_LE(off_by(8, 1), 1);
  EXPECT_GT(off_by(10, 1), 1);
  EXPECT_LE(off_by(80, 11), 1);  // 1 + 8 x 10
  EXPECT_GT(off_by(84, 11), 1);
  // No candidate gets more than the task's own kernel did.
  EXPECT_LE(off_by(1024, 1000), 1);
  EXPECT_GT(off_by(1028, 1000), 1);
}

TEST(Tolerance, AWrongEpsilonAndAWrongCountShow) {
  const auto x = draw(Dtype::f32, Distribution::uniform, Norm::kRows * Norm::kColumns, 22);
  const auto reference = Norm::compute<double>(x, 1e-5);
  const auto baseline = compare(reference, Norm::compute<float>(x, 1e-5F),
                                rule_of(ToleranceClass::reduction), Dtype::f32);
  const auto strict = rule_of(ToleranceClass::reduction, baseline.baseline_error);
  EXPECT_GT(compare(reference, Norm::compute<float>(x, 1e-4F), strict, Dtype::f32).worst_ratio, 1);
  EXPECT_GT(
      compare(reference, Norm::compute<float>(x, 1e-5F, false), strict, Dtype::f32).worst_ratio, 1);
}

TEST(Tolerance, ALongSequentialSumIsAGoodBaselineAndAShortOneIsNot) {
  const std::size_t rows = 8192;
  const std::size_t columns = 64;
  const auto x =
      draw(Dtype::f32, Distribution::normal, static_cast<std::int64_t>(rows * columns), 23);
  std::vector<double> reference(columns);
  std::vector<double> sequential(columns);
  std::vector<double> short_of_one(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    float sum = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      reference[c] += x[r * columns + c];
      sum += static_cast<float>(x[r * columns + c]);
      if (r + 2 == rows) short_of_one[c] = double{sum};
    }
    sequential[c] = double{sum};
  }
  const auto rule = rule_of(ToleranceClass::reduction);
  EXPECT_LE(compare(reference, sequential, rule, Dtype::f32).worst_ratio, 0.5);
  EXPECT_GT(compare(reference, short_of_one, rule, Dtype::f32).worst_ratio, 2);
}

TEST(Tolerance, NanAndInfinityMustBeWhereTheReferenceHasThem) {
  for (const ToleranceClass kind : {ToleranceClass::exact, ToleranceClass::elementwise,
                                    ToleranceClass::contraction, ToleranceClass::reduction}) {
    const auto rule = rule_of(kind);
    auto ratio = [&](double want, double got) {
      return compare({want}, {got}, rule, Dtype::f32, {std::isnan(want) ? 1 : std::fabs(want)})
          .worst_ratio;
    };
    EXPECT_EQ(ratio(kNan, kNan), 0) << name_of(kind);
    EXPECT_EQ(ratio(kInfinity, kInfinity), 0) << name_of(kind);
    EXPECT_GT(ratio(kInfinity, -kInfinity), 1) << name_of(kind);
    EXPECT_GT(ratio(kNan, 1), 1) << name_of(kind);
    EXPECT_GT(ratio(1, kNan), 1) << name_of(kind);
    EXPECT_GT(ratio(1, kInfinity), 1) << name_of(kind);
    EXPECT_GT(ratio(kInfinity, 1e38), 1) << name_of(kind);
  }
}

TEST(Tolerance, NextToOverflowEitherSideIsRight) {
  const auto rule = rule_of(ToleranceClass::contraction);
  auto ratio = [&](double want, double got) {
    return compare({want}, {got}, rule, Dtype::f16, {std::fabs(want)}).worst_ratio;
  };
  EXPECT_LE(ratio(65519, kInfinity), 1);
  EXPECT_LE(ratio(65521, 65504), 1);
  EXPECT_LE(ratio(-65519, -kInfinity), 1);
  EXPECT_GT(ratio(65519, -kInfinity), 1);
  EXPECT_GT(ratio(60000, kInfinity), 1);
  EXPECT_GT(ratio(70000, 65504), 1);
}

TEST(Tolerance, NamesTheWorstElement) {
  std::vector<double> reference(40, 1.25);
  Expected expected;
  expected.dtype = Dtype::f32;
  expected.extents = {2, 20};
  expected.reference = reference;
  auto got = reference;
  got[37] = 1.5;
  const auto rule = rule_of(ToleranceClass::elementwise);

  const auto found = compare_output(expected, rule, encode_elements(got, Dtype::f32));

  EXPECT_EQ(found.wrong, 1);
  EXPECT_EQ(found.elements, 40);
  EXPECT_EQ(found.worst, "[1,17]: got 1.5, want 1.25 (tolerance 2 ulp)");
}

TEST(Tolerance, RecognisesAnUnwrittenElement) {
  const auto rule = rule_of(ToleranceClass::elementwise);
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::f64}) {
    std::vector<double> reference(4, 1);
    Expected expected;
    expected.dtype = dtype;
    expected.extents = {4};
    expected.reference = reference;
    std::string bytes = encode_elements(reference, dtype);
    for (std::size_t i = 0; i < size_in_bytes(dtype); i += 2) {
      bytes[i] = static_cast<char>(0xF5);
      bytes[i + 1] = static_cast<char>(0x7F);
    }
    EXPECT_TRUE(std::isnan(decode_element(bytes, dtype, 0))) << name_of(dtype);
    const auto found = compare_output(expected, rule, bytes);
    EXPECT_NE(found.worst.find("unwritten"), std::string::npos) << found.worst;
  }
}

TEST(Tolerance, ATileOfSmallErrorsAllOfOneSignShows) {
  const auto rule = rule_of(ToleranceClass::reduction, 2.5e-6);
  std::vector<double> reference(256, 1);
  auto got = reference;
  for (std::size_t i = 128; i < 256; ++i) got[i] += 1.8e-5;  // each within 1.95e-5
  const auto found = compare(reference, got, rule, Dtype::f32);
  EXPECT_GT(found.worst_ratio, 1);
  EXPECT_EQ(found.wrong, 0);
  EXPECT_NE(found.worst.find("[128] to [255]"), std::string::npos) << found.worst;
}

TEST(Tolerance, AnOutputOfAnotherSizeIsHopeless) {
  Expected expected;
  expected.extents = {2};
  const std::vector<double> reference{1, 2};
  expected.reference = reference;
  const auto found = compare_output(expected, rule_of(ToleranceClass::exact), "abc");
  EXPECT_EQ(found.worst_ratio, kHopelessRatio);
  EXPECT_NE(found.worst.find("3 bytes, want 8"), std::string::npos);
}

TEST(Tolerance, AReductionLengthThatCannotBeEvaluatedIsAnError) {
  Contract contract;
  contract.tolerance = ToleranceClass::contraction;
  contract.reduction_length = "depth";
  const auto rule = tolerance_rule(contract, {{"k", 3}}, 0);
  ASSERT_FALSE(rule);
  EXPECT_NE(rule.error().message.find("reduction_length"), std::string::npos);
}

}  // namespace
}  // namespace warpmind::profilers
