#include "base/expression.h"

#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind {
namespace {

using testing::HasSubstr;

const Sizes kSizes{{"rows", 7}, {"columns", 100}, {"zero", 0}};

struct GoodCase {
  const char* text;
  std::int64_t value;
};
std::ostream& operator<<(std::ostream& out, const GoodCase& one) { return out << one.text; }
class ExpressionValue : public testing::TestWithParam<GoodCase> {};

TEST_P(ExpressionValue, IsComputedAsInSchool) {
  const auto value = evaluate(GetParam().text, kSizes);

  ASSERT_TRUE(value.has_value()) << value.error().message;
  EXPECT_EQ(*value, GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(Table, ExpressionValue,
                         testing::Values(GoodCase{"1", 1}, GoodCase{"1+2*3", 7},
                                         GoodCase{"(1+2)*3", 9}, GoodCase{"rows*columns", 700},
                                         GoodCase{"columns / rows", 14},
                                         GoodCase{"columns % rows", 2}, GoodCase{"-rows+10", 3},
                                         GoodCase{"--3", 3}, GoodCase{"ceil_div(columns, 32)", 4},
                                         GoodCase{"min(3, 2)", 2}, GoodCase{"max(rows, 9)", 9},
                                         GoodCase{"next_pow2(100)", 128}, GoodCase{"2-3-4", -5},
                                         GoodCase{"100/10/5", 2}));

struct BadCase {
  const char* text;
  const char* says;
};
std::ostream& operator<<(std::ostream& out, const BadCase& one) { return out << one.text; }
class ExpressionError : public testing::TestWithParam<BadCase> {};

TEST_P(ExpressionError, NamesTheCause) {
  const auto value = evaluate(GetParam().text, kSizes);

  ASSERT_FALSE(value.has_value()) << *value;
  EXPECT_EQ(value.error().code, Errc::invalid_argument);
  EXPECT_THAT(value.error().message, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Table, ExpressionError,
    testing::Values(BadCase{"1/zero", "division by zero"}, BadCase{"1%zero", "division by zero"},
                    BadCase{"9223372036854775807+1", "overflow"},
                    BadCase{"4000000000*4000000000", "overflow"},
                    BadCase{"99999999999999999999", "number too large"},
                    BadCase{"colums", "unknown size 'colums'; known: columns, rows, zero"},
                    BadCase{"", "ends too early"}, BadCase{"1+", "ends too early"},
                    BadCase{"(1", "')' is missing"}, BadCase{"1)", "unexpected ')'"},
                    BadCase{"1 $ 2", "column 3"}, BadCase{"f(1)", "no function f"},
                    BadCase{"ceil_div(1,zero)", "division by zero"},
                    BadCase{"ceil_div(-1,2)", "negative"}, BadCase{"1.5", "unexpected '.'"}));

TEST(Expression, RefusesBombsOfParentheses) {
  const auto value = evaluate(std::string(200'000, '(') + "1", kSizes);

  ASSERT_FALSE(value.has_value());
  EXPECT_THAT(value.error().message, HasSubstr("nested too deeply"));
}

TEST(Expression, ProductOfExtentsIsChecked) {
  EXPECT_EQ(evaluate_product({"rows", "columns", "2"}, kSizes).value(), 1400);
  EXPECT_EQ(evaluate_product({}, kSizes).value(), 1);
  EXPECT_THAT(evaluate_product({"rows-8"}, kSizes).error().message, HasSubstr("negative"));
  EXPECT_FALSE(evaluate_product({"4000000000", "4000000000", "4"}, kSizes).has_value());
}

TEST(Expression, PositiveValuesHaveAnUpperBound) {
  EXPECT_EQ(evaluate_positive("rows", kSizes, 7).value(), 7);
  EXPECT_THAT(evaluate_positive("rows", kSizes, 6).error().message, HasSubstr("outside 1 to 6"));
  EXPECT_FALSE(evaluate_positive("zero", kSizes, 6).has_value());
}

}  // namespace
}  // namespace warpmind
