// Which blocks are looked at must be nobody's guess, and each of them at most once.
#include "profilers/simulator/exec/block_sequence.h"

#include "profilers/simulator/profile/report_seal.h"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::simulator {
namespace {

std::vector<std::uint64_t> order_of(Dim3 grid, const LaunchOptions& options) {
  const CompiledModule module{};
  const Program program{};
  const LaunchRequest request{{{grid, {32, 1, 1}}}, module, program, {}};
  const BlockSequence order(request, options);
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t i = 0; i < order.size(); ++i) blocks.push_back(order(i));
  return blocks;
}

TEST(BlockSequence, ASampleTakesOneBlockOfEachStrideWhereTheSeedSays) {
  LaunchOptions options;
  options.block_limit = 64;
  const auto even = order_of({6400, 1, 1}, options);
  std::set<std::vector<std::uint64_t>> samples{even};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    options.sample_seed = seed;
    const auto blocks = order_of({6400, 1, 1}, options);
    ASSERT_EQ(blocks.size(), 64U);
    for (std::uint64_t i = 0; i < 64; ++i) EXPECT_EQ(blocks[i] / 100, i);
    samples.insert(blocks);
  }
  EXPECT_EQ(samples.size(), 21U);
}

TEST(BlockSequence, AShuffleTakesEveryBlockOnceAndKeepsColumnsTogether) {
  LaunchOptions options;
  options.written_blocks_only = true;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    options.sample_seed = seed;
    const auto blocks = order_of({12, 5, 3}, options);
    EXPECT_EQ(std::set<std::uint64_t>(blocks.begin(), blocks.end()).size(), 180U);
    for (std::size_t i = 0; i < blocks.size(); i += 3) {
      EXPECT_EQ(blocks[i] + 60, blocks[i + 1]);
      EXPECT_EQ(blocks[i] + 120, blocks[i + 2]);
    }
  }
}

TEST(BlockSequence, ThreeBlocksOfAShuffleMeetBothHalvesOfTheGrid) {
  LaunchOptions options;
  options.written_blocks_only = true;
  for (const std::uint32_t columns : {8U, 10U, 16U, 27U, 64U, 100U, 1000U, 4096U}) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      options.sample_seed = seed;
      const auto blocks = order_of({columns, 1, 1}, options);
      const auto lower = std::count_if(blocks.begin(), blocks.begin() + 3,
                                       [&](std::uint64_t block) { return block < columns / 2; });
      EXPECT_GT(lower, 0) << columns << " blocks, seed " << seed;
      EXPECT_LT(lower, 3) << columns << " blocks, seed " << seed;
    }
  }
}

TEST(BlockSequence, ADrawnOrderTakesEveryBlockOnce) {
  LaunchOptions options;
  options.drawn = true;
  std::set<std::vector<std::uint64_t>> orders;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    options.sample_seed = seed;
    const auto blocks = order_of({101, 1, 1}, options);
    EXPECT_EQ(std::set<std::uint64_t>(blocks.begin(), blocks.end()).size(), 101U);
    orders.insert(blocks);
  }
  EXPECT_GE(orders.size(), 15U);
}

TEST(BlockSequence, WithoutLimitBlocksRunInOrderOrBackwards) {
  LaunchOptions options;
  EXPECT_EQ(order_of({3, 1, 1}, options), (std::vector<std::uint64_t>{0, 1, 2}));
  options.reversed = true;
  EXPECT_EQ(order_of({3, 1, 1}, options), (std::vector<std::uint64_t>{2, 1, 0}));
}

TEST(ReportSeal, AnyChangeOfTheLinesOrTheKeyShows) {
  const auto seal_of = [](const std::string& key, const std::vector<std::string>& lines) {
    ReportSeal seal(key);
    for (const auto& line : lines) seal.add(line);
    return seal.value();
  };
  const std::string right = seal_of("key", {"a", "b"});
  EXPECT_EQ(right.size(), 40U);
  EXPECT_EQ(right, seal_of("key", {"a", "b"}));
  std::set<std::string> others{right,
                               seal_of("key", {"a"}),
                               seal_of("key", {"b", "a"}),
                               seal_of("key", {"a", "b", "b"}),
                               seal_of("key", {"ab"}),
                               seal_of("other", {"a", "b"}),
                               seal_of("key", {})};
  EXPECT_EQ(others.size(), 7U);
  ReportSeal spoilt("key");
  spoilt.spoil();
  EXPECT_TRUE(spoilt.value().empty());
}

}  // namespace
}  // namespace warpmind::simulator
