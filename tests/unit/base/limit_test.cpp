#include "base/limit.h"

#include "base/codec/model_json.h"

#include <gmock/gmock.h>

namespace warpmind {
namespace {

using ::testing::HasSubstr;

DeviceSpec h200() {
  DeviceSpec device;
  device.name = "NVIDIA H200";
  device.compute_major = 9;
  device.sm_count = 132;
  device.memory_bandwidth_gb_s = 4800;
  device.l2_mib = 60;
  device.fp64_tflops = 34;
  device.fp32_tflops = 67;
  device.fp16_tensor_tflops = 989.4;
  device.timing.launch_us = 2.8;
  device.timing.l2_bytes = 33.5;
  device.timing.sustained_clock_mhz = 1980;
  return device;
}

Task copy_task(Dtype dtype = Dtype::f32) {
  Task task;
  task.arguments = {{"x", ArgumentKind::in, dtype, {"n"}, "", {}, 0, 0},
                    {"y", ArgumentKind::out, dtype, {"n"}, "", {}, 0, 0}};
  task.workloads = {{"large", {{"n", 1 << 28}}, true}};
  task.cost = {"8*n", "0"};
  task.reference = "// says what is right";
  return task;
}

/// As a program's kernel becomes a task: buffers, and nothing about arithmetic.
Task lifted_task(Dtype dtype) {
  Task task = copy_task(dtype);
  task.cost.flops = "1";
  task.reference.clear();
  task.contract.tolerance = ToleranceClass::reduction;
  return task;
}

Limit limit_with(const Task& task, const CountedWork* counted = nullptr,
                 const DeviceFloors* floors = nullptr, double hot_bytes = 0) {
  return limit_of({task, task.workloads[0], h200(), floors, counted, hot_bytes});
}

TEST(Limit, OfACopyIsItsBytesAtTheBandwidthOfMemory) {
  const Limit limit = limit_with(copy_task());
  EXPECT_EQ(limit.by, LimitedBy::memory);
  EXPECT_NEAR(limit.ns, 8.0 * (1 << 28) / 4800, 1e-6);
  EXPECT_EQ(limited_by(limit), "memory bandwidth");
  EXPECT_FALSE(limit.measured);
}

TEST(Limit, OfALiftedTaskCountsWhatTheGivenKernelComputes) {
  const Task task = lifted_task(Dtype::f16);
  const CountedWork counted{.flops = 14.5e12};
  const Limit limit = limit_with(task, &counted);
  EXPECT_EQ(limit.by, LimitedBy::arithmetic);
  EXPECT_EQ(limit.peak, "FP16 tensor cores") << "the contract bounds the error, not the unit";
  EXPECT_NEAR(limit.ns, 14.5e12 / 989.4e3, 1);
  EXPECT_TRUE(limit.counted);
  EXPECT_EQ(limit_with(lifted_task(Dtype::f32), &counted).peak, "FP32");
}

TEST(Limit, IsNotKnownWhereTheWorkWasNotCounted) {
  const Task task = lifted_task(Dtype::f32);
  const CountedWork undecided{.unknown = "line 7: the bound of a loop was loaded"};
  for (const CountedWork* counted : {static_cast<const CountedWork*>(nullptr), &undecided}) {
    const Limit limit = limit_with(task, counted);
    EXPECT_EQ(limit.ns, 0);
    EXPECT_FALSE(share_of_limit(limit, 1e6));
    EXPECT_THAT(describe_share(limit, 1e6), HasSubstr("not known"));
  }
  EXPECT_THAT(limit_with(task, &undecided).unknown, HasSubstr("line 7"));
}

TEST(Limit, CountsNoBytesThatALiftedKernelNeverTouches) {
  const Task task = lifted_task(Dtype::f32);
  const CountedWork counted{.flops = 10, .moved_bytes = 4096};
  EXPECT_EQ(limit_with(task, &counted).bytes, 4096);
  const CountedWork rereads{.flops = 10, .moved_bytes = 1e15};
  EXPECT_EQ(limit_with(task, &rereads).bytes, 8.0 * (1 << 28));
}

TEST(Limit, IsNeverBelowALaunch) {
  Task task = copy_task();
  task.workloads[0].sizes["n"] = 1000;
  const Limit table = limit_with(task);
  EXPECT_EQ(table.by, LimitedBy::launch);
  EXPECT_NEAR(table.ns, 2800, 1e-6);
  const DeviceFloors floors{1900, {{16384, 2100}, {1 << 20, 3300}}};
  const Limit measured = limit_with(task, nullptr, &floors);
  EXPECT_TRUE(measured.measured);
  EXPECT_GT(measured.ns, 1900);
  EXPECT_LT(measured.ns, 2100);
}

TEST(Limit, OfAColdMebibyteIsWhatReadingItTakes) {
  Task task = copy_task();
  task.workloads[0].sizes["n"] = 1 << 17;
  const DeviceFloors floors{1900, {{16384, 2100}, {1 << 20, 3300}, {1 << 28, 62'000}}};
  EXPECT_NEAR(limit_with(task, nullptr, &floors).ns, 3300, 1e-6);
}

TEST(Limit, OfDataThatStaysInL2IsServedFromThere) {
  Task task = copy_task();
  task.workloads[0].sizes["n"] = 1 << 22;
  constexpr double kMib = 1024 * 1024;
  const Limit hot = limit_with(task, nullptr, nullptr, 32 * kMib);
  EXPECT_EQ(hot.by, LimitedBy::l2);
  EXPECT_NEAR(hot.bandwidth_gb_s, 33.5 * 132 * 1.98, 1);
  EXPECT_LT(hot.ns, limit_with(task).ns);
  EXPECT_EQ(limit_with(task, nullptr, nullptr, 128 * kMib).by, LimitedBy::memory) << "do not fit";
}

TEST(Limit, ColdReadsAreJoinedByLines) {
  const DeviceFloors floors{2000, {{1000, 3000}, {3000, 4000}}};
  EXPECT_DOUBLE_EQ(cold_read_ns(floors, 0), 2000);
  EXPECT_DOUBLE_EQ(cold_read_ns(floors, 500), 2500);
  EXPECT_DOUBLE_EQ(cold_read_ns(floors, 2000), 3500);
  EXPECT_DOUBLE_EQ(cold_read_ns(floors, 6000), 8000);
  EXPECT_EQ(cold_read_ns({}, 100), 0);
}

TEST(Limit, PeaksAreThoseOfTheContract) {
  Task task = copy_task();
  task.contract.tolerance = ToleranceClass::contraction;
  const auto peak_of = [&](Dtype dtype, bool tf32) {
    for (auto& argument : task.arguments) argument.dtype = dtype;
    task.contract.tf32_allowed = tf32;
    return std::string(arithmetic_peak(task, h200()).name);
  };
  EXPECT_EQ(peak_of(Dtype::f16, false), "FP16 tensor cores");
  EXPECT_EQ(peak_of(Dtype::bf16, false), "BF16 tensor cores");
  EXPECT_EQ(peak_of(Dtype::f32, true), "TF32 tensor cores");
  EXPECT_EQ(peak_of(Dtype::f32, false), "FP32");
  EXPECT_EQ(peak_of(Dtype::f64, false), "FP64 tensor cores");
  DeviceSpec turing = h200();
  turing.compute_major = 7;
  turing.compute_minor = 5;
  EXPECT_EQ(arithmetic_peak(task, turing).name, "FP64");
  task.contract.tf32_allowed = true;
  for (auto& argument : task.arguments) argument.dtype = Dtype::f32;
  EXPECT_EQ(arithmetic_peak(task, turing).name, "FP32") << "TF32 came with Ampere";
}

TEST(Limit, AShareIsNeverMadeUp) {
  const Limit limit = limit_with(copy_task());
  EXPECT_NEAR(*share_of_limit(limit, 2 * limit.ns), 0.5, 1e-12);
  EXPECT_EQ(*share_of_limit(limit, 0.95 * limit.ns), 1) << "times scatter";
  EXPECT_FALSE(share_of_limit(limit, 0.5 * limit.ns)) << "a limit that is beaten was none";
  EXPECT_FALSE(share_of_limit(limit, 0));
  EXPECT_THAT(describe_share(limit, 2 * limit.ns),
              HasSubstr("50 % of the limit (447 µs, memory bandwidth)"));
  EXPECT_EQ(describe_share(Limit{}, 100), "");
}

TEST(Limit, AnUnknownDeviceHasNone) {
  DeviceSpec device = h200();
  device.memory_bandwidth_gb_s = 0;
  const Task task = copy_task();
  EXPECT_THAT(limit_of({task, task.workloads[0], device}).unknown, HasSubstr("NVIDIA H200"));
}

TEST(Limit, IsStoredWithItsMeasurement) {
  Measurement measurement;
  measurement.median_ns = 1e6;
  measurement.workload = "large";
  const Task task = copy_task();
  const Limit of_table = limit_at(measurement, task, h200());
  EXPECT_GT(of_table.ns, 0) << "a record older than limits";
  measurement.limit = of_table;
  measurement.limit.ns = 500'000;
  const nlohmann::json written(measurement);
  EXPECT_EQ(written["share_of_limit"], 0.5);
  EXPECT_EQ(written.get<Measurement>(), measurement);
  EXPECT_EQ(limit_at(measurement, task, h200()).ns, 500'000);
  EXPECT_FALSE(nlohmann::json(Measurement{}).contains("limit")) << "written as it always was";
}

TEST(PhysicalFloor, LeavesMemoryOutForDataThatFitsInL2) {
  Task task = copy_task();
  task.cost.flops = "n";
  const Workload in_l2{"in_l2", {{"n", 1 << 20}}, true};
  const Workload in_dram{"in_dram", {{"n", 1 << 28}}, true};
  const auto small = physical_floor_ns(task, in_l2, h200());
  const auto large = physical_floor_ns(task, in_dram, h200());
  ASSERT_TRUE(small && large);
  EXPECT_LT(*small, 8.0 * (1 << 20) / 4800);
  EXPECT_NEAR(*large, 8.0 * (1 << 28) / 4800, 1e-6);
}

TEST(PhysicalFloor, AllowsTensorCoresUnderEveryContraction) {
  Task task = copy_task();
  task.cost = {"1", "2*n"};
  task.contract.tolerance = ToleranceClass::contraction;
  const auto floor = physical_floor_ns(task, {"w", {{"n", 1'000'000'000}}, true}, h200());
  ASSERT_TRUE(floor);
  EXPECT_LT(*floor, 2e9 / 67e3 / 5);
}

TEST(PhysicalFloor, NeverCountsTheGivenKernelsArithmetic) {
  const Task task = lifted_task(Dtype::f32);
  const auto floor = physical_floor_ns(task, {"w", {{"n", 1000}}, true}, h200());
  ASSERT_TRUE(floor);
  EXPECT_LT(*floor, 1) << "another kernel may need less";
}

}  // namespace
}  // namespace warpmind
