#include "syntax/code_text.h"

#include <gtest/gtest.h>

namespace warpmind::syntax {
namespace {

TEST(CodeText, RemovesCommentsButNotLiterals) {
  EXPECT_EQ(without_comments("a /* b\nc */ d // e\nf"), "a  \n d  \nf");
  EXPECT_EQ(without_comments("s = \"// no \\\" comment\"; // yes"),
            "s = \"// no \\\" comment\";  ");
  EXPECT_EQ(without_comments("1'000 /* x */ '\"' // y"), "1'000   '\"'  ");
  EXPECT_EQ(without_comments("a /* never ends"), "a  ");
}

TEST(CodeText, RemovesWhatTheCompilerTakesForComments) {
  EXPECT_EQ(without_comments("R\"(// a)\" // b \\\n c\nd"), "R\"(// a)\"  \n\nd");
  EXPECT_EQ(joined_lines("a /* b \n c */ d // e\nf\\ \ng"), "a   d \nfg");
  EXPECT_EQ(joined_lines("\"a\\\nb\" R\"(a\\\nb)\""), "\"ab\" R\"(a\\\nb)\"");
}

TEST(CodeText, BlanksLiteralsByteForByte) {
  EXPECT_EQ(code_only("f(L\"a\", '\"', 1'0); // b\nR\"(\n)\" c"),
            "f(    ,    , 1'0);     \n   \n   c");
}

TEST(CodeText, MatchesNamesFromTheirBeginning) {
  EXPECT_TRUE(contains_name_from("cudaStreamCreateWithFlags(&s)", "cudaStreamCreate"));
  EXPECT_FALSE(contains_name_from("my_cudaStreamCreate(&s)", "cudaStreamCreate"));
  EXPECT_TRUE(contains_word("x.incbin y", ".incbin"));
}

TEST(CodeText, MatchesWholeWords) {
  EXPECT_TRUE(contains_word("MAKE(add)", "add"));
  EXPECT_FALSE(contains_word("adder add_two", "add"));
}

}  // namespace
}  // namespace warpmind::syntax
