#include "agents/builtin/syntax/pure_calls.h"

#include "agents/builtin/probe/integer_value.h"

#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

TEST(PureCallsTest, FunctionsOfTheHeaders) {
  for (const auto* name : {"expf", "exp", "std::max", "::fmin", "__half2float", "__hadd", "__ldg",
                           "make_float4", "__expf", "float", "__builtin_assume", "rsqrtf",
                           "__int_as_float", "sizeof", "tanhf", "erff"}) {
    EXPECT_TRUE(is_pure_call(name)) << name;
  }
  for (const auto* name : {"atomicAdd", "__syncthreads", "__shfl_down_sync", "printf", "malloc",
                           "memcpy", "mine", "std::swap", "f", "", "__ballot_sync", "clock64"}) {
    EXPECT_FALSE(is_pure_call(name)) << name;
  }
}

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
