#include "config/device_table.h"

#include "config/reference_header.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::config {
namespace {

DeviceTable load() {
  auto table = DeviceTable::load();
  EXPECT_TRUE(table.has_value()) << table.error().message;
  return table ? *table : DeviceTable{};
}

/// The table of one file: that of the h200, with the first `from` replaced by `to`.
Result<DeviceTable> with_change(std::string_view from, std::string_view to) {
  for (const auto& file : embedded_files()) {
    if (file.name != "devices/h200.toml") continue;
    std::string content(file.content);
    const auto at = content.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    content.replace(at, from.size(), to);
    const EmbeddedFile changed{"devices/h200.toml", content};
    return DeviceTable::parse({&changed, 1});
  }
  return fail(Errc::not_found, "no h200");
}

// The sentences of a fault in a file, which only those who write one ever see.
TEST(DeviceTable, NamesWhatIsWrongWithAFile) {
  EXPECT_TRUE(with_change("\nkey", "\nkey"));
  const std::pair<std::pair<const char*, const char*>, const char*> faults[] = {
      {{"\nsm_count", "\nsm_counts"}, "unknown key 'sm_counts' in the device; did you mean"},
      {{"\nfamily = ", "\n# family = "}, "the device lacks 'family'; write family = \"hopper\""},
      {{"\nl2_mib = ", "\n# l2_mib = "}, "the device lacks 'l2_mib'; write l2_mib = <number>"},
      {{"\nwarps_per_sm = ", "\nwarps_per_sm = 0 # "}, "'warps_per_sm' is out of range"},
      {{"\nmemory_gib = ", "\nmemory_gib = -1 # "}, "'memory_gib' must be above zero"},
      {{"\nwgmma_fp16_macs = ", "\nwgmma_fp16_macs = -1 # "}, "wgmma_fp16_macs is below zero"},
      {{"\ndram_efficiency = ", "\ndram_efficiency = 2 # "}, "'dram_efficiency' is a share"},
      {{"\nlaunch_us = ", "\nlunch = 1\nlaunch_us = "}, "unknown key 'lunch' in [timing]"},
  };
  for (const auto& [change, sentence] : faults) {
    const auto table = with_change(change.first, change.second);
    ASSERT_FALSE(table) << change.second;
    EXPECT_EQ(table.error().code, Errc::corrupt_data);
    EXPECT_THAT(table.error().message, testing::StartsWith("devices/h200.toml:"));
    EXPECT_THAT(table.error().message, testing::HasSubstr(sentence));
  }
}

TEST(DeviceTable, TheSharedOneIsTheBuiltInOneAndReadOnce) {
  EXPECT_EQ(device_table().all(), load().all());
  EXPECT_EQ(&device_table(), &device_table());
}

TEST(DeviceTable, HoldsTheBuiltInDevices) {
  const auto table = load();

  std::set<std::string> keys;
  for (const auto& spec : table.all()) keys.insert(spec.key);
  EXPECT_EQ(keys, (std::set<std::string>{"a10", "a100_80", "b200", "h100_sxm", "h200", "l4", "l40s",
                                         "rtx3090", "rtx4090", "rtx5090", "t4", "v100"}));
  const auto h200 = table.find("h200");
  ASSERT_TRUE(h200.has_value());
  EXPECT_EQ(h200->sm_count, 132);
  EXPECT_EQ(h200->sm_clock_mhz, 1980);
  EXPECT_EQ(h200->l2_mib, 60);
  EXPECT_EQ(h200->memory_bandwidth_gb_s, 4800);
  EXPECT_FALSE(table.find("h300").has_value());
}

// The rows come from different documents: a slip in one shows where they must agree.
TEST(DeviceTable, NumbersAgreeWithEachOther) {
  const auto table = load();
  for (const auto& spec : table.all()) {
    const double cores =
        spec.compute_major == 7 || (spec.compute_major == 8 && spec.compute_minor == 0)
            ? 64
            : 128;  // FP32 lanes an SM
    const double fp32 = 2e-6 * cores * spec.sm_count * spec.sm_clock_mhz;
    EXPECT_NEAR(spec.fp32_tflops / fp32, 1, 0.02) << spec.key;
    EXPECT_LT(spec.fp64_tflops, spec.fp32_tflops) << spec.key;
    EXPECT_GT(spec.fp16_tensor_tflops, spec.fp32_tflops) << spec.key;
    EXPECT_EQ(spec.threads_per_sm, 32 * spec.warps_per_sm) << spec.key;
    EXPECT_LE(spec.shared_kib_per_block, spec.shared_kib_per_sm) << spec.key;
    EXPECT_EQ(spec.registers_per_sm, 65536) << spec.key;
  }
}

TEST(DeviceTable, AGpuIsMeantByArchitectureKeyOrName) {
  const auto table = load();
  DeviceIdentity h200;
  h200.name = table.find("h200").value().name;
  h200.compute_major = 9;
  h200.compute_minor = 0;

  for (const char* name : {"sm_90", "h200", "NVIDIA H200"}) {
    EXPECT_TRUE(table.means(name, h200)) << name;
  }
  for (const char* name : {"sm_80", "sm_9", "h100_sxm", "a100_80", "H200", ""}) {
    EXPECT_FALSE(table.means(name, h200)) << name;
  }
}

TEST(DeviceTable, EveryDeviceHasATimeModelThatFitsItsDatasheet) {
  const auto table = load();
  for (const auto& spec : table.all()) {
    const TimingModel& timing = spec.timing;
    EXPECT_GT(timing.sustained_clock_mhz, 0.5 * spec.sm_clock_mhz) << spec.key;
    EXPECT_LE(timing.sustained_clock_mhz, spec.sm_clock_mhz) << spec.key;
    const double per_lane = 2e-6 * spec.sm_count * spec.sm_clock_mhz;  // TFLOPS at the boost clock
    EXPECT_NEAR(timing.fp32_lanes * per_lane / spec.fp32_tflops, 1, 0.02) << spec.key;
    EXPECT_NEAR(timing.fp64_lanes * per_lane / spec.fp64_tflops, 1, 0.05) << spec.key;
    const double macs = std::max(timing.tensor_fp16_macs, timing.wgmma_fp16_macs);
    // Tensor clocks of GH100 are lower; GB200 needs tcgen05 for its datasheet number.
    if (spec.compute_major != 10) {
      EXPECT_NEAR(macs * per_lane / spec.fp16_tensor_tflops, 1, 0.1) << spec.key;
    }
    EXPECT_LT(timing.shared_latency_cycles, timing.l1_latency_cycles + 1) << spec.key;
    EXPECT_LT(timing.l1_latency_cycles, timing.l2_latency_cycles) << spec.key;
    EXPECT_LT(timing.l2_latency_cycles, timing.dram_latency_cycles) << spec.key;
    EXPECT_GE(timing.l1_kib, spec.shared_kib_per_sm) << spec.key;
    EXPECT_GT(timing.dram_efficiency, 0.5) << spec.key;
    EXPECT_LE(timing.dram_efficiency, 1) << spec.key;
    EXPECT_GT(timing.atomic_cycles, 0) << spec.key;
    EXPECT_GT(timing.launch_us, 0) << spec.key;
    // L2 must be faster than memory, or a rate has the wrong unit.
    EXPECT_GT(timing.l2_bytes * spec.sm_count * spec.sm_clock_mhz * 1e-3,
              spec.memory_bandwidth_gb_s)
        << spec.key;
  }
}

DeviceIdentity identity_of(const std::string& name, int major, int minor, int sm_count) {
  DeviceIdentity identity;
  identity.name = name;
  identity.compute_major = major;
  identity.compute_minor = minor;
  identity.sm_count = sm_count;
  return identity;
}

TEST(DeviceTable, MatchesByTheDriversName) {
  const auto table = load();

  EXPECT_EQ(table.match(identity_of("NVIDIA H200", 9, 0, 132))->key, "h200");
  EXPECT_EQ(table.match(identity_of("NVIDIA H100 80GB HBM3", 9, 0, 132))->key, "h100_sxm");
  EXPECT_EQ(table.match(identity_of("NVIDIA GeForce RTX 4090", 8, 9, 128))->key, "rtx4090");
}

TEST(DeviceTable, AnUnknownNameTakesTheNearestOfItsCapability) {
  const auto table = load();
  auto identity = identity_of("NVIDIA H100 PCIe", 9, 0, 114);
  identity.memory_bytes = std::int64_t{80} << 30U;
  identity.l2_bytes = std::int64_t{50} << 20U;

  const auto spec = table.match(identity);

  ASSERT_TRUE(spec.has_value());
  EXPECT_EQ(spec->key, "h100_sxm");
  EXPECT_EQ(spec->name, "NVIDIA H100 PCIe");
  EXPECT_EQ(spec->sm_count, 114);
  EXPECT_EQ(spec->memory_gib, 80);
  EXPECT_EQ(spec->l2_mib, 50);
  EXPECT_NEAR(spec->fp32_tflops, 67.0 * 114 / 132, 1e-9);
}

TEST(DeviceTable, KnowsNothingOfOtherCapabilities) {
  EXPECT_FALSE(load().match(identity_of("NVIDIA Future", 42, 0, 1000)).has_value());
}

TEST(ReferenceHeader, IsTheShippedFile) {
  EXPECT_THAT(std::string(reference_header()), testing::HasSubstr("struct ReferenceCall {"));
}

}  // namespace
}  // namespace warpmind::config
