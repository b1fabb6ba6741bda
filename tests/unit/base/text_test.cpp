#include "base/text.h"

#include "base/model/verdict_reading.h"

#include <array>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind {
namespace {

TEST(TextTest, NumbersAsPeopleReadThem) {
  EXPECT_EQ(fixed(1.5, 2), "1.50");
  EXPECT_EQ(significant(1.0 / 3), "0.3333");
  EXPECT_EQ(significant(100), "100");
  EXPECT_EQ(significant(0.00012345, 3), "0.000123");
  EXPECT_EQ(significant(1e9), "1e+09");
}

TEST(TextTest, ANumberTooLongToReadIsNotCut) {
  EXPECT_EQ(fixed(1e70, 2), "?");
  EXPECT_EQ(fixed(-0.005, 1), "-0.0");
}

TEST(TextTest, JoinsWithOneSeparatorBetweenTwoParts) {
  EXPECT_EQ(join_text(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(join_text(std::vector<std::string>{"a"}, ", "), "a");
  EXPECT_EQ(join_text(std::array<std::string_view, 3>{"a", "", "c"}, ", "), "a, , c");
  EXPECT_EQ(join_text(std::vector<std::string>{"", "b"}, "-"), "-b");
  EXPECT_EQ(join_text(std::set<int>{3, 1}, " x ", [](int n) { return std::to_string(n); }),
            "1 x 3");
  const std::vector<KernelProfile> launches{{"a", 0.2, {}}, {"b", 0.4, {}}};
  EXPECT_EQ(join_text(launches, "/", &KernelProfile::kernel), "a/b");
}

TEST(TextTest, JoinsLinesWithALineFeedBehindEach) {
  EXPECT_EQ(join_lines(std::vector<std::string>{}), "");
  EXPECT_EQ(join_lines(std::vector<std::string>{"a", ""}), "a\n\n");
}

TEST(TextTest, JoinsAChoiceAsASentenceGivesIt) {
  EXPECT_EQ(join_choices(std::vector<std::string>{}), "");
  EXPECT_EQ(join_choices(std::array<std::string_view, 1>{"a"}), "a");
  EXPECT_EQ(join_choices(std::array<std::string_view, 2>{"a", "b"}), "a or b");
  EXPECT_EQ(join_choices(std::vector<std::string>{"a", "b", "c"}), "a, b or c");
}

TEST(TextTest, SplitsBetweenSeparatorsOrBehindEnds) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(split_text("", ','), Parts{""});
  EXPECT_EQ(split_text("a,,b,", ','), (Parts{"a", "", "b", ""}));
  EXPECT_EQ(split_terminated("", ':'), Parts{});
  EXPECT_EQ(split_terminated("a::b:", ':'), (Parts{"a", "", "b"}));
  EXPECT_EQ(split_terminated("a:b", ':'), (Parts{"a", "b"}));
  EXPECT_EQ(split_lines("a\r\n\nb\n"), (Parts{"a\r", "", "b"}));
  EXPECT_EQ(split_lines("\n"), Parts{""});
  EXPECT_EQ(first_line("a b\nc"), "a b");
  EXPECT_EQ(first_line("a b"), "a b");
  EXPECT_EQ(first_line(""), "");
}

TEST(TextTest, TrimsTheBlanksThatItIsToldOf) {
  EXPECT_EQ(trim_text(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim_text(" \t "), "");
  EXPECT_EQ(trim_text(""), "");
  EXPECT_EQ(trim_text(" a\n ", " "), "a\n");
  EXPECT_EQ(trim_left(" a "), "a ");
  EXPECT_EQ(trim_left("\t a", " "), "\t a");
}

TEST(TextTest, CutsNoCharacterOfUtf8) {
  EXPECT_EQ(utf8_prefix("aµb", 3), "aµ");
  EXPECT_EQ(utf8_prefix("aµb", 2), "a");
  EXPECT_EQ(utf8_prefix("aµb", 9), "aµb");
  EXPECT_EQ(utf8_prefix("µ", 0), "");
  EXPECT_EQ(quoted_name("softmax"), "'softmax'");
  EXPECT_EQ(quoted_name(std::string(64, 'x')), "'" + std::string(64, 'x') + "'");
  EXPECT_EQ(quoted_name(std::string(65, 'x')), "'" + std::string(64, 'x') + "…'");
  EXPECT_EQ(quoted_name(std::string(63, 'x') + "µ"), "'" + std::string(63, 'x') + "…'")
      << "half a character is no text that JSON may hold";
}

TEST(TextTest, FindsWholeWordsAndParts) {
  EXPECT_TRUE(contains_word("float4 v = a[i];", "v"));
  EXPECT_TRUE(contains_word("add", "add"));
  EXPECT_TRUE(contains_word("adder add", "add"));
  EXPECT_FALSE(contains_word("adder my_add add_2", "add"));
  constexpr std::array<std::string_view, 2> kParts{"error", "fatal"};
  EXPECT_TRUE(contains_any_text("nvcc fatal: x", kParts));
  EXPECT_FALSE(contains_any_text("all well", kParts));
  EXPECT_TRUE(starts_with_any("fatal: x", kParts));
  EXPECT_FALSE(starts_with_any("nvcc fatal", kParts));
}

TEST(TextTest, ReplacesFromLeftToRightAndNotWhatItPutIn) {
  EXPECT_EQ(replace_text("a.b.", ".", ".."), "a..b..");
  EXPECT_EQ(replace_text("aaa", "aa", "b"), "ba");
  EXPECT_EQ(replace_text("a b", " ", ""), "ab");
  EXPECT_EQ(replace_text("abc", "", "x"), "abc");
  EXPECT_EQ(name_in_words("uncoalesced_access"), "uncoalesced access");
}

TEST(TextTest, ComparesLettersOfAscii) {
  EXPECT_EQ(lower_case("Content-LENGTH µÄ"), "content-length µÄ");
  EXPECT_TRUE(equals_ignoring_case("Host", "hOST"));
  EXPECT_FALSE(equals_ignoring_case("Host", "Hosts"));
  EXPECT_FALSE(equals_ignoring_case("@", "`"));
}

TEST(TextTest, ReadsAWholeNumberOrNone) {
  EXPECT_EQ(parse_number<int>("-12"), -12);
  EXPECT_EQ(parse_number<double>("1e3"), 1000.0);
  for (const char* const text : {"", " 1", "1 ", "+1", "1x", "0x1", "99999999999"}) {
    EXPECT_FALSE(parse_number<int>(text)) << text;
  }
  EXPECT_FALSE(parse_number<unsigned>("-1"));
  EXPECT_EQ(parse_number<unsigned>("ff", 16), 255U);
  EXPECT_FALSE(parse_number<unsigned>("0xff", 16));
  EXPECT_TRUE(is_all_digits("007"));
  EXPECT_FALSE(is_all_digits(""));
  EXPECT_FALSE(is_all_digits("-7"));
}

TEST(TextTest, WritesNumbersForPeopleAndFiles) {
  EXPECT_EQ(shortest_number(0.1), "0.1");
  EXPECT_EQ(shortest_number(0.1F), "0.1");
  EXPECT_EQ(shortest_number(1e30), "1e+30");
  EXPECT_EQ(factor_text(1.849), "1.85x");
  EXPECT_EQ(log_factor_text(0), "1.00x");
  EXPECT_EQ(count_noun(1, "kernel"), "1 kernel");
  EXPECT_EQ(count_noun(0, "kernel"), "0 kernels");
  EXPECT_EQ(utc_time_text(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_time_text(1'795'685'400), "2026-11-26T09:30:00Z");
}

TEST(TextTest, HexGoesBothWays) {
  EXPECT_EQ(encode_hex(std::string("\x00\xaf", 2)), "00af");
  EXPECT_EQ(decode_hex("00af"), std::string("\x00\xaf", 2));
  EXPECT_EQ(decode_hex(""), "");
  for (const char* const text : {"0", "0g", "AF", "0x"}) EXPECT_FALSE(decode_hex(text)) << text;
  EXPECT_TRUE(is_hex("09af"));
  EXPECT_FALSE(is_hex("09AF"));
  EXPECT_FALSE(is_hex(""));
}

TEST(LargestLaunchTest, IsTheFirstOfThoseThatTakeMost) {
  EXPECT_EQ(largest_launch({}), nullptr);
  const std::vector<KernelProfile> launches{{"a", 0.2, {}}, {"b", 0.4, {}}, {"c", 0.4, {}}};
  EXPECT_EQ(largest_launch(launches), &launches[1]);
}

TEST(OutcomeTest, AFailureIsTheKernelsOwn) {
  for (const Outcome outcome : {Outcome::wrong, Outcome::build_failed, Outcome::crashed,
                                Outcome::timed_out, Outcome::cheating}) {
    EXPECT_TRUE(is_failure(outcome)) << name_of(outcome);
  }
  for (const Outcome outcome : {Outcome::improved, Outcome::same, Outcome::regressed,
                                Outcome::inconclusive, Outcome::blocked, Outcome::unjudgeable}) {
    EXPECT_FALSE(is_failure(outcome)) << name_of(outcome);
  }
}

TEST(OutcomeTest, OfTwoPredictionsTheBetterStaysAndOfTwoTimesTheConfirmedOne) {
  const Comparison predicted{.ratio = 1.2, .low = 0.8, .high = 1.8, .processes = 0};
  Comparison timed = predicted;
  timed.processes = 7;
  EXPECT_TRUE(is_better(predicted));
  EXPECT_FALSE(is_better(timed)) << "its interval holds 1";
  EXPECT_FALSE(is_better(Comparison{.ratio = 1.0005, .low = 0.7, .high = 1.4, .processes = 0}));
  EXPECT_FALSE(is_better(Comparison{.ratio = 0.9, .low = 0.6, .high = 1.4, .processes = 0}));
  Verdict verdict;
  verdict.comparison = predicted;
  for (const Outcome outcome : {Outcome::wrong, Outcome::crashed, Outcome::unjudgeable}) {
    verdict.outcome = outcome;
    EXPECT_FALSE(is_better(verdict)) << name_of(outcome);
  }
  verdict.outcome = Outcome::inconclusive;
  EXPECT_TRUE(is_better(verdict));
}

TEST(OutcomeTest, NothingIsKnownOfWhatCouldNotBeMeasuredOrJudged) {
  EXPECT_TRUE(says_nothing(Outcome::blocked));
  EXPECT_TRUE(says_nothing(Outcome::unjudgeable));
  for (const Outcome outcome : {Outcome::improved, Outcome::inconclusive, Outcome::wrong,
                                Outcome::build_failed, Outcome::timed_out}) {
    EXPECT_FALSE(says_nothing(outcome)) << name_of(outcome);
  }
}

}  // namespace
}  // namespace warpmind
