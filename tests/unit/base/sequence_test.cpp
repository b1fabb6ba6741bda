#include "base/sequence.h"

#include "base/model/dtype.h"

#include <array>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind {
namespace {

TEST(SequenceTest, LooksForAValueOfAnotherType) {
  constexpr std::array<std::string_view, 2> kNames{"a", "b"};
  EXPECT_TRUE(contains(kNames, std::string("b")));
  EXPECT_FALSE(contains(kNames, "c"));
  static_assert(contains(std::array<int, 2>{1, 2}, 2));
  EXPECT_FALSE(contains(std::vector<int>{}, 1));
  EXPECT_TRUE(intersects(kNames, std::vector<std::string>{"x", "a"}));
  EXPECT_FALSE(intersects(kNames, std::vector<std::string>{}));
}

TEST(SequenceTest, APathLiesInTheFolderThatItBeginsWith) {
  using std::filesystem::path;
  EXPECT_TRUE(begins_with(path("/a/b/c"), path("/a/b")));
  EXPECT_TRUE(begins_with(path("/a/b"), path("/a/b")));
  EXPECT_FALSE(begins_with(path("/a/bc"), path("/a/b")));
  EXPECT_FALSE(begins_with(path("/a"), path("/a/b")));
}

TEST(SequenceTest, KeepsEachValueOnce) {
  std::vector<std::string> names{"b", "a", "b"};
  EXPECT_FALSE(append_unique(names, "a"));
  EXPECT_TRUE(append_unique(names, "c"));
  EXPECT_EQ(names, (std::vector<std::string>{"b", "a", "b", "c"}));
  sort_unique(names);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(SequenceTest, NamesEnumeratorsInTheirOrder) {
  EXPECT_EQ(enum_names(std::vector<Dtype>{Dtype::i32, Dtype::f16}),
            (std::vector<std::string>{"i32", "f16"}));
}

TEST(SequenceTest, TheMiddleAndTheMean) {
  EXPECT_EQ(median_of({}), 0);
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(mean_of({1, 2, 6}), 3);
}

}  // namespace
}  // namespace warpmind
