#include "daemon/lsp/text_document.h"

#include <gtest/gtest.h>

namespace warpmind::daemon::lsp {
namespace {

// "µ" has two bytes and one unit of UTF-16, "𝔘" four bytes and two units.
constexpr const char* kText = "a\xC2\xB5z\r\n\xF0\x9D\x94\x98x\n\nlast";

TEST(TextDocument, CountsPositionsAsTheEditorDoes) {
  const TextDocument utf16(kText, PositionEncoding::utf16);
  const TextDocument utf8(kText, PositionEncoding::utf8);
  EXPECT_EQ(utf16.offset({0, 2}), 3U);
  EXPECT_EQ(utf8.offset({0, 3}), 3U);
  EXPECT_EQ(utf16.offset({1, 2}), 10U);
  EXPECT_EQ(utf8.offset({1, 4}), 10U);
  EXPECT_EQ(utf16.position(10), (Position{1, 2}));
  EXPECT_EQ(utf8.position(10), (Position{1, 4}));
  EXPECT_EQ(utf16.position(3), (Position{0, 2}));
}

TEST(TextDocument, TakesPositionsBeyondTheEndAsTheEnd) {
  const TextDocument document(kText, PositionEncoding::utf16);
  EXPECT_EQ(document.offset({0, 99}), 4U);  // before the end of the line
  EXPECT_EQ(document.offset({99, 0}), document.text().size());
  EXPECT_EQ(document.offset({-1, 5}), 0U);
  EXPECT_EQ(document.position(9999), (Position{3, 4}));
  // Inside of a character: its begin.
  EXPECT_EQ(TextDocument(kText, PositionEncoding::utf8).offset({0, 2}), 1U);
}

TEST(TextDocument, IsEditedByRanges) {
  TextDocument document("one\ntwo\nthree\n", PositionEncoding::utf16);
  document.replace({1, 0}, {2, 0}, "2\n2.5\n");
  EXPECT_EQ(document.text(), "one\n2\n2.5\nthree\n");
  EXPECT_EQ(document.line(3), "three");
  document.replace({3, 2}, {1, 0}, "never");
  EXPECT_EQ(document.text(), "one\n2\n2.5\nthree\n");
  document.set("");
  EXPECT_EQ(document.lines(), 1);
  EXPECT_EQ(document.line(0), "");
}

TEST(LineAfterEdit, FollowsLinesAroundTheEditedOnes) {
  const std::string before = "a\nb\nc\nd\n";
  EXPECT_EQ(line_after_edit(before, before, 2), 2);
  EXPECT_EQ(line_after_edit(before, "a\nb\nnew\nnew\nc\nd\n", 1), 1);
  EXPECT_EQ(line_after_edit(before, "a\nb\nnew\nnew\nc\nd\n", 2), 4);
  EXPECT_EQ(line_after_edit(before, "a\nX\nc\nd\n", 1), -1);
  EXPECT_EQ(line_after_edit(before, "a\nX\nc\nd\n", 3), 3);
  EXPECT_EQ(line_after_edit(before, "d\n", 3), 0);
  EXPECT_EQ(line_after_edit(before, "", 0), -1);
  EXPECT_EQ(line_after_edit(before, "a\na\nb\nc\nd\n", 0), 0);
  EXPECT_EQ(line_after_edit(before, before, 99), -1);
}

}  // namespace
}  // namespace warpmind::daemon::lsp
