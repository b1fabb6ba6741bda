#include "config/source_text.h"

#include "config/nearest_name.h"

#include <gtest/gtest.h>

namespace warpmind::config {
namespace {

TEST(SourceText, FindsWhereUtf8Ends) {
  EXPECT_EQ(find_invalid_utf8("grün ≤ 𝛼"), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("ab\xff"), 2U);
  EXPECT_EQ(find_invalid_utf8("\xc0\x80"), 0U) << "overlong";
  EXPECT_EQ(find_invalid_utf8("a\xed\xa0\x80"), 1U) << "surrogate";
  EXPECT_EQ(find_invalid_utf8("\xf4\x90\x80\x80"), 0U) << "beyond Unicode";
  EXPECT_EQ(find_invalid_utf8("abc\xe2\x89"), 3U) << "cut short";
}

TEST(NearestName, ForgivesSlipsOnly) {
  EXPECT_EQ(nearest_name("lab.devise", {"lab.device", "lab.judge"}), "lab.device");
  EXPECT_EQ(nearest_name("gird", {"grid", "block"}), "grid");
  EXPECT_EQ(nearest_name("elephant", {"grid", "block"}), "");
  EXPECT_EQ(nearest_name("d", {"a", "b"}), "");
  EXPECT_EQ(suggestion("f23", {"f16", "f32"}), "; did you mean 'f32'? known: f16, f32");
  EXPECT_EQ(suggestion("elephant", {"grid", "block"}), "; known: grid, block");
}

}  // namespace
}  // namespace warpmind::config
