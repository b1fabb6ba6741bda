#include "syntax/global_functions.h"

#include "syntax/code_text.h"

#include <gtest/gtest.h>

namespace warpmind::syntax {
namespace {

TEST(GlobalFunctions, FindsGlobalFunctionsAndTheirParameters) {
  const auto code = without_comments(R"(
    // __global__ void commented(int);
    extern "C" __global__ void first(const float* x, int n) {}
    extern "C" __global__ __launch_bounds__(256, 2) void second() {}
    extern "C" __global__ void __launch_bounds__(N) third(void);
    __attribute__((used)) __global__ void fourth(pair<int, float> p, int (&a)[2][3]) {}
    void host() { first<<<1, 2>>>(x, 3); }
    int my__global__variable(int, int);
  )");

  const auto found = find_global_functions(code);

  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].name, "first");
  EXPECT_EQ(found[0].parameters, 2U);
  EXPECT_EQ(found[1].name, "second");
  EXPECT_EQ(found[1].parameters, 0U);
  EXPECT_EQ(found[2].name, "third");
  EXPECT_EQ(found[2].parameters, 0U);
  EXPECT_EQ(found[3].name, "fourth");
  EXPECT_EQ(found[3].parameters, 2U);
}

TEST(GlobalFunctions, ReadsTypesAndLiteralsAsTheyAre) {
  const auto found = find_global_functions(
      "const char* s = R\"(__global__ void in_text(int) {})\";\n"
      "template <> __global__ void special<float, 2>(float* x, int n = 1 << 2, F f = g(1, 2)) {}\n"
      "__global__ std::enable_if_t<(N > 2), void> chosen(map<int, vector<int>> m, int a) {}\n"
      "__global__ void plain(/* none */) {}\n");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].name, "special");
  EXPECT_EQ(found[0].parameters, 3U);
  EXPECT_EQ(found[1].name, "chosen");
  EXPECT_EQ(found[1].parameters, 2U);
  EXPECT_EQ(found[2].name, "plain");
  EXPECT_EQ(found[2].parameters, 0U);
}

TEST(GlobalFunctions, SurvivesBrokenDeclarations) {
  EXPECT_TRUE(find_global_functions("__global__").empty());
  EXPECT_TRUE(find_global_functions("__global__ void ;").empty());
  EXPECT_EQ(find_global_functions("__global__ void f(int a, int b").size(), 1U);
  EXPECT_TRUE(find_global_functions("__global__ __launch_bounds__(").empty());
}

}  // namespace
}  // namespace warpmind::syntax
