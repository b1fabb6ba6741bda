#include "agents/builtin/explain_moves.h"
#include "agents/builtin/forms/contraction_form.h"
#include "agents/builtin/scene_rewrites.h"
#include "agents/builtin/untiling/untiled.h"
#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using ::testing::HasSubstr;

Argument matrix(std::string name, ArgumentKind kind, std::vector<std::string> shape,
                Dtype dtype = Dtype::f32) {
  Argument made;
  made.name = std::move(name);
  made.kind = kind;
  made.dtype = dtype;
  made.shape = std::move(shape);
  return made;
}

/// A product of row-major matrices, sizes of which the first is timed.
SceneOf product(const std::string& source, std::vector<Sizes> sizes, Dtype dtype = Dtype::f32,
                std::array<std::string, 2> block = {"16", "16"}) {
  return {source,
          {matrix("A", ArgumentKind::in, {"m", "k"}, dtype),
           matrix("B", ArgumentKind::in, {"k", "n"}, dtype),
           matrix("C", ArgumentKind::inout, {"m", "n"})},
          {{"gemm",
            {"ceil_div(n, 16)", "ceil_div(m, 16)", "1"},
            {block[0], block[1], "1"},
            "0",
            {"A", "B", "C", "i32:m", "i32:n", "i32:k"}}},
          std::move(sizes)};
}

const std::vector<Sizes> kOddSizes{{{"m", 100}, {"n", 130}, {"k", 70}},
                                   {{"m", 3}, {"n", 5}, {"k", 7}}};
const std::vector<Sizes> kWholeTiles{{{"m", 64}, {"n", 128}, {"k", 96}}};

/// `staging` fills the tiles of step `t`, `body` is what follows the first barrier.
std::string tiled(const std::string& staging,
                  const std::string& inner = "sum += As[ty][k] * Bs[k][tx];",
                  const std::string& tiles = "__shared__ float As[T][T], Bs[T][T];",
                  const std::string& tail = "if (row < M && col < N) C[row * N + col] = sum;",
                  const std::string& type = "float",
                  const std::string& last_barrier = "__syncthreads();") {
  return "#include <cuda_fp16.h>\n#define T 16\n"
         "extern \"C\" __global__ void gemm(const " +
         type + "* A, const " + type +
         "* B, float* C, int M, int N, int K) {\n"
         "  " +
         tiles +
         "\n"
         "  const int tx = threadIdx.x;\n  const int ty = threadIdx.y;\n"
         "  const int row = blockIdx.y * T + ty;\n  const int col = blockIdx.x * T + tx;\n"
         "  float sum = 0.0f;\n"
         "  for (int t = 0; t < (K + T - 1) / T; ++t) {\n" +
         staging +
         "    __syncthreads();\n"
         "    #pragma unroll\n"
         "    for (int k = 0; k < T; ++k) {\n      " +
         inner + "\n    }\n    " + last_barrier + "\n  }\n  " + tail + "\n}\n";
}

const std::string kGuarded =
    "    As[ty][tx] = (row < M && t * T + tx < K) ? A[row * K + t * T + tx] : 0.0f;\n"
    "    Bs[ty][tx] = (t * T + ty < K && col < N) ? B[(t * T + ty) * N + col] : 0.0f;\n";

/// The kernel without its tiles, or the reason why they stay.
std::string plain_or_reason(const SceneOf& scene_of) {
  const Scene scene = scene_of.scene();
  const Untiling& found = untiling_of(scene);
  if (found.untiled) return found.untiled->kernel.source;
  return found.refusals.empty() ? "nothing to undo" : "refused: " + found.refusals.begin()->second;
}

/// The form that is found in the kernel without its tiles.
std::string summary_of(const SceneOf& scene_of) {
  const Scene scene = scene_of.scene();
  const auto forms = explain_forms(scene.context());
  if (!forms) return forms.error().message;
  for (const auto& form : *forms) {
    if (form.form == "contraction") return form.summary;
  }
  return "no contraction; " + plain_or_reason(scene_of);
}

void expect_contraction(const std::string& source, const std::vector<Sizes>& sizes,
                        Dtype dtype = Dtype::f32, std::array<std::string, 2> block = {"16", "16"}) {
  const auto scene_of = product(source, sizes, dtype, std::move(block));
  EXPECT_THAT(summary_of(scene_of),
              HasSubstr("after undoing its tiles in shared memory 'As', 'Bs'"))
      << source << plain_or_reason(scene_of);
}

TEST(Untiling, AGuardedTiledProductBecomesOneLoopOverTheTerms) {
  const auto scene_of = product(tiled(kGuarded), kOddSizes);
  const std::string plain = plain_or_reason(scene_of);
  EXPECT_THAT(plain, HasSubstr("for (int term = 0; term < K; ++term)"));
  EXPECT_EQ(plain.find("__shared__"), std::string::npos) << plain;
  EXPECT_EQ(plain.find("__syncthreads"), std::string::npos) << plain;
  EXPECT_THAT(summary_of(scene_of), HasSubstr("rows=100, columns=130, depth=70"));
}

TEST(Untiling, TilesMayBePaddedTransposedOrFlat) {
  expect_contraction(tiled(kGuarded, "sum += As[ty][k] * Bs[k][tx];",
                           "__shared__ float As[T][T + 1], Bs[T][T + 1];"),
                     kOddSizes);
  expect_contraction(tiled("    int aCol = t * T + tx;\n    int bRow = t * T + ty;\n"
                           "    As[tx][ty] = (row < M && aCol < K) ? A[row * K + aCol] : 0.0f;\n"
                           "    Bs[ty][tx] = (bRow < K && col < N) ? B[bRow * N + col] : 0.0f;\n",
                           "sum += As[k][ty] * Bs[k][tx];"),
                     kOddSizes);
  expect_contraction(
      tiled(
          "    As[ty * T + tx] = (row < M && t * T + tx < K) ? A[row * K + t * T + tx] : 0.0f;\n"
          "    Bs[ty * T + tx] = (t * T + ty < K && col < N) ? B[(t * T + ty) * N + col] : 0.0f;\n",
          "sum += As[ty * T + k] * Bs[k * T + tx];",
          "__shared__ float As[T * T];\n  __shared__ float Bs[T * T];"),
      kOddSizes);
}

TEST(Untiling, FillsMayBeBranchesOrValuesSetBefore) {
  expect_contraction(
      tiled("    if (row < M && t * T + tx < K) {\n      As[ty][tx] = A[row * K + t * T + tx];\n"
            "    } else {\n      As[ty][tx] = 0.0f;\n    }\n"
            "    if (t * T + ty < K && col < N) Bs[ty][tx] = B[(t * T + ty) * N + col];\n"
            "    else Bs[ty][tx] = 0.0f;\n"),
      kOddSizes);
  expect_contraction(tiled("    float a = 0.0f;\n    float b = 0.0f;\n"
                           "    if (row < M && t * T + tx < K) a = A[row * K + t * T + tx];\n"
                           "    if (t * T + ty < K && col < N) b = B[(t * T + ty) * N + col];\n"
                           "    As[ty][tx] = a;\n    Bs[ty][tx] = b;\n"),
                     kOddSizes);
}

TEST(Untiling, ThreadsMayShareTheCopying) {
  expect_contraction(
      tiled("    for (int i = ty * T + tx; i < T * T; i += T * T) {\n"
            "      int r = i / T;\n      int c = i % T;\n"
            "      int from = blockIdx.y * T + r;\n      int at = t * T + c;\n"
            "      As[r][c] = (from < M && at < K) ? A[from * K + at] : 0.0f;\n    }\n"
            "    for (int i = ty * T + tx; i < T * T; i += T * T) {\n"
            "      int r = i / T;\n      int c = i % T;\n"
            "      int from = t * T + r;\n      int at = blockIdx.x * T + c;\n"
            "      Bs[r][c] = (from < K && at < N) ? B[from * N + at] : 0.0f;\n    }\n"),
      kOddSizes);
}

TEST(Untiling, HalvesAreConvertedWhereTheyAreRead) {
  const std::string source = tiled(
      "    As[ty][tx] = (row < M && t * T + tx < K) ? __half2float(A[row * K + t * T + tx]) : "
      "0.0f;\n"
      "    Bs[ty][tx] = (t * T + ty < K && col < N) ? __half2float(B[(t * T + ty) * N + col]) : "
      "0.0f;\n",
      "sum += As[ty][k] * Bs[k][tx];", "__shared__ float As[T][T], Bs[T][T];",
      "if (row < M && col < N) C[row * N + col] = sum;", "__half");
  expect_contraction(source, kOddSizes, Dtype::f16);
}

/// Without guards, by pointers that move on; `step` is the loop over tiles.
std::string with_moving_pointers(const std::string& moves = "A += T;\n    B += T * N;") {
  return "#define T 16\n"
         "extern \"C\" __global__ void gemm(const float* A, const float* B, float* C, int M, int N,"
         " int K) {\n"
         "  __shared__ float As[T * T];\n  __shared__ float Bs[T * T];\n"
         "  const int column = threadIdx.x % T;\n  const int row = threadIdx.x / T;\n"
         "  A += blockIdx.y * T * K;\n  B += blockIdx.x * T;\n"
         "  C += blockIdx.y * T * N + blockIdx.x * T;\n"
         "  float sum = 0.0f;\n"
         "  for (int first = 0; first < K; first += T) {\n"
         "    As[row * T + column] = A[row * K + column];\n"
         "    Bs[row * T + column] = B[row * N + column];\n"
         "    __syncthreads();\n    " +
         moves +
         "\n    for (int k = 0; k < T; ++k) sum += As[row * T + k] * Bs[k * T + column];\n"
         "    __syncthreads();\n  }\n"
         "  C[row * N + column] = sum + C[row * N + column];\n}\n";
}

TEST(Untiling, PointersThatMoveFromTileToTileAreHeld) {
  const auto scene_of = product(with_moving_pointers(), kWholeTiles, Dtype::f32, {"256", "1"});
  EXPECT_THAT(summary_of(scene_of), HasSubstr("rows=64, columns=128, depth=96"))
      << plain_or_reason(scene_of);
}

TEST(Untiling, AWrongIndexStaysWrong) {
  const auto scene_of =
      product(tiled(kGuarded, "sum += As[ty][k] * Bs[k][(tx + 1) % T];"), kOddSizes);
  const std::string plain = plain_or_reason(scene_of);
  EXPECT_THAT(plain, HasSubstr("(tx + 1) % T"));
}

TEST(Untiling, AMissingBarrierIsARace) {
  const auto behind = product(
      tiled(kGuarded, "sum += As[ty][k] * Bs[k][tx];", "__shared__ float As[T][T], Bs[T][T];",
            "if (row < M && col < N) C[row * N + col] = sum;", "float", ""),
      kOddSizes);
  EXPECT_EQ(plain_or_reason(behind), "refused: 'As' is written without a barrier behind its reads");
  std::string source = tiled(kGuarded);
  source.erase(source.find("    __syncthreads();\n"), std::string("    __syncthreads();\n").size());
  EXPECT_EQ(plain_or_reason(product(source, kOddSizes)),
            "refused: 'As' is read without a barrier behind its store");
}

TEST(Untiling, WhatATileKeepsFromTheStepBeforeIsNotUndone) {
  const std::string source = tiled(
      "    if (t % 2 == 0) {\n"
      "      As[ty][tx] = (row < M && t * T + tx < K) ? A[row * K + t * T + tx] : 0.0f;\n    }\n"
      "    Bs[ty][tx] = (t * T + ty < K && col < N) ? B[(t * T + ty) * N + col] : 0.0f;\n");
  EXPECT_THAT(plain_or_reason(product(source, kOddSizes)), HasSubstr("refused: without its tiles"));
}

TEST(Untiling, ATileThatAnotherPartReadsIsFollowedThere) {
  const std::string source =
      tiled(kGuarded, "sum += As[ty][k] * Bs[k][tx];", "__shared__ float As[T][T], Bs[T][T];",
            "if (row < M && col < N) C[row * N + col] = sum + As[ty][0];", "float");
  EXPECT_THAT(plain_or_reason(product(source, kOddSizes)), HasSubstr("refused: "));
}

TEST(Untiling, TilesThatAreNotAllFilledAreRefused) {
  const std::string source = tiled(
      "    if (tx < T - 1) As[ty][tx] = row < M && t * T + tx < K ? "
      "A[row * K + t * T + tx] : 0.0f;\n"
      "    Bs[ty][tx] = (t * T + ty < K && col < N) ? "
      "B[(t * T + ty) * N + col] : 0.0f;\n");
  EXPECT_EQ(plain_or_reason(product(source, kOddSizes)),
            "refused: 'As' is read where nothing was written");
}

TEST(Untiling, BranchesThatHangOnDataAreRefused) {
  const std::string source = tiled(
      "    float a = (row < M && t * T + tx < K) ? A[row * K + t * T + tx] : 0.0f;\n"
      "    if (a > 0.5f) a = 0.5f;\n    As[ty][tx] = a;\n"
      "    Bs[ty][tx] = (t * T + ty < K && col < N) ? B[(t * T + ty) * N + col] : 0.0f;\n");
  EXPECT_THAT(plain_or_reason(product(source, kOddSizes)), HasSubstr("refused: "));
}

TEST(Untiling, AtomicsOnATileAreRefused) {
  const std::string source = tiled(kGuarded + "    atomicAdd(&As[ty][tx], 1.0f);\n");
  EXPECT_THAT(plain_or_reason(product(source, kOddSizes)), HasSubstr("refused: "));
}

TEST(Untiling, TechniquesAreAskedAgainWithoutTheTiles) {
  const auto scene_of = product(tiled(kGuarded), kOddSizes);
  const Scene scene = scene_of.scene();
  const auto rewrites = SceneRewrites::read(scene.context());
  ASSERT_TRUE(rewrites.has_value());
  const Technique& simt = SceneOf::technique_called("simt_contraction");
  const Offer offer = rewrites->offer(simt);
  ASSERT_FALSE(offer.moves.empty()) << offer.refusal;
  const auto kernel = rewrites->rewrite(simt, offer.moves.front().parameters);
  ASSERT_TRUE(kernel.has_value());
  EXPECT_EQ(kernel->source.find("As[ty]"), std::string::npos);
  EXPECT_TRUE(rewrites->offer(SceneOf::technique_called("block_scan")).moves.empty());
}

TEST(Untiling, WhatHoldsTheTilesStandsInTheRefusal) {
  std::string source = tiled(kGuarded);
  source.erase(source.find("    __syncthreads();\n"), std::string("    __syncthreads();\n").size());
  const auto scene_of = product(source, kOddSizes);
  const Scene scene = scene_of.scene();
  const auto rewrites = SceneRewrites::read(scene.context());
  ASSERT_TRUE(rewrites.has_value());
  EXPECT_THAT(rewrites->offer(SceneOf::technique_called("simt_contraction")).refusal,
              HasSubstr("its tiles stay, as 'As' is read without a barrier behind its store"));
}

/// 4 x 4 outputs a thread of 16 x 16, with `fragments` in registers; sums are in `sums`.
std::string register_tiled(const std::string& add = "sums[y][x] += down[y] * across[x];") {
  return R"(#define SIDE 64
#define DEPTH 8
#define EACH 4
extern "C" __global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[DEPTH][SIDE];
  __shared__ float Bs[DEPTH][SIDE];
  const int thread = threadIdx.y * 16 + threadIdx.x;
  float sums[EACH][EACH] = {0.0f};
  float down[EACH], across[EACH];
  for (int first = 0; first < K; first += DEPTH) {
    for (int i = thread; i < SIDE * DEPTH; i += 256) {
      const int row = blockIdx.y * SIDE + i / DEPTH;
      const int term = first + i % DEPTH;
      As[i % DEPTH][i / DEPTH] = (row < M && term < K) ? A[row * K + term] : 0.0f;
    }
    for (int i = thread; i < SIDE * DEPTH; i += 256) {
      const int term = first + i / SIDE;
      const int column = blockIdx.x * SIDE + i % SIDE;
      Bs[i / SIDE][i % SIDE] = (term < K && column < N) ? B[term * N + column] : 0.0f;
    }
    __syncthreads();
    for (int j = 0; j < DEPTH; ++j) {
#pragma unroll
      for (int i = 0; i < EACH; ++i) {
        down[i] = As[j][threadIdx.y * EACH + i];
        across[i] = Bs[j][threadIdx.x * EACH + i];
      }
      for (int y = 0; y < EACH; ++y) {
        for (int x = 0; x < EACH; ++x) {
          )" +
         add + R"(
        }
      }
    }
    __syncthreads();
  }
  for (int y = 0; y < EACH; ++y) {
    for (int x = 0; x < EACH; ++x) {
      const int row = blockIdx.y * SIDE + threadIdx.y * EACH + y;
      const int column = blockIdx.x * SIDE + threadIdx.x * EACH + x;
      if (row < M && column < N) C[row * N + column] = sums[y][x];
    }
  }
}
)";
}

SceneOf register_product(const std::string& source) {
  return {source,
          {matrix("A", ArgumentKind::in, {"m", "k"}), matrix("B", ArgumentKind::in, {"k", "n"}),
           matrix("C", ArgumentKind::out, {"m", "n"})},
          {{"gemm",
            {"ceil_div(n, 64)", "ceil_div(m, 64)", "1"},
            {"16", "16", "1"},
            "0",
            {"A", "B", "C", "i32:m", "i32:n", "i32:k"}}},
          {{{"m", 70}, {"n", 66}, {"k", 20}}, {{"m", 3}, {"n", 5}, {"k", 7}}}};
}

TEST(Untiling, OutputsOfAThreadGetAThreadEach) {
  const auto scene_of = register_product(register_tiled());
  const std::string summary = summary_of(scene_of);
  EXPECT_THAT(summary, HasSubstr("rows=70, columns=66, depth=20"));
  EXPECT_THAT(summary, HasSubstr("'As', 'Bs', and of outputs in 'sums'"));
  const Scene scene = scene_of.scene();
  const Untiling& found = untiling_of(scene);
  ASSERT_TRUE(found.untiled.has_value());
  const Launch& launch = found.untiled->kernel.plan.launches.front();
  EXPECT_EQ(launch.grid[0], "(ceil_div(n, 64)) * 4");
  EXPECT_EQ(launch.grid[1], "(ceil_div(m, 64)) * 4");
  EXPECT_EQ(launch.block, (std::array<std::string, 3>{"16", "16", "1"}));
}

TEST(Untiling, AProductWithTheWrongFragmentIsNoRectangleOfOutputs) {
  const auto scene_of = register_product(register_tiled("sums[y][x] += down[y] * down[x];"));
  const Scene scene = scene_of.scene();
  const Untiling& found = untiling_of(scene);
  ASSERT_TRUE(found.untiled.has_value());
  EXPECT_EQ(found.untiled->kernel.plan, scene.plan());
}

TEST(Untiling, AMoveOnTheGivenGridIsNotMadeOfTheWiderOne) {
  const auto scene_of = register_product(register_tiled());
  const Scene scene = scene_of.scene();
  const auto rewrites = SceneRewrites::read(scene.context());
  ASSERT_TRUE(rewrites.has_value());
  const Technique& restrict_pointers = SceneOf::technique_called("restrict");
  const auto kernel = rewrites->rewrite(restrict_pointers, "");
  ASSERT_TRUE(kernel.has_value());
  EXPECT_EQ(kernel->plan.launches.front().grid[0], "ceil_div(n, 64)");
  EXPECT_THAT(kernel->source, HasSubstr("__shared__ float As"));
}

/// A blur of 3 x 3 of a tile that `staging` fills; outside of the image are zeros.
SceneOf blur(const std::string& staging, const std::string& barrier = "__syncthreads();") {
  return {R"(#define T 16
extern "C" __global__ void blur(const float* u, float* v, int h, int w) {
  __shared__ float tile[T + 2][T + 3];
  int tx = threadIdx.x + 1;
  int ty = threadIdx.y + 1;
  int gx = blockIdx.x * T + threadIdx.x;
  int gy = blockIdx.y * T + threadIdx.y;
)" + staging + "\n  " +
              barrier + R"(
  if (gx < w && gy < h) {
    v[gy * w + gx] = 0.2f * (tile[ty][tx] + tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] +
                             tile[ty][tx + 1]);
  }
}
)",
          {matrix("u", ArgumentKind::in, {"h", "w"}), matrix("v", ArgumentKind::out, {"h", "w"})},
          {{"blur",
            {"ceil_div(w, 16)", "ceil_div(h, 16)", "1"},
            {"16", "16", "1"},
            "0",
            {"u", "v", "i32:h", "i32:w"}}},
          {{{"h", 100}, {"w", 130}}, {{"h", 3}, {"w", 5}}}};
}

const std::string kSharedHalo = R"(
  for (int i = threadIdx.y * T + threadIdx.x; i < (T + 2) * (T + 2); i += T * T) {
    int x = (int)(blockIdx.x * T) + i % (T + 2) - 1;
    int y = (int)(blockIdx.y * T) + i / (T + 2) - 1;
    tile[i / (T + 2)][i % (T + 2)] = (x >= 0 && x < w && y >= 0 && y < h) ? u[y * w + x] : 0.0f;
  })";

std::string window_of(const SceneOf& scene_of) {
  const Scene scene = scene_of.scene();
  const auto forms = explain_forms(scene.context());
  if (!forms) return forms.error().message;
  for (const auto& form : *forms) {
    if (form.form == "window") return form.summary;
  }
  return "no window; " + plain_or_reason(scene_of);
}

TEST(Untiling, ATileWithAHaloIsAWindow) {
  EXPECT_EQ(window_of(blur(kSharedHalo)),
            "window over gy=100, gx=130; taps=5, after undoing its tile in shared memory 'tile'");
}

TEST(Untiling, EachEdgeOfATileMayHaveAStoreOfItsOwn) {
  const std::string edges = R"(
  if (gx < w && gy < h) tile[ty][tx] = u[gy * w + gx]; else tile[ty][tx] = 0.0f;
  if (threadIdx.x == 0) tile[ty][0] = (gx > 0 && gy < h) ? u[gy * w + gx - 1] : 0.0f;
  if (threadIdx.x == T - 1) tile[ty][T + 1] = (gx + 1 < w && gy < h) ? u[gy * w + gx + 1] : 0.0f;
  if (threadIdx.y == 0) tile[0][tx] = (gy > 0 && gx < w) ? u[(gy - 1) * w + gx] : 0.0f;
  if (threadIdx.y == T - 1) tile[T + 1][tx] = (gy + 1 < h && gx < w) ? u[(gy + 1) * w + gx] : 0.0f;)";
  EXPECT_THAT(window_of(blur(edges)), HasSubstr("window over gy=100, gx=130; taps=5, after"));
  // One edge that holds something else.
  std::string wrong = edges;
  wrong.replace(wrong.find("u[(gy + 1) * w + gx]"), 20, "u[(gy    ) * w + gx]");
  EXPECT_THAT(window_of(blur(wrong)), HasSubstr("refused: without its tiles it is not the same"));
}

TEST(Untiling, AClampedTileIsClampedWhereItIsRead) {
  const std::string clamped = R"(
  for (int y = threadIdx.y; y < T + 2; y += T) {
    for (int x = threadIdx.x; x < T + 2; x += T) {
      int fromX = min(max((int)(blockIdx.x * T) + x - 1, 0), w - 1);
      int fromY = min(max((int)(blockIdx.y * T) + y - 1, 0), h - 1);
      tile[y][x] = u[fromY * w + fromX];
    }
  })";
  EXPECT_THAT(window_of(blur(clamped)), HasSubstr("window over gy=100, gx=130; taps=5, after"));
}

TEST(Untiling, ATileWithAHaloNeedsItsBarrier) {
  EXPECT_THAT(window_of(blur(kSharedHalo, "")),
              HasSubstr("refused: 'tile' is read without a barrier behind its store"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
