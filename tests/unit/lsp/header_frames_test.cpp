#include "daemon/protocol/header_frames.h"

#include <gtest/gtest.h>

namespace warpmind::daemon::protocol {
namespace {

TEST(HeaderFrames, CutsBodiesHoweverTheStreamIsSplit) {
  const std::string stream = header_frame(R"({"a":1})") +
                             "content-type: x\r\nCONTENT-LENGTH:  3\r\n\r\n[2]" + header_frame("");
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    HeaderFrames frames;
    std::vector<std::string> bodies;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      frames.append(std::string_view(stream).substr(at, piece));
      while (true) {
        const auto body = frames.next();
        ASSERT_TRUE(body.has_value()) << body.error().message;
        if (!*body) break;
        bodies.emplace_back(**body);
      }
    }
    EXPECT_EQ(bodies, (std::vector<std::string>{R"({"a":1})", "[2]", ""})) << piece;
  }
}

TEST(HeaderFrames, RefusesWhatIsNoFrame) {
  const auto error_of = [](std::string_view bytes, std::size_t limit = 100) {
    HeaderFrames frames(limit);
    frames.append(bytes);
    const auto body = frames.next();
    return body ? std::string() : body.error().message;
  };
  EXPECT_NE(error_of("Content-Type: x\r\n\r\n{}"), "");
  EXPECT_NE(error_of("Content-Length: x\r\n\r\n{}"), "");
  EXPECT_NE(error_of("Content-Length: -1\r\n\r\n{}"), "");
  EXPECT_NE(error_of(std::string(9000, 'x')), "");
  EXPECT_NE(error_of("Content-Length: 101\r\n\r\n").find("at most 100"), std::string::npos);
  EXPECT_EQ(error_of("Content-Length: 100\r\n\r\n"), "");
}

TEST(HeaderFrames, AMessageFitsOnOneLine) {
  EXPECT_EQ(on_one_line("{\r\n\"a\":\n1}"), "{  \"a\": 1}");
}

}  // namespace
}  // namespace warpmind::daemon::protocol
