#include "agents/builtin/lifting/text_task.h"

#include "agents/builtin/scene_rewrites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kRowMean =
    "__global__ void row_mean(const float* x, float* out, int rows, int columns) {\n"
    "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (row >= rows) return;\n"
    "  float sum = 0;\n"
    "  for (int i = 0; i < columns; ++i) sum += x[row * columns + i];\n"
    "  out[row] = sum / columns;\n"
    "}\n";

TextTask read(const std::string& text) {
  const auto source = CudaSource::read(text);
  EXPECT_TRUE(source.has_value());
  return task_of_text(*source);
}

/// Moves of a technique on the task.
std::size_t moves_of(const Task& task, std::string_view technique) {
  const Bottleneck bottleneck;
  const Advice advice;
  const DeviceSpec device;
  const ProposalContext context{task, task.kernel, bottleneck, advice, device};
  const auto rewrites = SceneRewrites::read(context);
  EXPECT_TRUE(rewrites.has_value());
  for (const auto& one : techniques()) {
    if (one.name == technique) return rewrites->offer(one).moves.size();
  }
  return 0;
}

TEST(TextTask, LaunchesHaveTheNumbersThatStandInTheFile) {
  const auto text = read(kRowMean +
                         "#define ROWS 512\n"
                         "int main() {\n"
                         "  const int columns = 64 * 32;\n"
                         "  float *x, *out;\n"
                         "  cudaMalloc(&x, ROWS * columns * sizeof(float));\n"
                         "  cudaMalloc((void**)&out, ROWS * 4);\n"
                         "  dim3 threads(128), blocks((ROWS + threads.x - 1) / threads.x);\n"
                         "  row_mean<<<blocks, threads>>>(x, out, ROWS, columns);\n"
                         "}\n");
  EXPECT_THAT(text.notes, IsEmpty());
  ASSERT_THAT(text.task.kernel.plan.launches, SizeIs(1));
  const Launch& launch = text.task.kernel.plan.launches[0];
  EXPECT_EQ(launch.kernel, "row_mean");
  EXPECT_THAT(launch.block, ElementsAre("128", "1", "1"));
  EXPECT_EQ(launch.grid[0], "ceil_div(512, block_x)");
  EXPECT_THAT(launch.arguments, ElementsAre("x", "out", "i32:512", "i32:2048"));
  ASSERT_THAT(text.task.arguments, SizeIs(2));
  EXPECT_THAT(text.task.arguments[0].shape, ElementsAre("1048576"));
  EXPECT_GT(moves_of(text.task, "warp_per_output"), 0U);
}

TEST(TextTask, NumbersByValueHaveTheirOwnFormat) {
  const auto text = read(
      "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
      "__global__ void scale(__half* x, __half a, const __nv_bfloat16 b, double c, float d, int n) "
      "{\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) x[i] = x[i] * a;\n"
      "}\n"
      "void run(__half* x, __half a, __nv_bfloat16 b, double c, float d) {\n"
      "  scale<<<16, 128>>>(x, a, b, c, d, 2048);\n"
      "}\n");
  EXPECT_THAT(text.notes, IsEmpty());
  ASSERT_THAT(text.task.kernel.plan.launches, SizeIs(1));
  EXPECT_THAT(text.task.kernel.plan.launches[0].arguments,
              ElementsAre("x", "f16:1", "bf16:1", "f64:1", "f32:1", "i32:2048"));
}

TEST(TextTask, TheFamilyIsWhatTheNormalFormComputes) {
  const auto family_of = [](const std::string& parameters, const std::string& body) {
    return read("__global__ void k(const float* x, const float* w, float* out, int n) {\n" + body +
                "}\nint main() {\n  const int n = 64;\n  float *x, *w, *out;\n"
                "  cudaMalloc(&x, n * n * 4);\n  cudaMalloc(&w, n * n * 4);\n"
                "  cudaMalloc(&out, n * n * 4);\n" +
                parameters + "  k<<<blocks, 64>>>(x, w, out, n);\n}\n")
        .task.operator_family;
  };
  const std::string of_all = "  dim3 blocks(64);\n";
  EXPECT_EQ(family_of(of_all,
                      "  int row = blockIdx.x, column = threadIdx.x;\n  float sum = 0.0f;\n"
                      "  int k = 0;\n"
                      "  while (k < n) { sum += x[row * n + k] * w[k * n + column]; ++k; }\n"
                      "  out[row * n + column] = sum;\n"),
            "gemm");
  EXPECT_EQ(
      family_of(of_all,
                "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n  if (row >= n) return;\n"
                "  int i;\n  float sum = 0.0f;\n"
                "  for (i = 0; i < n; ++i) sum += x[row * n + i];\n  out[row] = sum;\n"),
      "reduction");
  EXPECT_EQ(family_of(of_all,
                      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                      "  if (i < n * n) out[i] = x[i] + w[i];\n"),
            "elementwise");
}

TEST(TextTask, SizesThatNothingSaysAreAssumedAndSaid) {
  const auto text = read(kRowMean +
                         "void launch(const float* x, float* out, int rows, int columns) {\n"
                         "  const dim3 grid{(unsigned)((rows + 255) / 256)};\n"
                         "  row_mean<<<grid, 256, 0, nullptr>>>(x, out, rows, columns);\n"
                         "}\n"
                         "int main(int argc, char** argv) {\n"
                         "  int n = atoi(argv[1]);\n"
                         "  float *x, *out;\n"
                         "  if (argc > 2) row_mean<<<(n + 255) / 256, 256>>>(x, out, n, 32);\n"
                         "}\n");
  ASSERT_THAT(text.task.kernel.plan.launches, SizeIs(2));
  EXPECT_THAT(text.task.kernel.plan.launches[0].arguments, Contains("i32:1024"));
  EXPECT_THAT(text.notes, Contains("assumed columns, rows of 'launch' as 1024"));
  EXPECT_THAT(text.notes, Contains(HasSubstr("n of 'main' as ")));
  EXPECT_GT(moves_of(text.task, "warp_per_output"), 0U);
}

TEST(TextTask, WhatCannotBeReadIsSaid) {
  const auto text = read(kRowMean +
                         "template <class T> __global__ void t(T* x) { x[0] = 1; }\n"
                         "struct Shape { int blocks; };\n"
                         "void launch(float* x, Shape shape) {\n"
                         "  row_mean<<<shape.blocks, 32>>>(x, x, 1, 2);\n"
                         "  t<float><<<1, 32>>>(x);\n"
                         "}\n");
  EXPECT_THAT(text.task.kernel.plan.launches, IsEmpty());
  EXPECT_THAT(
      text.notes,
      ElementsAre("a launch of 'row_mean' is not read: its grid or its block cannot be told "
                  "from the text",
                  "a launch of 't' is not read: it is a template"));
  const auto high = read(kRowMean +
                         "void launch(float* x, int n) {\n"
                         "  row_mean<<<dim3(1, n), 32>>>(x, x, 1, 2);\n"
                         "}\n");
  EXPECT_THAT(high.task.kernel.plan.launches, IsEmpty());
  EXPECT_THAT(high.notes[0], HasSubstr("it would have 1048576 blocks of 1 threads along y"));
  EXPECT_THAT(read("int main() { return 0; }\n").task.kernel.plan.launches, IsEmpty());
}

}  // namespace
}  // namespace warpmind::agents::builtin
