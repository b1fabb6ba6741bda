#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;
using testing::Not;

SceneOf block_kernel(const std::string& body) {
  const auto matrix = [](std::string name, ArgumentKind kind, Dtype dtype) {
    return Argument{std::move(name), kind, dtype, {"rows", "columns"}, "", {}, 0, 0};
  };
  return {
      "#include <cuda_fp16.h>\n"
      "extern \"C\" __global__ void k(const __half* x, float* y, int columns) {\n"
      "  const int row = blockIdx.x;\n"
      "  const int tid = threadIdx.x;\n" +
          body + "}\n",
      {matrix("x", ArgumentKind::in, Dtype::f16), matrix("y", ArgumentKind::out, Dtype::f32)},
      {{"k", {"rows", "1", "1"}, {"128", "1", "1"}, "0", {"x", "y", "i32:columns"}}},
      {{{"rows", 512}, {"columns", 2048}}, {{"rows", 3}, {"columns", 5}}}};
}

std::string refused(const std::string& body) {
  const auto offer = block_kernel(body).offer("vectorized_loads");
  EXPECT_TRUE(offer.moves.empty()) << body;
  return offer.refusal;
}

TEST(VectorRowLoopsTest, MovesALoopOfTheBlockInPieces) {
  const auto kernel = block_kernel(
                          "  for (int i = tid; i < columns; i += blockDim.x) {\n"
                          "    int at = row * columns + i;\n"
                          "    // half to float\n"
                          "    y[at] = __half2float(x[at]);\n"
                          "  }\n")
                          .apply("vectorized_loads", "loops=k");
  EXPECT_THAT(kernel.source, HasSubstr("wm_x_pack.load(&x[(row * columns + wm_i)]);"));
  EXPECT_THAT(kernel.source, HasSubstr("// half to float\n        wm_y_pack.at[wm_j] = "
                                       "__half2float(wm_x_pack.at[wm_j]);"));
  EXPECT_THAT(kernel.source, HasSubstr("wm_y_pack.store(&y[(row * columns + wm_i)]);"));
  EXPECT_THAT(kernel.source, Not(HasSubstr("wm_y_pack.load")));
  EXPECT_THAT(kernel.source,
              HasSubstr("wm_first + tid * 8; wm_i < wm_last; wm_i += blockDim.x * 8"));
}

TEST(VectorRowLoopsTest, SerialLoopsCountToo) {
  const auto kernel = block_kernel(
                          "  float sum = 0.0f;\n"
                          "  for (int i = 1; i <= columns; ++i) sum += __half2float(__ldg(&x[tid * "
                          "columns + i]));\n"
                          "  y[tid] = sum;\n")
                          .apply("vectorized_loads", "loops=k");
  EXPECT_THAT(kernel.source, HasSubstr("const int wm_bound = (columns) + 1;"));
  EXPECT_THAT(kernel.source, HasSubstr("sum += __half2float(wm_x_pack.at[wm_j]);"));
}

TEST(VectorRowLoopsTest, LeavesAloneWhatIsNotMetByEveryIteration) {
  const auto kernel = block_kernel(
                          "  for (int i = tid; i < columns; i += blockDim.x) {\n"
                          "    float v = __half2float(x[row * columns + i]);\n"
                          "    if (v > 0.0f) y[row * columns + i] = v;\n"
                          "  }\n")
                          .apply("vectorized_loads", "loops=k");
  EXPECT_THAT(kernel.source, HasSubstr("wm_x_pack.at[wm_j]"));
  EXPECT_THAT(kernel.source, Not(HasSubstr("wm_y_pack")));
}

TEST(VectorRowLoopsTest, SaysWhatStandsInTheWay) {
  EXPECT_THAT(refused("  for (int i = tid * 3; i < columns; i += blockDim.x) y[i] = 0;\n"),
              HasSubstr("does not step by threads side by side"));
  EXPECT_THAT(refused("  for (int i = tid % 48; i < columns; i += 48) y[i] = 0;\n"),
              HasSubstr("does not step by threads side by side"));
  EXPECT_THAT(
      refused("  for (int i = tid; i < columns; i += blockDim.x) y[i * columns] = x[i * 2];\n"),
      HasSubstr("no access is contiguous"));
  EXPECT_THAT(refused("  for (int i = tid; i < columns; i += blockDim.x) {\n"
                      "    y[i] = 1;\n    __syncthreads();\n  }\n"),
              HasSubstr("it calls __syncthreads"));
  EXPECT_THAT(refused("  for (int i = tid; i < columns; i += blockDim.x) y[i] += y[i + 1];\n"),
              HasSubstr("may meet"));
  auto scene = block_kernel("  for (int i = tid; i < columns; i += blockDim.x) y[i] = 0;\n");
  scene.task().kernel = scene.apply("vectorized_loads", "loops=k");
  EXPECT_THAT(scene.offer("vectorized_loads").refusal, HasSubstr("moves pieces already"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
