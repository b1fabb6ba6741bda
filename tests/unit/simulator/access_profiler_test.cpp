#include "profilers/simulator/profile/access_profiler.h"

#include "profilers/simulator/exec/warp.h"
#include "profilers/simulator/profile/sector_cache.h"

#include <gtest/gtest.h>

namespace warpmind::simulator {
namespace {

constexpr std::uint64_t kBase = 0x3000'0000'0000ULL;
constexpr CacheGeometry kNoCaches;

Addresses strided(std::uint64_t first, std::uint64_t stride) {
  Addresses out{};
  for (std::size_t i = 0; i < kLanes; ++i) out[i] = first + stride * i;
  return out;
}

struct Profiler : testing::Test {
  AccessCounters global(const Addresses& addresses, std::uint32_t bytes, Mask active = kAllLanes) {
    AccessProfiler profiler(1, kNoCaches);
    profiler.global(instruction, block, addresses, active, bytes);
    return profiler.counters()[0];
  }
  AccessCounters shared(const Addresses& addresses, std::uint32_t bytes, Mask active = kAllLanes) {
    AccessProfiler profiler(1, kNoCaches);
    profiler.shared(instruction, addresses, active, bytes);
    return profiler.counters()[0];
  }

  Profiler() { instruction.access = 0; }
  Instruction instruction;
  BlockState block;
};

TEST_F(Profiler, SectorsOfStridedLoads) {
  EXPECT_EQ(global(strided(kBase, 4), 4).sectors, 4U);
  EXPECT_EQ(global(strided(kBase, 8), 4).sectors, 8U);
  EXPECT_EQ(global(strided(kBase, 32), 4).sectors, 32U);
  EXPECT_EQ(global(strided(kBase, 128), 4).lines, 32U);
  EXPECT_EQ(global(strided(kBase, 4096), 4).sectors, 32U);  // far apart
  EXPECT_EQ(global(strided(kBase, 0), 4).sectors, 1U);
  EXPECT_EQ(global(strided(kBase, 2), 2).sectors, 2U);
}

TEST_F(Profiler, AMisalignedRunTouchesOneMoreSector) {
  const AccessCounters counters = global(strided(kBase + 4, 4), 4);
  EXPECT_EQ(counters.sectors, 5U);
  EXPECT_EQ(counters.lines, 2U);
}

TEST_F(Profiler, VectorsOfSixteenBytes) {
  const AccessCounters counters = global(strided(kBase, 16), 16);
  EXPECT_EQ(counters.requests, 1U);
  EXPECT_EQ(counters.sectors, 16U);
  EXPECT_EQ(counters.lines, 4U);
  EXPECT_EQ(counters.bytes, 512U);
}

TEST_F(Profiler, OnlyActiveLanesCount) {
  const AccessCounters counters = global(strided(kBase, 4), 4, 0xff);
  EXPECT_EQ(counters.lanes, 8U);
  EXPECT_EQ(counters.bytes, 32U);
  EXPECT_EQ(counters.sectors, 1U);
}

TEST_F(Profiler, BanksOfStridedWords) {
  EXPECT_EQ(shared(strided(0, 4), 4).wavefronts, 1U);
  EXPECT_EQ(shared(strided(0, 8), 4).wavefronts, 2U);
  EXPECT_EQ(shared(strided(0, 128), 4).wavefronts, 32U);
  EXPECT_EQ(shared(strided(0, 132), 4).wavefronts, 1U);  // a padded column
  EXPECT_EQ(shared(strided(64, 0), 4).wavefronts, 1U);   // broadcast
  EXPECT_EQ(shared(strided(0, 128), 4).ideal_wavefronts, 1U);
}

TEST_F(Profiler, LanesWithinAWordDoNotConflict) {
  EXPECT_EQ(shared(strided(0, 2), 2).wavefronts, 1U);
  EXPECT_EQ(shared(strided(0, 1), 1).wavefronts, 1U);
  EXPECT_EQ(shared(strided(0, 64), 2).wavefronts, 16U);
}

TEST_F(Profiler, WideSharedAccessesGoInParts) {
  EXPECT_EQ(shared(strided(0, 8), 8).wavefronts, 2U);
  EXPECT_EQ(shared(strided(0, 16), 16).wavefronts, 4U);
  EXPECT_EQ(shared(strided(0, 16), 8).wavefronts, 4U);
  EXPECT_EQ(shared(strided(0, 16), 8).ideal_wavefronts, 2U);
  EXPECT_EQ(shared(strided(0, 8), 8, 0xffff).ideal_wavefronts, 1U);
}

TEST_F(Profiler, ConstantsPassOncePerAddress) {
  AccessProfiler profiler(1, kNoCaches);
  profiler.constant(instruction, strided(kBase, 0), kAllLanes, 4);
  profiler.constant(instruction, strided(kBase, 4), kAllLanes, 4);
  EXPECT_EQ(profiler.counters()[0].wavefronts, 33U);
  EXPECT_EQ(profiler.counters()[0].ideal_wavefronts, 2U);
}

TEST_F(Profiler, AtomicsOnOneAddressConflict) {
  AccessProfiler profiler(1, kNoCaches);
  profiler.atomic(instruction, block, strided(kBase, 0), kAllLanes, 4, false);
  EXPECT_EQ(profiler.counters()[0].atomic_conflicts, 31U);
  EXPECT_EQ(profiler.counters()[0].sectors, 1U);
  profiler.reset();
  profiler.atomic(instruction, block, strided(0, 4), kAllLanes, 4, true);
  EXPECT_EQ(profiler.counters()[0].atomic_conflicts, 0U);
  EXPECT_EQ(profiler.counters()[0].wavefronts, 1U);
}

TEST_F(Profiler, RowsOfMatrices) {
  AccessProfiler profiler(1, kNoCaches);
  profiler.matrix(instruction, strided(0, 16), 32);
  EXPECT_EQ(profiler.counters()[0].wavefronts, 4U);
  profiler.reset();
  profiler.matrix(instruction, strided(0, 128), 32);  // all rows on the same banks
  EXPECT_EQ(profiler.counters()[0].wavefronts, 32U);
  EXPECT_EQ(profiler.counters()[0].ideal_wavefronts, 4U);
}

TEST_F(Profiler, CachesKeepWhatWasRead) {
  AccessProfiler profiler(1, {2, 64 * 1024, 1024 * 1024});
  profiler.global(instruction, block, strided(kBase, 4), kAllLanes, 4);
  EXPECT_EQ(profiler.counters()[0].dram_sectors, 4U);
  profiler.global(instruction, block, strided(kBase, 4), kAllLanes, 4);
  EXPECT_EQ(profiler.counters()[0].l1_hits, 4U);
  block.sm = 1;  // another L1, the same L2
  profiler.global(instruction, block, strided(kBase, 4), kAllLanes, 4);
  EXPECT_EQ(profiler.counters()[0].l1_hits, 4U);
  EXPECT_EQ(profiler.counters()[0].l2_hits, 4U);
  EXPECT_EQ(profiler.counters()[0].dram_sectors, 4U);
}

TEST_F(Profiler, StoredSectorsAreWrittenBackOnce) {
  instruction.is_store = true;
  AccessProfiler profiler(1, {1, 64 * 1024, 1024 * 1024});
  profiler.global(instruction, block, strided(kBase, 4), kAllLanes, 4);
  profiler.global(instruction, block, strided(kBase, 4), kAllLanes, 4);
  EXPECT_EQ(profiler.counters()[0].dram_sectors, 4U);
  EXPECT_EQ(profiler.counters()[0].l2_hits, 4U);
}

TEST(SectorCache, DropsTheLeastRecentlyUsedLine) {
  SectorCache cache(512, 4);  // one set
  for (const std::uint64_t line : {1U, 2U, 3U, 4U}) EXPECT_EQ(cache.access(line, 1, true), 0U);
  EXPECT_EQ(cache.access(1, 1, true), 1U);
  EXPECT_EQ(cache.access(5, 1, true), 0U);
  EXPECT_EQ(cache.access(1, 1, false), 1U);
  EXPECT_EQ(cache.access(2, 1, false), 0U);
  EXPECT_EQ(cache.access(5, 3, true), 1U);
  EXPECT_EQ(cache.access(5, 3, true), 3U);
}

TEST(SectorCache, PowersOfTwoDoNotFallOnOneSet) {
  SectorCache cache(64 * 1024, 8);
  constexpr std::uint64_t kStride = 64;  // sets
  std::uint64_t hits = 0;
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t i = 0; i < 256; ++i) hits += cache.access(i * kStride, 1, true);
  }
  EXPECT_GT(hits, 200U);
}

}  // namespace
}  // namespace warpmind::simulator
