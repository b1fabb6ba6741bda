#include "profilers/simulator/prediction/model.h"

#include "config/device_table.h"
#include "tests/unit/simulator/sample_launches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::simulator {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// Copies 4 bytes a thread, `times` times, with so many sectors a request.
LaunchRecord make_copy(std::uint64_t blocks, std::uint64_t times, std::uint64_t sectors) {
  auto launch = make_launch(blocks);
  launch.instructions = {make_global(launch, false, times, sectors),
                         make_instruction(launch, "add.s32", Pipe::alu, 2 * times),
                         make_global(launch, true, times, sectors)};
  return launch;
}

Prediction predict_or_fail(const KernelCounts& kernel, const DeviceSpec& device,
                           const ModelConstants& constants = {}) {
  auto prediction = predict(kernel, device, constants);
  EXPECT_TRUE(prediction.has_value()) << prediction.error().message;
  return prediction.value_or(Prediction());
}

Prediction predict_cold(const LaunchRecord& launch, const DeviceSpec& device) {
  const auto wave = make_cold_wave(launch);
  return predict_or_fail({launch, &wave}, device);
}

TEST(Model, AStreamingCopyTakesWhatItsBytesTake) {
  const auto device = device_of("h200");
  // 2^26 floats each way, 8 a thread: with one a thread the blocks could not be handed out in time.
  const std::uint64_t blocks = 1U << 15U;
  const auto prediction = predict_cold(make_copy(blocks, 8, 4), device);

  EXPECT_EQ(prediction.bound, Resource::dram);
  const double bytes = 2.0 * 4 * 256 * 8 * static_cast<double>(blocks);
  const double ideal_us = bytes / (4800e3 * device.timing.dram_efficiency);
  EXPECT_NEAR(prediction.time_us / ideal_us, 1.06, 0.06);
}

TEST(Model, DoublingTrafficDoublesADramBoundTime) {
  const auto device = device_of("h200");
  const auto once = predict_cold(make_copy(1U << 18U, 4, 4), device);
  const auto twice = predict_cold(make_copy(1U << 19U, 4, 4), device);

  ASSERT_EQ(once.bound, Resource::dram);
  EXPECT_NEAR(twice.time_us / once.time_us, 2, 0.04);
}

TEST(Model, StridedAccessIsSlowerThanUnitStride) {
  for (const char* key : {"t4", "a100_80", "rtx3090", "h200", "rtx5090"}) {
    const auto device = device_of(key);
    const auto unit = predict_cold(make_copy(1U << 14U, 8, 4), device);
    const auto strided = predict_cold(make_copy(1U << 14U, 8, 32), device);
    EXPECT_GT(strided.time_us, 4 * unit.time_us) << key;
  }
}

TEST(Model, CacheHitsMakeLoadsFaster) {
  const auto device = device_of("h200");
  const auto launch = make_copy(1U << 16U, 16, 4);
  auto wave = make_cold_wave(launch);
  const double cold = predict_or_fail({launch, &wave}, device).time_us;
  wave.instructions[0].access.dram_sectors = 0;
  wave.instructions[0].access.l2_hits = wave.instructions[0].access.sectors;
  const double in_l2 = predict_or_fail({launch, &wave}, device).time_us;
  wave.instructions[0].access.l2_hits = 0;
  wave.instructions[0].access.l1_hits = wave.instructions[0].access.sectors;
  const auto in_l1 = predict_or_fail({launch, &wave}, device);

  EXPECT_LT(in_l2, 0.8 * cold);
  EXPECT_LE(in_l1.time_us, in_l2);
  EXPECT_EQ(in_l1.memory.l1_hit_rate(), 1);
}

TEST(Model, AWaveThatMissesInstructionsIsMatchedByTheirPtxLines) {
  const auto device = device_of("h200");
  auto launch = make_launch(1024);
  launch.instructions = {make_global(launch, false, 1, 4), make_global(launch, false, 50, 4),
                         make_global(launch, true, 1, 4)};
  for (std::size_t i = 0; i < 3; ++i) launch.instructions[i].ptx_line = 10 + static_cast<int>(i);
  auto wave = make_cold_wave(launch);
  wave.instructions[1].access.l1_hits = wave.instructions[1].access.sectors;
  wave.instructions[1].access.dram_sectors = 0;
  // The wave's window holds only the loop in the middle.
  wave.instructions = {wave.instructions[1]};
  const auto memory = predict_or_fail({launch, &wave}, device).memory;

  EXPECT_EQ(memory.l1_hit_rate(), 1);
  EXPECT_EQ(memory.dram_read_sectors, 0);
  EXPECT_EQ(memory.dram_write_sectors, memory.store_sectors);
}

TEST(Model, BankConflictsCostTimeAndSharedMemoryIsNamed) {
  const auto device = device_of("h200");
  auto launch = make_launch(1U << 14U);
  launch.instructions = {make_shared(launch, 400, 1)};
  const auto free_of = predict_or_fail({launch}, device);
  launch.instructions = {make_shared(launch, 400, 16)};
  const auto conflicting = predict_or_fail({launch}, device);

  EXPECT_EQ(conflicting.bound, Resource::shared);
  EXPECT_GT(conflicting.time_us, 5 * free_of.time_us);
  EXPECT_EQ(conflicting.confidence, Confidence::low);
}

TEST(Model, ArithmeticRunsAtTheDatasheetsRate) {
  auto device = device_of("a100_80");
  device.timing.sustained_clock_mhz = device.sm_clock_mhz;
  auto launch = make_launch(108 * 8 * 20);
  launch.instructions = {make_instruction(launch, "fma.rn.f32", Pipe::fma, 2000)};
  const auto prediction = predict_or_fail({launch}, device);

  EXPECT_EQ(prediction.bound, Resource::fma);
  const double flops = 2.0 * 2000 * 256 * static_cast<double>(launch.blocks);
  const double ideal_us = flops / (device.fp32_tflops * 1e6);
  EXPECT_GT(prediction.time_us, 0.99 * ideal_us);
  EXPECT_LT(prediction.time_us, 1.25 * ideal_us);
}

TEST(Model, ALaunchLastsAsLongAsItsBusiestBlock) {
  const auto device = device_of("h200");
  // One block of 32 works, as in a scan by one block of a grid that was made for more.
  auto launch = make_launch(32);
  launch.instructions = {make_instruction(launch, "add.s32", Pipe::alu, 1000)};
  const auto even = predict_or_fail({launch}, device);
  launch.busiest_block = 32;
  const auto uneven = predict_or_fail({launch}, device);

  const double launch_us = device.timing.launch_us;
  EXPECT_NEAR((uneven.time_us - launch_us) / (even.time_us - launch_us), 32, 3);
}

TEST(Model, OneBlockTooManyForAWaveCostsAnotherRound) {
  const auto device = device_of("h200");
  const auto with_blocks = [&](std::uint64_t blocks) {
    auto launch = make_launch(blocks);
    launch.block = {1024, 1, 1};
    launch.instructions = {make_instruction(launch, "fma.rn.f32", Pipe::fma, 100000)};
    return predict_or_fail({launch}, device).time_us;
  };
  EXPECT_NEAR(with_blocks(133) / with_blocks(132), 2, 0.1);
  EXPECT_NEAR(with_blocks(66) / with_blocks(132), 1, 0.01);
  EXPECT_NEAR(with_blocks(13201) / with_blocks(13200), 1, 0.02);
}

TEST(Model, AtomicsOnOneAddressTakeTurns) {
  const auto device = device_of("h200");
  const auto with_conflicts = [&](std::uint64_t conflicts_per_request) {
    auto launch = make_launch(4096);
    auto one = make_global(launch, true, 10, 4);
    one.opcode = "red.global.add.f32";
    one.access.atomic_conflicts = conflicts_per_request * one.access.requests;
    launch.instructions = {one};
    const auto wave = make_cold_wave(launch);
    return predict_or_fail({launch, &wave}, device);
  };
  const auto spread = with_conflicts(0);
  const auto few = with_conflicts(8);
  const auto all = with_conflicts(31);
  EXPECT_NE(spread.bound, Resource::atomics);
  EXPECT_EQ(all.bound, Resource::atomics);
  EXPECT_GT(few.time_us, spread.time_us);
  EXPECT_GT(all.time_us, 5 * spread.time_us);
  // One turn a lane.
  const double turns = 4096.0 * 8 * 10 * 32;
  EXPECT_NEAR(all.cycles[Resource::atomics], turns * device.timing.atomic_cycles, 1e-6 * turns);
}

TEST(Model, ASampleCountsForTheWholeGrid) {
  const auto device = device_of("h200");
  const auto whole = make_copy(1U << 16U, 8, 4);
  auto part = make_copy(1U << 10U, 8, 4);
  part.blocks = whole.blocks;
  part.grid = whole.grid;
  const auto of_whole = predict_cold(whole, device);
  const auto of_part = predict_cold(part, device);

  EXPECT_EQ(of_part.scale, 64);
  EXPECT_NEAR(of_part.time_us / of_whole.time_us, 1, 1e-6);
  EXPECT_EQ(of_part.confidence, of_whole.confidence);
  part = make_copy(4, 8, 4);
  part.blocks = whole.blocks;
  const auto tiny = predict_cold(part, device);
  EXPECT_LT(tiny.confidence, of_whole.confidence);
  EXPECT_THAT(tiny.notes, testing::Contains(HasSubstr("only 4 of 65536 blocks")));
}

TEST(Model, ConfidenceFollowsWhatIsKnown) {
  const auto device = device_of("h200");
  const auto copy = make_copy(1U << 18U, 4, 4);
  const auto wave = make_cold_wave(copy);
  const auto known = predict_or_fail({copy, &wave}, device);
  EXPECT_EQ(known.confidence, Confidence::high);
  EXPECT_THAT(known.notes, IsEmpty());
  const auto blind = predict_or_fail({copy}, device);
  EXPECT_EQ(blind.confidence, Confidence::medium);
  EXPECT_THAT(blind.notes, testing::Contains(HasSubstr("caches were not simulated")));
}

TEST(Model, MoreRegistersLeaveRoomForFewerBlocks) {
  const auto device = device_of("h200");
  const auto launch = make_copy(1U << 14U, 4, 4);
  const auto lean = predict_or_fail({launch, nullptr, nullptr, 32}, device);
  const auto fat = predict_or_fail({launch, nullptr, nullptr, 128}, device);
  EXPECT_EQ(lean.occupancy.blocks_per_sm, 8);
  EXPECT_EQ(fat.occupancy.blocks_per_sm, 2);
  EXPECT_NEAR(fat.waves / lean.waves, 4, 1e-9);
  EXPECT_GE(fat.time_us, lean.time_us);
}

TEST(Model, SharedMemoryRulesOfTuringAndAmpereDiffer) {
  auto launch = make_copy(1024, 1, 4);
  launch.static_shared = 16 * 1024;
  // 64 KiB hold four times 16 KiB where nothing is kept for the system.
  EXPECT_EQ(predict_or_fail({launch}, device_of("t4")).occupancy.blocks_per_sm, 4);
  // 100 KiB hold five times 17 KiB.
  EXPECT_EQ(predict_or_fail({launch}, device_of("rtx3090")).occupancy.blocks_per_sm, 5);
}

TEST(Model, PredictsForEveryDeviceOfTheTable) {
  const auto table = config::DeviceTable::load();
  ASSERT_TRUE(table.has_value());
  ASSERT_GE(table->all().size(), 12U);
  const auto launch = make_copy(1U << 18U, 2, 4);
  const auto wave = make_cold_wave(launch);
  for (const auto& device : table->all()) {
    const auto prediction = predict_or_fail({launch, &wave}, device);
    const double floor_us = 2.0 * 2 * 4 * 256 * (1U << 18U) / (device.memory_bandwidth_gb_s * 1e3);
    EXPECT_GT(prediction.time_us, floor_us) << device.key;
    EXPECT_LT(prediction.time_us, 1.6 * floor_us + 10) << device.key;
  }
}

TEST(Model, RefusesWhatItCannotKnow) {
  auto device = device_of("h200");
  auto launch = make_copy(16, 1, 4);
  launch.static_shared = 300 * 1024;
  EXPECT_THAT(predict({launch}, device).error().message, HasSubstr("not one block"));
  launch.blocks_run = 0;
  EXPECT_THAT(predict({launch}, device).error().message, HasSubstr("no block of 'k' ran"));
  device.timing = {};
  EXPECT_THAT(predict({launch}, device).error().message, HasSubstr("no time model"));
}

TEST(Model, ConstantsScaleWhatTheyAreFactorsOf) {
  const auto device = device_of("h200");
  const auto launch = make_copy(1U << 18U, 4, 4);
  const auto wave = make_cold_wave(launch);
  const auto usual = predict_or_fail({launch, &wave}, device);
  ModelConstants constants;
  constants.dram_efficiency = 0.5;
  const auto slow = predict_or_fail({launch, &wave}, device, constants);
  EXPECT_NEAR(slow.cycles[Resource::dram] / usual.cycles[Resource::dram], 2, 1e-9);
  constants = {};
  constants.launch = 11;
  const auto late = predict_or_fail({launch, &wave}, device, constants);
  EXPECT_NEAR(late.time_us - usual.time_us, 10 * device.timing.launch_us, 1e-6);
}

}  // namespace
}  // namespace warpmind::simulator
