#include "agents/export/text_tokens.h"

#include "sample_episodes.h"

#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

TEST(TextTokens, CountsPiecesOfWordsAndSingleSigns) {
  EXPECT_EQ(count_tokens(""), 0);
  EXPECT_EQ(count_tokens(" \n\t "), 0);
  EXPECT_EQ(count_tokens("a"), 1);
  EXPECT_EQ(count_tokens("sixsix"), 1);
  EXPECT_EQ(count_tokens("sevenab"), 2);
  EXPECT_EQ(count_tokens("a+b = c;"), 6);
}

TEST(TextTokens, CutsAfterATokenAndNeverInsideACharacter) {
  EXPECT_EQ(first_tokens("one two three", 2), "one two");
  EXPECT_EQ(first_tokens("one", 5), "one");
  EXPECT_EQ(first_tokens("abcdeé", 1), "abcde");
}

TEST(TextTokens, LayoutAndCommentsDoNotMakeASource) {
  const std::string plain = "int f(int a){return a+1;}";
  EXPECT_EQ(normalised_hash(plain),
            normalised_hash("int f( int a ) { // why\n  return /* one */ a + 1;\n}\n"));
  EXPECT_NE(normalised_hash(plain), normalised_hash("int f(int a){return a+2;}"));
  EXPECT_EQ(code_tokens("p(\"// no comment\", '\"');"),
            (std::vector<std::string>{"p", "(", "\"// no comment\"", ",", "'\"'", ")", ";"}));
}

TEST(TextTokens, CodeIsCutAsTheCompilerCutsIt) {
  EXPECT_EQ(code_tokens("1'000 + R\"(\" // )\""),
            (std::vector<std::string>{"1'000", "+", "R\"(\" // )\""}));
  EXPECT_EQ(normalised_hash("#define A \\\n  1\n"), normalised_hash("#define A 1\n"));
  EXPECT_EQ(normalised_hash("v<v<int>>"), normalised_hash("v<v<int> >"));
}

TEST(TextTokens, AnUnfinishedLiteralOrCommentEndsWithTheText) {
  EXPECT_EQ(code_tokens("a \"b\\").size(), 2U);
  EXPECT_EQ(code_tokens("a /* b").size(), 1U);
}

TEST(TextTokens, OverlapIsAShareOfTheShorterSource) {
  const auto a = grams_of(samples::kernel_source(1));
  EXPECT_EQ(overlap(a, a), 1);
  EXPECT_LT(overlap(a, grams_of(samples::kernel_source(2))), 0.3);
  EXPECT_EQ(overlap(a, grams_of(samples::kernel_source(1) + samples::kernel_source(2))), 1);
  EXPECT_EQ(overlap(a, {}), 0);
  EXPECT_EQ(grams_of("a b c").size(), 1U);
}

}  // namespace
}  // namespace warpmind::agents
