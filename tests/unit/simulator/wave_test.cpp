// A wave looks at caches; what its blocks write a second time must not stay.
#include "config/device_table.h"
#include "profilers/simulator/exec/launch.h"
#include "profilers/simulator/memory/device_memory.h"
#include "profilers/simulator/program/compiler.h"
#include "profilers/simulator/ptx/parser.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::simulator {
namespace {

TEST(Wave, LeavesMemoryAsTheLaunchLeftIt) {
  auto syntax = ptx::parse_ptx(
      ".version 8.5\n.target sm_90a\n.address_size 64\n"
      ".visible .entry count(.param .u64 counter)\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n"
      "ld.param.u64 %rd1, [counter];\natom.global.add.u32 %r1, [%rd1], 1;\nret;\n}\n");
  ASSERT_TRUE(syntax.has_value()) << syntax.error().message;
  const auto module =
      compile_module(std::move(syntax).value(), [](const ptx::Variable&) { return 0; });
  ASSERT_TRUE(module.has_value());
  DeviceMemory memory(1 << 20);
  const std::uint64_t counter = memory.allocate(4);
  memory.mark_written(counter, 4);
  std::memset(memory.host(counter), 0, 4);
  std::vector<std::byte> parameters(8);
  std::memcpy(parameters.data(), &counter, 8);
  const LaunchRequest request{
      {{{6, 1, 1}, {64, 1, 1}}}, **module, *(*module)->find("count"), parameters};
  ASSERT_TRUE(run_launch(request, {}, memory).has_value());
  const auto devices = config::DeviceTable::load();
  ASSERT_TRUE(devices.has_value());
  const auto wave = run_wave(request, *devices->find("h200"), 2, 1'000'000, memory);
  ASSERT_TRUE(wave.has_value()) << wave.error().message;
  EXPECT_EQ(wave->blocks_run, 6U);
  const auto elsewhere = run_wave(request, *devices->find("h200"), 2, 1'000'000, memory, 77);
  ASSERT_TRUE(elsewhere.has_value()) << elsewhere.error().message;
  EXPECT_EQ(elsewhere->blocks_run, 6U) << "wherever it begins";
  std::uint32_t counted = 0;
  std::memcpy(&counted, memory.host(counter), 4);
  EXPECT_EQ(counted, 6U * 64U);
}

TEST(Launch, SaysHowMuchMoreItsBusiestBlockDoesThanTheMean) {
  // Block 0 goes round 1000 times, the others leave at once.
  auto syntax = ptx::parse_ptx(
      ".version 8.5\n.target sm_90a\n.address_size 64\n"
      ".visible .entry uneven()\n{\n.reg .b32 %r<3>;\n.reg .pred %p<3>;\n"
      "mov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra DONE;\nmov.u32 %r2, 0;\n"
      "LOOP:\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 1000;\n@%p2 bra LOOP;\n"
      "DONE:\nret;\n}\n");
  ASSERT_TRUE(syntax.has_value()) << syntax.error().message;
  const auto module =
      compile_module(std::move(syntax).value(), [](const ptx::Variable&) { return 0; });
  ASSERT_TRUE(module.has_value()) << module.error().message;
  DeviceMemory memory(1 << 20);
  const LaunchRequest request{{{{32, 1, 1}, {64, 1, 1}}}, **module, *(*module)->find("uneven"), {}};

  LaunchOptions options;
  const auto forward = run_launch(request, options, memory);
  options.reversed = true;
  const auto reversed = run_launch(request, options, memory);

  ASSERT_TRUE(forward.has_value()) << forward.error().message;
  ASSERT_TRUE(reversed.has_value()) << reversed.error().message;
  EXPECT_NEAR(forward->busiest_block, 32 * 1002.0 / (1002 + 31 * 2), 0.1);
  EXPECT_EQ(reversed->busiest_block, forward->busiest_block) << "also where it ran last";
}

}  // namespace
}  // namespace warpmind::simulator
