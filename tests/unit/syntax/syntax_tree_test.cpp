#include "syntax/cuda_source.h"

#include <gtest/gtest.h>

namespace warpmind::syntax {
namespace {

constexpr const char* kSource = R"(#include <cuda_fp16.h>
#define TILE 16
constexpr int kRows = TILE * 2;
__device__ float twice(float x) { return 2 * x; }
// a comment with for (;;) in it
extern "C" __global__ void __launch_bounds__(256) scale(const half* __restrict__ a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; /* bound */ j < n; ++j) b[i] += twice(__half2float(a[i * n + j]));
}
template <typename T> __global__ void copy(T* x) { x[0] = T(1); }
void go(half* a, float* b, int n) { scale<<<dim3(n), 256>>>(a, b, n); }
)";

CudaSource read(const std::string& text) {
  auto source = CudaSource::read(text);
  EXPECT_TRUE(source.has_value());
  return std::move(*source);
}

TEST(SyntaxTreeTest, FindsFunctionsParametersAndLaunches) {
  const auto source = read(kSource);
  ASSERT_EQ(source.functions.size(), 4U);
  const Function* scale = source.kernel("scale");
  ASSERT_NE(scale, nullptr);
  ASSERT_EQ(scale->parameters.size(), 3U);
  EXPECT_EQ(scale->parameters[0].type, "const half*");
  EXPECT_TRUE(scale->parameters[0].is_restrict);
  EXPECT_TRUE(scale->parameters[0].is_const);
  EXPECT_EQ(scale->parameters[1].name, "b");
  EXPECT_FALSE(scale->parameters[1].is_const);
  EXPECT_FALSE(scale->parameters[2].is_pointer);
  EXPECT_NE(source.device_function("twice"), nullptr);
  ASSERT_EQ(source.launches.size(), 1U);
  EXPECT_EQ(source.launches[0].kernel, "scale");
  EXPECT_EQ(source.launches[0].arguments.size(), 3U);
}

TEST(SyntaxTreeTest, CommentsAreNoCode) {
  const auto source = read(kSource);
  const Function* scale = source.kernel("scale");
  const auto loops = source.tree.descendants(scale->body, "for_statement");
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(source.tree.plain_text(source.tree.field(loops[0], "condition")), "j < n");
}

TEST(SyntaxTreeTest, ConstantsAreFound) {
  const auto constants = read(kSource).constants();
  ASSERT_EQ(constants.size(), 2U);
  EXPECT_EQ(constants[0], (std::pair<std::string, std::string>{"TILE", "16"}));
  EXPECT_EQ(constants[1], (std::pair<std::string, std::string>{"kRows", "TILE * 2"}));
}

TEST(SyntaxTreeTest, SaysWhyAFunctionIsLeftAlone) {
  const auto source = read(kSource);
  EXPECT_EQ(reason_not_to_edit(source, *source.kernel("scale")), "");
  EXPECT_EQ(reason_not_to_edit(source, *source.kernel("copy")), "'copy' is a template");
  const auto broken = read("__global__ void k(int* x) { x[0] = ; }");
  EXPECT_NE(reason_not_to_edit(broken, broken.functions.at(0)), "");
  const auto twins = read("__global__ void k(int* x) {}\n__global__ void k(float* x) {}");
  EXPECT_EQ(twins.kernel("k"), nullptr);
}

TEST(SyntaxTreeTest, DeepNestingIsRefused) {
  const auto source = CudaSource::read("int x = " + std::string(100'000, '(') + "1" +
                                       std::string(100'000, ')') + ";");
  ASSERT_FALSE(source.has_value());
  EXPECT_EQ(source.error().code, Errc::invalid_argument);
}

TEST(SyntaxTreeTest, InsertionBeforeAReplacement) {
  EXPECT_EQ(apply_edits("one two", {{{4, 7}, "2"}, {{4, 4}, "and "}}), "one and 2");
}

TEST(SyntaxTreeTest, EditsKeepTheRest) {
  EXPECT_EQ(apply_edits("one two three", {{{8, 13}, "3"}, {{0, 3}, "1"}, {{3, 3}, ","}}),
            "1, two 3");
}

}  // namespace
}  // namespace warpmind::syntax
