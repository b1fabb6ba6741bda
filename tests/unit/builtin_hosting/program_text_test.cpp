#include "agents/builtin/hosting/program_rewrite.h"
#include "tests/unit/builtin_hosting/sample_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class ProgramText : public ::testing::Test {
 protected:
  ProgramText() {
    auto source = CudaSource::read(kSampleProgram);
    source_ = std::move(*source);
    lifted_ = std::move(*lift_program("p", source_, record_));
  }

  [[nodiscard]] RewrittenProgram rewritten(const std::string& part, const Kernel& kernel,
                                           bool assume_shapes = false) const {
    auto program = rewrite_program(source_, record_, lifted_, {{part, kernel}}, {assume_shapes});
    EXPECT_TRUE(program.has_value());
    const auto parsed = CudaSource::read(program->text);
    EXPECT_FALSE(parsed->tree.node(parsed->tree.root()).has_error) << program->text;
    return std::move(*program);
  }

  /// As a technique would leave it: one kernel, with scratch of its own.
  [[nodiscard]] Kernel fused() const {
    Kernel kernel = lifted_.parts[0].task.kernel;
    kernel.source =
        "extern \"C\" __global__ void wm_both(const float* x, float* y, double* sums, int n) {\n"
        "  y[threadIdx.x] = x[n];\n}\n";
    kernel.plan.scratch.push_back({"wm_sums", Dtype::f64, "16 * 2", true});
    kernel.plan.launches = {{"wm_both",
                             {"ceil_div(100, block_x)", "1", "1"},
                             {"128", "1", "1"},
                             "64 * 1024",
                             {"x", "y_2", "wm_sums", "i32:100"}}};
    return kernel;
  }

  CudaSource source_;
  profilers::ProgramRecord record_ = sample_record(2);
  LiftedProgram lifted_;
};

TEST_F(ProgramText, AChainBecomesOneGuardedCall) {
  const auto& given = lifted_.parts[0].task.kernel.plan;
  Kernel kernel = fused();
  kernel.plan.launches[0].arguments[1] = given.launches[1].arguments[1];
  const auto program = rewritten("scale_shift", kernel);
  EXPECT_THAT(program.written, ElementsAre("scale_shift"));
  const std::string& text = program.text;
  EXPECT_THAT(text, HasSubstr("  wm_launch_scale_shift(2, 64, 0, 2, 64, 0, 0, x, t, 0.5f, n, t, "
                              "out, n);\n  cudaFree(t);\n"));
  EXPECT_THAT(text, HasSubstr("void alone(float* out) { shift<<<1, 32>>>(out, out, 7); }"));
  EXPECT_THAT(text, HasSubstr("wm_is_extent(wm_grid1, 2, 1, 1)"));
  EXPECT_THAT(text, HasSubstr("wm_is_same<float>(factor, static_cast<float>(0x1p-1))"));
  EXPECT_THAT(text, HasSubstr("wm_is_same<int>(n_2, static_cast<int>(100LL))"));
  EXPECT_THAT(text, HasSubstr("x_2 == y &&")) << "what the first writes the second reads";
  EXPECT_THAT(text, HasSubstr("wm_are_apart("));
  EXPECT_THAT(text, HasSubstr("    scale<<<wm_grid1, wm_block1, wm_shared1, wm_stream>>>"));
  EXPECT_THAT(text, HasSubstr("cudaMallocAsync(&wm_scratch1, 256, wm_stream) != cudaSuccess"));
  EXPECT_THAT(text, HasSubstr("cudaMemsetAsync(wm_scratch1, 0, 256, wm_stream);"));
  EXPECT_THAT(text, HasSubstr("cudaFuncAttributeMaxDynamicSharedMemorySize, 65536"));
  EXPECT_THAT(text, HasSubstr("<<<dim3(1, 1, 1), dim3(128, 1, 1), 65536, wm_stream>>>(x, y_2, "
                              "(double*)wm_scratch1, static_cast<int>(100LL));"));
  EXPECT_THAT(text, HasSubstr("cudaFreeAsync(wm_scratch1, wm_stream);"));
}

TEST_F(ProgramText, AssumeShapesLeavesGuardAndGivenLaunchOut) {
  const auto program = rewritten("scale_shift", lifted_.parts[0].task.kernel, true);
  EXPECT_THAT(program.text, Not(HasSubstr("wm_recorded")));
  EXPECT_THAT(program.text, Not(HasSubstr("scale<<<wm_grid1")));
}

TEST_F(ProgramText, ASingleKernelKeepsOutOfChains) {
  ASSERT_EQ(lifted_.parts[1].name, "shift");
  const auto program = rewritten("shift", lifted_.parts[1].task.kernel);
  EXPECT_THAT(program.text, HasSubstr("{ wm_launch_shift(1, 32, 0, 0, out, out, 7); }"));
  EXPECT_THAT(program.text, HasSubstr("  shift<<<2, 64>>>(t, out, n);"));
  EXPECT_THAT(program.text, HasSubstr("y == x")) << "in place as recorded";
}

TEST_F(ProgramText, RefusesWithAReasonAndLeavesTheBytes) {
  Kernel flags = lifted_.parts[0].task.kernel;
  flags.build_flags = {"--use_fast_math"};
  Kernel unknown = lifted_.parts[0].task.kernel;
  unknown.plan.launches[0].arguments[0] = "nobody";
  for (const auto& [kernel, reason] :
       {std::pair(flags, "--use_fast_math"), std::pair(unknown, "no buffer 'nobody'")}) {
    const auto program = rewritten("scale_shift", kernel);
    EXPECT_THAT(program.written, IsEmpty());
    ASSERT_THAT(program.refused, SizeIs(1));
    EXPECT_THAT(program.refused[0].reason, HasSubstr(reason));
    EXPECT_EQ(program.text, kSampleProgram);
  }
  EXPECT_FALSE(rewrite_program(source_, record_, lifted_, {{"no_such", flags}}, {}).has_value());
}

}  // namespace
}  // namespace warpmind::agents::builtin
