#include "syntax/pure_calls.h"

#include <gtest/gtest.h>

namespace warpmind::syntax {
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

}  // namespace
}  // namespace warpmind::syntax
