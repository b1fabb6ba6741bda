#include "base/launch_profile.h"

#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "base/kernel_name.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind {
namespace {

KernelProfile launch(std::string kernel, double share, std::vector<Metric> metrics = {}) {
  return {std::move(kernel), share, std::move(metrics)};
}

struct Names {
  std::string before;
  std::string after;
  PairedBy by;
  bool operator==(const Names&) const = default;
};

std::vector<Names> paired(const std::vector<KernelProfile>& before,
                          const std::vector<KernelProfile>& after) {
  std::vector<Names> names;
  for (const LaunchPair& pair : pair_launches(before, after)) {
    names.push_back({pair.before != nullptr ? pair.before->kernel : "",
                     pair.after != nullptr ? pair.after->kernel : "", pair.by});
  }
  return names;
}

TEST(PairedLaunches, TheSameKernelWhereverItStandsInThePlan) {
  const std::vector<Names> expected{{"gemm", "gemm", PairedBy::kernel},
                                    {"scale", "scale", PairedBy::kernel},
                                    {"", "zero", PairedBy::none}};
  EXPECT_EQ(paired({launch("gemm", 0.7), launch("scale", 0.3)},
                   {launch("zero", 0.01), launch("scale", 0.39), launch("gemm", 0.6)}),
            expected);
}

// The report once held the main kernel's 132 blocks against the one block of a helper.
TEST(PairedLaunches, AHelperBeforeTheRenamedMainKernelIsNotItsCounterpart) {
  const std::vector<Names> expected{{"conv", "conv_tiled", PairedBy::time_share},
                                    {"", "pack_weights", PairedBy::none}};
  EXPECT_EQ(paired({launch("conv", 1)}, {launch("pack_weights", 0.04), launch("conv_tiled", 0.96)}),
            expected);
}

TEST(PairedLaunches, InstancesOfOneTemplateBelongTogether) {
  const std::vector<Names> expected{{"_Z4tileILi16EEvPf", "_Z4tileILi32EEvPf", PairedBy::kernel},
                                    {"_Z4fillPf", "_Z4fillPf", PairedBy::kernel}};
  EXPECT_EQ(paired({launch("_Z4fillPf", 0.1), launch("_Z4tileILi16EEvPf", 0.9)},
                   {launch("_Z4tileILi32EEvPf", 0.8), launch("_Z4fillPf", 0.2)}),
            expected);
}

TEST(PairedLaunches, RepeatedLaunchesMeetByTheTimeTheyTake) {
  const std::vector<KernelProfile> before{launch("step", 0.2), launch("step", 0.8)};
  const std::vector<KernelProfile> after{launch("step", 0.7), launch("step", 0.3)};
  const auto pairs = pair_launches(before, after);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].before, &before[1]);
  EXPECT_EQ(pairs[0].after, &after[0]);
  EXPECT_EQ(pairs[1].before, &before[0]);
  EXPECT_EQ(pairs[1].after, &after[1]);
}

TEST(PairedLaunches, ALaunchWithOtherWorkHasNoCounterpart) {
  const std::vector<Names> expected{{"", "fused", PairedBy::none}, {"zero", "", PairedBy::none}};
  EXPECT_EQ(paired({launch("zero", 0.02)}, {launch("fused", 0.9)}), expected);
  EXPECT_FALSE(main_pair(std::vector{launch("zero", 0.02)}, std::vector{launch("fused", 0.9)}));
}

Profile simulated() {
  Profile profile;
  profile.caches = CacheState::cold;
  profile.kernels = {
      launch("small", 0.2, {{"gpu__time_duration.sum", 1000, "ns"}}),
      launch("large", 0.8,
             {{"gpu__time_duration.sum", 4000, "ns"},
              {"dram__bytes_read.sum", 8000, "bytes"},
              {"dram__bytes_write.sum", 4000, "bytes"},
              {"warpmind__flops_f32", 2000, "count"},
              {"warpmind__flops_tensor", 6000, "count"},
              {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 81, "percent"},
              {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 83, "percent"},
              {"sm__throughput.avg.pct_of_peak_sustained_elapsed", 20, "percent"}})};
  return profile;
}

TEST(LaunchRows, SayTimeBytesFlopsAndRatesOfEachLaunch) {
  const Profile profile = simulated();
  const LaunchRow row = launch_row(profile, profile.kernels[1]);
  EXPECT_EQ(row.name, "large");
  EXPECT_EQ(row.time_ns, 4000);
  EXPECT_EQ(row.bytes, 12000);
  EXPECT_EQ(row.memory, "DRAM");
  EXPECT_EQ(row.gb_per_s, 3);
  EXPECT_EQ(row.flops, 8000);
  EXPECT_EQ(row.gflop_per_s, 2);
  EXPECT_EQ(row.limited_by, "DRAM");
  EXPECT_EQ(row.pipe_percent, 81);
  const LaunchRow small = launch_row(profile, profile.kernels[0]);
  EXPECT_EQ(small.time_ns, 1000);
  EXPECT_FALSE(small.bytes);
  EXPECT_FALSE(small.flops);
  EXPECT_EQ(small.limited_by, "");
}

TEST(LaunchRows, NoBusyPipeMeansLatency) {
  Profile profile;
  profile.kernels = {launch("k", 1,
                            {{"dram__throughput.avg.pct_of_peak_sustained_elapsed", 22, "percent"},
                             {"sm__throughput.avg.pct_of_peak_sustained_elapsed", 9, "percent"}})};
  const LaunchRow row = launch_row(profile, profile.kernels[0]);
  EXPECT_EQ(row.limited_by, "latency");
  EXPECT_EQ(row.pipe, "DRAM");
}

TEST(LaunchRows, WarmBytesAreThoseOfL2) {
  Profile profile;
  profile.kernels = {launch("k", 1,
                            {{"gpu__time_duration.sum", 100, "ns"},
                             {"dram__bytes_read.sum", 85, "bytes"},
                             {"dram__bytes_write.sum", 0, "bytes"},
                             {"lts__t_sectors_op_read.sum", 1000, "count"}})};
  EXPECT_EQ(launch_row(profile, profile.kernels[0]).memory, "DRAM");
  profile.caches = CacheState::warm;
  const LaunchRow row = launch_row(profile, profile.kernels[0]);
  EXPECT_EQ(row.memory, "L2");
  EXPECT_EQ(row.bytes, 32000);
  EXPECT_EQ(row.gb_per_s, 320);
}

/// One definition for rows and diagnosis: with stores of L1 a spilling kernel looks as if it wrote
/// nothing.
TEST(LaunchRows, BytesOfL2AreThoseThatL2Counts) {
  KernelProfile counted = launch("k", 1,
                                 {{"lts__t_sectors_op_read.sum", 1000, "count"},
                                  {"lts__t_sectors_op_write.sum", 500, "count"},
                                  {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 10, "count"}});
  EXPECT_EQ(l2_bytes(counted), 48000);
  counted.metrics.erase(counted.metrics.begin() + 1);
  EXPECT_EQ(l2_bytes(counted), 32320) << "the simulator: L1 writes through";
  EXPECT_EQ(l2_bytes(launch("k", 1, {})), std::nullopt);

  Profile profile;
  profile.caches = CacheState::warm;
  profile.kernels = {launch("k", 1,
                            {{"dram__bytes_read.sum", 0, "bytes"},
                             {"lts__t_sectors_op_read.sum", 1000, "count"},
                             {"lts__t_sectors_op_write.sum", 500, "count"}})};
  EXPECT_EQ(launch_row(profile, profile.kernels[0]).bytes, 48000);
}

TEST(LineSectors, AWideLoadIsNotUncoalesced) {
  const auto line = [](std::vector<Metric> metrics) {
    return LineProfile{"k", 1, std::move(metrics)};
  };
  const auto wide =
      line_sectors(line({{"warpmind__line_sectors_per_request", 16, "ratio"},
                         {"warpmind__line_needed_sectors_per_request", 16, "ratio"}}));
  ASSERT_TRUE(wide);
  EXPECT_FALSE(wide->is_uncoalesced()) << "16 bytes a lane";
  const auto half = line_sectors(line({{"warpmind__line_sectors_per_request", 8, "ratio"},
                                       {"warpmind__line_needed_sectors_per_request", 2, "ratio"}}));
  EXPECT_TRUE(half->is_uncoalesced()) << "2 bytes a lane";
  const auto older = line_sectors(line({{"warpmind__line_sectors_per_request", 16, "ratio"}}));
  EXPECT_TRUE(older->is_uncoalesced());
  EXPECT_FALSE(line_sectors(line({})));
}

TEST(LaunchRows, TheTopStallComesWithTheLineThatHasMostOfIt) {
  Profile profile = simulated();
  profile.lines = {
      {"large",
       12,
       {{"smsp__pcsamp_warps_issue_stalled_long_scoreboard", 30, "count"},
        {"smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued", 29, "count"},
        {"smsp__pcsamp_warps_issue_stalled_selected", 500, "count"}}},
      {"large", 14, {{"smsp__pcsamp_warps_issue_stalled_long_scoreboard", 31, "count"}}},
      {"large", 20, {{"smsp__pcsamp_warps_issue_stalled_barrier", 39, "count"}}},
      {"small",
       3,
       {{"warpmind__line_cycles_pct", 90, "percent", MetricOrigin::modelled},
        {"warpmind__line_cycles_issue_pct", 20, "percent", MetricOrigin::modelled},
        {"warpmind__line_cycles_global_memory_pct", 60, "percent", MetricOrigin::modelled}}}};
  const LaunchRow large = launch_row(profile, profile.kernels[1]);
  EXPECT_EQ(large.stall, "long scoreboard");
  EXPECT_EQ(large.stall_percent, 61);
  EXPECT_EQ(large.line, 14);
  EXPECT_EQ(large.stall_origin, MetricOrigin::measured);
  const LaunchRow small = launch_row(profile, profile.kernels[0]);
  EXPECT_EQ(small.stall, "global memory");
  EXPECT_EQ(small.stall_percent, 75);
  EXPECT_EQ(small.line, 3);
  EXPECT_EQ(small.stall_origin, MetricOrigin::modelled);
}

TEST(LaunchRows, WithoutLinesTheReasonStandsAlone) {
  Profile profile;
  profile.kernels = {launch(
      "k", 1,
      {{"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", 2, "ratio"},
       {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 12, "ratio"}})};
  const LaunchRow row = launch_row(profile, profile.kernels[0]);
  EXPECT_EQ(row.stall, "long scoreboard");
  EXPECT_EQ(row.line, 0);
}

TEST(LaunchChanges, OfOneProfileAreItsLaunches) {
  const Profile profile = simulated();
  const auto changes = launch_changes(nullptr, profile);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_FALSE(changes[0].before);
  EXPECT_EQ(changes[0].after->kernel, "large");
  const auto same = launch_changes(&profile, profile);
  EXPECT_EQ(same[0].before, same[0].after);
  EXPECT_EQ(same[0].paired_by, PairedBy::kernel);
}

TEST(ProfileRecords, OfOlderBuildsAreWrittenAsTheyAlwaysWere) {
  Profile profile = simulated();
  profile.caches = CacheState::unknown;
  EXPECT_FALSE(nlohmann::json(profile).contains("caches"));
  profile.caches = CacheState::warm;
  EXPECT_EQ(nlohmann::json(profile).get<Profile>(), profile);
}

TEST(KernelNames, AreReadAsPeopleWriteThem) {
  EXPECT_EQ(readable_kernel_name("_Z1kPfi"), "k");
  EXPECT_EQ(readable_kernel_name("_Z5scaleIfEvPT_i"), "scale<float>");
  EXPECT_EQ(readable_kernel_name("plain"), "plain");
  EXPECT_EQ(plain_name("ns::scale<float, 4>"), "scale");
}

}  // namespace
}  // namespace warpmind
