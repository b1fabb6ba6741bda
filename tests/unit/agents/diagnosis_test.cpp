#include "agents/diagnosis.h"

#include "tests/unit/agents/planted_task.h"

#include <algorithm>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr auto kDram = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr double kNeeded = 8.0 * (1 << 26);  // bytes of the planted task
constexpr double kLimitNs = kNeeded / 4800;

DeviceSpec h200() {
  DeviceSpec device;
  device.sm_count = 132;
  device.threads_per_sm = 2048;
  device.warps_per_sm = 64;
  device.memory_bandwidth_gb_s = 4800;
  device.fp32_tflops = 67;
  device.fp16_tensor_tflops = 989;
  return device;
}

std::string stall(const std::string& reason) {
  return "smsp__average_warps_issue_stalled_" + reason + "_per_issue_active.ratio";
}

class DiagnosisTest : public testing::Test {
 protected:
  DiagnosisTest() {
    task_.workloads[1].sizes["n"] = 1 << 26;  // plenty of blocks
    verdict_.profile = Profile{ProfileTier::t2, "large", {{"k", 1, {}}}, {}, ""};
    take(10 * kLimitNs);
  }
  void metric(const std::string& name, double value) {
    verdict_.profile->kernels[0].metrics.push_back({name, value, "x"});
  }
  void take(double time_ns) {
    verdict_.measurement = Measurement{};
    verdict_.measurement->workload = "large";
    verdict_.measurement->median_ns = time_ns;
  }
  [[nodiscard]] Bottleneck diagnosed() const {
    return diagnose({task_, task_.kernel, verdict_, device_});
  }

  Task task_ = planted_task();
  Verdict verdict_;
  DeviceSpec device_ = h200();
};

TEST_F(DiagnosisTest, ALimitIsThatOfTheElementType) {
  task_.contract.tolerance = ToleranceClass::contraction;
  task_.cost = {"1", "2*n"};
  take(2.0 * (1 << 26) / 67e3);  // what FP32 takes for it

  EXPECT_NEAR(diagnosed().headroom, 1, 1e-6);
}

TEST_F(DiagnosisTest, SaysWhereTheKernelStandsAgainstTheBestLibrary) {
  verdict_.measurement = Measurement{};
  verdict_.measurement->workload = "large";
  verdict_.measurement->median_ns = 20'000;
  metric(kDram, 88);
  EXPECT_EQ(diagnosed().explanation.find("x of"), std::string::npos);
  verdict_.measurement->best_library = {"CUB 3.0.1", "cub::DeviceReduce::Sum", 10'000, ""};
  EXPECT_THAT(diagnosed().explanation,
              HasSubstr("0.5x of CUB 3.0.1 (cub::DeviceReduce::Sum; 10.0 µs)"));
}

struct ClassCase {
  BottleneckClass expected;
  std::vector<std::pair<std::string, double>> metrics;
  const char* said;  ///< of the numbers
};
std::ostream& operator<<(std::ostream& out, const ClassCase& one) {
  return out << name_of(one.expected);
}
class DiagnosisClass : public DiagnosisTest, public testing::WithParamInterface<ClassCase> {};

TEST_P(DiagnosisClass, IsFoundFromItsMetricsWithItsCost) {
  for (const auto& [name, value] : GetParam().metrics) metric(name, value);

  const auto bottleneck = diagnosed();

  EXPECT_EQ(name_of(bottleneck.primary), name_of(GetParam().expected)) << bottleneck.explanation;
  ASSERT_FALSE(bottleneck.causes.empty());
  const Cause& first = bottleneck.causes.front();
  EXPECT_EQ(first.which, bottleneck.primary);
  EXPECT_GT(first.share, 0.2);
  EXPECT_LE(first.share, 0.9) << "the limit stays";
  EXPECT_NEAR(first.at_stake_ns, first.share * 10 * kLimitNs, 1);
  EXPECT_FALSE(bottleneck.deciders.empty());
  EXPECT_GT(bottleneck.confidence, 0.5);
  EXPECT_THAT(bottleneck.explanation, HasSubstr(GetParam().said));
}

INSTANTIATE_TEST_SUITE_P(
    Table, DiagnosisClass,
    testing::Values(
        ClassCase{BottleneckClass::uncoalesced_access,
                  {{kDram, 10.6},
                   {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 3200},
                   {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 100},
                   {"l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", 90}},
                  "touches 32 sectors where 4 would do"},
        ClassCase{BottleneckClass::memory_latency,
                  {{"sm__warps_active.avg.pct_of_peak_sustained_active", 60},
                   {"smsp__issue_active.avg.pct_of_peak_sustained_active", 9},
                   {stall("long_scoreboard"), 103}},
                  "wait 99 % of their time for loads"},
        ClassCase{BottleneckClass::shared_bank_conflicts,
                  {{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 700},
                   {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 800},
                   {"l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", 80}},
                  "8.0x as long"},
        ClassCase{BottleneckClass::compute_throughput,
                  {{"smsp__issue_active.avg.pct_of_peak_sustained_active", 60},
                   {"sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active", 92}},
                  "double-precision pipe is 92 % busy"},
        ClassCase{BottleneckClass::register_spills,
                  {{"warpmind__spill_bytes", 256},
                   {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 800},
                   {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 100},
                   {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 100},
                   {"l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", 80}},
                  "256 bytes"},
        ClassCase{BottleneckClass::thread_divergence,
                  {{"smsp__thread_inst_executed_per_inst_executed.ratio", 6},
                   {"smsp__issue_active.avg.pct_of_peak_sustained_active", 60}},
                  "works for 6 of 32 threads"},
        ClassCase{BottleneckClass::synchronisation,
                  {{stall("barrier"), 40}, {stall("long_scoreboard"), 5}},
                  "at barriers and fences"},
        ClassCase{BottleneckClass::extra_traffic,
                  {{"dram__bytes_read.sum", 4 * kNeeded},
                   {"dram__bytes_write.sum", kNeeded},
                   {kDram, 80}},
                  "5.0x the bytes it needs through DRAM"}),
    [](const auto& test) { return std::string(name_of(test.param.expected)); });

TEST_F(DiagnosisTest, NothingIsWrongWithAKernelAtItsLimit) {
  take(1.1 * kLimitNs);
  metric(kDram, 88);
  // By thresholds this was a cause: 16 sectors where 4 would do.
  metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 1600);
  metric("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 100);

  const auto bottleneck = diagnosed();

  EXPECT_EQ(bottleneck.primary, BottleneckClass::at_limit);
  EXPECT_THAT(bottleneck.explanation, HasSubstr("90.9 % of the limit"));
  for (const auto& cause : bottleneck.causes) EXPECT_LE(cause.share, 0.1);
}

TEST_F(DiagnosisTest, BytesThatHaveToMoveAreBandwidth) {
  take(1.5 * kLimitNs);
  metric(kDram, 88);
  metric("dram__bytes_read.sum", kNeeded / 2);
  metric("dram__bytes_write.sum", kNeeded / 2);

  EXPECT_EQ(diagnosed().primary, BottleneckClass::memory_bandwidth);
}

TEST_F(DiagnosisTest, TooFewBlocksAreSeenWithoutAnyProfile) {
  task_.workloads[1].sizes["n"] = 4096;  // 16 blocks of 256 on 132 multiprocessors
  verdict_.profile.reset();

  const auto bottleneck = diagnosed();

  EXPECT_EQ(bottleneck.primary, BottleneckClass::low_parallelism);
  EXPECT_DOUBLE_EQ(bottleneck.deciders[0].value, 16);
  EXPECT_LE(bottleneck.confidence, 0.5) << "nothing was counted";
  EXPECT_THAT(bottleneck.explanation, HasSubstr("16 blocks for 132 multiprocessors"));
}

TEST_F(DiagnosisTest, AContractionInHalfPrecisionWithoutTensorCoresIsNamed) {
  task_.operator_family = "gemm";
  task_.contract.tolerance = ToleranceClass::contraction;
  task_.arguments[0].dtype = Dtype::f16;
  metric("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", 1.0);

  EXPECT_EQ(diagnosed().primary, BottleneckClass::tensor_cores_idle);
}

TEST_F(DiagnosisTest, ManyShortLaunchesAreLaunchBound) {
  task_.workloads[1].sizes["n"] = 1 << 15;
  verdict_.profile->kernels.assign(10, {"k", 0.1, {}});
  take(30'000);

  const auto bottleneck = diagnosed();

  EXPECT_EQ(bottleneck.primary, BottleneckClass::launch_overhead);
  EXPECT_NEAR(bottleneck.causes[0].at_stake_ns, 9 * 2500, 1);
  EXPECT_THAT(bottleneck.explanation, HasSubstr("10 launches of 3.0 µs each"));
}

TEST_F(DiagnosisTest, TheLastWaveOfTwoIsHalfEmpty) {
  metric("warpmind__waves", 1.1);
  metric("warpmind__theoretical_occupancy_pct", 100);

  const auto bottleneck = diagnosed();

  EXPECT_EQ(bottleneck.primary, BottleneckClass::wave_tail);
  EXPECT_NEAR(bottleneck.causes[0].share, 0.45, 0.01);
}

TEST_F(DiagnosisTest, HeadroomIsTimeOverLimit) {
  take(1e6);

  EXPECT_NEAR(diagnosed().headroom, 1e6 / kLimitNs, 1e-6);
}

TEST_F(DiagnosisTest, LaunchesCostTheirShare) {
  verdict_.profile->kernels = {
      {"short", 0.1, {{kDram, 95, "percent"}}},
      {"long", 0.9, {{"smsp__thread_inst_executed_per_inst_executed.ratio", 8, "ratio"}}}};

  const auto bottleneck = diagnosed();

  EXPECT_EQ(bottleneck.kernel, "long");
  EXPECT_EQ(bottleneck.primary, BottleneckClass::thread_divergence);
  EXPECT_NEAR(bottleneck.causes[0].share, 0.9 * 0.75, 1e-6);
  ASSERT_EQ(bottleneck.launches.size(), 2U);
}

TEST_F(DiagnosisTest, StoresThatScatterAreNamedAsStores) {
  metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 400);
  metric("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 100);
  metric("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 3200);
  metric("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 100);
  metric(kDram, 50);

  const auto bottleneck = diagnosed();

  EXPECT_EQ(bottleneck.primary, BottleneckClass::uncoalesced_access);
  EXPECT_EQ(bottleneck.deciders[0].name, "warpmind__sectors_per_store_request");
}

TEST_F(DiagnosisTest, SectorsThatHoldWhatIsAskedForCostNothing) {
  metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 1600);
  metric("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 100);
  metric(kDram, 50);
  task_.kernel.source = "// float4\n" + task_.kernel.source;
  EXPECT_EQ(diagnosed().primary, BottleneckClass::uncoalesced_access) << "a comment reads nothing";
  task_.kernel.source = "using vector = float4;\n" + task_.kernel.source;
  EXPECT_NE(diagnosed().primary, BottleneckClass::uncoalesced_access) << "16 bytes a lane";
  // One lane of a warp stores its sum: 32 bytes for 4, and nothing to gain.
  metric("warpmind__load_bytes", 100 * 512);
  metric("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 100);
  metric("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 100);
  metric("warpmind__store_bytes", 100 * 4);
  EXPECT_NE(diagnosed().primary, BottleneckClass::uncoalesced_access);
}

TEST_F(DiagnosisTest, MoreBlocksAreNotAskedForWhereAtomicsTakeTurns) {
  task_.workloads[1].sizes["n"] = 4096;
  metric("warpmind__atomics_pct", 85);

  const auto bottleneck = diagnosed();

  EXPECT_EQ(bottleneck.primary, BottleneckClass::synchronisation);
  for (const auto& cause : bottleneck.causes) {
    if (cause.which != BottleneckClass::low_parallelism) continue;
    EXPECT_LE(cause.share, 0.16);
  }
}

TEST_F(DiagnosisTest, NothingKnownIsSaidPlainly) {
  verdict_.profile->tier = ProfileTier::t1;

  const auto bottleneck = diagnosed();

  EXPECT_EQ(bottleneck.primary, BottleneckClass::unknown);
  EXPECT_THAT(bottleneck.explanation, HasSubstr("Nothing is known of what limits k"));
  EXPECT_THAT(bottleneck.explanation, HasSubstr("no hardware counters"));
}

TEST_F(DiagnosisTest, SentencesNameNoMetrics) {
  metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 3200);
  metric("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 100);
  metric(kDram, 60);

  EXPECT_THAT(diagnosed().explanation, Not(HasSubstr("__")));
  EXPECT_THAT(diagnosed().explanation, Not(HasSubstr("threshold")));
}

}  // namespace
}  // namespace warpmind::agents
