#include "agents/builtin/contraction/separable_terms.h"
#include "tests/unit/builtin/scene_of.h"

#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

Argument argument(std::string name, ArgumentKind kind, std::vector<std::string> shape) {
  Argument made;
  made.name = std::move(name);
  made.kind = kind;
  made.dtype = Dtype::f16;
  made.shape = std::move(shape);
  return made;
}

/// A transposed convolution of lines, with `conditions` on `t = o + p - k` before its product.
SceneOf spread(const std::string& conditions, std::int64_t groups = 1,
               const std::string& type = "int") {
  const std::string source =
      "#include <cuda_fp16.h>\n"
      "extern \"C\" __global__ void spread(const __half* x, const __half* w, __half* y, int "
      "batch,\n"
      "    int channels, int filters, int length, int size, int stride, int padding, int groups,\n"
      "    int out_length) {\n"
      "  int index = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (index >= batch * filters * out_length) return;\n"
      "  int o = index % out_length;\n"
      "  int filter = index / out_length % filters;\n"
      "  int image = index / (out_length * filters);\n"
      "  int each = channels / groups;\n"
      "  int own = filters / groups;\n"
      "  float sum = 0.0f;\n"
      "  for (int c = 0; c < each; ++c) {\n"
      "    for (int k = 0; k < size; ++k) {\n      " +
      type + " t = o + padding - k;\n      " + conditions +
      "\n      int channel = filter / own * each + c;\n"
      "      sum += __half2float(x[(image * channels + channel) * length + t / stride]) *\n"
      "             __half2float(w[(channel * own + filter % own) * size + k]);\n"
      "    }\n  }\n"
      "  y[index] = __float2half(sum);\n}\n";
  const auto sizes = [&](std::int64_t length, std::int64_t size, std::int64_t stride) {
    return Sizes{{"n", 2},      {"c", 12},     {"f", 24},
                 {"l", length}, {"r", size},   {"s", stride},
                 {"p", 1},      {"g", groups}, {"o", (length - 1) * stride - 2 + size}};
  };
  return {source,
          {argument("x", ArgumentKind::in, {"n", "c", "l"}),
           argument("w", ArgumentKind::in, {"c", "f / g", "r"}),
           argument("y", ArgumentKind::out, {"n", "f", "o"})},
          {{"spread",
            {"ceil_div(n * f * o, block_x)", "1", "1"},
            {"128", "1", "1"},
            "0",
            {"x", "w", "y", "i32:n", "i32:c", "i32:f", "i32:l", "i32:r", "i32:s", "i32:p", "i32:g",
             "i32:o"}}},
          {sizes(40, 5, 2), sizes(17, 3, 3), sizes(9, 2, 1)}};
}

const std::string kConditions = "if (t % stride != 0 || t < 0 || t / stride >= length) continue;";

SeparableTerms terms_of(const Scene& scene) {
  const auto found = find_contraction(scene, 0);
  EXPECT_TRUE(found.has_value()) << (found ? "" : found.error().message);
  if (!found) return {};
  auto terms = find_separable_terms(scene, *found);
  EXPECT_TRUE(terms.has_value()) << (terms ? "" : terms.error().message);
  return terms ? *terms : SeparableTerms{};
}

TEST(ImplicitGemmTest, AConditionThatRepeatsSplitsTheOutputsIntoPhases) {
  const auto spreading = spread(kConditions);
  const Scene scene = spreading.scene();
  const auto terms = terms_of(scene);
  // Two sides of one window: t is the stride times t / stride where that is exact.
  ASSERT_EQ(terms.windows.size(), 1U);
  EXPECT_EQ(terms.windows[0].first, "0");
  EXPECT_EQ(terms.windows[0].end, "length");
  EXPECT_EQ(terms.live.size(), 1U);
  EXPECT_EQ(terms.channels, (std::set<std::size_t>{0}));
  EXPECT_EQ(terms.bases, (std::array<std::string, 2>{"w", "x"}));
  EXPECT_TRUE(terms.has_places);
  EXPECT_EQ(terms.contraction.batches, (std::vector<std::int64_t>{2, 3, 1}));
  EXPECT_EQ(terms.contraction.columns[0], 2 * ((39 * 2 - 2 + 5 + 1) / 2));
  EXPECT_EQ(terms.contraction.rows[0], 24);
  const Kernel kernel = spreading.apply("implicit_gemm", "tile=32x128;repeat=2;terms=256");
  EXPECT_EQ(kernel.plan.launches[0].grid[0],
            "ceil_div(((((o) + (s)) - 1) / (s)) * (n), 256) * ceil_div((f), 32) * ((s))");
  for (const char* kept : {"if (t % stride != 0) return false;", "return &x[(image * channels",
                           "wm_placed_tail<__half>(wm_finish)"}) {
    EXPECT_NE(kernel.source.find(kept), std::string::npos) << kept << "\n" << kernel.source;
  }
}

TEST(ImplicitGemmTest, GroupsAreBatches) {
  const auto spreading = spread(kConditions, 3);
  const auto terms = terms_of(spreading.scene());
  EXPECT_EQ(terms.contraction.rows[0], 8);
  EXPECT_EQ(terms.contraction.batches, (std::vector<std::int64_t>{6, 9, 3}));
}

TEST(ImplicitGemmTest, BoxesAreCountedInThePlan) {
  const auto spreading = spread(kConditions);
  const Kernel kernel =
      spreading.apply("implicit_gemm", "tile=32x128;repeat=2;terms=256;octets=40;patch=16");
  EXPECT_EQ(kernel.plan.launches[0].grid[0],
            "ceil_div(ceil_div(((((o) + (s)) - 1) / (s)), 16) * ceil_div((n), 8), 2) * "
            "ceil_div((f), 32) * ((s))");
  const auto& technique = SceneOf::technique_called("implicit_gemm");
  for (const char* text :
       {"", "tile=32x128", "tile=32x128;repeat=3;terms=256", "tile=32x128;repeat=2;terms=7",
        "tile=32x128;repeat=2;terms=256;octets=40", "tile=32x128;repeat=2;terms=256;launch=1",
        "tile=64x256;repeat=2;terms=256;octets=40;patch=16", "tile=8x8;repeat=2;terms=256"}) {
    EXPECT_EQ(technique.apply(spreading.scene(), text), std::nullopt) << text;
  }
}

/// Conditions on the outer loops leave few points at which the inner ones run at all.
TEST(ImplicitGemmTest, FewTermsThatCountAreFound) {
  const std::string source =
      "#include <cuda_fp16.h>\n"
      "extern \"C\" __global__ void volume(const __half* x, const __half* w, __half* y, int "
      "channels,\n"
      "    int filters, int edge, int size, int stride, int out) {\n"
      "  int index = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (index >= filters * out * out * out) return;\n"
      "  int ox = index % out;\n"
      "  int oy = index / out % out;\n"
      "  int oz = index / (out * out) % out;\n"
      "  int f = index / (out * out * out);\n"
      "  float sum = 0.0f;\n"
      "  for (int c = 0; c < channels; ++c) {\n"
      "    for (int kz = 0; kz < size; ++kz) {\n"
      "      int tz = oz + 3 - kz;\n"
      "      if (tz % stride != 0 || tz / stride < 0 || tz / stride >= edge) continue;\n"
      "      for (int ky = 0; ky < size; ++ky) {\n"
      "        int ty = oy + 3 - ky;\n"
      "        if (ty % stride != 0 || ty / stride < 0 || ty / stride >= edge) continue;\n"
      "        for (int kx = 0; kx < size; ++kx) {\n"
      "          int tx = ox + 3 - kx;\n"
      "          if (tx % stride != 0 || tx / stride < 0 || tx / stride >= edge) continue;\n"
      "          int from = ((c * edge + tz / stride) * edge + ty / stride) * edge + tx / stride;\n"
      "          int by = (((c * filters + f) * size + kz) * size + ky) * size + kx;\n"
      "          sum += __half2float(x[from]) * __half2float(w[by]);\n"
      "        }\n      }\n    }\n  }\n"
      "  y[index] = __float2half(sum);\n}\n";
  const SceneOf volume(source,
                       {argument("x", ArgumentKind::in, {"c", "e", "e", "e"}),
                        argument("w", ArgumentKind::in, {"c", "f", "r", "r", "r"}),
                        argument("y", ArgumentKind::out, {"f", "o", "o", "o"})},
                       {{"volume",
                         {"ceil_div(f * o * o * o, block_x)", "1", "1"},
                         {"128", "1", "1"},
                         "0",
                         {"x", "w", "y", "i32:c", "i32:f", "i32:e", "i32:r", "i32:s", "i32:o"}}},
                       {{{"c", 8}, {"f", 16}, {"e", 12}, {"r", 3}, {"s", 4}, {"o", 41}}});
  const auto terms = terms_of(volume.scene());
  EXPECT_EQ(terms.windows.size(), 3U);
  EXPECT_EQ(terms.contraction.batches, (std::vector<std::int64_t>{64}));
  EXPECT_EQ(terms.channels, (std::set<std::size_t>{0}));
}

TEST(ImplicitGemmTest, SaysWhatStandsInTheWay) {
  const auto refusal = [](const SceneOf& scene) { return scene.offer("implicit_gemm").refusal; };
  EXPECT_EQ(refusal(spread("if (t < 0 || t % stride > 0 || t / stride >= length) continue;")),
            "'t % stride > 0' is no bound and no test for zero of signed numbers");
  EXPECT_EQ(refusal(spread(kConditions, 1, "unsigned")),
            "'t % stride != 0' is no bound and no test for zero of signed numbers");
  EXPECT_EQ(refusal(spread("if (t < 0 || t / stride >= length) continue;")),
            "'t / stride' is no sum of a number of the output and one of the term");
}

}  // namespace
}  // namespace warpmind::agents::builtin
