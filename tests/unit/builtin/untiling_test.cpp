#include "agents/builtin/untiling/untiled.h"

#include "agents/builtin/explain_moves.h"
#include "agents/builtin/forms/contraction_form.h"
#include "agents/builtin/scene_rewrites.h"
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
         "extern \"C\" __global__ void gemm(const " + type + "* A, const " + type +
         "* B, float* C, int M, int N, int K) {\n"
         "  " + tiles + "\n"
         "  const int tx = threadIdx.x;\n  const int ty = threadIdx.y;\n"
         "  const int row = blockIdx.y * T + ty;\n  const int col = blockIdx.x * T + tx;\n"
         "  float sum = 0.0f;\n"
         "  for (int t = 0; t < (K + T - 1) / T; ++t) {\n" +
         staging +
         "    __syncthreads();\n"
         "    #pragma unroll\n"
         "    for (int k = 0; k < T; ++k) {\n      " + inner + "\n    }\n    " + last_barrier +
         "\n  }\n  " + tail + "\n}\n";
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
  EXPECT_THAT(summary_of(scene_of), HasSubstr("after undoing its tiles in shared memory 'As', 'Bs'"))
      << source << plain_or_reason(scene_of);
}

TEST(Untiling, AGuardedTiledProductBecomesOneLoopOverTheTerms) {
  const auto scene_of = product(tiled(kGuarded), kOddSizes);
  const std::string plain = plain_or_reason(scene_of);
  EXPECT_THAT(plain, HasSubstr("for (int term = 0; term < K; ++term)"));
  EXPECT_EQ(plain.find("__shared__"), std::string::npos) << plain;
  EXPECT_EQ(plain.find("__syncthreads"), std::string::npos) << plain;
  EXPECT_THAT(summary_of(scene_of),
              HasSubstr("rows=100, columns=130, depth=70"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
