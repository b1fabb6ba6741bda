#include "syntax/lexer.h"

#include "syntax/code_text.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::syntax {
namespace {

using testing::ElementsAre;

/// The code of a text, each lexeme as the compiler sees it.
std::vector<std::string> code_of(std::string_view source) {
  std::vector<std::string> found;
  for (const auto& lexeme : code_lexemes(source)) found.push_back(spelling(lexeme));
  return found;
}

std::vector<LexemeKind> kinds_of(std::string_view source) {
  std::vector<LexemeKind> found;
  for (const auto& lexeme : code_lexemes(source)) found.push_back(lexeme.kind);
  return found;
}

TEST(Lexer, CutsSignsAsLongAsTheyGo) {
  EXPECT_THAT(code_of("k<<<g,b>>>(p->x, a::b, c<<=2, d...);"),
              ElementsAre("k", "<<<", "g", ",", "b", ">>>", "(", "p", "->", "x", ",", "a",
                          "::", "b", ",", "c", "<<=", "2", ",", "d", "...", ")", ";"));
  EXPECT_THAT(code_of("a+++b - --c"), ElementsAre("a", "++", "+", "b", "-", "--", "c"));
}

TEST(Lexer, ADigraphIsTheSignItStandsFor) {
  EXPECT_THAT(code_of("a<:0:> <% %>"), ElementsAre("a", "[", "0", "]", "{", "}"));
  EXPECT_THAT(code_of("T<::N>"), ElementsAre("T", "<", "::", "N", ">")) << "no bracket";
  const auto directive = code_lexemes("%:include <a.h>");
  ASSERT_EQ(directive.size(), 3U);
  EXPECT_TRUE(directive[0].is("#"));
  EXPECT_EQ(content(directive[2]), "a.h");
}

TEST(Lexer, NumbersKeepSeparatorsAndExponents) {
  EXPECT_THAT(code_of("1'000'000 0x1.8p-3f .5e+7 1.e-3+x"),
              ElementsAre("1'000'000", "0x1.8p-3f", ".5e+7", "1.e-3", "+", "x"));
  EXPECT_THAT(kinds_of("x = 1'0; '\"'"),
              ElementsAre(LexemeKind::name, LexemeKind::sign, LexemeKind::number, LexemeKind::sign,
                          LexemeKind::character));
}

TEST(Lexer, LiteralsHaveTheirPrefixes) {
  EXPECT_THAT(kinds_of(R"~(u8"a" L'b' R"x(")x" LR"()" "c"_s MYR"(")~"),
              ElementsAre(LexemeKind::string, LexemeKind::character, LexemeKind::raw_string,
                          LexemeKind::raw_string, LexemeKind::string, LexemeKind::name,
                          LexemeKind::name, LexemeKind::string));
  EXPECT_THAT(code_of("\"a\\\"b\" 'c'"), ElementsAre("\"a\\\"b\"", "'c'"));
}

TEST(Lexer, ARawStringEndsWithItsDelimiterOnly) {
  const auto code = code_lexemes("R\"s(a )\" // \" \\\nb)s\" + c");
  ASSERT_EQ(code.size(), 3U);
  EXPECT_EQ(code[0].kind, LexemeKind::raw_string);
  EXPECT_EQ(content(code[0]), "a )\" // \" \\\nb");
  EXPECT_EQ(spelling(code[0]), code[0].text) << "a backslash at a line's end is kept";
  EXPECT_EQ(code[2].text, "c");
}

TEST(Lexer, WhatIsNotClosedEndsWithItsLineOrTheText) {
  EXPECT_THAT(code_of("a \"b\nc"), ElementsAre("a", "\"b", "c"));
  EXPECT_THAT(code_of("#error don't\nc"), ElementsAre("#", "error", "don", "'t", "c"));
  EXPECT_THAT(code_of("a /* b\nc"), ElementsAre("a"));
  EXPECT_THAT(code_of("R\"(a"), ElementsAre("R\"(a"));
  EXPECT_EQ(content(code_lexemes("R\"(a").front()), "a");
}

TEST(Lexer, ContinuedLinesAreOneEverywhere) {
  EXPECT_THAT(code_of("sys\\\ntem(\"a\\\nb\", 1\\\r\n2) +\\ \n= c"),
              ElementsAre("system", "(", "\"ab\"", ",", "12", ")", "+=", "c"));
  EXPECT_THAT(code_of("a // b \\\nc\nd"), ElementsAre("a", "d")) << "the comment goes on";
  EXPECT_THAT(code_of("a /\\\n/ b\nc /\\\n* d *\\\n/ e"), ElementsAre("a", "c", "e"));
}

TEST(Lexer, KnowsLinesOfThePreprocessor) {
  std::string inside;
  for (const auto& lexeme :
       code_lexemes("  # define A(x) \\\n x /* \n */ + 1\nb # c\n#if 1 // e")) {
    if (lexeme.in_directive) inside += spelling(lexeme) + " ";
  }
  EXPECT_EQ(inside, "# define A ( x ) x + 1 # if 1 ");
}

TEST(Lexer, TheNameOfAHeaderHoldsNoComment) {
  EXPECT_THAT(kinds_of("#include <sys//socket.h> // why\n#include \"a/*b\"\n#include NAME"),
              ElementsAre(LexemeKind::sign, LexemeKind::name, LexemeKind::header, LexemeKind::sign,
                          LexemeKind::name, LexemeKind::header, LexemeKind::sign, LexemeKind::name,
                          LexemeKind::name));
  EXPECT_THAT(kinds_of("a < b >\n"),
              ElementsAre(LexemeKind::name, LexemeKind::sign, LexemeKind::name, LexemeKind::sign));
}

TEST(Lexer, LosesNothingOfAnyText) {
  constexpr std::string_view kPieces[] = {"/", "*", "\"",      "'",  "\\",       "\n", "R\"", "(",
                                          ")", "#", "include", "<",  ">",        "1",  "e",   "+",
                                          ":", "%", " ",       "u8", "\xc3\xa9", ".",  "a",   "\r"};
  std::mt19937 random(7);
  for (int round = 0; round < 4000; ++round) {
    std::string source;
    while (source.size() < 40) source += kPieces[random() % std::size(kPieces)];
    std::string seen;
    Lexer lexer(source);
    while (const auto lexeme = lexer.next()) {
      ASSERT_FALSE(lexeme->text.empty()) << source;
      seen += lexeme->text;
      EXPECT_LE(content(*lexeme).size(), lexeme->text.size());
    }
    ASSERT_EQ(seen, source);
    EXPECT_EQ(code_only(source).size(), source.size());
  }
}

}  // namespace
}  // namespace warpmind::syntax
