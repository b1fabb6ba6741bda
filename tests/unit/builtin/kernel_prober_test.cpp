#include "agents/builtin/probe/kernel_prober.h"

#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

using Scalars = std::map<std::string, std::int64_t, std::less<>>;

/// A source with one kernel `k`, launched once.
class Bench {
 public:
  Bench(const std::string& text, std::array<std::uint32_t, 3> grid,
        std::array<std::uint32_t, 3> block, Scalars scalars = {})
      : source_(std::move(CudaSource::read(text).value())) {
    launch_.shape.grid = grid;
    launch_.shape.block = block;
    launch_.scalars = std::move(scalars);
  }

  [[nodiscard]] KernelProber prober() const { return {source_, *source_.kernel("k"), launch_}; }

  /// The `nth` outermost node in the kernel that reads exactly so.
  [[nodiscard]] NodeId find(std::string_view text, int nth = 0) const {
    for (const NodeId node : source_.tree.descendants(source_.kernel("k")->body)) {
      const auto& seen = source_.tree.node(node);
      if (!seen.is_named || source_.tree.text(node) != text) continue;
      if (nth-- == 0) return node;
    }
    ADD_FAILURE() << "no '" << text << "'";
    return kNoNode;
  }
  [[nodiscard]] NodeId loop(int nth = 0) const {
    return source_.tree.descendants(source_.kernel("k")->body, "for_statement")
        .at(static_cast<std::size_t>(nth));
  }

 private:
  CudaSource source_;
  SceneLaunch launch_;
};

constexpr const char* kGemm = R"(
extern "C" __global__ void k(const float* a, const float* b, float* c, int m, int n, int depth) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < depth; ++i) sum += a[row * depth + i] * b[i * n + column];
  c[row * n + column] = sum;
})";

TEST(KernelProberTest, RowMajorMatrices) {
  const Bench bench(kGemm, {5, 7, 1}, {16, 8, 1}, {{"m", 50}, {"n", 67}, {"depth", 33}});
  const auto prober = bench.prober();
  const NodeId left = bench.find("row * depth + i");
  const NodeId right = bench.find("i * n + column");
  const NodeId out = bench.find("row * n + column");
  EXPECT_EQ(prober.threads(), 80 * 56);
  const auto thread = prober.position(3 + 80 * 9);
  EXPECT_EQ(prober.value(left, thread, {{bench.loop(), 5}}), 9 * 33 + 5);
  EXPECT_EQ(prober.trips(bench.loop(), thread), 33);
  EXPECT_EQ(prober.value(left, thread, {{bench.loop(), 33}}), std::nullopt);  // the loop is shorter
  EXPECT_EQ(prober.value(out, prober.position(67)), std::nullopt);            // guarded out
  EXPECT_EQ(prober.reaches(out, prober.position(67)), false);
  EXPECT_EQ(prober.reaches(out, prober.position(66)), true);
  EXPECT_EQ(stride_along_thread(prober, left, 0), 0);
  EXPECT_EQ(stride_along_thread(prober, right, 0), 1);
  EXPECT_EQ(stride_along_thread(prober, left, 1), 33);
  EXPECT_EQ(stride_along_thread(prober, left, 2), std::nullopt);  // blocks are one deep
  EXPECT_EQ(stride_along_loop(prober, left, bench.loop()), 1);
  EXPECT_EQ(stride_along_loop(prober, right, bench.loop()), 67);
  EXPECT_EQ(largest_value(prober, out), 50 * 67 - 1);
  EXPECT_EQ(largest_value(prober, right), 33 * 67 - 1);
  EXPECT_EQ(is_flat_thread(prober, out), false);
  EXPECT_EQ(is_uniform(prober, bench.find("depth", 1)), true);
  EXPECT_EQ(is_uniform(prober, out), false);
}

TEST(KernelProberTest, IndexTakenApartByDivision) {
  const Bench bench(R"(
__global__ void k(const float* __restrict__ x, float* y, int channels, int height, int width) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < channels * height * width) {
    const int column = index % width, row = index / width % height;
    int channel = index / (width * height);
    y[(channel * height + row) * width + column] = x[(row * width + column) * channels + channel];
  }
})",
                    {4, 1, 1}, {64, 1, 1}, {{"channels", 3}, {"height", 7}, {"width", 11}});
  const auto prober = bench.prober();
  const NodeId out = bench.find("(channel * height + row) * width + column");
  EXPECT_EQ(is_flat_thread(prober, bench.find("index")), true);
  EXPECT_EQ(is_flat_thread(prober, out), true);
  EXPECT_EQ(
      stride_along_thread(prober, bench.find("(row * width + column) * channels + channel"), 0),
      std::nullopt);
  EXPECT_EQ(largest_value(prober, out), 230);
  EXPECT_EQ(prober.value(bench.find("channel", 1), prober.position(230)), 2);
  EXPECT_EQ(prober.value(out, prober.position(231)), std::nullopt);
}

TEST(KernelProberTest, GridStrideLoop) {
  const Bench bench(R"(
__global__ void k(float* y, size_t n) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    y[i] = 1.0f;
  }
})",
                    {3, 1, 1}, {32, 1, 1}, {{"n", 1000}});
  const auto prober = bench.prober();
  const NodeId index = bench.find("y[i]");
  const NodeId i = bench.find("i", 3);
  EXPECT_EQ(prober.trips(bench.loop(), prober.position(0)), 11);
  EXPECT_EQ(prober.trips(bench.loop(), prober.position(40)), 10);
  EXPECT_EQ(prober.access(index, prober.position(7), {{bench.loop(), 4}}),
            (Access{"y", 7 + 4 * 96}));
  EXPECT_EQ(stride_along_loop(prober, i, bench.loop()), 96);
  EXPECT_EQ(stride_along_thread(prober, i, 0), 1);
  EXPECT_EQ(prober.reaches(index, prober.position(40), {{bench.loop(), 10}}), false);
}

TEST(KernelProberTest, PointersCountInElements) {
  const Bench bench(R"(
#include <cuda_fp16.h>
__global__ void k(const __half* x, const float* w, float* y, int n) {
  const __half* row = x + (size_t)blockIdx.x * n;
  auto wide = reinterpret_cast<const uint4*>(row);
  const float* end = &w[n];
  __shared__ float tile[8][33];
  for (const float* at = w + threadIdx.x; at < end; at += blockDim.x) tile[0][1] += *at;
  row += 8;
  if (((size_t)x & 15) == 0) y[end - w] = __half2float(row[3]) + wide[2].x;
})",
                    {4, 1, 1}, {32, 1, 1}, {{"n", 48}});
  const auto prober = bench.prober();
  const auto thread = prober.position(2 * 32 + 5);
  EXPECT_EQ(prober.access(bench.find("row[3]"), thread), (Access{"x", 2 * 48 + 11}));
  EXPECT_EQ(prober.access(bench.find("wide[2]"), thread), (Access{"x", 2 * 6 + 2}));
  EXPECT_EQ(prober.value(bench.find("end - w"), thread), 48);
  EXPECT_EQ(prober.access(bench.find("*at"), thread, {{bench.loop(), 1}}), (Access{"w", 37}));
  EXPECT_EQ(prober.value(bench.find("row[3]"), thread), std::nullopt);  // data
  EXPECT_EQ(prober.reaches(bench.find("end - w"), thread), true);
}

TEST(KernelProberTest, UnsignedWrapsAndSignedOverflowIsUnknown) {
  const Bench bench(R"(
__global__ void k(int* y, int n, unsigned big) {
  uint32_t below = threadIdx.x - 1;
  int back = (int)(below + 1u);
  long long wide = (long long)big * n;
  int narrow = 65536 * n;
  unsigned short small = 65535 + n;
  y[below] = back + wide + narrow + small;
  y[0] = -7 / 2 + -7 % 4 + (1 << 4 | 3) + (n >= 0 ? 100 : 200);
})",
                    {1, 1, 1}, {32, 1, 1}, {{"n", 65536}, {"big", 4294967295}});
  const auto prober = bench.prober();
  EXPECT_EQ(prober.value(bench.find("below", 2), prober.position(0)), 4294967295);
  EXPECT_EQ(prober.value(bench.find("back", 1), prober.position(0)), 0);
  EXPECT_EQ(prober.value(bench.find("wide", 1), prober.position(0)), 4294967295LL * 65536);
  EXPECT_EQ(prober.value(bench.find("narrow", 1), prober.position(0)), std::nullopt);
  EXPECT_EQ(prober.value(bench.find("small", 1), prober.position(0)), 65535);
  EXPECT_EQ(prober.value(bench.find("-7 / 2 + -7 % 4 + (1 << 4 | 3) + (n >= 0 ? 100 : 200)"),
                         prober.position(0)),
            -3 - 3 + 19 + 100);
}

TEST(KernelProberTest, HelpersAndConstantsOfTheFile) {
  const Bench bench(R"(
#define TILE 16
#define TWICE (TILE * 2)
#define OPEN TILE + 1
#ifdef SMALL
#define EDGE 3
#endif
constexpr int kRows = TILE * 4;
using Index = unsigned int;
__device__ int clamped(int v, int low, int high) {
  if (v < low) return low;
  return v > high ? high : v;
}
template <typename T> __device__ T ceil_div(T a, T b) { return (a + b - 1) / b; }
__device__ int sum_to(int n) { int s = 0; for (int i = 1; i <= n; ++i) s += i; return s; }
__device__ int peek(const int* p) { return p[0]; }
__device__ void bump(int& v) { ++v; }
__global__ void k(int* y, const int* p, int n) {
  Index i = threadIdx.x;
  int bumped = 1;
  bump(bumped);
  y[0] = clamped(i - 2, 0, TWICE);
  y[1] = ceil_div(n, kRows);
  y[2] = sum_to(10) + min(n, 3) + max(2u, 1u) + abs(-4) + static_cast<int>(sizeof(float4));
  y[3] = peek(p);
  y[4] = OPEN * 2;
  y[5] = EDGE;
  y[6] = bumped;
})",
                    {1, 1, 1}, {64, 1, 1}, {{"n", 130}});
  const auto prober = bench.prober();
  const auto thread = prober.position(40);
  EXPECT_EQ(prober.value(bench.find("clamped(i - 2, 0, TWICE)"), thread), 32);
  EXPECT_EQ(prober.value(bench.find("ceil_div(n, kRows)"), thread), 3);
  EXPECT_EQ(prober.value(bench.find("sum_to(10) + min(n, 3) + max(2u, 1u) + abs(-4) + "
                                    "static_cast<int>(sizeof(float4))"),
                         thread),
            55 + 3 + 2 + 4 + 16);
  EXPECT_EQ(prober.value(bench.find("peek(p)"), thread), std::nullopt);
  EXPECT_EQ(prober.value(bench.find("OPEN * 2"), thread), std::nullopt);
  EXPECT_EQ(prober.value(bench.find("EDGE"), thread), std::nullopt);
  EXPECT_EQ(prober.value(bench.find("bumped", 2), thread), std::nullopt);
}

TEST(KernelProberTest, UnknownSpoilsOnlyWhatDependsOnIt) {
  const Bench bench(R"(
__global__ void k(const int* list, float* y, int n, float scale) {
  int i = threadIdx.x;
  int from = list[i];
  int count = 4;
  if (from > 3) count = 5;
  if (scale > 1.0f) n += 0;
  if (list[i] < 0) return;
  y[i] = 1;
  y[from] = count;
  y[i + n] = 2;
})",
                    {1, 1, 1}, {32, 1, 1}, {{"n", 8}});
  const auto prober = bench.prober();
  const auto thread = prober.position(3);
  EXPECT_EQ(prober.access(bench.find("y[i]"), thread), (Access{"y", 3}));
  EXPECT_EQ(prober.reaches(bench.find("y[i]"), thread), std::nullopt);
  EXPECT_EQ(prober.value(bench.find("from", 2), thread), std::nullopt);
  EXPECT_EQ(prober.value(bench.find("count", 2), thread), std::nullopt);
  EXPECT_EQ(prober.value(bench.find("i + n"), thread), std::nullopt);
  EXPECT_EQ(is_uniform(prober, bench.find("from", 2)), std::nullopt);
}

TEST(KernelProberTest, NestedLoopsWithContinueStepsAndWhatTheyCarry) {
  const Bench bench(R"(
__global__ void k(const float* x, float* y, int height, int width, int pad) {
  int out = threadIdx.x;
  float sum = 0;
  int offset = 10;
  for (int r = 0; r < 3; ++r) {
    int row = out + r - pad;
    if (row < 0 || row >= height) continue;
    for (int c = 2 * r; c <= width; c += 2) {
      sum += x[row * width + c];
    }
    offset += 7;
    y[offset] = sum;
  }
  for (int s = blockDim.x / 2; s > 0; s >>= 1) sum += y[s];
  y[out] = sum;
})",
                    {1, 1, 1}, {32, 1, 1}, {{"height", 32}, {"width", 9}, {"pad", 1}});
  const auto prober = bench.prober();
  const NodeId outer = bench.loop(0);
  const NodeId inner = bench.loop(1);
  const NodeId read = bench.find("row * width + c");
  EXPECT_EQ(prober.value(read, prober.position(0), {{outer, 0}}), std::nullopt);  // continue
  EXPECT_EQ(prober.value(read, prober.position(5), {{outer, 2}, {inner, 1}}), 6 * 9 + 6);
  EXPECT_EQ(prober.trips(inner, prober.position(5), {{outer, 2}}), 3);
  EXPECT_EQ(prober.trips(inner, prober.position(5), {{outer, 0}}), 5);
  EXPECT_EQ(prober.value(bench.find("offset", 2), prober.position(5), {{outer, 2}}), 31);
  EXPECT_EQ(prober.value(bench.find("offset", 2), prober.position(0), {{outer, 2}}), 24);
  EXPECT_EQ(prober.trips(bench.loop(2), prober.position(0)), 5);
  EXPECT_EQ(prober.value(bench.find("s", 3), prober.position(0), {{bench.loop(2), 4}}), 1);
  EXPECT_EQ(stride_along_loop(prober, read, inner), 2);
  EXPECT_EQ(prober.access(bench.find("y[out]"), prober.position(9)), (Access{"y", 9}));
}

TEST(KernelProberTest, LambdasAndAddressesAreNotTrusted) {
  const Bench bench(R"(
__global__ void k(int* y) {
  int a = 1, b = 2, c = 3;
  auto f = [&] { a = 7; };
  f();
  atomicAdd(&b, 1);
  y[a] = b;
  y[c] = 0;
})",
                    {1, 1, 1}, {32, 1, 1});
  const auto prober = bench.prober();
  EXPECT_EQ(prober.access(bench.find("y[a]"), prober.position(0)), std::nullopt);
  EXPECT_EQ(prober.value(bench.find("b", 2), prober.position(0)), std::nullopt);
  EXPECT_EQ(prober.access(bench.find("y[c]"), prober.position(0)), (Access{"y", 3}));
}

TEST(KernelProberTest, EndlessLoopsEnd) {
  const Bench bench(R"(
__global__ void k(int* y) {
  int a = 1;
  while (a != 0) { a ^= 2; }
  y[a] = 0;
  y[3] = 0;
})",
                    {1, 1, 1}, {32, 1, 1});
  const auto prober = bench.prober();
  EXPECT_EQ(prober.access(bench.find("y[a]"), prober.position(0)), std::nullopt);
}

}  // namespace
}  // namespace warpmind::agents::builtin
