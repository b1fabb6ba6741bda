#include "base/result.h"

#include <memory>

#include <gtest/gtest.h>

namespace warpmind {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return fail(Errc::invalid_argument, "odd");
  return value / 2;
}

Result<int> quarter(int value) {
  WARPMIND_TRY(const int first, half(value));
  WARPMIND_TRY(const int second, half(first));
  return second;
}

Result<void> check(int value) {
  WARPMIND_CHECK(quarter(value).map([](int) {}));
  return {};
}

TEST(Result, TryReturnsTheFirstError) {
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(6).error().message, "odd");
  EXPECT_TRUE(check(4).has_value());
  EXPECT_EQ(check(3).error().code, Errc::invalid_argument);
}

TEST(Result, ContextIsPutInFront) {
  const Error error = Error{Errc::timeout, "late"}.while_doing("building k");

  EXPECT_EQ(error, (Error{Errc::timeout, "building k: late"}));
}

TEST(Result, HoldsMoveOnlyValues) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 3);
}

}  // namespace
}  // namespace warpmind
