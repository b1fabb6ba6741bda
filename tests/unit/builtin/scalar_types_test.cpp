#include "agents/builtin/probe/integer_value.h"

#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

TEST(ScalarTypesTest, BytesByName) {
  EXPECT_EQ(bytes_of_scalar("float"), 4U);
  EXPECT_EQ(bytes_of_scalar("const  unsigned int"), 4U);
  EXPECT_EQ(bytes_of_scalar("std::uint64_t"), 8U);
  EXPECT_EQ(bytes_of_scalar("unsigned long long"), 8U);
  EXPECT_EQ(bytes_of_scalar("__nv_bfloat16"), 2U);
  EXPECT_EQ(bytes_of_scalar("bool"), 1U);
  for (const auto* other : {"float4", "void", "float*", "int&", "auto", "half2", "T", ""}) {
    EXPECT_EQ(bytes_of_scalar(other), 0U) << other;
  }
}

}  // namespace
}  // namespace warpmind::agents::builtin
