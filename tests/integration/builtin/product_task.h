#pragma once
/// \file
/// Matrix products with one thread an output, for tests of contractions.

#include "tests/integration/builtin/rewrite_check.h"

namespace warpmind::rewrites {

inline Launch launch_of(std::string kernel, std::array<std::string, 3> grid,
                        std::array<std::string, 3> block, std::vector<std::string> arguments) {
  return {std::move(kernel), std::move(grid), std::move(block), "0", std::move(arguments)};
}

/// C = alpha A B + beta C with A and B as `left` and `right` index them, over odd and even sizes.
inline Task product(const std::string& type, const std::string& to_float, Dtype dtype,
                    const std::string& left, const std::string& right) {
  const std::string source = R"(#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void gemm(const T* a, const T* b, float* c, int m, int n, int k, float alpha,
                                float beta) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;  // outside
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) {
    sum += LOAD(a[LEFT]) * LOAD(b[RIGHT]);
  }
  c[row * n + column] = alpha * sum + beta * c[row * n + column];
}
)";
  std::string text = source;
  const auto put = [&](const std::string& from, const std::string& to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from)) {
      text.replace(at, from.size(), to);
    }
  };
  put("const T*", "const " + type + "*");
  put("LOAD(", to_float + "(");
  put("LEFT", left);
  put("RIGHT", right);
  return task_of(
      text,
      {ranged("a", dtype, {"m * k"}, -4, 4), ranged("b", dtype, {"k * n"}, -4, 4),
       inout("c", Dtype::f32, {"m", "n"})},
      {launch_of("gemm", {"ceil_div(n, block_x)", "ceil_div(m, block_y)", "1"}, {"16", "8", "1"},
                 {"a", "b", "c", "i32:m", "i32:n", "i32:k", "f32:2", "f32:-1"})},
      {{{"m", 130}, {"n", 136}, {"k", 72}},
       {{"m", 67}, {"n", 131}, {"k", 97}},
       {{"m", 3}, {"n", 5}, {"k", 4}},
       {{"m", 1}, {"n", 1}, {"k", 1}},
       {{"m", 64}, {"n", 64}, {"k", 33}}});
}

}  // namespace warpmind::rewrites
