#include "profilers/flops/thread_walk.h"

#include "profilers/flops/plan_count.h"
#include "profilers/flops/static_count.h"
#include "profilers/simulator/ptx/parser.h"
#include "simulated_counts.h"

#include <cstring>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::HasSubstr;

std::string kernel_text(const std::string& name) {
  std::ifstream file(std::string(WARPMIND_SOURCE_DIR) + "/tests/bench/simulator_kernels/" + name +
                     ".ptx");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

template <class T>
std::vector<std::uint8_t> bytes_of(T value) {
  std::vector<std::uint8_t> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

/// A launch of one of the simulator's bench kernels: `buffers` of `bytes`, then an int.
struct BenchLaunch {
  const char* name;
  std::array<std::uint32_t, 3> grid;
  std::array<std::uint32_t, 3> block;
  int buffers;
  std::uint64_t bytes;
  std::int32_t last;
};

/// Prints itself by name.
void PrintTo(const BenchLaunch& launch, std::ostream* out) { *out << launch.name; }

class WalkAgainstSimulator : public ::testing::TestWithParam<BenchLaunch> {};

TEST_P(WalkAgainstSimulator, CountsEveryOperationAlike) {
  const BenchLaunch& bench = GetParam();
  const std::string text = kernel_text(bench.name);
  const auto module = simulator::ptx::parse_ptx(text);
  ASSERT_TRUE(module) << module.error().message;
  const auto& function = module->functions.at(0);
  WalkLaunch launch;
  launch.grid = bench.grid;
  launch.block = bench.block;
  std::vector<SimulatedArgument> arguments;
  for (int i = 0; i < bench.buffers; ++i) {
    arguments.push_back({bench.bytes, {}});
    const auto address = bytes_of((std::uint64_t{1} << 40U) * static_cast<unsigned>(i + 1));
    launch.parameters.insert(launch.parameters.end(), address.begin(), address.end());
  }
  arguments.push_back({0, bytes_of(bench.last)});
  const auto last = bytes_of(bench.last);
  launch.parameters.insert(launch.parameters.end(), last.begin(), last.end());

  const auto walked = walk_threads(function, launch);
  ASSERT_TRUE(walked) << walked.error().message;
  EXPECT_EQ(walked->undecided, "");
  EXPECT_FALSE(walked->sampled);
  const auto simulated = simulate_launch(text, bench.name, launch, arguments);
  ASSERT_TRUE(simulated) << simulated.error().message;
  ASSERT_EQ(simulated->end, simulator::LaunchEnd::completed) << simulated->end_reason;

  std::map<int, double> by_line;
  for (std::size_t i = 0; i < function.body.size(); ++i) {
    by_line[function.body[i].ptx_line] += walked->executions[i];
  }
  double flops = 0;
  OperationCounts from_walk;
  for (const auto& one : simulated->instructions) {
    EXPECT_EQ(by_line[one.ptx_line], static_cast<double>(one.lanes))
        << one.opcode << " in PTX line " << one.ptx_line;
    const auto share = share_of_ptx(one.opcode);
    EXPECT_EQ(share.flops, one.flops) << one.opcode << ": two tables, one opinion";
    from_walk.add(share, by_line[one.ptx_line]);
    flops += one.flops * static_cast<double>(one.lanes);
  }
  EXPECT_EQ(from_walk.all_flops(), flops);
  EXPECT_EQ(from_walk, counts_of(*simulated));
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, WalkAgainstSimulator,
    ::testing::Values(BenchLaunch{"relu_f16", {5, 1, 1}, {256, 1, 1}, 2, 1 << 16, 1200},
                      BenchLaunch{"softmax_f16", {3, 1, 1}, {256, 1, 1}, 2, 1 << 16, 1000},
                      BenchLaunch{"layernorm_f16", {2, 1, 1}, {256, 1, 1}, 2, 1 << 16, 777},
                      BenchLaunch{"matmul_naive_f16", {3, 2, 1}, {16, 16, 1}, 3, 1 << 16, 37},
                      BenchLaunch{"matmul_tiled_f16", {2, 2, 1}, {16, 16, 1}, 3, 1 << 16, 32},
                      BenchLaunch{"mma_f16", {1, 1, 1}, {128, 1, 1}, 2, 1 << 16, 9}),
    [](const auto& param) { return std::string(param.param.name); });

constexpr const char* kLoaded = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
  .reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %rd<4>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
  mov.f32 %f1, 0f00000000;
LOOP:
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra DONE;
  fma.rn.f32 %f1, %f1, %f1, %f1;
  add.u32 %r2, %r2, 1;
  bra LOOP;
DONE:
  ld.global.u32 %r3, [%rd1];
  setp.eq.u32 %p2, %r3, 7;
  @%p2 bra END;
  st.global.f32 [%rd1], %f1;
END:
  ret;
}
)";

TEST(ThreadWalkTest, ALoopRunsAsOftenAsItsParameterSaysAndLoadedValuesDecideNothing) {
  auto module = simulator::ptx::parse_ptx(kLoaded);
  ASSERT_TRUE(module) << module.error().message;
  WalkLaunch launch;
  launch.parameters.resize(12);
  launch.parameters[0] = 1;
  launch.parameters[8] = 5;
  const auto undecided = walk_threads(module->functions[0], launch);
  ASSERT_TRUE(undecided);
  EXPECT_THAT(undecided->undecided, HasSubstr("depends on values that are loaded"));

  auto& body = module->functions[0].body;
  const auto guard =
      std::find_if(body.begin(), body.end(), [](const auto& one) { return one.guard == "%p2"; });
  ASSERT_NE(guard, body.end());
  guard->guard.clear();  // always jumps: nothing is left to decide
  const auto walked = walk_threads(module->functions[0], launch);
  ASSERT_TRUE(walked);
  EXPECT_EQ(walked->undecided, "");
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i].opcode == "fma") {
      EXPECT_EQ(walked->executions[i], 5);
    }
    if (body[i].opcode == "st") {
      EXPECT_EQ(walked->executions[i], 0);
    }
  }
}

TEST(ThreadWalkTest, ManyBlocksAreSampledAndEndsStayExact) {
  const auto module = simulator::ptx::parse_ptx(kernel_text("relu_f16"));
  ASSERT_TRUE(module);
  WalkLaunch launch;
  launch.grid = {1000, 1, 1};
  launch.block = {256, 1, 1};
  launch.parameters.resize(20);
  const std::int32_t n = 1000 * 256 - 3;
  std::memcpy(launch.parameters.data() + 16, &n, sizeof(n));
  const auto whole = walk_threads(module->functions[0], launch);
  const auto part = walk_threads(module->functions[0], launch, 100'000);
  ASSERT_TRUE(whole);
  ASSERT_TRUE(part);
  EXPECT_FALSE(whole->sampled);
  EXPECT_TRUE(part->sampled);
  EXPECT_EQ(whole->executions, part->executions) << "only the last block differs";
}

WalkLaunch loop_of(std::int32_t turns) {
  WalkLaunch launch;
  launch.parameters.resize(12);
  launch.parameters[0] = 1;
  std::memcpy(launch.parameters.data() + 8, &turns, sizeof(turns));
  return launch;
}

double executions_of(const simulator::ptx::Function& function, const WalkCounts& counts,
                     const char* opcode) {
  double sum = 0;
  for (std::size_t i = 0; i < function.body.size(); ++i) {
    if (function.body[i].opcode == opcode) sum += counts.executions[i];
  }
  return sum;
}

TEST(ThreadWalkTest, AConditionThatNoFlopsDependOnNeedNotBeKnown) {
  auto module = simulator::ptx::parse_ptx(kLoaded);
  ASSERT_TRUE(module);
  auto& function = module->functions[0];
  const auto walked = walk_threads(function, loop_of(5), kWalkSteps, WalkGoal::flops);
  ASSERT_TRUE(walked);
  EXPECT_EQ(walked->undecided, "");
  EXPECT_TRUE(walked->only_flops);
  EXPECT_EQ(executions_of(function, *walked, "fma"), 5);

  for (auto& statement : function.body) {
    if (statement.opcode == "st") statement.opcode = "add";  // of f32: it does flops
  }
  const auto undecided = walk_threads(function, loop_of(5), kWalkSteps, WalkGoal::flops);
  ASSERT_TRUE(undecided);
  EXPECT_THAT(undecided->undecided, HasSubstr("depends on values that are loaded"));
}

TEST(ThreadWalkTest, RealNumbersThatFollowFromScalarsDecideLoops) {
  // for (i = 1; i <= log2(n); ++i) sum += x; once more where the thread's share, n / 3, is
  // below 3.5.
  const auto module = simulator::ptx::parse_ptx(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
  .reg .pred %p<4>; .reg .b32 %r<5>; .reg .b64 %rd<2>; .reg .f32 %f<8>; .reg .f64 %fd<3>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  ld.global.f32 %f1, [%rd1];
  cvt.rn.f32.u32 %f2, %r1;
  lg2.approx.f32 %f3, %f2;
  mov.u32 %r2, 1;
LOOP:
  cvt.rn.f32.s32 %f4, %r2;
  setp.gtu.f32 %p1, %f4, %f3;
  @%p1 bra SHARE;
  add.f32 %f1, %f1, %f1;
  add.s32 %r2, %r2, 1;
  bra LOOP;
SHARE:
  cvt.f64.f32 %fd1, %f2;
  div.rn.f64 %fd2, %fd1, 0d4008000000000000;
  setp.geu.f64 %p2, %fd2, 0d400C000000000000;
  @%p2 bra END;
  mul.f32 %f1, %f1, %f1;
END:
  cvt.rzi.s32.f64 %r3, %fd2;
  setp.ne.s32 %p3, %r3, 10;
  @%p3 bra LAST;
  fma.rn.f32 %f1, %f1, %f1, %f1;
LAST:
  ret;
}
)");
  ASSERT_TRUE(module) << module.error().message;
  const auto& function = module->functions[0];
  const auto at_32 = walk_threads(function, loop_of(32));
  ASSERT_TRUE(at_32);
  EXPECT_EQ(at_32->undecided, "");
  EXPECT_EQ(executions_of(function, *at_32, "add"), 5 + 5);  // of reals and of integers
  EXPECT_EQ(executions_of(function, *at_32, "mul"), 0);
  EXPECT_EQ(executions_of(function, *at_32, "fma"), 1) << "32 / 3 cut to 10";
  const auto at_8 = walk_threads(function, loop_of(8));
  ASSERT_TRUE(at_8);
  EXPECT_EQ(executions_of(function, *at_8, "add"), 3 + 3);
  EXPECT_EQ(executions_of(function, *at_8, "mul"), 1);
  const auto at_9 = walk_threads(function, loop_of(9));
  ASSERT_TRUE(at_9);
  EXPECT_THAT(at_9->undecided, HasSubstr("depends on values that are loaded"))
      << "an approximated logarithm that is not whole is not known";
}

TEST(ThreadWalkTest, WhatAPassedConditionMayHaveWrittenIsNotKnownAfterwards) {
  // The loop turns as often as a register says that the skipped code may have set.
  const auto module = simulator::ptx::parse_ptx(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
  .reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %rd<2>; .reg .f32 %f<2>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, 3;
  ld.global.u32 %r2, [%rd1];
  setp.eq.u32 %p1, %r2, 0;
  @%p1 bra KEEP;
  mov.u32 %r1, 4;
KEEP:
  mov.u32 %r3, 0;
LOOP:
  fma.rn.f32 %f1, %f1, %f1, %f1;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p2, %r3, %r1;
  @%p2 bra LOOP;
  ret;
}
)");
  ASSERT_TRUE(module) << module.error().message;
  const auto walked = walk_threads(module->functions[0], loop_of(0), kWalkSteps, WalkGoal::flops);
  ASSERT_TRUE(walked);
  EXPECT_THAT(walked->undecided, HasSubstr("depends on values that are loaded"));
}

TEST(ThreadWalkTest, ThreadsOfABlockThatTakesTooLongAreSampled) {
  auto module = simulator::ptx::parse_ptx(kLoaded);
  ASSERT_TRUE(module);
  auto& function = module->functions[0];
  for (auto& statement : function.body) {
    if (statement.guard == "%p2") statement.guard.clear();
  }
  WalkLaunch launch = loop_of(1000);
  launch.grid = {7, 1, 1};
  launch.block = {256, 1, 1};
  const auto walked = walk_threads(function, launch, 100'000);
  ASSERT_TRUE(walked);
  EXPECT_EQ(walked->undecided, "");
  EXPECT_TRUE(walked->sampled);
  EXPECT_DOUBLE_EQ(executions_of(function, *walked, "fma"), 1000.0 * 256 * 7);
}

TEST(ThreadWalkTest, AnEndlessLoopEnds) {
  auto module = simulator::ptx::parse_ptx(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k()
{
AGAIN:
  bra AGAIN;
}
)");
  ASSERT_TRUE(module) << module.error().message;
  const auto walked = walk_threads(module->functions[0], {});
  ASSERT_TRUE(walked);
  EXPECT_THAT(walked->undecided, HasSubstr("no end that can be seen"));
}

TEST(StaticCountTest, LoopsAreCountedByThePass) {
  const auto module = simulator::ptx::parse_ptx(kLoaded);
  ASSERT_TRUE(module);
  const auto counted = count_ptx(module->functions[0]);
  ASSERT_EQ(counted.regions.size(), 2U);
  EXPECT_EQ(counted.regions[0].counts.all_flops(), 0);
  EXPECT_EQ(counted.regions[1].parent, 0);
  EXPECT_EQ(counted.regions[1].counts.count(Operation::f32_fma), 1);
  EXPECT_EQ(counted.regions[1].counts.flops_of(FlopType::f32), 2);
  EXPECT_EQ(counted.regions[1].counts.count(Operation::control), 2);
}

}  // namespace
}  // namespace warpmind::profilers
