#include "config/source_text.h"

#include "config/nearest_name.h"

#include <gtest/gtest.h>

namespace warpmind::config {
namespace {

TEST(SourceText, FindsWhereUtf8Ends) {
  EXPECT_EQ(find_invalid_utf8("grün ≤ 𝛼"), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("ab\xff"), 2U);
  EXPECT_EQ(find_invalid_utf8("\xc0\x80"), 0U) << "overlong";
  EXPECT_EQ(find_invalid_utf8("a\xed\xa0\x80"), 1U) << "surrogate";
  EXPECT_EQ(find_invalid_utf8("\xf4\x90\x80\x80"), 0U) << "beyond Unicode";
  EXPECT_EQ(find_invalid_utf8("abc\xe2\x89"), 3U) << "cut short";
}

TEST(SourceText, RemovesCommentsButNotLiterals) {
  EXPECT_EQ(without_comments("a /* b\nc */ d // e\nf"), "a  \n d  \nf");
  EXPECT_EQ(without_comments("s = \"// no \\\" comment\"; // yes"),
            "s = \"// no \\\" comment\";  ");
  EXPECT_EQ(without_comments("1'000 /* x */ '\"' // y"), "1'000   '\"'  ");
  EXPECT_EQ(without_comments("a /* never ends"), "a  ");
}

TEST(SourceText, FindsGlobalFunctionsAndTheirParameters) {
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

TEST(SourceText, SurvivesBrokenDeclarations) {
  EXPECT_TRUE(find_global_functions("__global__").empty());
  EXPECT_TRUE(find_global_functions("__global__ void ;").empty());
  EXPECT_EQ(find_global_functions("__global__ void f(int a, int b").size(), 1U);
  EXPECT_TRUE(find_global_functions("__global__ __launch_bounds__(").empty());
}

TEST(SourceText, MatchesWholeWords) {
  EXPECT_TRUE(contains_word("MAKE(add)", "add"));
  EXPECT_FALSE(contains_word("adder add_two", "add"));
}

TEST(NearestName, ForgivesSlipsOnly) {
  EXPECT_EQ(nearest_name("lab.devise", {"lab.device", "lab.judge"}), "lab.device");
  EXPECT_EQ(nearest_name("gird", {"grid", "block"}), "grid");
  EXPECT_EQ(nearest_name("elephant", {"grid", "block"}), "");
  EXPECT_EQ(nearest_name("d", {"a", "b"}), "");
  EXPECT_EQ(suggestion("f23", {"f16", "f32"}), "; did you mean 'f32'? known: f16, f32");
  EXPECT_EQ(suggestion("elephant", {"grid", "block"}), "; known: grid, block");
}

}  // namespace
}  // namespace warpmind::config
