// Samples to source lines, through the line table of machine code that nvcc made. Needs CUPTI's
// library and nvcc, and no GPU.
#include "base/file.h"
#include "profilers/worker/pc_sampling.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

constexpr const char* kSource = R"(#include "inlined.cuh"
extern "C" __global__ void row_sum(const float* x, float* y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int c = 0; c < cols; ++c)
    s += x[(long long)r * cols + c];
  y[r] = s;
}
extern "C" __global__ void inlines(float* y) {
  y[threadIdx.x] = slow_root(y[threadIdx.x]);
}
)";
constexpr const char* kInlined = R"(#pragma once
__device__ __forceinline__ float slow_root(float x) {
  float root = x;
  for (int i = 0; i < 4; ++i) root = 0.5f * (root + x / root);
  return root;
}
)";
constexpr const char* kLong = "smsp__pcsamp_warps_issue_stalled_long_scoreboard";
constexpr const char* kBarrier = "smsp__pcsamp_warps_issue_stalled_barrier";

class PcLines : public testing::Test {
 protected:
  void SetUp() override {
    auto cupti = load_cupti_sampling();
    if (!cupti) GTEST_SKIP() << cupti.error().message;
    cupti_ = *cupti;
    std::ofstream(folder_.path() / "kernel.cu") << kSource;
    std::ofstream(folder_.path() / "inlined.cuh") << kInlined;
    const std::string at = folder_.path().string();
    const std::string command =
        "nvcc -arch=sm_90 -cubin -lineinfo -o " + at + "/k.cubin " + at + "/kernel.cu";
    if (std::system(command.c_str()) != 0) GTEST_SKIP() << "nvcc does not work here";
    const auto cubin = read_file(folder_.path() / "k.cubin", 1U << 24U);
    ASSERT_TRUE(cubin) << cubin.error().message;
    cubin_ = *cubin;
  }
  /// One sample of every instruction up to `end`, for one reason.
  static std::vector<PcSamples> every_instruction(std::uint64_t end, const char* reason) {
    std::vector<PcSamples> samples;
    for (std::uint64_t offset = 0; offset < end; offset += 16) {
      samples.push_back({offset, {{reason, 1}}});
    }
    return samples;
  }
  std::vector<LineProfile> lines(const FunctionSamples& samples,
                                 const std::set<std::string>& kernels) {
    return lines_of(cupti_, samples, std::as_bytes(std::span(cubin_)), kernels);
  }
  static double value_of(const LineProfile& line, const std::string& name) {
    for (const Metric& metric : line.metrics) {
      if (metric.name == name) return metric.value;
    }
    return 0;
  }

  ScratchDirectory folder_ =
      *ScratchDirectory::create(std::filesystem::temp_directory_path(), "wm-pc-lines-");
  CuptiSampling cupti_;
  std::string cubin_;
};

TEST_F(PcLines, AreThoseOfTheKernelThatWasSampled) {
  FunctionSamples samples;
  samples["row_sum"] = every_instruction(0x300, kLong);
  samples["memset"] = every_instruction(0x100, kLong);  // of the runtime, not of the plan

  const auto found = lines(samples, {"row_sum"});

  ASSERT_FALSE(found.empty());
  double percent = 0;
  for (const LineProfile& line : found) {
    EXPECT_EQ(line.kernel, "row_sum");
    EXPECT_GE(line.line, 2);
    EXPECT_LE(line.line, 8);
    percent += value_of(line, "warpmind__line_samples_pct");
  }
  EXPECT_NEAR(percent, 100, 1e-9) << "each sample belongs to a line";
  EXPECT_TRUE(found[0].line == 6 || found[0].line == 7) << "the loop is most of the code";
}

TEST_F(PcLines, InlinedCodeCountsForTheLineThatCallsIt) {
  FunctionSamples samples;
  samples["inlines"] = every_instruction(0x200, kBarrier);

  const auto found = lines(samples, {"inlines"});

  ASSERT_FALSE(found.empty());
  for (const LineProfile& line : found) {
    EXPECT_TRUE(line.line == 10 || line.line == 11) << "line " << line.line << " of another file";
  }
}

TEST_F(PcLines, ReasonsOfALineAddUpAndNoneIsCountedTwice) {
  FunctionSamples samples;
  samples["row_sum"] = {
      {0x10, {{kLong, 30}, {std::string(kLong) + "_not_issued", 29}, {kBarrier, 10}}},
      {0x20, {{kLong, 20}}}};

  const auto found = lines(samples, {"row_sum"});

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].line, 3);
  EXPECT_EQ(value_of(found[0], kLong), 50);
  EXPECT_EQ(value_of(found[0], kBarrier), 10);
  EXPECT_EQ(value_of(found[0], std::string(kLong) + "_not_issued"), 0);
}

TEST_F(PcLines, WithoutSamplesThereAreNone) {
  EXPECT_TRUE(lines({}, {"row_sum"}).empty());
  FunctionSamples foreign;
  foreign["gone"] = every_instruction(0x40, kLong);
  EXPECT_TRUE(lines(foreign, {"gone"}).empty()) << "the machine code lacks that function";
}

}  // namespace
}  // namespace warpmind::profilers
