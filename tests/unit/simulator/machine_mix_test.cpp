#include "profilers/simulator/prediction/machine_mix.h"

#include "tests/unit/simulator/sample_launches.h"
#include "tests/unit/simulator/sample_machine_code.h"

#include <gtest/gtest.h>

namespace warpmind::simulator {
namespace {

constexpr double kWarps = 8 * 10;  // make_launch(10)

MachineCode machine_of(const std::vector<Encoding>& code) {
  const auto cubin = read_cubin(make_cubin("k", encode(code, 90), 90));
  EXPECT_TRUE(cubin.has_value());
  auto machine = read_machine_code(*cubin, "k");
  EXPECT_TRUE(machine.has_value()) << machine.error().message;
  return machine.value_or(MachineCode());
}

void repeat(std::vector<Encoding>& code, std::uint16_t opcode, int times) {
  code.insert(code.end(), static_cast<std::size_t>(times), {.opcode = opcode});
}

/// Code of a loop: its body, then the jump back over it.
void close_loop(std::vector<Encoding>& code, std::size_t first) {
  const auto body = static_cast<std::int64_t>(code.size() - first);
  code.push_back({.opcode = kBra, .offset = -body - 1});
}

TEST(MachineMix, FindsHowOftenALoopRan) {
  std::vector<Encoding> code;
  repeat(code, kLdg, 1);
  repeat(code, kLdg, 4);
  repeat(code, kFfma, 8);
  close_loop(code, 1);
  repeat(code, kStg, 1);
  repeat(code, kExit, 1);
  auto launch = make_launch(10);
  launch.instructions = {make_global(launch, false, 1, 4), make_global(launch, false, 400, 4),
                         make_instruction(launch, "fma.rn.f32", Pipe::fma, 800),
                         make_global(launch, true, 1, 4)};
  const auto mix = mix_of(launch, machine_of(code));

  ASSERT_EQ(mix.origin, MixOrigin::sass);
  ASSERT_EQ(mix.passes.size(), 2U);
  EXPECT_NEAR(mix.passes[0], kWarps, 1e-6 * kWarps);
  EXPECT_NEAR(mix.passes[1], 100 * kWarps, 0.01 * 100 * kWarps);
  EXPECT_NEAR(mix.class_instructions(SassClass::fma), 800 * kWarps, 0.01 * 800 * kWarps);
  EXPECT_NEAR(mix.class_instructions(SassClass::branch), 100 * kWarps, 0.01 * 100 * kWarps);
  EXPECT_EQ(mix.unknown_share, 0);
}

TEST(MachineMix, TellsTwoLoopsApartByWhatTheyDo) {
  std::vector<Encoding> code;
  repeat(code, kLdg, 1);
  repeat(code, kFfma, 2);
  close_loop(code, 0);
  const std::size_t second = code.size();
  repeat(code, kFfma, 10);
  repeat(code, kStg, 1);
  close_loop(code, second);
  repeat(code, kExit, 1);
  auto launch = make_launch(10);
  launch.instructions = {make_global(launch, false, 300, 4),
                         make_instruction(launch, "fma.rn.f32", Pipe::fma, 2 * 300 + 10 * 20),
                         make_global(launch, true, 20, 4)};
  const auto mix = mix_of(launch, machine_of(code));

  ASSERT_EQ(mix.origin, MixOrigin::sass);
  EXPECT_NEAR(mix.passes[1], 300 * kWarps, 0.02 * 300 * kWarps);
  EXPECT_NEAR(mix.passes[2], 20 * kWarps, 0.02 * 20 * kWarps);
}

TEST(MachineMix, GivesTheWorkToTheUnrolledLoopNotToItsRemainder) {
  std::vector<Encoding> code;
  repeat(code, kLdg, 4);
  repeat(code, kFfma, 4);
  close_loop(code, 0);
  const std::size_t rest = code.size();
  repeat(code, kLdg, 1);
  repeat(code, kFfma, 1);
  close_loop(code, rest);
  repeat(code, kExit, 1);
  auto launch = make_launch(10);
  launch.instructions = {make_global(launch, false, 400, 4),
                         make_instruction(launch, "fma.rn.f32", Pipe::fma, 400)};
  const auto mix = mix_of(launch, machine_of(code));

  ASSERT_EQ(mix.origin, MixOrigin::sass);
  EXPECT_GT(mix.passes[1] * 4, 0.8 * 400 * kWarps);
}

TEST(MachineMix, FallsBackOnPtxWhenTheCodeDoesNotFit) {
  std::vector<Encoding> code;
  repeat(code, kLdg, 2);
  repeat(code, kExit, 1);
  auto launch = make_launch(10);
  launch.instructions = {make_instruction(launch, "add.s32", Pipe::alu, 5),
                         make_instruction(launch, "fma.rn.f32", Pipe::fma, 100)};
  launch.instructions[0].cost = 2;
  const auto mix = mix_of(launch, machine_of(code));

  EXPECT_EQ(mix.origin, MixOrigin::ptx);
  EXPECT_TRUE(mix.passes.empty());
  EXPECT_EQ(mix.class_instructions(SassClass::alu), 2 * 5 * kWarps);
  EXPECT_EQ(mix.class_instructions(SassClass::fma), 100 * kWarps);
}

TEST(MachineMix, NamesAMissingKernel) {
  const auto cubin = read_cubin(make_cubin("k", encode(std::vector<Encoding>(1), 90), 90));
  ASSERT_TRUE(cubin.has_value());
  const auto machine = read_machine_code(*cubin, "other");
  ASSERT_FALSE(machine.has_value());
  EXPECT_EQ(machine.error().code, Errc::not_found);
  EXPECT_EQ(machine.error().message, "the cubin has no kernel 'other'");
}

}  // namespace
}  // namespace warpmind::simulator
