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

}  // namespace
}  // namespace warpmind::agents::builtin
