#include "profilers/simulator/sass/cubin.h"

#include "profilers/simulator/sass/sass_instruction.h"
#include "tests/unit/simulator/sample_machine_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::simulator {
namespace {

using testing::HasSubstr;

const std::vector<Encoding> kLoop = {{.opcode = kLdg, .stall = 2, .write_barrier = 0},
                                     {.opcode = kFfma, .stall = 4, .wait_mask = 1},
                                     {.opcode = kBra, .stall = 5, .offset = -3},
                                     {.opcode = kExit, .stall = 5},
                                     {.opcode = kBra, .offset = -1},
                                     {},
                                     {}};

/// Reads and decodes without caring what comes out: it must end, and stay inside the bytes.
void read_whatever(std::span<const std::byte> bytes) {
  const auto cubin = read_cubin(bytes);
  if (!cubin) {
    EXPECT_FALSE(cubin.error().message.empty());
    return;
  }
  for (const auto& kernel : cubin->kernels) {
    const auto code = decode_sass(kernel.code, cubin->architecture);
    if (code) {
      EXPECT_LE(code->size() * 16, kernel.code.size());
    }
  }
}

void damage_everywhere(const std::vector<std::byte>& cubin) {
  for (std::size_t size = 0; size < cubin.size(); size += size < 300 ? 1 : 37) {
    // A copy of its own, so that a sanitizer sees the first byte behind it.
    const std::vector<std::byte> part(cubin.begin(),
                                      cubin.begin() + static_cast<std::ptrdiff_t>(size));
    read_whatever(part);
  }
  for (std::size_t at = 0; at < cubin.size(); ++at) {
    for (const unsigned value : {0x00U, 0x7fU, 0xffU}) {
      auto broken = cubin;
      broken[at] = static_cast<std::byte>(value);
      read_whatever(broken);
    }
  }
}

TEST(Cubin, HoldsTheKernelsCode) {
  const auto code = encode(kLoop, 90);
  const auto cubin = read_cubin(make_cubin("_Z1kPf", code, 90));

  ASSERT_TRUE(cubin.has_value()) << cubin.error().message;
  EXPECT_EQ(cubin->architecture, 90);
  ASSERT_NE(cubin->find("_Z1kPf"), nullptr);
  EXPECT_EQ(cubin->find("_Z1kPf")->code, code);
  EXPECT_EQ(cubin->find("other"), nullptr);
}

TEST(Cubin, RefusesWhatIsNone) {
  const std::vector<std::byte> zeros(500);
  EXPECT_THAT(read_cubin(zeros).error().message, HasSubstr("not a 64-bit"));
  auto host = make_cubin("k", encode(kLoop, 80), 80);
  host[18] = std::byte{62};  // x86-64
  EXPECT_THAT(read_cubin(host).error().message, HasSubstr("not for a CUDA device"));
  auto cut = make_cubin("k", encode(kLoop, 80), 80);
  cut.resize(cut.size() - 1);
  EXPECT_THAT(read_cubin(cut).error().message, HasSubstr("reaches past the end"));
}

TEST(Cubin, SurvivesDamageAtEveryByte) {
  damage_everywhere(make_cubin("k", encode(kLoop, 90), 90));
}

TEST(Cubin, OfPtxasHasRegistersAndParametersAndSurvivesDamage) {
  const auto cubin = assemble("ld.global.f32 %f0, [%l0]; st.global.f32 [%l0+4], %f0;\n", 90);
  if (!cubin) GTEST_SKIP() << "no ptxas on this machine";
  const auto read = read_cubin(*cubin);

  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->architecture, 90);
  ASSERT_NE(read->find("k"), nullptr);
  EXPECT_GE(read->find("k")->registers, 4);
  EXPECT_LE(read->find("k")->registers, 40);
  EXPECT_EQ(read->find("k")->parameter_bytes, 12);
  damage_everywhere(*cubin);
}

}  // namespace
}  // namespace warpmind::simulator
