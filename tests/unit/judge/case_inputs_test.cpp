// Inputs on which an honest kernel and the reference agree: what cannot be fair is drawn otherwise.
#include "profilers/judge/case_inputs.h"

#include "profilers/judge/elements.h"
#include "tests/unit/judge/reference_build.h"

#include <algorithm>
#include <cmath>
#include <list>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

using testing::build_reference;
using testing::TemporaryDirectory;

/// x and y of `in` to z of `out`, both n long; `body` is the reference of one element or row.
class CaseInputsTest : public ::testing::Test {
 protected:
  void open(const std::string& body, Dtype in, Dtype out) {
    const std::string source =
        "#include \"warpmind_reference.h\"\n#include <cmath>\n"
        "void reference(const warpmind::ReferenceCall& call) {\n"
        "  const int64_t rows = call.size(\"rows\"), n = call.size(\"n\");\n"
        "  for (int64_t r = 0; r < rows; ++r) {\n"
        "    const double* x = call.input(\"x\") + r * n;\n"
        "    const double* y = call.input(\"y\") + r * n;\n"
        "    double* z = call.output(\"z\") + r * n;\n" +
        body + "\n  }\n}\n";
    auto library =
        ReferenceLibrary::load(build_reference(source, places_.emplace_back().path()).string());
    ASSERT_TRUE(library) << library.error().message;
    library_ = *library;
    task_.arguments = {{"x", ArgumentKind::in, in, {"rows", "n"}, "", {}, 0, 0},
                       {"y", ArgumentKind::in, in, {"rows", "n"}, "", {}, 0, 0},
                       {"z", ArgumentKind::out, out, {"rows", "n"}, "", {}, 0, 0}};
    task_.reference = source;
  }

  FittingInputs fit(const InputDraw& draw) {
    const CaseInputs inputs(task_, sizes_, 11);
    EXPECT_TRUE(inputs.needs_reference(draw));
    auto fitting = inputs.fit(*library_, draw);
    EXPECT_TRUE(fitting) << fitting.error().message;
    return fitting.value_or(FittingInputs{});
  }
  double largest(const FittingInputs& fitting) {
    const auto values = decode_elements(fitting.raw.at("x"), task_.arguments[0].dtype);
    double most = 0;
    for (const double value : values) most = std::max(most, std::fabs(value));
    return most;
  }

  std::list<TemporaryDirectory> places_;  ///< one each: a library of the same path is not reread
  std::shared_ptr<const ReferenceLibrary> library_;
  Task task_;
  Sizes sizes_{{"rows", 64}, {"n", 96}};
};

constexpr const char* kEach = "    for (int64_t i = 0; i < n; ++i) z[i] = ";

TEST_F(CaseInputsTest, IntegersAreAsLargeAsTheirSumCanBe) {
  task_.contract.tolerance = ToleranceClass::exact;
  open(std::string(kEach) + "x[i] + y[i];", Dtype::i32, Dtype::i32);
  const auto sums = fit({Distribution::wide});
  EXPECT_GT(largest(sums), 0x1p28);
  for (const double z : sums.reference.outputs.at("z")) EXPECT_LT(std::fabs(z), 0x1p31);
}

TEST_F(CaseInputsTest, FactorsAreSmallerThanSummands) {
  task_.contract.tolerance = ToleranceClass::exact;
  open(std::string(kEach) + "x[i] * y[i];", Dtype::i32, Dtype::i32);
  const auto products = fit({Distribution::wide});
  EXPECT_GT(largest(products), 1000);
  for (const double z : products.reference.outputs.at("z")) EXPECT_LT(std::fabs(z), 0x1p31);
}

TEST_F(CaseInputsTest, UnsignedDifferencesThatCannotFitFallBackToSmallNumbers) {
  task_.contract.tolerance = ToleranceClass::exact;
  open(std::string(kEach) + "x[i] - y[i];", Dtype::u32, Dtype::u32);
  EXPECT_EQ(fit({Distribution::wide}).draw.distribution, Distribution::large);
}

constexpr const char* kNormalise = R"(
    double mean = 0, squares = 0;
    for (int64_t i = 0; i < n; ++i) mean += x[i];
    mean /= n;
    for (int64_t i = 0; i < n; ++i) squares += (x[i] - mean) * (x[i] - mean);
    for (int64_t i = 0; i < n; ++i) z[i] = (x[i] - mean) / std::sqrt(squares / n + EPSILON) + y[i];)";

std::string normalise(const std::string& epsilon) {
  std::string text = kNormalise;
  return text.replace(text.find("EPSILON"), 7, epsilon);
}

TEST_F(CaseInputsTest, RowsFarAwayAndLevelAreFairWhereAnEpsilonHoldsThem) {
  task_.contract.tolerance = ToleranceClass::reduction;
  open(normalise("1e-5"), Dtype::f16, Dtype::f16);
  const auto fitting = fit({Distribution::normal, InputTrait::uneven});
  EXPECT_FALSE(fitting.draw.calm);
  EXPECT_GT(largest(fitting), 128);
}

TEST_F(CaseInputsTest, RowsTooFarAwayComeNearerAndStayFar) {
  task_.contract.tolerance = ToleranceClass::reduction;
  open(R"(
    double mean = 0, squares = 0;
    for (int64_t i = 0; i < n; ++i) mean += x[i];
    for (int64_t i = 0; i < n; ++i) squares += (x[i] - mean / n) * (x[i] - mean / n);
    for (int64_t i = 0; i < n; ++i) z[i] = squares / n + 0 * y[i];)",
       Dtype::f16, Dtype::f32);
  const auto fitting = fit({Distribution::normal, InputTrait::uneven});
  EXPECT_FALSE(fitting.draw.calm);
  EXPECT_GT(fitting.draw.halvings, 0);
  EXPECT_GT(largest(fitting), 8);
  EXPECT_LT(largest(fitting), 512);
}

/// How much of its tolerance the worst element of a row takes, whose mean and variance are carried
/// along in single precision. Values between are of that mean, so that their roundings are alike.
double welford_share(const double* x, const double* gain, const double* want, std::size_t columns,
                     const double* allowed) {
  float mean = 0;
  float squares = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    const auto value = static_cast<float>(x[c]);
    const float delta = value - mean;
    mean += delta / static_cast<float>(c + 1);
    squares += delta * (value - mean);
  }
  const float scale = 1 / std::sqrt(squares / static_cast<float>(columns) + 1e-5F);
  double share = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    const float got = (static_cast<float>(x[c]) - mean) * scale * static_cast<float>(gain[c]);
    share = std::max(share, std::fabs(got - want[c]) / allowed[c]);
  }
  return share;
}

TEST_F(CaseInputsTest, TimedRowsLeaveRoomForARunningMeanInSinglePrecision) {
  task_.contract.tolerance = ToleranceClass::reduction;
  auto scaled = normalise("1e-5");
  open(scaled.replace(scaled.rfind(" + y[i]"), 7, " * y[i]"), Dtype::f16, Dtype::f16);
  sizes_ = {{"rows", 16}, {"n", 16}};
  const auto small = fit({Distribution::normal, InputTrait::uneven});
  ASSERT_FALSE(small.draw.calm);

  const Sizes timed{{"rows", 2048}, {"n", 1024}};
  const auto raw = CaseInputs(task_, timed, 12).draw(small.draw);
  ASSERT_TRUE(raw) << raw.error().message;
  const auto reference = compute_reference(*library_, task_, timed, *raw);
  ASSERT_TRUE(reference) << reference.error().message;
  // The narrowest tolerance: a given kernel that loses nothing but the rounding of its output.
  const auto rule = tolerance_rule(task_.contract, timed, 1e-9);
  ASSERT_TRUE(rule) << rule.error().message;
  const Expected expected = reference->expected(task_.arguments[2], {2048, 1024});
  const auto allowed = element_tolerances(expected, *rule);
  const auto x = decode_elements(raw->at("x"), Dtype::f16);
  const auto gain = decode_elements(raw->at("y"), Dtype::f16);
  double worst = 0;
  for (std::size_t at = 0; at < x.size(); at += 1024) {
    const double* want = expected.reference.data() + at;
    worst = std::max(worst, welford_share(&x[at], &gain[at], want, 1024, &allowed[at]));
  }
  EXPECT_LT(worst, 0.9) << "its output is rounded to f16 as well";
}

TEST_F(CaseInputsTest, WhereRoundingAloneWouldDecideRowsAreCalm) {
  for (const char* epsilon : {"0.0", "1e-16"}) {
    task_.contract.tolerance = ToleranceClass::reduction;
    open(normalise(epsilon), Dtype::f16, Dtype::f16);
    const auto fitting = fit({Distribution::normal, InputTrait::uneven});
    EXPECT_TRUE(fitting.draw.calm) << epsilon;
    EXPECT_LT(largest(fitting), 50);
    for (const double z : fitting.reference.outputs.at("z")) EXPECT_TRUE(std::isfinite(z));
  }
}

TEST_F(CaseInputsTest, NaNIsDrawnWhereTheReferenceKeepsIt) {
  task_.contract.tolerance = ToleranceClass::elementwise;
  open(std::string(kEach) + "x[i] < 0 ? 0 : x[i];", Dtype::f32, Dtype::f32);
  const auto kept = fit({Distribution::normal, InputTrait::special});
  EXPECT_EQ(kept.draw.trait, InputTrait::special);
  const auto& z = kept.reference.outputs.at("z");
  EXPECT_TRUE(std::any_of(z.begin(), z.end(), [](double value) { return std::isnan(value); }));

  open(std::string(kEach) + "x[i] > 0 ? x[i] : 0;", Dtype::f32, Dtype::f32);
  const auto dropped = fit({Distribution::normal, InputTrait::special});
  EXPECT_EQ(dropped.draw.trait, InputTrait::none) << "this one turns NaN into 0";
  for (const double value : dropped.reference.outputs.at("z")) EXPECT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace warpmind::profilers
