#include "agents/diagnosis.h"

#include "tests/unit/agents/planted_task.h"

#include <algorithm>
#include <ostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

using testing::HasSubstr;

constexpr auto kDram = "dram__throughput.avg.pct_of_peak_sustained_elapsed";

DeviceSpec h200() {
  DeviceSpec device;
  device.sm_count = 132;
  device.threads_per_sm = 2048;
  device.memory_bandwidth_gb_s = 4800;
  device.fp32_tflops = 67;
  device.fp16_tensor_tflops = 989;
  return device;
}

class DiagnosisTest : public testing::Test {
 protected:
  DiagnosisTest() {
    task_.workloads[1].sizes["n"] = 1 << 26;  // plenty of blocks
    verdict_.profile = Profile{ProfileTier::t2, "large", {{"k", 1, {}}}, {}, ""};
  }
  void metric(const std::string& name, double value) {
    verdict_.profile->kernels[0].metrics.push_back({name, value, "x"});
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
  verdict_.measurement = Measurement{};
  verdict_.measurement->workload = "large";
  verdict_.measurement->median_ns = 2.0 * (1 << 26) / 67e3;  // what FP32 takes for it
  metric(kDram, 20);

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
};
std::ostream& operator<<(std::ostream& out, const ClassCase& one) {
  return out << name_of(one.expected);
}
class DiagnosisClass : public DiagnosisTest, public testing::WithParamInterface<ClassCase> {};

TEST_P(DiagnosisClass, IsFoundFromItsMetricsAndSaysSo) {
  for (const auto& [name, value] : GetParam().metrics) metric(name, value);

  const auto bottleneck = diagnosed();

  EXPECT_EQ(name_of(bottleneck.primary), name_of(GetParam().expected));
  EXPECT_FALSE(bottleneck.deciders.empty());
  EXPECT_GT(bottleneck.confidence, 0);
  EXPECT_THAT(bottleneck.explanation, HasSubstr(bottleneck.deciders[0].name));
}

INSTANTIATE_TEST_SUITE_P(
    Table, DiagnosisClass,
    testing::Values(
        ClassCase{BottleneckClass::memory_bandwidth, {{kDram, 88}}},
        ClassCase{BottleneckClass::uncoalesced_access,
                  {{kDram, 10.6},
                   {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 3200},
                   {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 100}}},
        ClassCase{
            BottleneckClass::memory_latency,
            {{"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 103}}},
        ClassCase{BottleneckClass::shared_bank_conflicts,
                  {{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 500},
                   {"smsp__inst_executed.sum", 1000}}},
        ClassCase{BottleneckClass::compute_throughput,
                  {{"sm__throughput.avg.pct_of_peak_sustained_elapsed", 92}}},
        ClassCase{BottleneckClass::register_spills, {{"warpmind__spill_bytes", 256}}},
        ClassCase{BottleneckClass::thread_divergence,
                  {{"smsp__thread_inst_executed_per_inst_executed.ratio", 9}}},
        ClassCase{BottleneckClass::synchronisation,
                  {{"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", 12}}},
        ClassCase{BottleneckClass::low_occupancy,
                  {{"warpmind__theoretical_occupancy_pct", 12.5},
                   {"sm__warps_active.avg.pct_of_peak_sustained_active", 11}}},
        ClassCase{BottleneckClass::extra_traffic,
                  {{"dram__bytes_read.sum", 4e9}, {"dram__bytes_write.sum", 1e9}}}),
    [](const auto& test) { return std::string(name_of(test.param.expected)); });

TEST_F(DiagnosisTest, TooFewBlocksAreSeenWithoutAnyProfile) {
  task_.workloads[1].sizes["n"] = 4096;  // 16 blocks of 256 on 132 multiprocessors
  verdict_.profile.reset();

  const auto bottleneck = diagnosed();

  EXPECT_EQ(bottleneck.primary, BottleneckClass::low_parallelism);
  EXPECT_DOUBLE_EQ(bottleneck.deciders[0].value, 16);
  EXPECT_DOUBLE_EQ(bottleneck.deciders[0].threshold, 132);
}

TEST_F(DiagnosisTest, AContractionInHalfPrecisionWithoutTensorCoresIsNamed) {
  task_.operator_family = "gemm";
  task_.arguments[0].dtype = Dtype::f16;
  metric("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", 1.0);

  EXPECT_EQ(diagnosed().primary, BottleneckClass::tensor_cores_idle);
}

TEST_F(DiagnosisTest, ShortLaunchesAreLaunchBound) {
  verdict_.measurement = Measurement{};
  verdict_.measurement->workload = "large";
  verdict_.measurement->median_ns = 2500;

  EXPECT_EQ(diagnosed().primary, BottleneckClass::launch_overhead);
}

TEST_F(DiagnosisTest, HeadroomIsTimeOverRoofline) {
  verdict_.measurement = Measurement{};
  verdict_.measurement->workload = "large";
  verdict_.measurement->median_ns = 1e6;

  const double bytes = 8.0 * (1 << 26);
  EXPECT_NEAR(diagnosed().headroom, 1e6 / (bytes / 4800), 1e-6);
}

TEST_F(DiagnosisTest, TheLaunchWithMostTimeIsDiagnosed) {
  verdict_.profile->kernels = {{"short", 0.1, {{kDram, 95, "percent"}}},
                               {"long", 0.9, {{"warpmind__spill_bytes", 64, "bytes"}}}};

  const auto bottleneck = diagnosed();

  EXPECT_EQ(bottleneck.kernel, "long");
  EXPECT_EQ(bottleneck.primary, BottleneckClass::register_spills);
}

TEST_F(DiagnosisTest, StoresThatScatterAreNamedAsStores) {
  metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 400);
  metric("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 100);
  metric("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 3200);
  metric("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 100);

  const auto bottleneck = diagnosed();

  EXPECT_EQ(bottleneck.primary, BottleneckClass::uncoalesced_access);
  EXPECT_EQ(bottleneck.deciders[0].name, "warpmind__sectors_per_store_request");
}

TEST_F(DiagnosisTest, ATransposeByBlocksOf16x16IsUncoalesced) {
  // Rows of 16 threads: a warp stores to 16 sectors what would fit into 4.
  metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 400);
  metric("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 100);
  metric("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 1600);
  metric("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 100);

  const auto from_the_text = diagnosed();
  EXPECT_EQ(from_the_text.primary, BottleneckClass::uncoalesced_access);
  EXPECT_EQ(from_the_text.deciders[0].name, "warpmind__sectors_per_store_request");
  EXPECT_DOUBLE_EQ(from_the_text.deciders[0].value, 16);
  EXPECT_DOUBLE_EQ(from_the_text.deciders[0].threshold, 12);
  metric("warpmind__store_bytes", 100 * 128);
  EXPECT_EQ(diagnosed().primary, BottleneckClass::uncoalesced_access) << "counted";
}

TEST_F(DiagnosisTest, SectorsThatHoldWhatIsAskedForAreNoFinding) {
  metric("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 1600);
  metric("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 100);
  task_.kernel.source = "// float4\n" + task_.kernel.source;
  EXPECT_EQ(diagnosed().primary, BottleneckClass::unknown) << "16 bytes a lane";
  // One lane of a warp stores its sum: 32 bytes for 4, and nothing to gain.
  metric("warpmind__load_bytes", 100 * 512);
  metric("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 100);
  metric("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 100);
  metric("warpmind__store_bytes", 100 * 4);
  EXPECT_EQ(diagnosed().primary, BottleneckClass::unknown);
}

TEST_F(DiagnosisTest, MoreBlocksAreNotAskedForWhereAtomicsTakeTurns) {
  task_.workloads[1].sizes["n"] = 4096;
  metric("warpmind__atomics_pct", 85);

  const auto bottleneck = diagnosed();

  EXPECT_EQ(bottleneck.primary, BottleneckClass::synchronisation);
  EXPECT_THAT(bottleneck.secondary,
              testing::Not(testing::Contains(BottleneckClass::low_parallelism)));
}

TEST_F(DiagnosisTest, OnlyWhatIsTooLowDecides) {
  // 256 blocks of 256 threads: enough blocks for 132 multiprocessors, too few threads.
  task_.workloads[1].sizes["n"] = 65536;
  const auto few_threads = diagnosed();
  EXPECT_EQ(few_threads.primary, BottleneckClass::low_parallelism);
  ASSERT_EQ(few_threads.deciders.size(), 1U);
  EXPECT_EQ(few_threads.deciders[0].name, "warpmind__threads_pct_of_device");
}

TEST_F(DiagnosisTest, NothingKnownIsSaidPlainly) {
  const auto bottleneck = diagnosed();

  EXPECT_EQ(bottleneck.primary, BottleneckClass::unknown);
  EXPECT_THAT(bottleneck.explanation, HasSubstr("no rule fired"));
}

}  // namespace
}  // namespace warpmind::agents
