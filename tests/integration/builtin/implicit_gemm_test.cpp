#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

class ImplicitGemm : public RewriteTest {};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// 2D, one thread an output, in groups.
constexpr const char* kDirect = R"(#include <cuda_fp16.h>

extern "C" __global__ void conv(const half* __restrict__ x, const half* __restrict__ w,
                                const half* __restrict__ bias, half* __restrict__ y, int batch,
                                int channels, int height, int width, int filters, int tall, int wide,
                                int stride, int padding, int dilation, int groups, int out_height,
                                int out_width) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= batch * filters * out_height * out_width) return;
  const int ox = index % out_width;
  const int oy = (index / out_width) % out_height;
  const int filter = (index / (out_width * out_height)) % filters;
  const int image = index / (out_width * out_height * filters);
  const int group = filter / (filters / groups);
  const int each = channels / groups;
  float sum = 0.0f;
  for (int c = 0; c < each; ++c) {
    const int channel = group * each + c;
    for (int ky = 0; ky < tall; ++ky) {
      const int iy = oy * stride - padding + ky * dilation;
      if (iy < 0 || iy >= height) continue;
      for (int kx = 0; kx < wide; ++kx) {
        const int ix = ox * stride - padding + kx * dilation;
        if (ix < 0 || ix >= width) continue;
        sum += __half2float(x[((image * channels + channel) * height + iy) * width + ix]) *
               __half2float(w[((filter * each + c) * tall + ky) * wide + kx]);
      }
    }
  }
  if (bias != nullptr) sum += __half2float(bias[filter]);
  y[index] = __float2half(sum);
}
)";

Task direct(const std::string& source, std::vector<Sizes> sizes) {
  for (auto& one : sizes) {
    one["oh"] = (one["h"] + 2 * one["p"] - one["d"] * (one["r"] - 1) - 1) / one["s"] + 1;
    one["ow"] = (one["v"] + 2 * one["p"] - one["d"] * (one["q"] - 1) - 1) / one["s"] + 1;
  }
  return task_of(
      source,
      {ranged("x", Dtype::f16, {"n", "c", "h", "v"}, -4, 4),
       ranged("w", Dtype::f16, {"f", "c / g", "r", "q"}, -4, 4),
       ranged("bias", Dtype::f16, {"f"}, -4, 4), output("y", Dtype::f16, {"n", "f", "oh", "ow"})},
      {launch_of("conv", {"ceil_div(n * f * oh * ow, block_x)", "1", "1"}, {"128", "1", "1"},
                 {"x", "w", "bias", "y", "i32:n", "i32:c", "i32:h", "i32:v", "i32:f", "i32:r",
                  "i32:q", "i32:s", "i32:p", "i32:d", "i32:g", "i32:oh", "i32:ow"})},
      std::move(sizes));
}

Sizes plane(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t v, std::int64_t f,
            std::int64_t r, std::int64_t q, std::int64_t s, std::int64_t p, std::int64_t d,
            std::int64_t g) {
  return {{"n", n}, {"c", c}, {"h", h}, {"v", v}, {"f", f}, {"r", r},
          {"q", q}, {"s", s}, {"p", p}, {"d", d}, {"g", g}};
}

TEST_F(ImplicitGemm, StridesPaddingDilationAndTails) {
  expect_all_same(
      direct(kDirect,
             {plane(2, 3, 17, 23, 20, 3, 5, 1, 0, 1, 1), plane(1, 5, 11, 13, 9, 3, 2, 2, 3, 2, 1),
              plane(3, 1, 4, 5, 1, 1, 1, 1, 0, 1, 1), plane(1, 4, 9, 7, 33, 2, 3, 4, 1, 1, 1)}),
      "implicit_gemm");
}

TEST_F(ImplicitGemm, GroupsAreBatches) {
  const auto task = direct(
      kDirect, {plane(2, 6, 9, 11, 24, 3, 3, 1, 1, 1, 3), plane(1, 8, 7, 6, 18, 2, 3, 2, 0, 1, 2),
                plane(1, 4, 5, 6, 12, 3, 1, 1, 1, 2, 1)});
  expect_all_same(task, "implicit_gemm");
  expect_all_same(task, "tensor_core_mma");
}

TEST_F(ImplicitGemm, MoreTermsThanTheTableHolds) {
  const auto task = direct(kDirect, {plane(1, 31, 9, 10, 40, 3, 3, 1, 1, 1, 1),
                                     plane(1, 70, 5, 5, 16, 3, 3, 1, 0, 1, 1)});
  expect_same(task, "implicit_gemm", "tile=64x128;repeat=1;terms=256");
  expect_same(task, "implicit_gemm", "tile=32x128;repeat=4;terms=256");
}

TEST_F(ImplicitGemm, EveryTile) {
  const auto task = direct(kDirect, {plane(2, 11, 17, 19, 70, 3, 3, 1, 1, 1, 1)});
  for (const char* tile : {"64x128;repeat=1;terms=256", "32x128;repeat=4;terms=512",
                           "16x128;repeat=8;terms=256", "64x256;repeat=2;terms=2560"}) {
    expect_same(task, "implicit_gemm", "tile=" + std::string(tile));
  }
}

/// Transposed: an output meets the inputs that lie on its grid.
constexpr const char* kTransposed = R"(#include <cuda_fp16.h>

extern "C" __global__ void spread(const half* __restrict__ x, const half* __restrict__ w,
                                  half* __restrict__ y, int batch, int channels, int filters,
                                  int height, int width, int tall, int wide, int down, int across,
                                  int padding, int dilation, int groups, int out_height,
                                  int out_width) {
  int rest = blockIdx.x * blockDim.x + threadIdx.x;
  if (rest >= batch * filters * out_height * out_width) return;
  const int index = rest;
  const int ox = rest % out_width;
  rest /= out_width;
  const int oy = rest % out_height;
  rest /= out_height;
  const int filter = rest % filters;
  const int image = rest / filters;
  const int filters_each = filters / groups;
  const int channels_each = channels / groups;
  const int group = filter / filters_each;
  float sum = 0.0f;
  for (int channel = group * channels_each; channel < (group + 1) * channels_each; ++channel) {
    for (int ky = 0; ky < tall; ++ky) {
      const int ty = oy + padding - ky * dilation;
      const int iy = ty / down;
      for (int kx = 0; kx < wide; ++kx) {
        const int tx = ox + padding - kx * dilation;
        const int ix = tx / across;
        CONDITIONS
        sum += __half2float(x[((image * channels + channel) * height + iy) * width + ix]) *
               __half2float(
                   w[((channel * filters_each + filter % filters_each) * tall + ky) * wide + kx]);
        END
      }
    }
  }
  y[index] = __float2half(sum);
}
)";

std::string transposed_source(const std::string& conditions, const std::string& end = "") {
  return replaced(replaced(kTransposed, "CONDITIONS", conditions), "END", end);
}

const std::string kContinues =
    "if (ty % down != 0 || tx % across != 0) continue;\n"
    "        if (iy < 0 || iy >= height || ix < 0 || ix >= width) continue;";

/// s: stride down, t: stride across, o: output padding.
Task transposed(const std::string& source, std::vector<Sizes> sizes) {
  for (auto& one : sizes) {
    one["oh"] = (one["h"] - 1) * one["s"] - 2 * one["p"] + one["d"] * (one["r"] - 1) + 1 + one["o"];
    one["ow"] = (one["v"] - 1) * one["t"] - 2 * one["p"] + one["d"] * (one["q"] - 1) + 1 + one["o"];
  }
  return task_of(
      source,
      {ranged("x", Dtype::f16, {"n", "c", "h", "v"}, -4, 4),
       ranged("w", Dtype::f16, {"c", "f / g", "r", "q"}, -4, 4),
       output("y", Dtype::f16, {"n", "f", "oh", "ow"})},
      {launch_of("spread", {"ceil_div(n * f * oh * ow, block_x)", "1", "1"}, {"128", "1", "1"},
                 {"x", "w", "y", "i32:n", "i32:c", "i32:f", "i32:h", "i32:v", "i32:r", "i32:q",
                  "i32:s", "i32:t", "i32:p", "i32:d", "i32:g", "i32:oh", "i32:ow"})},
      std::move(sizes));
}

Sizes spread(std::int64_t n, std::int64_t c, std::int64_t f, std::int64_t h, std::int64_t v,
             std::int64_t r, std::int64_t q, std::int64_t s, std::int64_t t, std::int64_t p,
             std::int64_t d, std::int64_t g, std::int64_t o) {
  return {{"n", n}, {"c", c}, {"f", f}, {"h", h}, {"v", v}, {"r", r}, {"q", q},
          {"s", s}, {"t", t}, {"p", p}, {"d", d}, {"g", g}, {"o", o}};
}

std::vector<Sizes> spread_sizes() {
  return {spread(2, 5, 12, 7, 9, 3, 5, 2, 3, 1, 1, 1, 1),   // two and three phases
          spread(1, 3, 17, 5, 6, 2, 2, 5, 4, 0, 1, 1, 0),   // strides wider than the filter
          spread(1, 4, 9, 6, 5, 3, 3, 2, 2, 2, 2, 1, 0),    // a dilation that skips phases
          spread(1, 2, 10, 6, 6, 3, 3, 1, 1, 1, 1, 1, 0),   // one phase
          spread(1, 6, 12, 4, 3, 1, 1, 3, 7, 0, 1, 1, 2)};  // most outputs have no term
}

TEST_F(ImplicitGemm, PhasesOfTransposedConvolutions) {
  const auto task = transposed(transposed_source(kContinues), spread_sizes());
  expect_same(task, "implicit_gemm", "tile=16x128;repeat=1;terms=256");
  const auto kernel = rewritten(task, "implicit_gemm", "tile=32x128;repeat=1;terms=256");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  // Phases are blocks of their own: s * t times as many.
  EXPECT_NE(kernel->plan.launches[0].grid[0].find("(t) * (s)"), std::string::npos)
      << kernel->plan.launches[0].grid[0];
}

TEST_F(ImplicitGemm, SpellingsOfTheGrid) {
  const std::string inside = "iy >= 0 && iy < height && 0 <= ix && width > ix";
  for (const auto& source :
       {transposed_source("if (ty % down == 0 && tx % across == 0) { if (" + inside + ") {", "} }"),
        transposed_source("if (ty / down * down == ty && ix * across == tx && " + inside + ") {",
                          "}"),
        transposed_source("if (ty < 0 || tx < 0) continue;\n"
                          "        if (ty - iy * down || tx % across) continue;\n"
                          "        if (iy >= height || ix >= width) continue;")}) {
    auto sizes = spread_sizes();
    sizes.resize(3);
    expect_same(transposed(source, sizes), "implicit_gemm", "tile=32x128;repeat=1;terms=256");
  }
}

TEST_F(ImplicitGemm, GroupsOfTransposedConvolutions) {
  const auto task =
      transposed(transposed_source(kContinues), {spread(1, 6, 24, 7, 5, 3, 2, 2, 2, 1, 1, 3, 1),
                                                 spread(2, 4, 16, 4, 6, 2, 3, 1, 3, 0, 1, 2, 0),
                                                 spread(1, 3, 9, 5, 4, 3, 3, 2, 1, 1, 1, 1, 0)});
  expect_same(task, "implicit_gemm", "tile=16x128;repeat=2;terms=256");
}

/// Filters along the threads, lines along blocks, channels innermost, wide indices.
TEST_F(ImplicitGemm, OtherMappingsAndOrders) {
  const char* source = R"(#include <cuda_bf16.h>
extern "C" __global__ void volume(const __nv_bfloat16* x, const __nv_bfloat16* w, float* y, int batch,
                                  int channels, int filters, int length, int size, int stride,
                                  int padding, int out_length) {
  int filter = blockIdx.x * blockDim.x + threadIdx.x;
  int at = blockIdx.y * blockDim.y + threadIdx.y;
  int image = blockIdx.z;
  if (filter >= filters || at >= out_length || image >= batch) return;
  float sum = 0.0f;
  for (int k = 0; k < size; ++k) {
    unsigned from = at * stride + k - padding;
    if (from < (unsigned)length) {
      for (int c = 0; c < channels; ++c) {
        size_t place = ((size_t)image * channels + c) * length + from;
        sum += __bfloat162float(x[place]) * __bfloat162float(w[(filter * channels + c) * size + k]);
      }
    }
  }
  y[((size_t)image * filters + filter) * out_length + at] = sum > 0.0f ? sum : 0.0f;
}
)";
  const auto task = task_of(
      source,
      {ranged("x", Dtype::bf16, {"n", "c", "l"}, -4, 4),
       ranged("w", Dtype::bf16, {"f", "c", "r"}, -4, 4),
       output("y", Dtype::f32, {"n", "f", "(l + 2 * p - r) / s + 1"})},
      {launch_of("volume",
                 {"ceil_div(f, block_x)", "ceil_div((l + 2 * p - r) / s + 1, block_y)", "n"},
                 {"32", "4", "1"},
                 {"x", "w", "y", "i32:n", "i32:c", "i32:f", "i32:l", "i32:r", "i32:s", "i32:p",
                  "i32:(l + 2 * p - r) / s + 1"})},
      {{{"n", 2}, {"c", 9}, {"f", 33}, {"l", 101}, {"r", 3}, {"s", 1}, {"p", 1}},
       {{"n", 1}, {"c", 4}, {"f", 12}, {"l", 37}, {"r", 4}, {"s", 3}, {"p", 2}},
       {{"n", 3}, {"c", 1}, {"f", 8}, {"l", 6}, {"r", 5}, {"s", 2}, {"p", 0}}});
  expect_all_same(task, "implicit_gemm");
}

TEST_F(ImplicitGemm, PatchesHoldWhatABoxMeets) {
  const std::string tile = "tile=32x128;repeat=1;terms=256;octets=40;patch=";
  expect_same(
      transposed(transposed_source(kContinues), {spread(2, 17, 12, 7, 9, 3, 5, 2, 3, 1, 1, 1, 1),
                                                 spread(1, 11, 40, 5, 21, 2, 2, 5, 4, 0, 1, 1, 0),
                                                 spread(1, 16, 9, 6, 5, 3, 3, 2, 2, 2, 2, 1, 0),
                                                 spread(1, 8, 24, 19, 18, 3, 3, 1, 1, 1, 1, 2, 0),
                                                 spread(1, 6, 12, 4, 3, 1, 1, 3, 7, 0, 1, 1, 2),
                                                 // Too many channels for the table of the tile.
                                                 spread(1, 120, 9, 4, 3, 3, 3, 1, 1, 0, 1, 1, 0)}),
      "implicit_gemm", tile + "20");
  expect_same(direct(kDirect, {plane(2, 19, 17, 23, 20, 3, 5, 1, 0, 1, 1),
                               plane(1, 9, 11, 13, 9, 3, 2, 2, 3, 2, 1),
                               plane(3, 8, 4, 5, 1, 1, 1, 1, 0, 1, 1),
                               // A patch that does not fit.
                               plane(1, 12, 50, 60, 33, 2, 3, 4, 1, 3, 1)}),
              "implicit_gemm", tile + "16");
}

TEST_F(ImplicitGemm, SeededFaultsInPatchesAreNoticed) {
  const auto task = direct(kDirect, {plane(1, 19, 17, 23, 20, 3, 5, 1, 1, 1, 1)});
  const auto made =
      rewritten(task, "implicit_gemm", "tile=32x128;repeat=4;terms=256;octets=64;patch=20");
  ASSERT_TRUE(made.has_value()) << made.error().message;
  const std::vector<std::pair<std::string, std::string>> faults{
      {"origin[1] + cell_1 < taps.from.extents[1] &&", ""},
      {"    tile.clear();\n    __syncthreads();", "    tile.clear();"},
      {"    patch.multiply();\n", ""},
      {"patch.fill_tables(taps);", "patch.fill_tables(taps); patch.pitch += 16u;"}};
  for (const auto& [from, to] : faults) {
    SCOPED_TRACE(from);
    expect_noticed(task, broken(*made, from, to));
  }
}

TEST_F(ImplicitGemm, SeededFaultsAreNoticed) {
  const auto task = transposed(transposed_source(kContinues), spread_sizes());
  const auto made = rewritten(task, "implicit_gemm", "tile=32x128;repeat=1;terms=256");
  ASSERT_TRUE(made.has_value()) << made.error().message;
  const std::vector<std::pair<std::string, std::string>> faults{
      {"if (is_in) right_held[j] =", "right_held[j] ="},
      {"((1u << lane) - 1u)", "((2u << lane) - 1u)"},
      {"memory.row_places[first + r]", "memory.row_places[first]"},
      {"      store_right(0u);\n    }\n    __syncthreads();", "      store_right(0u);\n    }"}};
  for (const auto& [from, to] : faults) expect_noticed(task, broken(*made, from, to));
}

TEST_F(ImplicitGemm, SaysWhatStandsInTheWay) {
  const auto refused = [&](const std::string& conditions, const std::string& why) {
    expect_refused(transposed(transposed_source(conditions), spread_sizes()), "implicit_gemm", why);
  };
  refused(replaced(kContinues, "tx % across != 0", "tx / 2 % across != 0"),
          "is no bound and does not repeat along 'ox'");
  refused(kContinues + " if (filter > ox + 1000) continue;", "depends on both operands' outputs");
  // Of a negative number the remainder is negative: only tests for zero say the same of all phases.
  refused(replaced(kContinues, "tx % across != 0", "tx < 0 || tx % across > 0"),
          "is no bound and no test for zero of signed numbers");
  expect_refused(direct(replaced(kDirect, "iy) * width + ix", "iy) * width + (ix ^ 1)"),
                        {plane(2, 3, 18, 24, 20, 3, 5, 1, 0, 1, 1)}),
                 "implicit_gemm", "is no sum of a number of the output and one of the term");
}

}  // namespace
}  // namespace warpmind::rewrites
