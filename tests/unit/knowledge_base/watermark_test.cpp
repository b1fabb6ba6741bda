#include "knowledge_base/watermark.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace warpmind::knowledge_base {
namespace {

class WatermarkFile : public testing::Test {
 protected:
  WatermarkFile()
      : scratch_(ScratchDirectory::create(std::filesystem::temp_directory_path(), "mark").value()),
        file_(scratch_.path() / "WATERMARK") {}

  /// Writes marks at sequence 1 … `count`.
  void advance(std::int64_t count) const {
    auto mark = Watermark::open(file_, read_watermark(file_)->newest).value();
    for (std::int64_t i = 1; i <= count; ++i) {
      ASSERT_TRUE(mark.advance(i, 10 * i, sha256(std::to_string(i))).has_value());
    }
  }
  /// In both copies of the record.
  void damage(std::streamoff offset) const {
    flip(offset);
    flip(offset + 2048);
  }
  void flip(std::streamoff offset) const {
    std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(offset);
    const char byte = static_cast<char>(file.get() ^ 0x10);
    file.seekp(offset);
    file.put(byte);
  }

  ScratchDirectory scratch_;
  std::filesystem::path file_;
};

TEST_F(WatermarkFile, AMissingFileIsNoMark) {
  const auto reading = read_watermark(file_).value();

  EXPECT_FALSE(reading.exists);
  EXPECT_EQ(reading.newest, std::nullopt);
}

TEST_F(WatermarkFile, TheNewestMarkComesBack) {
  advance(3);

  const auto reading = read_watermark(file_).value();

  ASSERT_TRUE(reading.newest.has_value());
  EXPECT_EQ(*reading.newest, (WatermarkRecord{3, 3, 30, sha256("3")}));
  EXPECT_EQ(reading.damaged_slots, 0);
}

TEST_F(WatermarkFile, ContinuesAfterTheNewestMarkWhenOpenedAgain) {
  advance(3);
  advance(1);

  EXPECT_EQ(read_watermark(file_)->newest->generation, 4U);
}

TEST_F(WatermarkFile, ADamagedSlotIsIgnored) {
  advance(4);  // generation 4 lies in slot 0, generation 3 in slot 1
  damage(20);

  const auto reading = read_watermark(file_).value();

  EXPECT_EQ(reading.damaged_slots, 1);
  EXPECT_EQ(reading.newest->last_sequence, 3);
  EXPECT_TRUE(reading.unsure) << "it may have been the newer one, and was";
}

TEST_F(WatermarkFile, ADamagedSlotThatStillShowsItsAgeLeavesNoDoubt) {
  advance(4);
  damage(4096 + 20);

  const auto reading = read_watermark(file_).value();

  EXPECT_EQ(reading.damaged_slots, 1);
  EXPECT_EQ(reading.newest->last_sequence, 4);
  EXPECT_FALSE(reading.unsure) << "generation 3 can be read in it";
}

TEST_F(WatermarkFile, AWipedSlotLeavesDoubtButForTheFirstRecord) {
  advance(1);
  EXPECT_FALSE(read_watermark(file_)->unsure);
  advance(3);
  std::fstream(file_, std::ios::in | std::ios::out | std::ios::binary) << std::string(4096, '\0');

  const auto reading = read_watermark(file_).value();

  EXPECT_EQ(reading.newest->generation, 3U);
  EXPECT_EQ(reading.blank_slots, 1);
  EXPECT_TRUE(reading.unsure);
}

TEST_F(WatermarkFile, AnyFlippedBitOfARecordIsNoticedAndItsCopyServes) {
  advance(1);  // generation 1 lies in slot 1
  const auto whole = read_watermark(file_)->newest;
  for (std::streamoff offset = 4096; offset < 4096 + 80; ++offset) {
    flip(offset);
    EXPECT_EQ(read_watermark(file_)->newest, whole) << "byte " << offset;
    flip(offset + 2048);
    EXPECT_EQ(read_watermark(file_)->newest, std::nullopt) << "byte " << offset;
    flip(offset);
    EXPECT_EQ(read_watermark(file_)->newest, whole) << "byte " << offset;
    flip(offset + 2048);
  }
}

TEST_F(WatermarkFile, BothSlotsDamagedLeaveNoMark) {
  advance(2);
  damage(10);
  damage(4096 + 10);

  const auto reading = read_watermark(file_).value();

  EXPECT_TRUE(reading.exists);
  EXPECT_EQ(reading.damaged_slots, 2);
  EXPECT_EQ(reading.newest, std::nullopt);
}

TEST_F(WatermarkFile, AFileOfAnotherSizeIsDamaged) {
  std::ofstream(file_) << std::string(20'000, 'x');

  EXPECT_EQ(read_watermark(file_)->damaged_slots, 2);
}

TEST_F(WatermarkFile, SlotsLieInSeparateBlocks) {
  advance(1);
  EXPECT_EQ(std::filesystem::file_size(file_), 8192U);
}

}  // namespace
}  // namespace warpmind::knowledge_base
