#include "profilers/simulator/cudart/fatbin.h"

#include "profilers/simulator/cudart/lz4.h"

#include <cstring>
#include <string>
#include <vector>
#include <zstd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::simulator {
namespace {

using ::testing::HasSubstr;

constexpr std::uint16_t kPtx = 1;
constexpr std::uint16_t kCubin = 2;

std::string ptx_for(const std::string& target) {
  return "\n.version 8.0\n.target sm_" + target + "\n.address_size 64\n";
}

template <class T>
void put(std::vector<std::byte>& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// As nvcc lays one out: 64 bytes of header, then the payload padded to 8.
std::vector<std::byte> entry(std::uint16_t kind, std::uint32_t architecture,
                             const std::string& payload, std::uint64_t flags = 0x11,
                             std::uint64_t plain_bytes = 0) {
  const std::size_t padded = (payload.size() + 7) / 8 * 8;
  std::vector<std::byte> bytes(64 + padded);
  put<std::uint16_t>(bytes, 0, kind);
  put<std::uint32_t>(bytes, 4, 64);
  put<std::uint64_t>(bytes, 8, padded);
  if (plain_bytes != 0) put<std::uint32_t>(bytes, 16, static_cast<std::uint32_t>(payload.size()));
  put<std::uint32_t>(bytes, 28, architecture);
  put<std::uint64_t>(bytes, 40, flags);
  put<std::uint64_t>(bytes, 56, plain_bytes);
  std::memcpy(bytes.data() + 64, payload.data(), payload.size());
  return bytes;
}

std::vector<std::byte> fatbin(const std::vector<std::vector<std::byte>>& entries) {
  std::vector<std::byte> bytes(16);
  for (const auto& one : entries) bytes.insert(bytes.end(), one.begin(), one.end());
  put<std::uint32_t>(bytes, 0, 0xba55ed50);
  put<std::uint16_t>(bytes, 4, 1);
  put<std::uint16_t>(bytes, 6, 16);
  put<std::uint64_t>(bytes, 8, bytes.size() - 16);
  return bytes;
}

std::string compressed(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

TEST(Fatbin, PlainText) {
  const std::string text = ptx_for("90");
  const auto found = ptx_of_fatbin(fatbin({entry(kPtx, 90, text)}), 90);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, text);
}

TEST(Fatbin, NewestThatTheDeviceRuns) {
  const auto image = fatbin({entry(kPtx, 70, ptx_for("70")), entry(kPtx, 80, ptx_for("80")),
                             entry(kCubin, 90,
                                   "\x7f"
                                   "ELF"),
                             entry(kPtx, 100, ptx_for("100"))});
  EXPECT_EQ(*ptx_of_fatbin(image, 90), ptx_for("80"));
  EXPECT_EQ(*ptx_of_fatbin(image, 100), ptx_for("100"));
  const auto too_old = ptx_of_fatbin(image, 60);
  ASSERT_FALSE(too_old);
  EXPECT_EQ(too_old.error().code, Errc::not_found);
  EXPECT_THAT(too_old.error().message, HasSubstr("compute_100"));
}

TEST(Fatbin, ArchitectureSpecificRunsOnItsOwnOnly) {
  const auto image = fatbin({entry(kPtx, 90, ptx_for("90a")), entry(kPtx, 80, ptx_for("80"))});
  EXPECT_EQ(*ptx_of_fatbin(image, 90), ptx_for("90a"));
  EXPECT_EQ(*ptx_of_fatbin(image, 100), ptx_for("80"));
}

TEST(Fatbin, OnlyMachineCodeSaysWhatToCompileWith) {
  const auto found = ptx_of_fatbin(fatbin({entry(kCubin, 90,
                                                 "\x7f"
                                                 "ELF")}),
                                   90);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::not_found);
  EXPECT_THAT(found.error().message, HasSubstr("-gencode arch=compute_90,code=compute_90"));
}

TEST(Fatbin, Zstd) {
  const std::string text = ptx_for("90") + std::string(5000, ' ');
  const auto found =
      ptx_of_fatbin(fatbin({entry(kPtx, 90, compressed(text), 0x8011, text.size())}), 90);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, text);
}

TEST(Fatbin, DamagedZstd) {
  std::string packed = compressed(ptx_for("90"));
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] + 1);
  packed.resize(packed.size() - 3);
  const auto found = ptx_of_fatbin(fatbin({entry(kPtx, 90, packed, 0x8011, 100)}), 90);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::corrupt_data);
}

TEST(Fatbin, ZstdThatClaimsTooMuch) {
  const auto found = ptx_of_fatbin(
      fatbin({entry(kPtx, 90, compressed("x"), 0x8011, std::uint64_t{1} << 50U)}), 90);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::corrupt_data);
}

/// An LZ4 block of literals alone.
std::string lz4_literals(const std::string& text) {
  std::string block(1, '\xf0');
  std::size_t more = text.size() - 15;
  for (; more >= 255; more -= 255) block += '\xff';
  return block + static_cast<char>(more) + text;
}

TEST(Fatbin, Lz4IsDecompressed) {
  const std::string text = ptx_for("90") + std::string(300, '/') + "\n";
  const auto found =
      ptx_of_fatbin(fatbin({entry(kPtx, 90, lz4_literals(text), 0x2011, text.size())}), 90);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, text);
}

TEST(Fatbin, DamagedLz4SaysHowToCompile) {
  const auto found = ptx_of_fatbin(fatbin({entry(kPtx, 90, "abcdefgh", 0x2011, 100)}), 90);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::corrupt_data);
  EXPECT_THAT(found.error().message, HasSubstr("-Xfatbin -compress=false"));
}

TEST(Lz4, MatchesMayOverlapWhatTheyWrite) {
  const std::string block(
      "\x35"
      "abc"
      "\x03\x00"
      "\x50"
      "XYZ12",
      12);  // abc, 9 from 3 back, 5
  std::string out(64, '\0');

  const auto bytes = lz4_decompress(block, out);

  ASSERT_TRUE(bytes);
  EXPECT_EQ(out.substr(0, *bytes), "abcabcabcabcXYZ12");
}

TEST(Lz4, DamagedBlocksWriteNothingBeyondTheirRoom) {
  const std::string block(
      "\x35"
      "abc"
      "\x03\x00"
      "\x50"
      "XYZ12",
      12);
  for (std::size_t bytes = 0; bytes < block.size(); ++bytes) {
    std::string out(64, '\0');
    const bool whole = bytes == 4;  // literals alone are a block
    EXPECT_EQ(lz4_decompress(std::string_view(block).substr(0, bytes), out).has_value(), whole)
        << bytes;
  }
  std::string room(16, '\0');  // one too few
  EXPECT_FALSE(lz4_decompress(block, room));
  std::string far = block;
  far[4] = '\x04';  // before the beginning
  std::string out(64, '\0');
  EXPECT_FALSE(lz4_decompress(far, out));
}

TEST(Fatbin, TruncatedAnywhereIsAnError) {
  const std::string text = ptx_for("90");
  const auto whole =
      fatbin({entry(kCubin, 90,
                    "\x7f"
                    "ELF...."),
              entry(kPtx, 90, text), entry(kPtx, 80, compressed(text), 0x8011, text.size())});
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    // A copy of its own, so that a sanitizer sees the end.
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<long>(bytes));
    EXPECT_FALSE(ptx_of_fatbin(cut, 90)) << bytes;
    (void)ptx_of_bytes(cut, 90);
  }
}

TEST(Fatbin, AnyDamagedByteIsSurvived) {
  const std::string text = ptx_for("90");
  const auto whole =
      fatbin({entry(kPtx, 90, text), entry(kPtx, 80, compressed(text), 0x8011, text.size())});
  int refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned value : {0x00U, 0x7fU, 0xffU}) {
      auto damaged = whole;
      damaged[at] = static_cast<std::byte>(value);
      if (!ptx_of_fatbin(damaged, 90)) ++refused;
    }
  }
  EXPECT_GT(refused, 30);  // magic, sizes
}

TEST(Fatbin, ImagesOfEachKind) {
  const std::string text = ptx_for("90");
  EXPECT_EQ(*ptx_of_image(text.c_str(), 90), text);
  const auto image = fatbin({entry(kPtx, 90, text)});
  EXPECT_EQ(*ptx_of_image(image.data(), 90), text);
  FatbinWrapper wrapper{kFatbinWrapperMagic, 1, image.data(), nullptr};
  EXPECT_EQ(*ptx_of_image(&wrapper, 90), text);
  wrapper.data = nullptr;
  EXPECT_FALSE(ptx_of_image(&wrapper, 90));
  const auto cubin = ptx_of_image(
      "\x7f"
      "ELF and more",
      90);
  ASSERT_FALSE(cubin);
  EXPECT_THAT(cubin.error().message, HasSubstr("cubin"));
  EXPECT_EQ(ptx_of_image("nonsense", 90).error().code, Errc::invalid_argument);
}

}  // namespace
}  // namespace warpmind::simulator
