#include "tests/integration/builtin/product_task.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

class Contractions : public RewriteTest {};

TEST_F(Contractions, ShippedHalfPrecisionProduct) {
  auto task = shipped_task("gemm_f16");
  ASSERT_TRUE(task.has_value()) << task.error().message;
  task->workloads.back().sizes = {{"m", 144}, {"n", 136}, {"k", 80}};
  expect_all_same(*task, "tensor_core_mma");
  expect_refused(*task, "simt_contraction", "operands are '__half'");
}

TEST_F(Contractions, OperandsInEveryOrder) {
  for (const char* left : {"row * k + i", "i * m + row"}) {
    for (const char* right : {"i * n + column", "column * k + i"}) {
      const auto half = product("__half", "__half2float", Dtype::f16, left, right);
      expect_same(half, "tensor_core_mma", "tile=64x64x32;vec=1");
      expect_same(half, "tensor_core_mma", "tile=32x64x32;vec=0");
      const auto single = product("float", "", Dtype::f32, left, right);
      expect_same(single, "simt_contraction", "tile=64x64x8;vec=1");
      expect_same(single, "simt_contraction", "tile=32x32x16;vec=0");
    }
  }
}

TEST_F(Contractions, EveryTile) {
  expect_all_same(
      product("__nv_bfloat16", "__bfloat162float", Dtype::bf16, "row * k + i", "i * n + column"),
      "tensor_core_mma");
  expect_all_same(product("float", "", Dtype::f32, "row * k + i", "i * n + column"),
                  "simt_contraction");
}

/// A direct convolution, one thread an output, its number taken apart by division.
constexpr const char* kConvolution = R"(#include <cuda_fp16.h>

__device__ __forceinline__ float relu(float x) { return x > 0.0f ? x : 0.0f; }

extern "C" __global__ void conv2d(const half* __restrict__ x, const half* __restrict__ w,
                                  const float* __restrict__ bias, half* __restrict__ y, int batch,
                                  int channels, int height, int width, int filters, int size,
                                  int stride, int padding, int out_height, int out_width) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  const int total = batch * filters * out_height * out_width;
  if (index >= total) return;
  const int ox = index % out_width;
  const int oy = (index / out_width) % out_height;
  const int filter = (index / (out_width * out_height)) % filters;
  const int image = index / (out_width * out_height * filters);

  float sum = bias[filter];
  for (int c = 0; c < channels; ++c) {
    for (int ky = 0; ky < size; ++ky) {
      const int iy = oy * stride - padding + ky;
      if (iy < 0 || iy >= height) continue;
#pragma unroll
      for (int kx = 0; kx < size; ++kx) {
        int ix = ox * stride - padding + kx;
        if (ix >= 0 && ix < width) {
          const float value = __half2float(x[((image * channels + c) * height + iy) * width + ix]);
          const float weight = __half2float(w[((filter * channels + c) * size + ky) * size + kx]);
          sum += value * weight;
        }
      }
    }
  }
  y[index] = __float2half(relu(sum));
}
)";

Task convolution(const std::string& source, std::vector<Sizes> sizes) {
  for (auto& one : sizes) {
    one["oh"] = (one["h"] + 2 * one["p"] - one["r"]) / one["s"] + 1;
    one["ow"] = (one["w"] + 2 * one["p"] - one["r"]) / one["s"] + 1;
  }
  return task_of(
      source,
      {ranged("x", Dtype::f16, {"n", "c", "h", "w"}, -4, 4),
       ranged("w", Dtype::f16, {"f", "c", "r", "r"}, -4, 4),
       ranged("bias", Dtype::f32, {"f"}, -4, 4), output("y", Dtype::f16, {"n", "f", "oh", "ow"})},
      {launch_of("conv2d", {"ceil_div(n * f * oh * ow, block_x)", "1", "1"}, {"128", "1", "1"},
                 {"x", "w", "bias", "y", "i32:n", "i32:c", "i32:h", "i32:w", "i32:f", "i32:r",
                  "i32:s", "i32:p", "i32:oh", "i32:ow"})},
      std::move(sizes));
}

std::vector<Sizes> convolution_sizes() {
  return {{{"n", 3}, {"c", 5}, {"h", 11}, {"w", 13}, {"f", 20}, {"r", 3}, {"s", 1}, {"p", 1}},
          {{"n", 2}, {"c", 4}, {"h", 9}, {"w", 8}, {"f", 17}, {"r", 3}, {"s", 2}, {"p", 0}},
          {{"n", 1}, {"c", 1}, {"h", 4}, {"w", 5}, {"f", 1}, {"r", 1}, {"s", 1}, {"p", 0}},
          {{"n", 1}, {"c", 7}, {"h", 6}, {"w", 7}, {"f", 33}, {"r", 5}, {"s", 1}, {"p", 2}}};
}

TEST_F(Contractions, DirectConvolution) {
  expect_all_same(convolution(kConvolution, convolution_sizes()), "tensor_core_mma");
}

TEST_F(Contractions, BatchesAndOtherMappings) {
  const char* source = R"(#include <cuda_fp16.h>
constexpr int kWide = 8;
// Rows by blocks along x, columns by blocks along y and threads along x.
extern "C" __global__ __launch_bounds__(32) void attend(const __half* q, const __half* keys,
                                                        float* scores, int heads, int length,
                                                        int size) {
  const int head = blockIdx.z;
  const int row = blockIdx.x;
  const int column = blockIdx.y * blockDim.x + threadIdx.x;
  if (column < length && head < heads) {
    const __half* mine = q + ((size_t)head * length + row) * size;
    const __half* other = keys + ((size_t)head * length + column) * size;
    float sum = 0;
    for (int i = 0; i < size; i++) sum = fmaf((float)mine[i], (float)__ldg(&other[i]), sum);
    scores[((size_t)head * length + row) * length + column] = sum;
  }
}
)";
  const auto task = task_of(
      source,
      {ranged("q", Dtype::f16, {"heads", "length", "size"}, -4, 4),
       ranged("keys", Dtype::f16, {"heads", "length", "size"}, -4, 4),
       output("scores", Dtype::f32, {"heads", "length", "length"})},
      {launch_of("attend", {"length", "ceil_div(length, block_x)", "heads"}, {"32", "1", "1"},
                 {"q", "keys", "scores", "i32:heads", "i32:length", "i32:size"})},
      {{{"heads", 3}, {"length", 70}, {"size", 40}},
       {{"heads", 1}, {"length", 5}, {"size", 3}},
       {{"heads", 2}, {"length", 33}, {"size", 16}}});
  expect_all_same(task, "tensor_core_mma");
}

/// Transposed, with a stride: a term counts where the output lies on the grid of the input.
TEST_F(Contractions, TransposedConvolution) {
  const char* source = R"(#include <cuda_fp16.h>
extern "C" __global__ void spread(const __half* x, const __half* w, __half* y, int batch, int inputs,
                                  int length, int outputs, int size, int stride, int out_length) {
  long long index = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (index < (long long)batch * outputs * out_length) {
    int position = index % out_length;
    long long rest = index / out_length;
    int output = rest % outputs;
    int image = rest / outputs;
    float sum = 0.f;
    for (int c = 0; c < inputs; c++)
      for (int t = 0; t < size; t += 1) {
        int from = position - t;
        if (from < 0 || from % stride != 0) continue;
        from /= stride;
        if (from < length) {
          sum += __half2float(x[(image * inputs + c) * length + from]) *
                 __half2float(w[(c * outputs + output) * size + t]);
        }
      }
    y[index] = __float2half(sum);
  }
}
)";
  std::string text = source;
  // A variable that is written again has another value afterwards: nothing is offered.
  const auto task_with = [&](const std::string& kernel) {
    return task_of(kernel,
                   {ranged("x", Dtype::f16, {"n", "c", "l"}, -4, 4),
                    ranged("w", Dtype::f16, {"c", "f", "r"}, -4, 4),
                    output("y", Dtype::f16, {"n", "f", "(l - 1) * s + r"})},
                   {launch_of("spread", {"ceil_div(n * f * ((l - 1) * s + r), block_x)", "1", "1"},
                              {"64", "1", "1"},
                              {"x", "w", "y", "i32:n", "i32:c", "i32:l", "i32:f", "i32:r", "i32:s",
                               "i32:(l - 1) * s + r"})},
                   {{{"n", 2}, {"c", 5}, {"l", 19}, {"f", 12}, {"r", 4}, {"s", 2}},
                    {{"n", 1}, {"c", 3}, {"l", 7}, {"f", 17}, {"r", 3}, {"s", 3}},
                    {{"n", 3}, {"c", 2}, {"l", 1}, {"f", 2}, {"r", 1}, {"s", 1}}});
  };
  expect_refused(task_with(text), "tensor_core_mma", "carries a variable");
  const std::string divided = "from /= stride;\n        if (from < length) {";
  text.replace(text.find(divided), divided.size(),
               "const int at = from / stride;\n        if (at < length) {");
  text.replace(text.find("length + from]"), 14, "length + at]");
  expect_all_same(task_with(text), "tensor_core_mma");
}

TEST_F(Contractions, GroupedLoadsWithConditionsAndATail) {
  const char* source = R"(
extern "C" __global__ void linear(const float* x, const float* w, const float* bias, float* y,
                                  int rows, int inputs, int outputs, int groups, int valid) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < outputs) {
    const int per_group = inputs / groups;
    const float* line = x + row * inputs;
    const float* weights = &w[column * per_group];
    const int group = column / (outputs / groups);
    float sum = bias ? bias[column] : 0.0f;
    for (int k = 0; k < per_group; ++k) {
      const float left = k < valid ? line[group * per_group + k] : 0.0f;
      sum = sum + left * weights[k];
    }
    if (sum < 0.0f) sum *= 0.5f;
    y[row * outputs + column] = sum;
  }
}
)";
  const auto task =
      task_of(source,
              {ranged("x", Dtype::f32, {"rows", "inputs"}, -4, 4),
               ranged("w", Dtype::f32, {"outputs", "inputs"}, -4, 4),
               ranged("bias", Dtype::f32, {"outputs"}, -4, 4),
               output("y", Dtype::f32, {"rows", "outputs"})},
              {launch_of("linear", {"ceil_div(outputs, block_x)", "ceil_div(rows, block_y)", "1"},
                         {"32", "4", "1"},
                         {"x", "w", "bias", "y", "i32:rows", "i32:inputs", "i32:outputs", "i32:1",
                          "i32:inputs - 1"})},
              {{{"rows", 70}, {"inputs", 37}, {"outputs", 66}},
               {{"rows", 5}, {"inputs", 3}, {"outputs", 9}}});
  expect_all_same(task, "simt_contraction");
}

TEST_F(Contractions, NumbersInSeveralPlacesHelpersAndPointers) {
  const char* source = R"(#include <cuda_bf16.h>
__device__ inline float wide(__nv_bfloat16 value) { return __bfloat162float(value); }
extern "C" __global__ void conv(const __nv_bfloat16* __restrict__ x,
                                const __nv_bfloat16* __restrict__ w, float* __restrict__ y,
                                const int inputs, const int side, const int filters, const int size,
                                const int out, const int groups) {
  const int image = blockIdx.z / filters, filter = blockIdx.z % filters;
  int rest = blockIdx.x * blockDim.x + threadIdx.x;
  if (rest >= out * out) { return; }
  const int row = rest / out;
  rest = rest % out;
  const int column = rest;
  float sum = 0.0f;
  const int each = inputs / groups;
  for (int c = 0; c < each; ++c) {
    const int channel = filter / (filters / groups) * each + c;
    for (int k = 0; k < size * size; ++k) {
      int ky = k / size;
      int kx = k % size;
      const __nv_bfloat16* at = x + ((size_t)(image * inputs + channel) * side + row + ky) * side;
      sum += wide(at[column + kx]) * wide(__ldg(w + (filter * each + c) * size * size + k));
    }
  }
  y[((image * filters + filter) * out + row) * out + column] = sum;
}
)";
  const auto task = task_of(
      source,
      {ranged("x", Dtype::bf16, {"n", "c", "h", "h"}, -4, 4),
       ranged("w", Dtype::bf16, {"f", "c", "r", "r"}, -4, 4),
       output("y", Dtype::f32, {"n", "f", "h - r + 1", "h - r + 1"})},
      {launch_of("conv", {"ceil_div((h - r + 1) * (h - r + 1), block_x)", "1", "n * f"},
                 {"64", "1", "1"},
                 {"x", "w", "y", "i32:c", "i32:h", "i32:f", "i32:r", "i32:h - r + 1", "i32:1"})},
      {{{"n", 2}, {"c", 6}, {"h", 12}, {"f", 19}, {"r", 3}},
       {{"n", 1}, {"c", 3}, {"h", 5}, {"f", 9}, {"r", 2}}});
  expect_all_same(task, "tensor_core_mma");
}

TEST_F(Contractions, SplitOverParts) {
  auto half = product("__half", "__half2float", Dtype::f16, "row * k + i", "i * n + column");
  half.workloads.push_back({"deep", {{"m", 33}, {"n", 40}, {"k", 1041}}, true});
  half.workloads.front().timed = false;
  expect_all_same(half, "split_k");
  auto single = product("float", "", Dtype::f32, "i * m + row", "column * k + i");
  single.workloads.push_back({"deep", {{"m", 20}, {"n", 70}, {"k", 700}}, true});
  single.workloads.front().timed = false;
  expect_all_same(single, "split_k");
  auto convolved = convolution(kConvolution, convolution_sizes());
  convolved.workloads.push_back(convolved.workloads.front());
  convolved.workloads.back().name = "deep";
  convolved.workloads.back().sizes["c"] = 60;
  convolved.workloads.front().timed = false;
  expect_all_same(convolved, "split_k");

  for (const char* tile : {"tile=32x64x64;stages=4;by=warps", "tile=64x64x64;stages=3;by=groups"}) {
    const auto staged = rewritten(half, "split_k", std::string(tile) + ";splits=4");
    ASSERT_TRUE(staged.has_value()) << staged.error().message;
    expect_same(half, *staged);
  }
  const auto kernel = rewritten(half, "split_k", "tile=32x32x64;vec=1;splits=4");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(half,
                 broken(*kernel, "+ wm_part_count - 1u) / wm_part_count", ") / wm_part_count"));
  expect_noticed(half, broken(*kernel, "= wm_first_term + wm_term", "= wm_term"));
  expect_noticed(half, broken(*kernel, "wm_part < wm_part_count", "wm_part + 1u < wm_part_count"));
}

TEST_F(Contractions, BatchesThatTheGridAloneCounts) {
  auto task = shipped_task("batched_gemm_f16");
  ASSERT_TRUE(task.has_value()) << task.error().message;
  task->workloads.back().sizes = {{"batch", 3}, {"m", 40}, {"n", 72}, {"k", 136}};
  expect_all_same(*task, "tensor_core_mma");
  expect_all_same(*task, "async_copy_pipeline");
  expect_all_same(*task, "wgmma_pipeline");
  task->workloads.back().sizes["k"] = 520;
  expect_all_same(*task, "split_k");
  const auto kernel = rewritten(*task, "tensor_core_mma", "tile=64x64x32;vec=1");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(*task, broken(*kernel, "blockIdx.x / wm_across / wm_down %", "0u *"));
}

TEST_F(Contractions, SeededFaultsAreNoticed) {
  const auto task = convolution(kConvolution, convolution_sizes());
  const auto kernel = rewritten(task, "tensor_core_mma", "tile=64x64x32;vec=0");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(task, broken(*kernel, "if (iy < 0) return nullptr;", ""));
  expect_noticed(task, broken(*kernel, "row < extent && term < depth", "row < extent"));
  expect_noticed(task, broken(*kernel, "row >= rows || column >= columns", "column >= columns"));
  expect_noticed(task, broken(*kernel, "wm_k_above_1 * wm_trips_1", "wm_k_above_1 * 2u"));
  const auto product_task = product("float", "", Dtype::f32, "row * k + i", "i * n + column");
  const auto wide = rewritten(product_task, "simt_contraction", "tile=64x64x8;vec=1");
  ASSERT_TRUE(wide.has_value()) << wide.error().message;
  expect_noticed(product_task, broken(*wide, "left >= 4u && ", ""));
  expect_noticed(product_task, broken(*wide, "now ^= 1;", ""));
}

}  // namespace
}  // namespace warpmind::rewrites
