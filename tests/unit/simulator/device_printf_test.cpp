#include "profilers/simulator/exec/device_printf.h"

#include "profilers/simulator/memory/device_memory.h"

#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::simulator {
namespace {

using ::testing::HasSubstr;

/// One warp whose lane 1 has packed arguments in its local memory, and a format in device memory.
class DevicePrintf : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kLocalBytes = 256;

  DevicePrintf() {
    launch_.memory = &memory_;
    block_.warps.resize(1);
    warp_.block = &block_;
    warp_.launch = &launch_;
    warp_.local = local_.data();
    warp_.local_stride = kLocalBytes;
  }
  std::uint64_t upload(const std::string& text) {
    const std::uint64_t address = memory_.allocate(text.size() + 1);
    std::memcpy(memory_.host(address), text.c_str(), text.size() + 1);
    return address;
  }
  template <class T>
  void pack(T value) {
    end_ = (end_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    std::memcpy(local_.data() + kLocalBytes + end_, &value, sizeof value);
    end_ += sizeof(T);
  }
  Result<FormattedText> format(const std::string& text) {
    return format_device_text(warp_, 1, upload(text), kLocalWindow);
  }

  DeviceMemory memory_{1U << 20U};
  std::vector<std::byte> local_ = std::vector<std::byte>(std::size_t{kLocalBytes} * 2);
  LaunchState launch_;
  BlockState block_;
  Warp warp_;
  std::size_t end_ = 0;
};

TEST_F(DevicePrintf, EveryKindOfArgument) {
  pack<std::int32_t>(-7);
  pack<double>(2.5);
  pack<std::int64_t>(-5'000'000'000);
  pack<std::uint64_t>(upload("word"));
  pack<std::int32_t>('!');
  const auto text = format("%d|%6.2f|%lld|%-6s|%c|100%%");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(text->text, "-7|  2.50|-5000000000|word  |!|100%");
  EXPECT_EQ(text->conversions, 5);
}

TEST_F(DevicePrintf, StarTakesAnArgument) {
  pack<std::int32_t>(6);
  pack<std::int32_t>(42);
  const auto text = format("[%*d]");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(text->text, "[    42]");
}

TEST_F(DevicePrintf, LongTextsAreWhole) {
  pack<std::uint64_t>(upload(std::string(5000, 'x')));
  EXPECT_EQ(format("<%s>")->text, "<" + std::string(5000, 'x') + ">");
}

TEST_F(DevicePrintf, BadPointersAndFormatsAreErrors) {
  EXPECT_THAT(format_device_text(warp_, 1, 4096, kLocalWindow).error().message,
              HasSubstr("points to no memory"));
  pack<std::uint64_t>(0x1234);
  EXPECT_THAT(format("%s").error().message, HasSubstr("%s points to no memory"));
  EXPECT_THAT(format("%").error().message, HasSubstr("ends after %"));
  EXPECT_THAT(format("%k").error().message, HasSubstr("%k"));
  EXPECT_THAT(format("%99999d").error().message, HasSubstr("width"));
  EXPECT_THAT(format(std::string(200, '%') + "%d" +
                     [] {
                       std::string many;
                       for (int i = 0; i < 100; ++i) many += "%d";
                       return many;
                     }())
                  .error()
                  .message,
              HasSubstr("more arguments"));
}

TEST_F(DevicePrintf, FreedFormatIsAnError) {
  const std::uint64_t address = upload("text");
  ASSERT_TRUE(memory_.release(address));
  EXPECT_FALSE(format_device_text(warp_, 1, address, kLocalWindow));
}

TEST_F(DevicePrintf, NullTextPrintsAsTheLibraryDoes) {
  pack<std::uint64_t>(0);
  EXPECT_EQ(format("%s")->text, "(null)");
}

TEST(VisibleMemory, HostAndDeviceSeeTheSameBytes) {
  DeviceMemory memory(1U << 20U);
  const std::uint64_t before = memory.allocate(100);
  const std::uint64_t address = memory.allocate_visible(10'000);
  ASSERT_NE(address, 0U);
  EXPECT_TRUE(memory.is_visible(address));
  EXPECT_FALSE(memory.is_visible(before));
  auto* const bytes = reinterpret_cast<char*>(address);  // NOLINT(performance-no-int-to-ptr)
  bytes[9'999] = 'h';
  EXPECT_EQ(memory.host(address)[9'999], std::byte{'h'});
  *memory.host(address) = std::byte{'d'};
  EXPECT_EQ(bytes[0], 'd');
  EXPECT_FALSE(memory.find_unwritten(address, 10'000));
  EXPECT_EQ(memory.find(address)->bytes, 10'000U);
  EXPECT_TRUE(memory.release(address));
  EXPECT_FALSE(memory.is_visible(address));
  EXPECT_NE(memory.allocate_visible(1), 0U);
  EXPECT_EQ(memory.allocate_visible(2U << 20U), 0U) << "more than the capacity";
}

TEST(VisibleMemoryDeathTest, NothingElseIsVisible) {
  DeviceMemory memory(1U << 20U);
  const std::uint64_t address = memory.allocate_visible(100);
  const std::uint64_t hidden = memory.allocate(100);
  const auto touch = [](std::uint64_t at) {
    return *reinterpret_cast<volatile char*>(at);  // NOLINT(performance-no-int-to-ptr)
  };
  EXPECT_EQ(touch(address), 0);
  EXPECT_DEATH((void)touch(hidden), "");
  memory.release(address);
  EXPECT_DEATH((void)touch(address), "");
}

}  // namespace
}  // namespace warpmind::simulator
