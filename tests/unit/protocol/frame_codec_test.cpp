#include "daemon/protocol/frame_codec.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::daemon::protocol {
namespace {

std::vector<std::string> drain(LineBuffer& buffer) {
  std::vector<std::string> lines;
  for (auto line = buffer.next(); line && *line; line = buffer.next()) lines.emplace_back(**line);
  return lines;
}

TEST(LineBuffer, CutsLinesHoweverTheBytesArrive) {
  const std::string stream = "first\n\nthird\r\nfourth\n";
  for (std::size_t step = 1; step <= stream.size(); ++step) {
    LineBuffer buffer;
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      buffer.append(std::string_view(stream).substr(at, step));
      for (auto& line : drain(buffer)) lines.push_back(std::move(line));
    }

    EXPECT_EQ(lines, (std::vector<std::string>{"first", "", "third", "fourth"})) << step;
    EXPECT_EQ(buffer.pending(), 0U);
  }
}

TEST(LineBuffer, KeepsAnIncompleteLine) {
  LineBuffer buffer;
  buffer.append("half");

  const auto line = buffer.next();

  ASSERT_TRUE(line);
  EXPECT_FALSE(*line);
  EXPECT_EQ(buffer.pending(), 4U);
}

TEST(LineBuffer, TakesALineOfExactlyTheLimit) {
  LineBuffer buffer(4);
  buffer.append("1234\n");

  EXPECT_EQ(drain(buffer), std::vector<std::string>{"1234"});
}

TEST(LineBuffer, RefusesALineOverTheLimitWhetherEndedOrNot) {
  for (const char* text : {"12345", "12345\n"}) {
    LineBuffer buffer(4);
    buffer.append(text);

    const auto line = buffer.next();

    ASSERT_FALSE(line) << text;
    EXPECT_EQ(line.error().code, Errc::invalid_argument);
    EXPECT_NE(line.error().message.find("at most 4 bytes"), std::string::npos);
  }
}

TEST(LineBuffer, ManyLinesInOneAppendKeepTheirOrder) {
  LineBuffer buffer;
  std::string stream;
  for (int i = 0; i < 50'000; ++i) stream += std::to_string(i) + "\n";
  buffer.append(stream);
  buffer.append("tail");

  const auto lines = drain(buffer);

  ASSERT_EQ(lines.size(), 50'000U);
  EXPECT_EQ(lines.back(), "49999");
  EXPECT_EQ(buffer.pending(), 4U);
}

}  // namespace
}  // namespace warpmind::daemon::protocol
