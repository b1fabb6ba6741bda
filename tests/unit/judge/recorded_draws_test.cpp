// Inputs as a recorded program had them: what the plainest case gets, and what others make of it.
#include "profilers/judge/recorded_draws.h"

#include "base/file.h"
#include "profilers/judge/case_inputs.h"
#include "profilers/judge/elements.h"
#include "profilers/judge/recorded_figures.h"
#include "profilers/launch_record/buffer_contents.h"
#include "tests/unit/judge/reference_build.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

using testing::TemporaryDirectory;

constexpr std::uint64_t kOrder = 12345;

Argument integers(const std::string& name, std::size_t count) {
  Argument argument;
  argument.name = name;
  argument.dtype = Dtype::i32;
  argument.shape = {std::to_string(count)};
  argument.distributions = {Distribution::recorded};
  argument.recorded = RecordedInput{};
  return argument;
}

std::vector<double> used(const std::vector<double>& recorded, std::uint64_t order,
                         std::size_t count, std::optional<std::int64_t> most = std::nullopt) {
  const Argument argument = integers("a", recorded.size());
  const std::string bytes = encode_elements(recorded, Dtype::i32);
  const RecordedUse use{static_cast<std::int64_t>(count), order, most};
  return decode_elements(use_recorded_values(argument, bytes, use), Dtype::i32);
}

std::vector<double> used(const std::vector<double>& recorded, std::uint64_t order) {
  return used(recorded, order, recorded.size());
}

/// 1 … 97 in no order.
std::vector<double> lengths(std::size_t count) {
  std::vector<double> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<double>(1 + i * 37 % 97);
  return all;
}

/// Offsets of rows with those lengths; `closed`: with the end of the last one.
std::vector<double> offsets_of(const std::vector<double>& rows, bool closed) {
  std::vector<double> all{0};
  for (const double row : rows) all.push_back(all.back() + row);
  if (!closed) all.pop_back();
  return all;
}

TEST(RecordedDraws, TheProgramsOrderIsKeptByteForByte) {
  EXPECT_EQ(used(lengths(300), 0), lengths(300));
}

TEST(RecordedDraws, AnotherOrderHasTheSameValues) {
  const auto recorded = lengths(300);
  auto other = used(recorded, kOrder);
  EXPECT_NE(other, recorded);
  EXPECT_NE(other, used(recorded, kOrder + 2));
  EXPECT_TRUE(std::is_permutation(other.begin(), other.end(), recorded.begin()));
}

TEST(RecordedDraws, OffsetsStaySortedAndFitTheLengths) {
  const auto rows = lengths(512);
  const auto other_rows = used(rows, kOrder);
  for (const bool closed : {true, false}) {
    const auto recorded = offsets_of(rows, closed);
    const auto other = used(recorded, kOrder);
    EXPECT_NE(other, recorded) << closed;
    EXPECT_EQ(other, offsets_of(other_rows, closed)) << closed;
    EXPECT_TRUE(std::is_sorted(other.begin(), other.end()));
    EXPECT_EQ(other.front(), recorded.front());
    EXPECT_EQ(other.back(), recorded.back());
  }
}

TEST(RecordedDraws, EvenStepsAndEqualValuesVaryToo) {
  std::vector<double> even(65);
  for (std::size_t i = 0; i < even.size(); ++i) even[i] = 4.0 * static_cast<double>(i);
  const auto other = used(even, kOrder);
  EXPECT_NE(other, even);
  EXPECT_NE(other, used(even, kOrder + 2)) << "or the given kernel seems to know one result";
  EXPECT_TRUE(std::is_sorted(other.begin(), other.end()));
  EXPECT_EQ(other.back(), even.back());
  const std::vector<double> same(64, 512);
  const auto smaller = used(same, kOrder);
  EXPECT_NE(smaller, same);
  for (const double value : smaller) {
    EXPECT_GE(value, 0);
    EXPECT_LE(value, 512);
  }
}

TEST(RecordedDraws, AnotherSizeKeepsOrderAndEndsWhereTheTaskSays) {
  const auto recorded = offsets_of(lengths(512), true);
  for (const std::uint64_t order : {std::uint64_t{0}, kOrder}) {
    const auto small = used(recorded, order, 65, 1000);
    ASSERT_EQ(small.size(), 65U);
    EXPECT_TRUE(std::is_sorted(small.begin(), small.end()));
    EXPECT_EQ(small.front(), 0);
    EXPECT_EQ(small.back(), 1000);
  }
  for (const double value : used(lengths(512), kOrder, 40, 10)) {
    EXPECT_GE(value, 1);
    EXPECT_LE(value, 10);
  }
}

TEST(RecordedFigures, SayWhatWasThere) {
  const double nan = std::nan("");
  const std::vector<double> values{0, 0, 2, 4, 0x1p-140, nan, 2, 0};
  const auto figures = figures_of(encode_elements(values, Dtype::f32), Dtype::f32);
  EXPECT_EQ(figures.low, 0);
  EXPECT_EQ(figures.high, 4);
  EXPECT_DOUBLE_EQ(figures.zeros, 3.0 / 8);
  EXPECT_DOUBLE_EQ(figures.denormals, 1.0 / 8);
  EXPECT_DOUBLE_EQ(figures.not_finite, 1.0 / 8);
  EXPECT_NEAR(figures.mean, 8.0 / 7, 1e-9);
  EXPECT_FALSE(figures.sorted);
  EXPECT_NEAR(std::accumulate(figures.shares.begin(), figures.shares.end(), 0.0), 1, 1e-9);
  const auto rows =
      figures_of(encode_elements(offsets_of(lengths(50), true), Dtype::i64), Dtype::i64);
  EXPECT_TRUE(rows.sorted);
  EXPECT_FALSE(figures_of(encode_elements({7, 7, 7}, Dtype::i32), Dtype::i32).sorted);
  EXPECT_EQ(figures_of("", Dtype::f16), RecordedInput{});
}

/// Drawn by the figures of `values` alone.
std::vector<double> alike(const std::vector<double>& values, Dtype dtype, std::int64_t count) {
  Argument argument;
  argument.dtype = dtype;
  argument.recorded = figures_of(encode_elements(values, dtype), dtype);
  const InputDraw draw{Distribution::recorded};
  return decode_elements(draw_input(argument, draw, count, count, 99), dtype);
}

TEST(RecordedDraws, NumbersAreAlikeInRangeMeanAndZeros) {
  std::vector<double> values(4000);
  SplitMix random(3);
  const NormalQuantiles normal;
  for (double& value : values) {
    value = random.unit() < 0.3 ? 0 : std::max(100 + 5 * normal.draw(random), 90.0);
  }
  const auto drawn = alike(values, Dtype::f32, 100'000);
  const auto before = figures_of(encode_elements(values, Dtype::f32), Dtype::f32);
  const auto after = figures_of(encode_elements(drawn, Dtype::f32), Dtype::f32);
  EXPECT_GE(after.low, before.low);
  EXPECT_LE(after.high, before.high);
  EXPECT_NEAR(after.mean, before.mean, 2);
  EXPECT_NEAR(after.deviation, before.deviation, 2);
  EXPECT_NEAR(after.zeros, before.zeros, 0.02);
}

TEST(RecordedDraws, LargeIntegerArraysKeepRangeAndOrder) {
  const auto rows = alike(offsets_of(lengths(1000), true), Dtype::i32, 300'000);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_EQ(rows.front(), 0);
  EXPECT_EQ(rows.back(), offsets_of(lengths(1000), true).back());
  const auto drawn = alike(lengths(1000), Dtype::i32, 10'000);
  const auto [low, high] = std::minmax_element(drawn.begin(), drawn.end());
  EXPECT_GE(*low, 1);
  EXPECT_LE(*high, 97);
  EXPECT_GT(*high - *low, 80);
}

/// A task of recorded lengths and numbers, in a folder of its own.
class RecordedTaskInputs : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string bytes = encode_elements(lengths(64), Dtype::i32);
    std::filesystem::create_directories(folder_.path() / kRecordedValuesFolder);
    Argument rows = integers("rows", 64);
    rows.recorded->values = contents_name(bytes);
    rows.recorded->low = 1;
    rows.recorded->high = 97;
    file_ = folder_.path() / kRecordedValuesFolder / rows.recorded->values;
    ASSERT_TRUE(write_output_file(file_, bytes));
    Argument x;
    x.name = "x";
    x.shape = {"64"};
    x.recorded = figures_of(encode_elements({5, 6, 7, 6}, Dtype::f32), Dtype::f32);
    task_.arguments = {rows, x};
    task_.directory = folder_.path().string();
  }

  std::vector<double> drawn(const InputDraw& draw, std::uint64_t seed) const {
    const auto raw = CaseInputs(task_, {}, seed).draw(draw);
    EXPECT_TRUE(raw) << raw.error().message;
    return raw ? decode_elements(raw->at("rows"), Dtype::i32) : std::vector<double>();
  }

  TemporaryDirectory folder_;
  std::filesystem::path file_;
  Task task_;
};

TEST_F(RecordedTaskInputs, ThePlainestCaseIsTheProgramsOwnAndOthersAreNot) {
  const auto draws = draws_of(task_);
  ASSERT_EQ(draws.front(), (InputDraw{Distribution::recorded, InputTrait::none, 0, true}));
  EXPECT_EQ(drawn(draws.front(), 1), lengths(64));
  EXPECT_EQ(drawn(draws.front(), 2), lengths(64));
  for (std::size_t i = 1; i < draws.size(); ++i) {
    EXPECT_NE(drawn(draws[i], i), lengths(64)) << describe(draws[i]);
  }
  task_.arguments[0].recorded->reorder = false;
  EXPECT_EQ(drawn(draws.back(), 3), lengths(64));
}

TEST_F(RecordedTaskInputs, NumbersAreAlikeInThePlainestCaseAndHostileInOthers) {
  const auto raw = CaseInputs(task_, {}, 1).draw({Distribution::recorded});
  ASSERT_TRUE(raw);
  for (const double value : decode_elements(raw->at("x"), Dtype::f32)) {
    EXPECT_GE(value, 5);
    EXPECT_LE(value, 7);
  }
  const auto all = distributions_of(task_);
  EXPECT_NE(std::find(all.begin(), all.end(), Distribution::wide), all.end());
}

TEST_F(RecordedTaskInputs, AFileThatChangedIsRefused) {
  ASSERT_TRUE(write_output_file(file_, encode_elements(lengths(63), Dtype::i32)));
  const auto raw = CaseInputs(task_, {}, 1).draw({Distribution::recorded});
  ASSERT_FALSE(raw);
  EXPECT_EQ(raw.error().code, Errc::corrupt_data);
  std::filesystem::remove(file_);
  EXPECT_FALSE(CaseInputs(task_, {}, 1).draw({Distribution::recorded}));
}

}  // namespace
}  // namespace warpmind::profilers
