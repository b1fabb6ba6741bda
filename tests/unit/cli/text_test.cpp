#include "clients/cli/report/text.h"

#include "clients/cli/report/diff.h"
#include "clients/cli/report/table.h"

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

TEST(Text, CleanKeepsPlainTextAndUmlautsAndLineBreaks) {
  EXPECT_EQ(clean("a\tb\nGrüße 2.31× …"), "a\tb\nGrüße 2.31× …");
  EXPECT_EQ(clean("dos\r\nline"), "dos\nline");
}

TEST(Text, CleanDisarmsWhatATerminalWouldObey) {
  EXPECT_EQ(clean("\x1b]0;title\x07"), "?]0;title?");
  EXPECT_EQ(clean("over\rwrite"), "over?write");
  EXPECT_EQ(clean("\xc2\x9b"), "?");      // C1 control sequence introducer
  EXPECT_EQ(clean("\xe2\x80\xae"), "?");  // right-to-left override
  EXPECT_EQ(clean(std::string_view("a\0b", 3)), "a?b");
}

TEST(Text, CleanReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(clean("\xff"), "?");
  EXPECT_EQ(clean("\xc0\xaf"), "??");       // overlong
  EXPECT_EQ(clean("\xed\xa0\x80"), "???");  // surrogate
  EXPECT_EQ(clean("\xe2\x82"), "??");       // cut short
}

TEST(Text, ColumnsCountCharactersNotBytes) {
  EXPECT_EQ(columns_of("µs ×"), 4U);
  EXPECT_EQ(columns_of("速度"), 4U);
}

TEST(Text, ClipMarksTheCutAndStaysInside) {
  EXPECT_EQ(clip("short", 5), "short");
  EXPECT_EQ(clip("longer", 5), "long…");
  EXPECT_EQ(clip("速度速度", 4), "速…");
  EXPECT_EQ(clip("x", 0), "");
}

TEST(Text, WrapBreaksAtSpacesAndNeverLosesAWord) {
  EXPECT_EQ(wrap("one two three", 2, 9), "  one two\n  three\n");
  EXPECT_EQ(wrap("unbreakablyLong b", 0, 4), "unbreakablyLong\nb\n");
  EXPECT_EQ(wrap("a  b ", 1, 80), " a b\n");
}

TEST(Fold, BreaksAtSpacesAndWithinLongWords) {
  EXPECT_EQ(fold("", 5), (std::vector<std::string>{""}));
  EXPECT_EQ(fold("one two three", 8), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(fold("smsp__inst_executed", 8),
            (std::vector<std::string>{"smsp__in", "st_execu", "ted"}));
}

TEST(Table, FoldsLeftAlignedCellsToFit) {
  Table table({Align::left, Align::right, Align::left});
  table.add({"name", "time", "why not"});
  table.add({"a", "12 µs", "the kernel computes something else"});

  const std::string text = table.render(2, 36);

  EXPECT_EQ(text,
            "  name   time  why not\n"
            "  a     12 µs  the kernel computes\n"
            "               something else\n");
}

TEST(Table, AlignsByColumnsAndEndsNoLineInSpaces) {
  Table table({Align::left, Align::right, Align::left});
  table.add({"name", "time", "note"});
  table.add({"µ", "12 µs"});

  EXPECT_EQ(table.render(2), "  name   time  note\n  µ     12 µs\n");
}

TEST(Diff, IsEmptyForEqualTexts) { EXPECT_EQ(unified_diff("a\nb\n", "a\nb\n", {"x", "y"}), ""); }

TEST(Diff, ShowsThreeLinesOfContext) {
  EXPECT_EQ(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\nfive\n6\n7\n8\n", {"a", "b"}),
            "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(Diff, SplitsDistantChangesIntoHunks) {
  std::string before;
  std::string after;
  for (int i = 0; i < 30; ++i) {
    before += std::to_string(i) + "\n";
    after += (i == 2 || i == 25 ? "x" + std::to_string(i) : std::to_string(i)) + "\n";
  }

  const std::string diff = unified_diff(before, after, {"a", "b"});

  EXPECT_NE(diff.find("@@ -1,6 +1,6 @@\n"), std::string::npos) << diff;
  EXPECT_NE(diff.find("@@ -23,7 +23,7 @@\n"), std::string::npos) << diff;
}

TEST(Diff, NamesAnEmptyRangeByTheLineBefore) {
  EXPECT_EQ(unified_diff("", "new\n", {"a", "b"}), "--- a\n+++ b\n@@ -0,0 +1 @@\n+new\n");
  EXPECT_EQ(unified_diff("old\n", "", {"a", "b"}), "--- a\n+++ b\n@@ -1 +0,0 @@\n-old\n");
}

TEST(Diff, FallsBackToReplacingWhenTheMiddleIsHuge) {
  std::string before;
  std::string after;
  for (int i = 0; i < 5000; ++i) {
    before += "a" + std::to_string(i) + "\n";
    after += "b" + std::to_string(i) + "\n";
  }

  const std::string diff = unified_diff(before, after, {"a", "b"});

  EXPECT_NE(diff.find("@@ -1,5000 +1,5000 @@\n-a0\n"), std::string::npos);
}

TEST(Diff, LaunchPlanTextNamesEverythingThatAProposerEdits) {
  Kernel kernel;
  kernel.plan.constants = {{"TILE", 64}};
  kernel.plan.scratch = {
      {.name = "partial", .dtype = Dtype::f32, .elements = "rows", .zeroed = true}};
  kernel.plan.launches = {{.kernel = "k", .arguments = {"x"}, .cooperative = true}};
  kernel.build_flags = {"-use_fast_math"};

  EXPECT_EQ(launch_plan_text(kernel),
            "constant TILE = 64\n"
            "scratch partial: rows elements of f32, zeroed\n"
            "launch k, cooperative\n"
            "  grid (blocks) = 1, 1, 1\n"
            "  block (threads) = 1, 1, 1\n"
            "  dynamic shared memory (bytes) = 0\n"
            "  argument x\n"
            "build flag -use_fast_math\n");
}

}  // namespace
}  // namespace warpmind::clients
