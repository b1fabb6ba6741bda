// A wave looks at caches; what its blocks write a second time must not stay.
#include "config/device_table.h"
#include "profilers/simulator/exec/launch.h"
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
  const LaunchRequest request{**module,  *(*module)->find("count"), {6, 1, 1}, {64, 1, 1}, 0,
                              parameters};
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

}  // namespace
}  // namespace warpmind::simulator
