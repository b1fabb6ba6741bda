#include "profilers/simulator/sass/cubin.h"
#include "profilers/simulator/sass/sass_instruction.h"
#include "profilers/simulator/sass/timeline.h"
#include "tests/unit/simulator/sample_machine_code.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::simulator {
namespace {

using testing::HasSubstr;

std::vector<SassInstruction> decode(const std::vector<Encoding>& code, int architecture = 90) {
  auto decoded = decode_sass(encode(code, architecture), architecture);
  EXPECT_TRUE(decoded.has_value()) << decoded.error().message;
  return decoded.value_or(std::vector<SassInstruction>());
}

std::size_t count(const std::vector<SassInstruction>& code, const Region& region, SassClass kind) {
  return static_cast<std::size_t>(
      std::count_if(region.instructions.begin(), region.instructions.end(),
                    [&](std::uint32_t index) { return code[index].kind == kind; }));
}

TEST(Sass, ReadsControlBitsOfEachEncoding) {
  for (const int architecture : {75, 80, 86, 89, 90, 100, 120}) {
    const auto code = decode(
        {{.opcode = kLdg, .stall = 3, .write_barrier = 2, .read_barrier = 4, .wait_mask = 0b100101},
         {.opcode = kBra, .stall = 5, .offset = -2},
         {.opcode = kExit}},
        architecture);
    ASSERT_EQ(code.size(), 3U);
    EXPECT_EQ(code[0].name, "LDG");
    EXPECT_EQ(code[0].stall, 3);
    EXPECT_EQ(code[0].write_barrier, 2);
    EXPECT_EQ(code[0].read_barrier, 4);
    EXPECT_EQ(code[0].wait_mask, 0b100101);
    EXPECT_EQ(code[1].target, 0) << architecture;
  }
}

TEST(Sass, CountsWhatItDoesNotKnow) {
  const auto code = decode({{.opcode = 0x1ff}, {.opcode = kFfma}, {.opcode = kExit}});
  EXPECT_EQ(code[0].kind, SassClass::unknown);
  EXPECT_TRUE(code[0].name.empty());
  EXPECT_NEAR(unknown_share(code), 1.0 / 3, 1e-12);
}

TEST(Sass, RefusesJumpsOutOfTheCodeAndForeignEncodings) {
  const std::vector<Encoding> wild = {{.opcode = kBra, .offset = 70}, {.opcode = kExit}};
  EXPECT_THAT(decode_sass(encode(wild, 80), 80).error().message, HasSubstr("jumps out"));
  EXPECT_THAT(decode_sass(encode(wild, 80), 61).error().message, HasSubstr("sm_61"));
  const std::vector<std::byte> odd(17);
  EXPECT_THAT(decode_sass(odd, 80).error().message, HasSubstr("multiple of 16"));
}

TEST(Timeline, AddsStallsOfDependentInstructions) {
  const auto code = decode(std::vector<Encoding>(10, {.opcode = kFfma, .stall = 4}));
  EXPECT_EQ(warp_cycles(code, Latencies(), false), 40);
  EXPECT_EQ(warp_cycles(code, Latencies(), true), 40);
}

TEST(Timeline, WaitsForAScoreboardOnlyWhereAnInstructionAsks) {
  Latencies latencies;
  latencies.result_cycles(SassClass::load_global) = 500;
  const std::vector<Encoding> waits = {{.opcode = kLdg, .stall = 1, .write_barrier = 3},
                                       {.opcode = kFfma, .stall = 4, .wait_mask = 1U << 3U}};
  EXPECT_EQ(warp_cycles(decode(waits), latencies, false), 504);
  auto goes_on = waits;
  goes_on[1].wait_mask = 1U << 2U;
  EXPECT_EQ(warp_cycles(decode(goes_on), latencies, false), 5);
  // Two loads under way share their latency.
  const std::vector<Encoding> two = {waits[0], waits[0], waits[1]};
  EXPECT_EQ(warp_cycles(decode(two), latencies, false), 505);
}

TEST(Timeline, ALoopThatLoadsAheadHidesWhatIsUnderWay) {
  Latencies latencies;
  latencies.result_cycles(SassClass::load_global) = 500;
  std::vector<Encoding> ahead = {{.opcode = kFfma, .stall = 4, .wait_mask = 1},
                                 {.opcode = kLdg, .stall = 1, .write_barrier = 0}};
  for (int i = 0; i < 150; ++i) ahead.push_back({.opcode = kFfma, .stall = 4});
  // 150 multiplications take longer than the load that runs beside them.
  EXPECT_EQ(warp_cycles(decode(ahead), latencies, true), 605);
  EXPECT_EQ(warp_cycles(decode(ahead), latencies, false), 605);
}

TEST(Regions, NestAndKeepInnerCodeOutOfOuterLoops) {
  const auto code = decode({{.opcode = kFfma},               // 0
                            {.opcode = kFfma},               // 1 outer
                            {.opcode = kLdg},                // 2 inner
                            {.opcode = kBra, .offset = -2},  // 3 -> 2
                            {.opcode = kStg},                // 4
                            {.opcode = kBra, .offset = -5},  // 5 -> 1
                            {.opcode = kExit}});             // 6
  const auto regions = find_regions(code);
  ASSERT_EQ(regions.size(), 3U);
  EXPECT_EQ(regions[0].instructions, (std::vector<std::uint32_t>{0, 6}));
  EXPECT_EQ(regions[1].instructions, (std::vector<std::uint32_t>{1, 4, 5}));
  EXPECT_EQ(regions[1].parent, 0);
  EXPECT_EQ(regions[2].instructions, (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(regions[2].parent, 1);
}

// A loop whose content is known, through ptxas: opcodes, targets and scoreboards must be where the
// reader looks for them, on every architecture.
TEST(Sass, FindsAKnownLoopInTheOutputOfPtxas) {
  const std::string body =
      "ld.global.f32 %f0, [%l0]; mov.f32 %f1, %f0; mov.f32 %f5, %f0;\n"
      "loop:\n.pragma \"nounroll\";\n"
      "ld.global.f32 %f2, [%l0+4];\nex2.approx.ftz.f32 %f4, %f1;\n"
      "fma.rn.f32 %f1, %f2, %f0, %f1;\nfma.rn.f32 %f1, %f1, %f0, %f2;\nfma.rn.f32 %f1, %f1, %f1, "
      "%f0;\n"
      "add.f32 %f5, %f5, %f4;\nst.global.f32 [%l0+8], %f1; add.s64 %l0, %l0, 64;\n"
      "sub.u32 %r0, %r0, 1; setp.ne.u32 %p0, %r0, 0; @%p0 bra loop;\n"
      "st.global.f32 [%l0+12], %f5;\n";
  for (const int architecture : {75, 80, 86, 89, 90, 100, 120}) {
    SCOPED_TRACE(architecture);
    const auto bytes = assemble(body, architecture);
    if (!bytes) GTEST_SKIP() << "no ptxas on this machine";
    const auto cubin = read_cubin(*bytes);
    ASSERT_TRUE(cubin.has_value()) << cubin.error().message;
    EXPECT_EQ(cubin->architecture, architecture);
    const auto code = decode_sass(cubin->find("k")->code, architecture);
    ASSERT_TRUE(code.has_value()) << code.error().message;
    EXPECT_EQ(unknown_share(*code), 0);
    const auto regions = find_regions(*code);
    ASSERT_EQ(regions.size(), 2U);
    EXPECT_EQ(count(*code, regions[1], SassClass::fma), 4U);
    EXPECT_EQ(count(*code, regions[1], SassClass::special), 1U);
    EXPECT_EQ(count(*code, regions[1], SassClass::load_global), 1U);
    EXPECT_EQ(count(*code, regions[1], SassClass::store_global), 1U);
    EXPECT_EQ(count(*code, regions[0], SassClass::load_global), 1U);
    EXPECT_EQ(count(*code, regions[0], SassClass::store_global), 1U);
    // Each turn waits for its load, whose scoreboard the reader must have found.
    std::vector<SassInstruction> turn;
    for (const auto index : regions[1].instructions) turn.push_back((*code)[index]);
    Latencies slow;
    slow.result_cycles(SassClass::load_global) = 1000;
    const double cycles = warp_cycles(turn, slow, true);
    EXPECT_GT(cycles, 1000);
    EXPECT_LT(cycles, 1150);
  }
}

}  // namespace
}  // namespace warpmind::simulator
