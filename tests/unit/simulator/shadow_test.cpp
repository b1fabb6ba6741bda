#include "profilers/simulator/memory/global_access.h"
#include "profilers/simulator/memory/shared_access.h"
#include "tests/unit/simulator/small_machine.h"

#include <gmock/gmock.h>

namespace warpmind::simulator {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Shared : public testing::Test {
 protected:
  void read(std::uint32_t warp, std::size_t index, std::uint64_t first, std::uint64_t stride = 4,
            std::uint32_t bytes = 4, Mask active = kAllLanes) {
    Access access = machine.access(warp, index, first, stride, bytes, active);
    Pointers at{};
    read_shared(access, at);
  }
  void write(std::uint32_t warp, std::size_t index, std::uint64_t first, std::uint64_t stride = 4,
             std::uint32_t bytes = 4, Mask active = kAllLanes, std::uint32_t value = 0,
             std::uint32_t step = 1) {
    Access access = machine.access(warp, index, first, stride, bytes, active);
    access.is_store = true;
    write_shared(access, words(value, step, 32 * std::max<std::size_t>(bytes / 4, 1)).data());
  }
  void update(std::uint32_t warp, std::size_t index, std::uint64_t first,
              std::uint64_t stride = 0) {
    Access access = machine.access(warp, index, first, stride);
    access.is_store = access.is_atomic = true;
    Pointers at{};
    update_shared(access, at);
  }
  void barrier() { machine.barrier(); }

  SmallMachine machine;
};

TEST_F(Shared, OwnDataIsNoRace) {
  write(0, 0, 0);
  read(0, 1, 0);
  write(0, 2, 0);
  EXPECT_THAT(machine.findings(), IsEmpty());
}

TEST_F(Shared, AnotherWarpsDataNeedsABarrier) {
  write(0, 0, 0);
  read(1, 1, 0);
  EXPECT_THAT(machine.findings(), ElementsAre("shared race 11"));
  barrier();
  read(1, 1, 0);
  EXPECT_THAT(machine.findings(), IsEmpty());
}

TEST_F(Shared, OverwritingWhatOthersReadNeedsABarrier) {
  write(0, 0, 0);
  barrier();
  read(1, 1, 0);
  write(0, 2, 0, 4, 4, kAllLanes, 5);
  EXPECT_THAT(machine.findings(), ElementsAre("shared race 12"));
}

TEST_F(Shared, ReadersOfSeveralWarpsAreRemembered) {
  write(0, 0, 0);
  barrier();
  read(1, 1, 0);
  read(0, 1, 0);
  write(0, 2, 0, 4, 4, kAllLanes, 5);
  EXPECT_THAT(machine.findings(), ElementsAre("shared race 12"));
}

TEST_F(Shared, LanesOfAWarpNeedSyncwarp) {
  write(0, 0, 0);
  read(0, 1, 4, 4, 4, kAllLanes >> 1U);
  EXPECT_THAT(machine.findings(), ElementsAre("shared race in a warp 11"));
  machine.syncwarp(0);
  read(0, 1, 4, 4, 4, kAllLanes >> 1U);
  EXPECT_THAT(machine.findings(), IsEmpty());
  write(0, 2, 0, 4, 4, kAllLanes, 9);  // lanes 1 to 31 overwrite what their neighbours read
  EXPECT_THAT(machine.findings(), ElementsAre("shared race in a warp 12"));
}

TEST_F(Shared, SyncwarpDoesNotOrderWarps) {
  write(0, 0, 0);
  machine.syncwarp(0);
  machine.syncwarp(1);
  read(1, 1, 0);
  EXPECT_THAT(machine.findings(), ElementsAre("shared race 11"));
}

TEST_F(Shared, LanesOfOneStoreToOnePlace) {
  write(0, 0, 64, 0, 4, kAllLanes, 7, 0);
  EXPECT_THAT(machine.findings(), ElementsAre("same-value stores 10"));
  write(0, 1, 128, 0, 4, kAllLanes, 7, 1);
  EXPECT_THAT(machine.findings(), ElementsAre("shared race in a warp 11"));
}

TEST_F(Shared, AValueThatAllStoredIsReadByItsWarpButNotByOthers) {
  write(0, 0, 64, 0, 4, kAllLanes, 7, 0);
  machine.findings();
  read(0, 1, 64, 0);
  EXPECT_THAT(machine.findings(), IsEmpty());
  read(1, 2, 64, 0);
  EXPECT_THAT(machine.findings(), ElementsAre("shared race 12"));
  write(1, 3, 64, 0, 4, 1, 8);
  EXPECT_THAT(machine.findings(), ElementsAre("shared race 13"));
}

TEST_F(Shared, HalvesOfAWordBelongToTheirThreads) {
  write(0, 0, 0, 2, 2);
  write(1, 0, 64, 2, 2);
  read(0, 1, 0, 2, 2);
  read(1, 1, 64, 2, 2);
  write(0, 2, 0, 2, 2, kAllLanes, 3);
  EXPECT_THAT(machine.findings(), IsEmpty());
  read(0, 3, 2, 2, 2, 1);
  EXPECT_THAT(machine.findings(), ElementsAre("shared race in a warp 13"));
}

TEST_F(Shared, BytesAfterWordsAreToldApart) {
  write(0, 0, 0);
  barrier();
  read(0, 1, 0, 1, 1);
  write(0, 2, 0, 1, 1, kAllLanes, 3);
  EXPECT_THAT(machine.findings(), IsEmpty());
  read(1, 3, 31, 1, 1, 1);
  EXPECT_THAT(machine.findings(), ElementsAre("shared race 13"));
}

TEST_F(Shared, VectorsConflictInEachWord) {
  write(0, 0, 0, 16, 16);
  barrier();
  write(0, 1, 0, 16, 16, kAllLanes, 100);
  read(1, 2, 12, 16, 4, 1);
  EXPECT_THAT(machine.findings(), ElementsAre("shared race 12"));
}

TEST_F(Shared, AtomicsDoNotConflictWithEachOther) {
  write(0, 0, 0, 4, 4, 1);
  barrier();
  update(0, 1, 0);
  update(1, 1, 0);
  EXPECT_THAT(machine.findings(), IsEmpty());
  read(0, 2, 0, 4, 4, 1);
  EXPECT_THAT(machine.findings(), ElementsAre("shared race 12"));
}

TEST_F(Shared, FencesOnBothSidesOfAFlagOrder) {
  machine.instructions[3].option = kStrong;  // the flag
  write(0, 0, 0);
  machine.order.fence(machine.block.warps[0], kAllLanes, Reach::block);
  machine.syncwarp(0);
  write(0, 3, 512, 0, 4, 1, 1);
  read(1, 3, 512, 0, 4, 1);
  read(1, 1, 0, 4, 4, 1);
  EXPECT_THAT(machine.findings(), ElementsAre("shared race 11"));
  read(1, 3, 512, 0, 4, 1);  // the first look came too early
  machine.order.fence(machine.block.warps[1], kAllLanes, Reach::block);
  read(1, 1, 0, 4, 4, 1);
  EXPECT_THAT(machine.findings(), IsEmpty());
  read(1, 1, 4, 4, 4, 2);  // another lane, which has not looked
  EXPECT_THAT(machine.findings(), ElementsAre("shared race 11"));
  write(0, 0, 256);  // after the fence
  read(1, 1, 256);
  EXPECT_THAT(machine.findings(), ElementsAre("shared race 11"));
}

TEST_F(Shared, SomeLanesMeetWithoutTheOthers) {
  write(0, 0, 0);
  machine.order.meet(machine.block.warps[0], 0xff);
  read(0, 1, 4, 4, 4, 0x7f);
  EXPECT_THAT(machine.findings(), IsEmpty());
  read(0, 1, 4, 4, 4, 0xff);  // lane 7 reads from lane 8
  EXPECT_THAT(machine.findings(), ElementsAre("shared race in a warp 11"));
}

TEST_F(Shared, WhatTheBlockDidNotWriteIsUninitialised) {
  write(0, 0, 0, 4, 4, 0xffff);
  read(0, 1, 0);
  EXPECT_EQ(machine.checks.entries().at(0).count, 16U);
  EXPECT_THAT(machine.findings(), ElementsAre("uninitialised shared read 11"));
  barrier();
  write(0, 0, 64, 4, 4, 0xffff);
  barrier();
  read(0, 1, 0);
  EXPECT_THAT(machine.findings(), IsEmpty());
  machine.start_block(1);
  read(0, 1, 0);
  EXPECT_THAT(machine.findings(), ElementsAre("uninitialised shared read 11"));
}

TEST_F(Shared, AClockThatComesRoundDoesNotAlarm) {
  write(0, 0, 0);
  machine.block.clock = kMostClock + 1;
  machine.start_block(1);
  machine.start_block(2);
  write(0, 0, 0);
  barrier();
  read(1, 1, 0);
  EXPECT_THAT(machine.findings(), IsEmpty());
}

TEST_F(Shared, AsynchronousCopiesLandWhenWaitedFor) {
  Warp& warp = machine.block.warps[0];
  std::array<std::byte, AsyncCopies::kMostBytes * kLanes> values{};
  values.fill(std::byte{5});
  Access copy = machine.access(0, 0, 0, 16, 16);
  copy.is_store = true;
  claim_shared(copy);
  machine.async.issue(copy, values);
  machine.async.commit(warp, kAllLanes);
  machine.async.wait(warp, kAllLanes, 1);  // one group may stay under way
  read(0, 1, 0, 16, 16);
  EXPECT_THAT(machine.findings(), ElementsAre("async copy not waited for 11"));
  EXPECT_EQ(machine.shared[0], std::byte{0});
  machine.async.wait(warp, kAllLanes, 0);
  EXPECT_EQ(machine.shared[511], std::byte{5});
  EXPECT_FALSE(machine.async.any_pending());
  read(0, 1, 0, 16, 16);
  EXPECT_THAT(machine.findings(), IsEmpty());
  read(1, 2, 0, 16, 16);
  EXPECT_THAT(machine.findings(), ElementsAre("shared race 12"));
}

class Global : public testing::Test {
 protected:
  Global() {
    at_ = machine.memory.allocate(4096);
    machine.memory.mark_written(at_, 4096);
    start_launch();
  }
  void start_launch() {
    shadow_.emplace(machine.memory);
    machine.launch.global_shadow = &*shadow_;
  }
  void read(std::uint32_t warp, std::size_t index, std::uint64_t first, std::uint64_t stride = 4,
            std::uint32_t bytes = 4, Mask active = kAllLanes) {
    Access access = machine.access(warp, index, at_ + first, stride, bytes, active);
    Pointers out{};
    read_global(access, out);
  }
  void write(std::uint32_t warp, std::size_t index, std::uint64_t first, std::uint64_t stride = 4,
             std::uint32_t bytes = 4, Mask active = kAllLanes, std::uint32_t value = 0,
             std::uint32_t step = 1) {
    Access access = machine.access(warp, index, at_ + first, stride, bytes, active);
    access.is_store = true;
    write_global(access, words(value, step).data());
  }
  void update(std::size_t index, std::uint64_t first) {
    machine.instructions[index].option = kStrong | kWideScope;
    Access access = machine.access(0, index, at_ + first, 0, 4, 1);
    access.is_store = access.is_atomic = true;
    Pointers out{};
    update_global(access, out);
  }
  void enter(std::uint64_t block) { machine.start_block(block); }
  void barrier() { machine.barrier(); }

  SmallMachine machine;
  std::uint64_t at_ = 0;
  std::optional<GlobalShadow> shadow_;
};

TEST_F(Global, BlocksOnTheirOwnPartsAreNoRace) {
  read(0, 0, 0);
  write(0, 1, 0, 4, 4, kAllLanes, 1);
  enter(1);
  read(0, 0, 128);
  write(0, 1, 128, 4, 4, kAllLanes, 1);
  read(1, 2, 256);
  enter(2);
  read(1, 2, 256);
  EXPECT_THAT(machine.findings(), IsEmpty());
}

TEST_F(Global, BlocksThatShareAWord) {
  write(0, 0, 0, 4, 4, kAllLanes, 1);
  enter(1);
  read(0, 1, 0);
  EXPECT_THAT(machine.findings(), ElementsAre("global race 11"));
  enter(2);
  write(0, 2, 0, 4, 4, kAllLanes, 9);
  EXPECT_THAT(machine.findings(), ElementsAre("global race 12"));
}

TEST_F(Global, AnEarlierReaderConflictsWithALaterWriter) {
  read(0, 0, 0);
  enter(1);
  read(0, 0, 0);
  enter(2);
  write(0, 1, 0, 4, 4, kAllLanes, 9);
  EXPECT_THAT(machine.findings(), ElementsAre("global race 11"));
}

TEST_F(Global, AReaderThatWritesItselfDoesNotHideOtherBlocks) {
  read(0, 0, 0);
  enter(1);
  read(0, 0, 0);
  write(0, 1, 0, 4, 4, kAllLanes, 9);
  EXPECT_THAT(machine.findings(), ElementsAre("global race 11"));
}

TEST_F(Global, TheSameValueIsWasteOnly) {
  write(0, 0, 0, 4, 4, kAllLanes, 1);
  enter(1);
  write(0, 1, 0, 4, 4, kAllLanes, 1);
  EXPECT_THAT(machine.findings(), ElementsAre("same-value stores 11"));
}

TEST_F(Global, LaunchesAreOrdered) {
  write(0, 0, 0, 4, 4, kAllLanes, 1);
  for (int i = 0; i < 200; ++i) {
    start_launch();
    enter(static_cast<std::uint64_t>(i % 4));
    read(0, 1, 0);
  }
  EXPECT_THAT(machine.findings(), IsEmpty());
}

TEST_F(Global, ThreadsOfABlockNeedABarrier) {
  write(0, 0, 0, 4, 4, kAllLanes, 1);
  read(1, 1, 0);
  EXPECT_THAT(machine.findings(), ElementsAre("global race 11"));
  barrier();
  read(1, 1, 0);
  EXPECT_THAT(machine.findings(), IsEmpty());
  write(0, 2, 0, 4, 4, kAllLanes, 3);
  EXPECT_THAT(machine.findings(), ElementsAre("global race 12"));
}

TEST_F(Global, LanesOfAWarpNeedSyncwarp) {
  write(0, 0, 0, 4, 4, kAllLanes, 1);
  machine.syncwarp(0);
  read(0, 1, 4, 4, 4, 1);
  EXPECT_THAT(machine.findings(), IsEmpty());
  write(0, 0, 256, 4, 4, kAllLanes, 1);
  read(0, 1, 260, 4, 4, 1);
  EXPECT_THAT(machine.findings(), ElementsAre("global race 11"));
}

TEST_F(Global, HalvesOfAWordInPlace) {
  for (const std::uint64_t block : {0U, 1U, 2U}) {
    enter(block);
    read(0, 0, 66 * block, 2, 2);
    read(0, 0, 66 * block + 64, 2, 2, 1);
    write(0, 1, 66 * block, 2, 2, kAllLanes, 1);
    write(0, 1, 66 * block + 64, 2, 2, 1, 1);
  }
  EXPECT_THAT(machine.findings(), IsEmpty());
  enter(3);
  read(0, 2, 2, 4, 2, 1);
  EXPECT_THAT(machine.findings(), ElementsAre("global race 12"));
}

TEST_F(Global, AtomicsCount) {
  update(0, 0);
  enter(1);
  update(0, 0);
  EXPECT_THAT(machine.findings(), IsEmpty());
  enter(2);
  write(0, 1, 0, 4, 4, 1, 9);
  EXPECT_THAT(machine.findings(), ElementsAre("global race 11"));
}

TEST_F(Global, TheLastBlockMayReadWhatAFenceReleased) {
  for (const std::uint64_t block : {0U, 1U}) {
    enter(block);
    write(0, 0, 4 * block, 0, 4, 1, 5);
    machine.order.fence(machine.block.warps[0], 1, Reach::device);
    update(1, 1024);
  }
  barrier();
  read(1, 2, 0, 4, 4, 3);
  EXPECT_THAT(machine.findings(), IsEmpty());
}

TEST_F(Global, WithoutTheFenceItMayNot) {
  for (const std::uint64_t block : {0U, 1U}) {
    enter(block);
    write(0, 0, 4 * block, 0, 4, 1, 5);
    machine.order.fence(machine.block.warps[0], 1, Reach::block);  // __threadfence_block()
    update(1, 1024);
  }
  barrier();
  read(1, 2, 0, 4, 4, 3);
  EXPECT_THAT(machine.findings(), ElementsAre("global race 12"));
}

TEST_F(Global, AFencePublishesTheWritesOfItsOwnThreadOnly) {
  for (const std::uint64_t block : {0U, 1U}) {
    enter(block);
    write(0, 0, 128 * block, 4, 4, kAllLanes, 5);
    machine.order.fence(machine.block.warps[0], kAllLanes, Reach::device);
    update(1, 1024);  // lane 0, and nobody met
  }
  read(0, 2, 0, 4, 4, 1);
  EXPECT_THAT(machine.findings(), IsEmpty());
  read(0, 2, 4, 4, 4, 1);
  EXPECT_THAT(machine.findings(), ElementsAre("global race 12"));
}

TEST_F(Global, AllFenceThenMeetThenOneCounts) {
  for (const std::uint64_t block : {0U, 1U}) {
    enter(block);
    for (const std::uint32_t warp : {0U, 1U}) {
      write(warp, 0, 256 * block + 128 * warp, 4, 4, kAllLanes, 5);
      machine.order.fence(machine.block.warps[warp], kAllLanes, Reach::device);
    }
    barrier();
    update(1, 1024);
  }
  barrier();
  read(0, 2, 0);
  read(1, 2, 128);
  EXPECT_THAT(machine.findings(), IsEmpty());
}

TEST_F(Global, ReadOnlyLoadsOfWhatTheLaunchWrites) {
  machine.instructions[1].non_coherent = true;
  read(0, 1, 0);
  write(0, 0, 0, 4, 4, kAllLanes, 1);
  EXPECT_THAT(machine.findings(), IsEmpty());
  barrier();
  read(0, 1, 128);
  EXPECT_THAT(machine.findings(), IsEmpty());
  read(0, 1, 0);  // even its own, even behind a barrier
  EXPECT_THAT(machine.findings(), ElementsAre("global race 11"));
}

TEST_F(Global, AVolatileReadThatNothingOrdersMayBeLate) {
  machine.instructions[3].option = kStrong | kWideScope;
  write(0, 3, 0, 4, 4, 1, 7);
  enter(1);
  const auto seen = [&] {
    Access access = machine.access(0, 3, at_, 0, 4, 1);
    Pointers out{};
    read_global(access, out);
    std::uint32_t value = 0;
    std::memcpy(&value, out[0], 4);
    return value;
  };
  EXPECT_EQ(seen(), 0U);
  EXPECT_EQ(seen(), 7U);
  EXPECT_EQ(seen(), 7U);
}

}  // namespace
}  // namespace warpmind::simulator
