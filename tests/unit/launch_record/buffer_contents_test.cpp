#include "profilers/launch_record/buffer_contents.h"

#include "base/file.h"

#include <cstring>
#include <unistd.h>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSmall = 0x10000;
constexpr std::uint64_t kLarge = 0x1000000;
constexpr std::uint64_t kLargeBytes = (std::uint64_t{4} << 20U) + 64;

std::string pointer_to(std::uint64_t address) {
  std::string bytes(sizeof address, '\0');
  std::memcpy(bytes.data(), &address, sizeof address);
  return bytes;
}

CudaCall call(CallKind kind, std::uint64_t address, std::uint64_t bytes) {
  CudaCall made;
  made.kind = kind;
  made.name = "device";
  made.address = address;
  made.bytes = bytes;
  return made;
}

CudaCall launch(const std::string& kernel, std::vector<std::string> arguments) {
  CudaCall made;
  made.kind = CallKind::launch;
  made.name = kernel;
  made.grid = made.block = {1, 1, 1};
  made.arguments = std::move(arguments);
  return made;
}

/// Every byte of the device is the low byte of its address, plus `memory_`.
class BufferContents : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }

  std::string content(const CudaCall& line) const {
    return read_file(folder_ / line.name, kMostContentsBytes).value_or("");
  }

  char memory_ = 0;
  bool readable_ = true;
  fs::path folder_ =
      fs::temp_directory_path() / ("warpmind_buffer_contents_" + std::to_string(::getpid()));
  ContentsKeeper keeper_{folder_, [this](const MemoryPieces& from, std::uint64_t, char* to) {
                           for (std::uint64_t i = 0; i < from.count; ++i) {
                             const std::uint64_t first = from.address + i * from.stride;
                             for (std::uint64_t b = 0; b < from.bytes; ++b) {
                               *to++ = static_cast<char>(static_cast<char>(first + b) + memory_);
                             }
                           }
                           return readable_;
                         }};
};

TEST_F(BufferContents, ASmallBufferIsKeptWholeBeforeTheLaunch) {
  EXPECT_TRUE(keeper_.before(call(CallKind::allocate, kSmall, 100)).empty());
  EXPECT_TRUE(keeper_.before(call(CallKind::copy, kSmall, 100)).empty());
  const auto lines = keeper_.before(launch("k", {pointer_to(kSmall + 8), "\x05", "\x07"}));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].kind, CallKind::contents);
  EXPECT_EQ(lines[0].address, kSmall);
  EXPECT_EQ(lines[0].bytes, 100U);
  EXPECT_EQ(lines[0].value, 0);
  ASSERT_EQ(content(lines[0]).size(), 100U);
  EXPECT_EQ(content(lines[0])[99], 99);
  EXPECT_EQ(decode_cuda_call(encode(lines[0])).value(), lines[0]);
  EXPECT_EQ(fs::status(folder_).permissions(), fs::perms::owner_all);
}

TEST_F(BufferContents, OfALargeOnePiecesAreKept) {
  (void)keeper_.before(call(CallKind::allocate, kLarge, kLargeBytes));
  (void)keeper_.before(call(CallKind::fill, kLarge, kLargeBytes));
  const auto lines = keeper_.before(launch("k", {pointer_to(kLarge)}));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].value, static_cast<int>(kContentsPieces));
  EXPECT_EQ(content(lines[0]).size(), kContentsPieces * kContentsPieceBytes);
}

TEST_F(BufferContents, WhatNobodyWroteIsLeftOut) {
  (void)keeper_.before(call(CallKind::allocate, kSmall, 100));
  EXPECT_TRUE(keeper_.before(launch("k", {pointer_to(kSmall)})).empty());
  EXPECT_EQ(keeper_.before(launch("after", {pointer_to(kSmall)})).size(), 1U)
      << "the first launch may have written it";
  (void)keeper_.before(call(CallKind::release, kSmall, 0));
  EXPECT_TRUE(keeper_.before(launch("gone", {pointer_to(kSmall)})).empty());
}

TEST_F(BufferContents, LaunchesAlikeAreLookedAtTwiceAndEqualBytesAreStoredOnce) {
  (void)keeper_.before(call(CallKind::allocate, kSmall, 100));
  (void)keeper_.before(call(CallKind::copy, kSmall, 100));
  const auto first = keeper_.before(launch("k", {pointer_to(kSmall), "\x05"}));
  const auto second = keeper_.before(launch("k", {pointer_to(kSmall), "\x05"}));
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(first[0].name, second[0].name);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  EXPECT_TRUE(keeper_.before(launch("k", {pointer_to(kSmall), "\x05"})).empty());
  memory_ = 1;
  const auto other = keeper_.before(launch("k", {pointer_to(kSmall), "\x06"}));
  ASSERT_EQ(other.size(), 1U) << "another scalar is another launch";
  EXPECT_NE(other[0].name, first[0].name);
}

TEST_F(BufferContents, AProgramHasABudgetAndWhatCannotBeReadIsLeftOut) {
  constexpr std::uint64_t kMib = std::uint64_t{1} << 20U;
  std::size_t kept = 0;
  for (std::uint64_t i = 0; i < 12; ++i) {
    const std::uint64_t address = kLarge * (i + 1);
    memory_ = static_cast<char>(i);
    (void)keeper_.before(call(CallKind::allocate, address, kMib));
    (void)keeper_.before(call(CallKind::copy, address, kMib));
    kept += keeper_.before(launch("k" + std::to_string(i), {pointer_to(address)})).size();
  }
  EXPECT_EQ(kept, kMostProgramContentsBytes / kMib);
  readable_ = false;
  (void)keeper_.before(call(CallKind::allocate, kSmall, 100));
  (void)keeper_.before(call(CallKind::copy, kSmall, 100));
  EXPECT_TRUE(keeper_.before(launch("k", {pointer_to(kSmall)})).empty());
}

}  // namespace
}  // namespace warpmind::profilers
