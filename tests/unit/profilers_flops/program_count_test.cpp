#include "profilers/flops/program_count.h"

#include <cstring>
#include <string>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::HasSubstr;

constexpr const char* kScale = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 p, .param .u32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .f32 %f<3>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %rd2, %r5, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3];
  div.rn.f32 %f2, %f1, 0f40400000;
  st.global.f32 [%rd3], %f2;
DONE:
  ret;
}
)";

template <class T>
std::string bytes_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

template <class T>
void put(std::string& text, std::size_t at, T value) {
  std::memcpy(text.data() + at, &value, sizeof value);
}

/// A fat binary with one PTX text, as nvcc lays it out.
std::string fatbin_of(std::string ptx) {
  ptx.resize((ptx.size() + 8) / 8 * 8);
  std::string bytes(16 + 64, '\0');
  put<std::uint32_t>(bytes, 0, 0xba55ed50);
  put<std::uint16_t>(bytes, 4, 1);
  put<std::uint16_t>(bytes, 6, 16);
  put<std::uint64_t>(bytes, 8, 64 + ptx.size());
  put<std::uint16_t>(bytes, 16, 1);
  put<std::uint32_t>(bytes, 20, 64);
  put<std::uint64_t>(bytes, 24, ptx.size());
  put<std::uint32_t>(bytes, 16 + 28, 80);
  put<std::uint64_t>(bytes, 16 + 40, 0x11);
  return bytes + ptx;
}

/// An executable as far as this matters: something, fat binaries somewhere in it, something.
std::string program_with(const std::string& ptx) {
  return std::string(40, 'x') + fatbin_of(ptx) + std::string(24, 'y');
}

std::span<const std::byte> view(const std::string& text) {
  return std::as_bytes(std::span<const char>(text));
}

RecordedLaunch launch_of(std::uint64_t address, std::uint32_t count) {
  RecordedLaunch launch;
  launch.kernel = "scale";
  launch.grid = {4, 1, 1};
  launch.block = {128, 1, 1};
  launch.arguments.push_back({bytes_of(address), RecordedPlace{0, 0}});
  launch.arguments.push_back({bytes_of(count), std::nullopt});
  return launch;
}

TEST(ProgramCount, FindsThePtxAndCountsTheLaunch) {
  const std::string program = program_with(kScale);
  const auto modules = ptx_of_program(view(program), 90);
  ASSERT_TRUE(modules) << modules.error().message;
  ASSERT_EQ(modules->size(), 1U);
  const auto count = count_recorded(launch_of(4096, 500), *modules);
  EXPECT_EQ(count.undecided, "");
  EXPECT_EQ(count.counts.count(Operation::f32_div), 500);
  EXPECT_EQ(count.hardware.f32_flops(), 5000);
  EXPECT_EQ(count.grid, (std::array<std::uint32_t, 3>{4, 1, 1}));
}

TEST(ProgramCount, SaysWhatCannotBeCounted) {
  const auto none = ptx_of_program(view("no device code here, none at all"), 90);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::not_found);
  EXPECT_THAT(none.error().message, HasSubstr("code=compute_90"));

  const std::string program = program_with(kScale);
  const auto modules = ptx_of_program(view(program), 90);
  ASSERT_TRUE(modules);
  auto launch = launch_of(4096, 500);
  launch.arguments.pop_back();
  EXPECT_THAT(count_recorded(launch, *modules).undecided, HasSubstr("2 parameters"));
  launch.kernel = "other";
  EXPECT_THAT(count_recorded(launch, *modules).undecided, HasSubstr("no kernel 'other'"));
}

TEST(ProgramCount, AProgramThatEndsEarlyIsNoTrap) {
  const std::string program = program_with(kScale);
  for (std::size_t size = 0; size < program.size(); size += 7) {
    (void)ptx_of_program(view(program).first(size), 90);
  }
}

TEST(ProgramCount, LaunchesThatDifferInAddressesAreTheSame) {
  ProgramRecord record;
  record.launches = {launch_of(4096, 500), launch_of(8192, 500), launch_of(4096, 400),
                     launch_of(4096, 500)};
  EXPECT_EQ(distinct_launches(record), (std::vector<ProgramLaunch>{{0, 3}, {2, 1}}));
}

}  // namespace
}  // namespace warpmind::profilers
