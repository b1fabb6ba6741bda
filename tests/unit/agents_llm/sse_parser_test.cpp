#include "agents/llm/sse_parser.h"

#include <vector>

#include <gmock/gmock.h>

namespace warpmind::agents::llm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Parsed {
  std::vector<std::string> types;
  std::vector<std::string> data;
};

/// Feeds `bytes` in pieces of `size`.
Parsed parse(const std::string& bytes, std::size_t size) {
  Parsed parsed;
  SseParser parser(1000);
  for (std::size_t from = 0; from < bytes.size(); from += size) {
    const auto fed = parser.feed(bytes.substr(from, size), [&](const SseEvent& event) {
      parsed.types.push_back(event.type);
      parsed.data.push_back(event.data);
      return Result<void>();
    });
    EXPECT_TRUE(fed.has_value());
  }
  return parsed;
}

TEST(SseParser, ReadsEveryFormWhateverThePieces) {
  const std::string stream =
      "\xef\xbb\xbf"
      "data: first\n\n"
      ": a comment\r\n"
      "event: named\r\n"
      "data: two\r\n"
      "data:lines\r\n"
      "id: 7\r\n\r\n"
      "data\r\r"
      "data:  kept \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\n"
      "unknown: x\n\n\n"
      "event: without data\n\n"
      "data: never ended\n";
  for (std::size_t size = 1; size <= stream.size(); ++size) {
    const auto parsed = parse(stream, size);
    EXPECT_THAT(parsed.data, ElementsAre("first", "two\nlines", "",
                                         " kept \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"))
        << "in pieces of " << size;
    EXPECT_THAT(parsed.types, ElementsAre("", "named", "", "")) << "in pieces of " << size;
  }
}

TEST(SseParser, RefusesAnEventBeyondItsLimit) {
  const auto ignore = [](const SseEvent&) { return Result<void>(); };
  for (const std::string& line : {"data: " + std::string(2000, 'x'), std::string(2000, 'x')}) {
    SseParser parser(1000);
    const auto fed = parser.feed(line, ignore);
    ASSERT_FALSE(fed.has_value());
    EXPECT_EQ(fed.error().code, Errc::external_failure);
    EXPECT_THAT(fed.error().message, HasSubstr("1000"));
  }
  // Many short lines of one event.
  SseParser parser(1000);
  Result<void> fed;
  for (int i = 0; i < 300 && fed; ++i) fed = parser.feed("data: 0123456789\n", ignore);
  EXPECT_FALSE(fed.has_value());
}

TEST(SseParser, ManyEventsMayBeLongerTogether) {
  const auto ignore = [](const SseEvent&) { return Result<void>(); };
  SseParser parser(1000);
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(parser.feed("data: 0123456789\n\n", ignore).has_value());
  }
}

TEST(SseParser, HandsOnTheErrorOfItsReader) {
  SseParser parser(1000);
  int events = 0;
  const auto fed = parser.feed("data: a\n\ndata: b\n\n", [&](const SseEvent&) -> Result<void> {
    ++events;
    return fail(Errc::unavailable, "no");
  });
  ASSERT_FALSE(fed.has_value());
  EXPECT_EQ(fed.error().code, Errc::unavailable);
  EXPECT_EQ(events, 1);
}

}  // namespace
}  // namespace warpmind::agents::llm
