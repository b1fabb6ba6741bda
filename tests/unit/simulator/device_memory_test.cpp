#include "profilers/simulator/memory/bits.h"
#include "profilers/simulator/memory/global_access.h"
#include "profilers/simulator/memory/shared_access.h"
#include "tests/unit/simulator/small_machine.h"

#include <vector>

#include <gmock/gmock.h>

namespace warpmind::simulator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(DeviceMemory, AllocationsHaveRedZonesAndDistinctAddresses) {
  DeviceMemory memory(1 << 20);
  const std::uint64_t a = memory.allocate(100);
  const std::uint64_t b = memory.allocate(0);
  const std::uint64_t c = memory.allocate(4096);
  EXPECT_EQ(a % DeviceMemory::kRedZone, 0U);
  EXPECT_GE(b, a + 100 + DeviceMemory::kRedZone);
  EXPECT_GT(c, b);
  EXPECT_EQ(memory.find(a + 99)->address, a);
  EXPECT_EQ(memory.find(a + 100), nullptr);
  EXPECT_EQ(memory.find(c - 1), nullptr);
  EXPECT_EQ(memory.live_bytes(), 4196U);
}

TEST(DeviceMemory, PutsBackWhatWasWrittenSinceItBecameUndoable) {
  constexpr std::uint64_t kBytes = 20000;
  DeviceMemory memory(1 << 20);
  const std::uint64_t a = memory.allocate(kBytes);
  const auto fill = [&](std::uint64_t from, std::uint64_t bytes, int value) {
    memory.mark_written(a + from, bytes);
    std::memset(memory.host(a + from), value, bytes);
  };
  fill(0, kBytes, 1);
  memory.begin_undoable();
  fill(4000, 9000, 2);
  fill(19999, 1, 3);
  fill(4000, 1, 4);
  memory.undo();
  const std::vector<std::byte> before(kBytes, std::byte{1});
  EXPECT_EQ(std::memcmp(memory.host(a), before.data(), kBytes), 0);
  fill(5, 1, 6);
  memory.undo();  // nothing is undoable any more
  EXPECT_EQ(*memory.host(a + 5), std::byte{6});
}

TEST(DeviceMemory, GivesNothingBeyondItsCapacity) {
  DeviceMemory memory(1000);
  EXPECT_EQ(memory.allocate(1001), 0U);
  const std::uint64_t a = memory.allocate(1000);
  EXPECT_NE(a, 0U);
  EXPECT_EQ(memory.allocate(1), 0U);
  EXPECT_TRUE(memory.release(a));
  EXPECT_NE(memory.allocate(1000), 0U);
  EXPECT_EQ(memory.allocate(~std::uint64_t{0}), 0U);
}

TEST(DeviceMemory, FreedAddressesStayKnownAndAreNotUsedAgain) {
  DeviceMemory memory(1 << 20);
  const std::uint64_t a = memory.allocate(64);
  EXPECT_FALSE(memory.release(a + 1));
  EXPECT_TRUE(memory.release(a));
  EXPECT_FALSE(memory.release(a));
  EXPECT_FALSE(memory.find(a)->live);
  EXPECT_NE(memory.allocate(64), a);
}

TEST(DeviceMemory, AddressesComeRoundWhenAllAreUsed) {
  DeviceMemory memory(DeviceMemory::kReserved);
  const std::uint64_t big = DeviceMemory::kReserved / 4;
  std::uint64_t first = 0;
  for (int i = 0; i < 12; ++i) {
    const std::uint64_t at = memory.allocate(big);
    ASSERT_NE(at, 0U) << i;
    if (i == 0) first = at;
    EXPECT_EQ(memory.find_unwritten(at, 64), at) << i;
    memory.host(at)[3] = std::byte{7};
    memory.mark_written(at, 64);
    EXPECT_TRUE(memory.release(at));
  }
  const std::uint64_t again = memory.allocate(big);
  EXPECT_GE(again, first);
  EXPECT_EQ(memory.host(again)[3], std::byte{0});
  EXPECT_TRUE(memory.find_unwritten(again, 64).has_value());
}

TEST(DeviceMemory, KnowsWhichBytesWereWritten) {
  DeviceMemory memory(1 << 20);
  const std::uint64_t a = memory.allocate(4096);
  EXPECT_EQ(memory.find_unwritten(a, 4096), a);
  memory.mark_written(a, 1003);
  EXPECT_FALSE(memory.find_unwritten(a, 1003).has_value());
  EXPECT_EQ(memory.find_unwritten(a + 5, 2000), a + 1003);
  memory.mark_written(a + 1005, 3091);
  EXPECT_EQ(memory.find_unwritten(a, 4096), a + 1003);
  EXPECT_EQ(memory.find_unwritten(a + 1004, 100), a + 1004);
}

TEST(DeviceMemoryDeathTest, TheHostCannotFollowADevicePointer) {
  DeviceMemory memory(1 << 20);
  const std::uint64_t a = memory.allocate(64);
  EXPECT_DEATH({ *reinterpret_cast<volatile int*>(a) = 1; }, "");
}

TEST(Bits, RangesAtAnyPlace) {
  std::vector<std::uint8_t> bits(64);
  set_bits(bits.data(), 3, 70);
  EXPECT_EQ(find_clear_bit(bits.data(), 3, 70), std::nullopt);
  EXPECT_EQ(find_clear_bit(bits.data(), 3, 71), 73U);
  EXPECT_EQ(find_clear_bit(bits.data(), 2, 1), 2U);
  EXPECT_TRUE(all_bits_set(bits.data(), 25, 32));
  EXPECT_FALSE(all_bits_set(bits.data(), 72, 2));
}

TEST(GlobalAccess, NamesHowFarAnAccessMisses) {
  SmallMachine machine;
  const std::uint64_t a = machine.memory.allocate(4096);
  machine.memory.mark_written(a, 4096);
  Pointers at{};
  Access access = machine.access(0, 0, a + 4096 - 31 * 4, 4);
  read_global(access, at);
  EXPECT_EQ(access.active, kAllLanes >> 1U);
  EXPECT_EQ(machine.checks.entries().at(0).detail,
            "read of 4 bytes, 0 bytes past the end of an allocation of 4096 bytes");
  EXPECT_EQ(machine.launch.end, LaunchEnd::fault);
  EXPECT_THAT(machine.launch.end_reason,
              testing::AllOf(HasSubstr("kernel kernel, line 10: global out of bounds: read of 4"),
                             HasSubstr("(block 0,0,0, thread 31,0,0, address 0x")));
  EXPECT_THAT(machine.findings(), ElementsAre("global out of bounds 10"));
}

TEST(DeviceMemory, RestrictLeavesKernelsTheInnerPart) {
  DeviceMemory memory(1U << 20U);
  const std::uint64_t whole = memory.allocate(4096);
  ASSERT_TRUE(memory.restrict(whole, 256, 1000));

  EXPECT_EQ(memory.find_usable(whole), nullptr);
  ASSERT_NE(memory.find_usable(whole + 256), nullptr);
  EXPECT_EQ(memory.find_usable(whole + 256)->bytes, 1000U);
  EXPECT_NE(memory.find_usable(whole + 1255), nullptr);
  EXPECT_EQ(memory.find_usable(whole + 1256), nullptr);
  EXPECT_NE(memory.find(whole + 1256), nullptr);  // copies by the host still reach it
  EXPECT_EQ(memory.nearest(whole + 1256)->address, whole + 256);
  EXPECT_FALSE(memory.restrict(whole, 4000, 97));
  EXPECT_TRUE(memory.release(whole));
  EXPECT_FALSE(memory.restrict(whole, 0, 1));
}

TEST(DeviceMemory, ContentMayBeForgotten) {
  DeviceMemory memory(1U << 20U);
  const std::uint64_t at = memory.allocate(256);
  memory.mark_written(at, 256);
  memory.mark_unwritten(at + 3, 70);

  EXPECT_EQ(memory.find_unwritten(at, 256), at + 3);
  EXPECT_EQ(memory.find_unwritten(at + 73, 183), std::nullopt);
  EXPECT_EQ(memory.find_unwritten(at, 3), std::nullopt);
}

TEST(GlobalAccess, TellsTheKindsOfBadPointersApart) {
  SmallMachine machine;
  const std::uint64_t a = machine.memory.allocate(256);
  const std::uint64_t freed = machine.memory.allocate(256);
  machine.memory.mark_written(a, 256);
  machine.memory.release(freed);
  int on_host = 0;
  Pointers at{};
  struct Case {
    std::uint64_t address;
    std::string finding;
    std::string detail;
  };
  const std::vector<Case> cases = {
      {0, "null or host pointer 10", "null pointer"},
      {reinterpret_cast<std::uint64_t>(&on_host), "null or host pointer 10", "host pointer"},
      {freed + 8, "use after free 10", "at byte 8 of an allocation of 256 bytes that was freed"},
      {a + 2, "misaligned access 10", "2 past a multiple of 4"},
      {a - 4, "global out of bounds 10", "4 bytes before the start"},
      {a + 260, "global out of bounds 10", "4 bytes past the end"},
  };
  for (const Case& one : cases) {
    Access access = machine.access(0, 0, one.address, 0, 4, 1);
    read_global(access, at);
    EXPECT_EQ(access.active, 0U) << one.detail;
    ASSERT_FALSE(machine.checks.empty()) << one.detail;
    EXPECT_THAT(machine.checks.entries()[0].detail, HasSubstr(one.detail));
    EXPECT_THAT(machine.findings(), ElementsAre(one.finding));
  }
}

TEST(GlobalAccess, AStraddlingVectorIsOutside) {
  SmallMachine machine;
  const std::uint64_t a = machine.memory.allocate(24);
  Access access = machine.access(0, 0, a + 16, 0, 16, 1);
  Pointers at{};
  read_global(access, at);
  EXPECT_EQ(machine.checks.entries().at(0).detail,
            "read of 16 bytes that ends 8 bytes past the end of an allocation of 24 bytes");
}

TEST(GlobalAccess, ReadsOfBytesThatNobodyWrote) {
  SmallMachine machine;
  const std::uint64_t a = machine.memory.allocate(4096);
  machine.memory.mark_written(a, 100);
  Pointers at{};
  Access access = machine.access(0, 0, a, 4, 4, 0xff);
  read_global(access, at);
  EXPECT_THAT(machine.findings(), IsEmpty());
  Access whole = machine.access(0, 0, a, 4);
  read_global(whole, at);
  EXPECT_EQ(machine.checks.entries().at(0).count, 7U);
  EXPECT_EQ(machine.checks.entries().at(0).detail,
            "read of 4 bytes: byte 100 of an allocation of 4096 bytes was never written");
  EXPECT_EQ(machine.launch.end, LaunchEnd::completed);
  Access write = machine.access(0, 1, a, 4);
  write.is_store = true;
  write_global(write, words(1, 1).data());
  machine.findings();
  Access again = machine.access(0, 0, a, 4);
  read_global(again, at);
  EXPECT_THAT(machine.findings(), IsEmpty());
  std::uint32_t value = 0;
  std::memcpy(&value, at[9], 4);
  EXPECT_EQ(value, 10U);
}

TEST(SharedAccess, LeavesTheBlocksMemory) {
  SmallMachine machine;
  Access access = machine.access(0, 0, SmallMachine::kShared - 64, 4);
  access.is_store = true;
  write_shared(access, words(0, 1).data());
  EXPECT_EQ(access.active, 0xffffU);
  EXPECT_EQ(machine.checks.entries().at(0).detail,
            "write of 4 bytes at offset 4096 of the block's 4096 bytes of shared memory");
  EXPECT_THAT(machine.findings(), ElementsAre("shared out of bounds 10"));
}

}  // namespace
}  // namespace warpmind::simulator
