#include "daemon/mcp/roofline_svg.h"

#include <gtest/gtest.h>

namespace warpmind::daemon::mcp {
namespace {

TEST(RooflineSvg, NamesAreTextAndNeverMarkup) {
  const std::string svg = draw({"<script>alert(1)</script>",
                                60'000,
                                4800,
                                {{{0.25, 900}, "a\"&b"}, {{0.25, 1100}, "best"}}});
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_NE(svg.find("&lt;script&gt;"), std::string::npos);
  EXPECT_NE(svg.find("a&quot;&amp;b, 900 Gflop/s"), std::string::npos);
  EXPECT_TRUE(svg.starts_with("<svg xmlns="));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(RooflineSvg, FasterPointStandsHigher) {
  const std::string svg =
      draw({"t", 60'000, 4800, {{{0.25, 100}, "slow"}, {{0.25, 1000}, "fast"}}});
  const auto height_of = [&](std::size_t from) {
    const auto at = svg.find("cy=\"", from) + 4;
    return std::stod(svg.substr(at));
  };
  const auto first = svg.find("<circle");
  const auto second = svg.find("<circle", first + 1);
  ASSERT_NE(second, std::string::npos);
  EXPECT_GT(height_of(first), height_of(second)) << "y grows downwards";
}

}  // namespace
}  // namespace warpmind::daemon::mcp
