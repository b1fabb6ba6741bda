#include "tests/unit/simulator/sample_launches.h"

#include "config/device_table.h"

#include <gtest/gtest.h>

namespace warpmind::simulator {
namespace {

std::uint64_t warps_of(const LaunchRecord& launch) {
  return launch.blocks_run * launch.block[0] / kLanes;
}

}  // namespace

DeviceSpec device_of(const std::string& key) {
  const auto table = config::DeviceTable::load();
  EXPECT_TRUE(table.has_value());
  const auto found = table ? table->find(key) : std::nullopt;
  EXPECT_TRUE(found.has_value()) << key;
  return found.value_or(DeviceSpec());
}

LaunchRecord make_launch(std::uint64_t blocks) {
  LaunchRecord launch;
  launch.kernel = "k";
  launch.grid = {static_cast<std::uint32_t>(blocks), 1, 1};
  launch.block = {256, 1, 1};
  launch.blocks = blocks;
  launch.blocks_run = blocks;
  return launch;
}

InstructionRecord make_instruction(const LaunchRecord& launch, std::string opcode, Pipe pipe,
                                   std::uint64_t times) {
  InstructionRecord one;
  one.opcode = std::move(opcode);
  one.pipe = pipe;
  one.executions = times * warps_of(launch);
  one.lanes = one.executions * kLanes;
  if (pipe == Pipe::fma) {
    one.flop_kind = FlopKind::f32;
    one.flops = 2;
  }
  return one;
}

InstructionRecord make_global(const LaunchRecord& launch, bool is_store, std::uint64_t times,
                              std::uint64_t sectors) {
  auto one =
      make_instruction(launch, is_store ? "st.global.f32" : "ld.global.f32", Pipe::memory, times);
  one.space = Space::global;
  one.is_memory = true;
  one.is_store = is_store;
  one.access.requests = one.executions;
  one.access.lanes = one.lanes;
  one.access.bytes = 4 * one.lanes;
  one.access.sectors = sectors * one.executions;
  one.access.lines = (sectors + 3) / 4 * one.executions;
  return one;
}

InstructionRecord make_shared(const LaunchRecord& launch, std::uint64_t times,
                              std::uint64_t passes) {
  auto one = make_instruction(launch, "ld.shared.f32", Pipe::memory, times);
  one.space = Space::shared;
  one.is_memory = true;
  one.access.requests = one.executions;
  one.access.lanes = one.lanes;
  one.access.bytes = 4 * one.lanes;
  one.access.wavefronts = passes * one.executions;
  one.access.ideal_wavefronts = one.executions;
  return one;
}

LaunchRecord make_cold_wave(const LaunchRecord& launch) {
  LaunchRecord wave = launch;
  wave.wave = true;
  for (auto& one : wave.instructions) one.access.dram_sectors = one.access.sectors;
  return wave;
}

}  // namespace warpmind::simulator
