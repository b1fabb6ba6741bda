#include "profilers/simulator/prediction/metrics.h"

#include "tests/unit/simulator/sample_launches.h"

#include <gtest/gtest.h>

namespace warpmind::simulator {
namespace {

Metric metric(const std::vector<Metric>& metrics, const std::string& name) {
  for (const auto& one : metrics) {
    if (one.name == name) return one;
  }
  ADD_FAILURE() << "no metric " << name;
  return {};
}

LaunchRecord make_sample() {
  auto launch = make_launch(100);
  launch.instructions = {make_global(launch, false, 20, 32),
                         make_instruction(launch, "fma.rn.f32", Pipe::fma, 50),
                         make_shared(launch, 20, 4), make_global(launch, true, 1, 4)};
  launch.instructions[0].source_line = 7;
  launch.instructions[1].source_line = 8;
  launch.instructions[2].source_line = 8;
  launch.instructions[3].source_line = 9;
  launch.warp_instructions = 100 * 8 * 91;
  launch.thread_instructions = launch.warp_instructions * 32;
  return launch;
}

TEST(Metrics, AreExactWhereTheMachineCountsTheSame) {
  const auto profile = kernel_profile(make_sample(), device_of("h200"), nullptr);
  const double warps = 800;

  const auto sectors = metric(profile.metrics, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  EXPECT_EQ(sectors, (Metric{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 20 * 32 * warps,
                             "count", MetricOrigin::exact}));
  EXPECT_EQ(*profile.find("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), 20 * warps);
  EXPECT_EQ(*profile.find("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"), 4 * warps);
  EXPECT_EQ(*profile.find("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"), 20 * 3 * warps);
  EXPECT_EQ(*profile.find("warpmind__flops_f32"), 50 * 2 * 32 * warps);
  EXPECT_EQ(metric(profile.metrics, "smsp__thread_inst_executed_per_inst_executed.ratio"),
            (Metric{"smsp__thread_inst_executed_per_inst_executed.ratio", 32, "ratio",
                    MetricOrigin::modelled}));
  EXPECT_FALSE(profile.find("gpu__time_duration.sum").has_value());
}

TEST(Metrics, OfASampleAreScaledAndModelled) {
  auto launch = make_sample();
  launch.blocks = 1000;
  const auto profile = kernel_profile(launch, device_of("h200"), nullptr);
  const auto sectors = metric(profile.metrics, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  EXPECT_EQ(sectors.value, 10 * 20 * 32 * 800);
  EXPECT_EQ(sectors.origin, MetricOrigin::modelled);
  EXPECT_EQ(*profile.find("warpmind__simulated_blocks_pct"), 10);
}

TEST(Metrics, OfAPredictionFitTogetherAndHaveUnits) {
  const auto device = device_of("h200");
  const auto launch = make_sample();
  const auto wave = make_cold_wave(launch);
  const auto prediction = predict({launch, &wave}, device);
  ASSERT_TRUE(prediction.has_value());
  const auto profile = kernel_profile(launch, device, &*prediction);

  const auto time = metric(profile.metrics, "gpu__time_duration.sum");
  EXPECT_EQ(time.unit, "ns");
  EXPECT_EQ(time.origin, MetricOrigin::modelled);
  EXPECT_NEAR(time.value, 1000 * prediction->time_us, 1e-9);
  const double bytes = 800 * 32 * (20 * 32);
  EXPECT_NEAR(*profile.find("dram__bytes_read.sum"), bytes, 1e-6 * bytes);
  EXPECT_EQ(*profile.find("dram__bytes_write.sum"), 800 * 32 * 4);
  EXPECT_EQ(*profile.find("l1tex__t_sector_hit_rate.pct"), 0);
  EXPECT_NEAR(*profile.find("sm__cycles_elapsed.max"), time.value * 1e-3 * prediction->clock_mhz,
              1e-6 * time.value);
  for (const auto& one : profile.metrics) {
    EXPECT_FALSE(one.unit.empty()) << one.name;
    EXPECT_GE(one.value, 0) << one.name;
    if (one.unit == "percent") {
      EXPECT_LE(one.value, 100) << one.name;
    }
  }
}

TEST(Metrics, SharesOfTimeAddUp) {
  std::vector<KernelProfile> kernels(2);
  share_time(kernels);
  EXPECT_EQ(kernels[0].time_share, 0.5);
  kernels[0].metrics = {{"gpu__time_duration.sum", 300, "ns"}};
  kernels[1].metrics = {{"gpu__time_duration.sum", 100, "ns"}};
  share_time(kernels);
  EXPECT_EQ(kernels[0].time_share, 0.75);
  EXPECT_EQ(kernels[1].time_share, 0.25);
}

TEST(LineProfiles, PutTheHottestLineFirst) {
  const std::vector<LaunchRecord> launches = {make_sample()};
  const auto lines = line_profiles(launches, device_of("h200"));

  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].line, 7);
  EXPECT_EQ(lines[1].line, 8);
  EXPECT_EQ(lines[2].line, 9);
  EXPECT_EQ(metric(lines[0].metrics, "warpmind__line_sectors_per_request").value, 32);
  EXPECT_EQ(metric(lines[1].metrics, "warpmind__line_executions").value, 50 * 800);
  EXPECT_EQ(metric(lines[1].metrics, "warpmind__line_bank_conflicts").value, 20 * 3 * 800);
  for (const auto& line : lines) {
    double parts = 0;
    for (const auto& one : line.metrics) {
      if (one.name.starts_with("warpmind__line_cycles_") && one.name != "warpmind__line_cycles_pct")
        parts += one.value;
    }
    EXPECT_NEAR(parts, metric(line.metrics, "warpmind__line_cycles_pct").value, 1e-9);
  }
  EXPECT_GT(metric(lines[0].metrics, "warpmind__line_cycles_global_memory_pct").value, 0);
  EXPECT_GT(metric(lines[1].metrics, "warpmind__line_cycles_shared_memory_pct").value, 0);
  double instructions = 0;
  for (const auto& line : lines) {
    instructions += metric(line.metrics, "warpmind__line_instructions_pct").value;
  }
  EXPECT_NEAR(instructions, 100, 1e-9);
  EXPECT_EQ(line_profiles(launches, device_of("h200"), 2).size(), 2U);
}

}  // namespace
}  // namespace warpmind::simulator
