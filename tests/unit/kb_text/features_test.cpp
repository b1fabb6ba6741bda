#include "knowledge_base/retrieval/features.h"

#include "base/file.h"
#include "knowledge_base/retrieval/source_tokens.h"
#include "knowledge_base/retrieval/source_words.h"

#include <cmath>
#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::knowledge_base {
namespace {

using testing::Contains;
using testing::Key;
using testing::Not;

constexpr std::array kTasks{"column_sum",      "gemm_f16",  "layernorm_f16",
                            "row_softmax_f16", "transpose", "vector_add_chain"};

std::string source_of(const std::string& task) {
  return read_file(std::string(WARPMIND_SOURCE_DIR) + "/tasks/" + task + "/kernel.cu", 1 << 20)
      .value();
}

std::map<std::string, double> features_of(const std::string& source) {
  Kernel kernel;
  kernel.source = source;
  return code_features(kernel);
}

/// The same program with another name for everything that its author named.
std::string renamed(const std::string& source) {
  std::map<std::string_view, std::string> names;
  std::string result;
  std::size_t copied = 0;
  const auto scanned = tokenise(source);
  for (const auto& token : scanned.tokens) {
    const bool authored = token.kind == TokenKind::name && !is_keyword(token.text) &&
                          !is_type_word(token.text) && !feature_of_word(token.text) &&
                          token.text != "x" && token.text != "y" && token.text != "z";
    if (!authored) continue;
    const auto at = static_cast<std::size_t>(token.text.data() - source.data());
    const auto known = names.emplace(token.text, "q" + std::to_string(names.size()) + "_");
    result += source.substr(copied, at - copied) + known.first->second;
    copied = at + token.text.size();
  }
  return result + source.substr(copied);
}

TEST(CodeFeatures, NamesDoNotMatter) {
  for (const auto* task : kTasks) {
    const auto source = source_of(task);
    ASSERT_NE(renamed(source), source);
    EXPECT_EQ(features_of(renamed(source)), features_of(source)) << task;
  }
}

TEST(CodeFeatures, CommentsAndLayoutDoNotMatter) {
  const auto source = source_of("transpose");
  EXPECT_EQ(
      features_of("// __syncthreads();\n#define A __shared__ float tile[32];\n/* for (;;) */" +
                  source + "\n\n"),
      features_of(source));
}

TEST(CodeFeatures, TellKernelsOfTheTasksApart) {
  std::map<std::string, std::string> seen;
  for (const auto* task : kTasks) {
    const auto features = features_of(source_of(task));
    EXPECT_LE(features.size(), kMostFeatures);
    EXPECT_GE(features.size(), 15U) << task;
    std::string key;
    for (const auto& [name, value] : features) {
      EXPECT_TRUE(std::isfinite(value));
      EXPECT_GT(value, 0);
      if (!name.starts_with("syntax.")) key += name + "=" + std::to_string(value) + " ";
    }
    EXPECT_TRUE(seen.emplace(key, task).second) << task << " looks like " << seen[key];
  }
}

TEST(CodeFeatures, ReadTokensAsTheCompilerDoes) {
  const auto texts = [](std::string_view source) {
    std::vector<std::string> found;
    for (const auto& token : tokenise(source).tokens) found.emplace_back(token.text);
    return found;
  };
  using testing::ElementsAre;
  EXPECT_THAT(texts("p->x - y<:0:>"), ElementsAre("p", "->", "x", "-", "y", "[", "0", "]"));
  EXPECT_THAT(texts("R\"(a \" // b)\" + c // d \\\n e\nf"),
              ElementsAre("a \" // b", "+", "c", "f"));
  EXPECT_THAT(texts("#define A /* b\n */ __shared__ float c\nd"), ElementsAre("d"));
  EXPECT_EQ(tokenise("#pragma unroll 1  // no\n#pragma nounroll\n").unroll_pragmas, 0);
  EXPECT_EQ(
      tokenise("#pragma unroll\n#  pragma unroll 4 // 1\n%:pragma GCC unroll 2").unroll_pragmas, 3);
}

TEST(CodeFeatures, SeeHowThreadsMeetMemory) {
  EXPECT_EQ(features_of(source_of("column_sum")).at("index.unit"), 1);
  EXPECT_EQ(features_of(source_of("row_softmax_f16")).at("index.strided"), 1);
  EXPECT_EQ(features_of(source_of("transpose")).at("index.strided"), 0.5);
  EXPECT_GT(features_of(source_of("layernorm_f16")).at("index.uniform"), 0.3);
  const auto gathered = features_of(
      "__global__ void f(const float* t, const int* at, float* y) {"
      " int i = threadIdx.x; y[i] = t[at[i]]; }");
  EXPECT_GT(gathered.at("index.gathered"), 0.2);
}

TEST(CodeFeatures, SeeSharedMemoryBarriersAndLoops) {
  const auto features = features_of(R"(
    __global__ void f(const float* __restrict__ a, float* b, int n) {
      __shared__ float tile[32][33];
      extern __shared__ float more[];
      float acc[4];
      #pragma unroll
      for (int k = 0; k < n; k += 32) {
        tile[threadIdx.y][threadIdx.x] = a[k + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 4; ++j) {
          acc[j] += tile[threadIdx.x][j] * __expf(tile[0][j]);
        }
        __syncthreads();
      }
      float sum = __shfl_down_sync(0xffffffff, acc[0], 16);
      if (threadIdx.x % 32 == 0) atomicAdd(&b[blockIdx.x], sum);
    })");
  for (const auto* name :
       {"arrays.shared", "arrays.shared_padded", "arrays.shared_dynamic", "arrays.local",
        "barriers_in_loops", "unroll_pragmas", "shuffles", "atomics", "math.fast", "restrict",
        "loads.shared", "stores.shared", "stores.local", "branches.by_lane", "accumulations"}) {
    EXPECT_THAT(features, Contains(Key(name)));
  }
  EXPECT_EQ(features.at("loops.depth"), 0.5);
  EXPECT_THAT(features, Not(Contains(Key("loops.grid_stride"))));
}

TEST(CodeFeatures, SeeInlineAssembly) {
  const auto features = features_of(
      "__global__ void f(float* x) { asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\");"
      " asm(\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {}\"); }");
  EXPECT_THAT(features, Contains(Key("async_copies")));
  EXPECT_THAT(features, Contains(Key("mma")));
}

TEST(CodeFeatures, SeeTheLaunchPlan) {
  Kernel kernel;
  kernel.source = source_of("gemm_f16");
  kernel.plan.constants["side"] = 16;
  kernel.plan.launches = {
      {"gemm", {"ceil_div(n, 16)", "m", "1"}, {"side", "side", "1"}, "4096", {}}};
  kernel.build_flags = {"--use_fast_math"};
  const auto features = code_features(kernel);
  EXPECT_DOUBLE_EQ(features.at("launch.block_threads"), 0.8);  // log2(256) / 10
  EXPECT_EQ(features.at("launch.dynamic_shared"), 1);
  EXPECT_EQ(features.at("flag.fast_math"), 1);
  EXPECT_DOUBLE_EQ(features.at("launch.grid_dimensions"), 2 / 3.0);
}

TEST(CodeFeatures, TakeAnyText) {
  std::mt19937 random(9);
  const std::string pieces[] = {
      "for", "(",  ")",           "{",  "}",  "[",     "]",           ";",   "x", "=",
      "\"",  "/*", "__shared__ ", "if", "do", "while", "threadIdx.x", "\n#", "'", "*"};
  for (int round = 0; round < 500; ++round) {
    std::string source;
    for (int i = 0; i < 60; ++i) source += pieces[random() % std::size(pieces)];
    EXPECT_LE(features_of(source).size(), kMostFeatures);
  }
  EXPECT_LE(features_of(std::string(200'000, '{')).size(), kMostFeatures);
  EXPECT_LE(features_of("void f() " + std::string(200'000, '{')).size(), kMostFeatures);
  EXPECT_LE(features_of(std::string(100'000, '(')).size(), kMostFeatures);
}

Verdict with_profile(std::vector<KernelProfile> kernels) {
  Verdict verdict;
  verdict.profile = Profile{ProfileTier::t2, "big", std::move(kernels)};
  return verdict;
}

constexpr auto kDram = "dram__throughput.avg.pct_of_peak_sustained_elapsed";

TEST(ProfileFeatures, TakeTheLongestKernel) {
  const auto verdict =
      with_profile({{"a", 0.2, {{kDram, 10, "percent"}}}, {"b", 0.8, {{kDram, 80, "percent"}}}});
  const auto features = profile_features(verdict, {}, {});
  EXPECT_DOUBLE_EQ(features.at("dram_share"), 0.8);
  EXPECT_DOUBLE_EQ(features.at("time_share"), 0.8);
  EXPECT_DOUBLE_EQ(features.at("launches"), 0.25);
}

TEST(ProfileFeatures, RatiosAndStalls) {
  DeviceSpec device;
  device.shared_kib_per_block = 100;
  const auto features = profile_features(
      with_profile({{"k",
                     1,
                     {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 3200, "count"},
                      {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 200, "count"},
                      {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
                       10, "ratio"},
                      {"warpmind__registers_per_thread", 51, "registers"},
                      {"warpmind__dynamic_shared_bytes", 51200, "bytes"}}}}),
      {}, device);
  EXPECT_DOUBLE_EQ(features.at("sectors.load"), 0.5);
  EXPECT_DOUBLE_EQ(features.at("stall.long_scoreboard"), 0.5);
  EXPECT_DOUBLE_EQ(features.at("registers"), 0.2);
  EXPECT_DOUBLE_EQ(features.at("shared_bytes"), 0.5);
  EXPECT_THAT(features, Not(Contains(Key("dram_share")))) << "what is absent is not zero";
}

TEST(ProfileFeatures, DevicesCompare) {
  const std::vector<KernelProfile> kernels{{"k",
                                            1,
                                            {{"warpmind__grid_blocks", 1056, "count"},
                                             {"warpmind__achieved_flops_per_s", 1e12, "flops/s"},
                                             {"warpmind__achieved_bytes_per_s", 1e12, "bytes/s"}}}};
  DeviceSpec large;
  large.sm_count = 132;
  large.fp32_tflops = 60;
  large.memory_bandwidth_gb_s = 4000;
  DeviceSpec small = large;
  small.sm_count = 33;
  const auto on_large = profile_features(with_profile(kernels), {}, large);
  const auto on_small = profile_features(with_profile(kernels), {}, small);
  EXPECT_LT(on_large.at("blocks_per_sm"), on_small.at("blocks_per_sm"));
  EXPECT_DOUBLE_EQ(on_large.at("intensity.to_ridge"), 1.0 / 16);
  EXPECT_THAT(profile_features(with_profile(kernels), {}, {}), Not(Contains(Key("blocks_per_sm"))));
}

TEST(ProfileFeatures, BottlenecksWithoutAProfile) {
  Verdict verdict;
  verdict.build = BuildReport{true, false, "sm_90", {{"k", 255, 0, 0, 2048, 2047}}, ""};
  Bottleneck bottleneck;
  bottleneck.primary = BottleneckClass::register_spills;
  bottleneck.secondary = {BottleneckClass::low_occupancy, BottleneckClass::register_spills};
  bottleneck.headroom = 16;
  const auto features = profile_features(verdict, bottleneck, {});
  EXPECT_EQ(features.at("bottleneck.register_spills"), 1);
  EXPECT_EQ(features.at("bottleneck.low_occupancy"), 0.5);
  EXPECT_EQ(features.at("registers"), 1);
  EXPECT_EQ(features.at("spills"), 1);
  EXPECT_EQ(features.at("headroom"), 0.5);
}

TEST(ProfileFeatures, NumbersThatAreNoneAreLeftOut) {
  const auto features = profile_features(
      with_profile(
          {{"k", 1, {{kDram, std::nan(""), "percent"}, {"warpmind__waves", -3, "ratio"}}}}),
      {}, {});
  EXPECT_THAT(features, Not(Contains(Key("dram_share"))));
  EXPECT_THAT(features, Not(Contains(Key("waves"))));
}

}  // namespace
}  // namespace warpmind::knowledge_base
