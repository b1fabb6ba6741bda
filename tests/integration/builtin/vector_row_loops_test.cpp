#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

/// Rows of any length, so that pieces start and end anywhere: `columns` elements behind `skip`.
Task block_task(const std::string& body) {
  const std::string source =
      "#include <cuda_fp16.h>\n"
      "extern \"C\" __global__ void k(const __half* x, const signed char* mask, const float* gain, "
      "float* y, __half* z, float* out, int columns) {\n"
      "  const int row = blockIdx.x;\n"
      "  const int tid = threadIdx.x;\n" +
      body + "}\n";
  Launch launch{"k",
                {"rows", "1", "1"},
                {"32", "1", "1"},
                "0",
                {"x", "mask", "gain", "y", "z", "out", "i32:columns"}};
  return task_of(
      source,
      {ranged("x", Dtype::f16, {"rows", "columns"}, -8, 8),
       ranged("mask", Dtype::i8, {"rows", "columns"}, -1, 1),
       ranged("gain", Dtype::f32, {"columns"}, -4, 4), output("y", Dtype::f32, {"rows", "columns"}),
       inout("z", Dtype::f16, {"rows", "columns"}), output("out", Dtype::f32, {"rows", "32"})},
      {launch},
      {{{"rows", 5}, {"columns", 1030}},
       {{"rows", 9}, {"columns", 33}},
       {{"rows", 2}, {"columns", 512}},
       {{"rows", 3}, {"columns", 1}}});
}

const char* const kBlockLoops = R"(
  float sum = 0.0f;
  for (int i = 1 + tid; i < columns; i += blockDim.x) {
    const int at = row * columns + i;
    float value = __half2float(__ldg(&x[at])) * gain[i];
    if (mask[at] > 0) value += 1.0f;
    if (value > 3.0f) sum += 1.0f;
    sum += value;
    z[at] = __hadd(z[at], x[at]);
    y[at] = value;
  }
  __shared__ float sums[32];
  sums[tid] = sum;
  __syncthreads();
  float total = 0.0f;
  for (int i = 0; i < 32; ++i) total += sums[i];
  out[row * 32 + tid] = total;
  if (tid == 0) y[row * columns] = 0.0f;
)";

const char* const kOwnSums = R"(
  float sum = 0.0f;
  for (int i = tid; i < columns; i += blockDim.x) sum += __half2float(x[row * columns + i]);
  out[row * 32 + tid] = sum;
  if (tid == 0) y[row * columns] = 0.0f;
)";

const char* const kSerialLoops = R"(
  const __half* line = x + row * columns;
  float sum = 0.0f;
  for (size_t i = tid; i < columns; i++) sum += __half2float(line[i]) + (i == 7 ? 1.0f : 0.0f);
  out[row * 32 + tid] = sum;
  if (tid > 0) return;
  for (unsigned i = 0; i <= columns - 1u; ++i) y[row * columns + i] = mask[row * columns + i];
)";

class VectorRowLoops : public RewriteTest {};

TEST_F(VectorRowLoops, ComputeTheSameForABlock) {
  expect_all_same(block_task(kBlockLoops), "vectorized_loads");
}

TEST_F(VectorRowLoops, SumsThatThreadsKeepStay) {
  expect_refused(block_task(kOwnSums), "vectorized_loads", "each thread keeps its own 'sum'");
}

TEST_F(VectorRowLoops, ComputeTheSameForOneThread) {
  expect_all_same(block_task(kSerialLoops), "vectorized_loads");
}

TEST_F(VectorRowLoops, ComputeTheSameAfterWarpPerOutput) {
  for (const std::string name : {"row_softmax_f16", "layernorm_f16"}) {
    const auto task = shipped_task(name);
    ASSERT_TRUE(task.has_value()) << task.error().message;
    for (const std::string lanes : {"lanes=32", "lanes=128"}) {
      auto spread = rewritten(*task, "warp_per_output", lanes);
      ASSERT_TRUE(spread.has_value()) << spread.error().message;
      Task after = *task;
      after.kernel = *spread;
      const auto offer = offer_of(after, "vectorized_loads");
      ASSERT_TRUE(offer && !offer->moves.empty());
      const auto kernel = rewritten(after, "vectorized_loads", offer->moves.front().parameters);
      ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
      expect_same(*task, *kernel, Closeness{1, 0.001});
    }
  }
}

TEST_F(VectorRowLoops, BrokenRewritesAreNoticed) {
  const auto task = block_task(kBlockLoops);
  const auto kernel = rewritten(task, "vectorized_loads", "loops=k");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(task, broken(*kernel, "wm_last = wm_stop", "wm_last = 8 + wm_stop"));
  expect_noticed(task, broken(*kernel, "&& wm_is_aligned<8>(&gain[wm_first])", ""));
  expect_noticed(task, broken(*kernel, "wm_k < wm_rest", "wm_k < wm_head"));
  expect_noticed(task, broken(*kernel, "const int wm_start = 1;", "const int wm_start = 0;"));
}

}  // namespace
}  // namespace warpmind::rewrites
