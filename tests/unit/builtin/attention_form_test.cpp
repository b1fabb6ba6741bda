#include "agents/builtin/forms/attention_form.h"

#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A block a query; parts of the kernel can be written in another way.
struct Parts {
  std::string prologue =
      "  int row = blockIdx.x;\n"
      "  int head = blockIdx.y;\n"
      "  const __half* mine = q + (head * n + row) * dim;\n";
  std::string keys = "int j = threadIdx.x; j <= row; j += blockDim.x";
  std::string mask;
  std::string dot = "score += __half2float(mine[i]) * __half2float(k[(head * n + j) * dim + i]);";
  std::string score = "score / sqrtf((float)dim)";
  std::string softmax =
      "  if (threadIdx.x == 0) {\n"
      "    float largest = scores[0];\n"
      "    for (int j = 1; j <= row; ++j) largest = fmaxf(largest, scores[j]);\n"
      "    sum = 0.0f;\n"
      "    for (int j = 0; j <= row; ++j) {\n"
      "      scores[j] = expf(scores[j] - largest);\n"
      "      sum += scores[j];\n"
      "    }\n"
      "  }\n";
  std::string weighted =
      "for (int j = 0; j <= row; ++j) value += scores[j] * "
      "__half2float(v[(head * n + j) * dim + i]);";
  std::string store = "out[(head * n + row) * dim + i] = __float2half(value / sum);";
  std::string output = "out";  ///< what the parameter of that name is given

  [[nodiscard]] SceneOf scene() const {
    const auto buffer = [](std::string name, ArgumentKind kind) {
      return Argument{std::move(name), kind, Dtype::f16, {"heads", "n", "dim"}, "", {}, 0, 0};
    };
    return {
        "#include <cuda_fp16.h>\n"
        "extern \"C\" __global__ void attend(const __half* q, const __half* k, const __half* v,\n"
        "                                  __half* out, int n, int dim) {\n"
        "  extern __shared__ float scores[];\n  __shared__ float sum;\n" +
            prologue + "  for (" + keys + ") {\n" + mask + "    float score = 0.0f;\n" +
            "    for (int i = 0; i < dim; ++i) {\n      " + dot + "\n    }\n" +
            "    scores[j] = " + score + ";\n  }\n  __syncthreads();\n" + softmax +
            "  __syncthreads();\n  for (int i = threadIdx.x; i < dim; i += blockDim.x) {\n" +
            "    float value = 0.0f;\n    " + weighted + "\n    " + store + "\n  }\n}\n",
        {buffer("q", ArgumentKind::in), buffer("k", ArgumentKind::in),
         buffer("v", ArgumentKind::in), buffer("out", ArgumentKind::out)},
        {{"attend",
          {"n", "heads", "1"},
          {"128", "1", "1"},
          "4 * n",
          {"q", "k", "v", output, "i32:n", "i32:dim"}}},
        {{{"heads", 4}, {"n", 256}, {"dim", 64}}, {{"heads", 1}, {"n", 3}, {"dim", 5}}}};
  }
  [[nodiscard]] NormalForm form() const {
    const SceneOf holder = scene();
    const Scene scene = holder.scene();
    auto forms = find_attention_forms(scene);
    EXPECT_TRUE(forms.has_value()) << forms.error().message;
    if (!forms || forms->size() != 1) return {};
    return forms->front();
  }
  [[nodiscard]] std::string refusal() const {
    const SceneOf holder = scene();
    const Scene scene = holder.scene();
    const auto forms = find_attention_forms(scene);
    return forms ? "found" : forms.error().message;
  }
};

TEST(AttentionFormTest, NamesWhatAQueryNeeds) {
  const NormalForm form = Parts{}.form();
  EXPECT_EQ(form.summary, "attention of __half; queries=1024, keys=256, dim=64");
  EXPECT_THAT(form.problem, HasSubstr("1.0f / (sqrtf((float)wm_dim))"));
  EXPECT_THAT(form.problem, HasSubstr("return &wm_k[(wm_at.head * wm_n + j) * wm_dim + 0];"));
  EXPECT_THAT(form.problem, HasSubstr("return static_cast<int>(wm_at.row) + 1;"));
  EXPECT_THAT(form.problem, HasSubstr("int row = wm_block_x;"));
  EXPECT_EQ(form.types.at("element"), "__half");
  EXPECT_EQ(form.fact("group")->plan, "(n)");
  EXPECT_EQ(form.fact("groups")->values, (std::vector<std::int64_t>{4, 1}));
  EXPECT_EQ(form.fact("dim")->plan, "(dim)");
  EXPECT_EQ(form.fact("is_masked")->values.front(), 0);
  EXPECT_EQ(form.arguments.back(), "u32:1");
}

TEST(AttentionFormTest, CarriesAMaskThatReadsData) {
  Parts parts;
  parts.mask =
      "    bool near = j < 8;\n"
      "    for (int s = 0; s < 3; ++s) near = near || j / 32 == row / 32 - s;\n";
  parts.score = "near ? score * rsqrtf(dim) : -INFINITY";
  const NormalForm form = parts.form();
  EXPECT_EQ(form.fact("is_masked")->values.front(), 1);
  EXPECT_THAT(form.problem, HasSubstr("near = near || j / 32 == wm_at.row / 32 - s;"));
  EXPECT_THAT(form.problem, HasSubstr("return true && (near);"));
}

TEST(AttentionFormTest, TakesMasksThatSkip) {
  Parts parts;
  parts.mask = "    if (j % 3 == 1) { scores[j] = -INFINITY; continue; }\n";
  EXPECT_THAT(parts.form().problem, HasSubstr("return true && !(j % 3 == 1);"));
}

TEST(AttentionFormTest, TakesWeightsThatAreDividedFirst) {
  Parts parts;
  parts.softmax +=
      "  __syncthreads();\n"
      "  for (int j = threadIdx.x; j <= row; j += blockDim.x) scores[j] /= sum;\n";
  parts.store = "out[(head * n + row) * dim + i] = __float2half(value);";
  EXPECT_THAT(parts.form().problem, HasSubstr("float value = wm_value / wm_sum;"));
}

TEST(AttentionFormTest, BlocksThatLeaveStillWriteWhatTheyDid) {
  Parts parts;
  parts.prologue +=
      "  if (row % 7 == 6) {\n"
      "    for (int i = threadIdx.x; i < dim; i += blockDim.x) {\n"
      "      out[(head * n + row) * dim + i] = __float2half(0.0f);\n    }\n    return;\n  }\n";
  const std::string problem = parts.form().problem;
  EXPECT_THAT(problem, HasSubstr("wm_at.wm_exists = false;"));
  EXPECT_THAT(problem, HasSubstr("wm_out[(head * wm_n + row) * wm_dim + i] = __float2half(0.0f);"));
  EXPECT_THAT(problem, HasSubstr("continue;"));
  EXPECT_THAT(problem, Not(HasSubstr("    return;\n")));
}

TEST(AttentionFormTest, SaysWhatStandsInTheWay) {
  const auto with = [](const auto& change) {
    Parts parts;
    change(parts);
    return parts.refusal();
  };
  EXPECT_EQ(with([](Parts& p) { p.score = "tanhf(score)"; }),
            "'attend': 'tanhf(score)' is more than a dot product, a factor and a mask");
  EXPECT_EQ(with([](Parts& p) { p.score = "score * (float)j"; }),
            "'attend': the scores' factor '(float)j' differs between keys");
  EXPECT_EQ(with([](Parts& p) {
              p.dot = "score += __half2float(mine[i]) * __half2float(k[(head * dim + i) * n + j]);";
            }),
            "'attend': the numbers of a row of 'k' do not lie side by side");
  EXPECT_EQ(
      with([](Parts& p) { p.keys = "int j = threadIdx.x + 1; j <= row; j += blockDim.x"; }),
      "'attend': the loop over 'j' does not meet every key from the first on, thread by thread");
  EXPECT_THAT(with([](Parts& p) {
                p.softmax =
                    "  if (threadIdx.x == 0) {\n    float largest = scores[0];\n"
                    "    for (int j = 1; j < row; ++j) largest = fmaxf(largest, scores[j]);\n  }\n";
              }),
              HasSubstr("does not meet the keys that have scores"));
  EXPECT_THAT(
      with([](Parts& p) { p.store = "out[i] = __float2half(value / sum); out[0] = v[0];"; }),
      HasSubstr("follows the weighted sum"));
  EXPECT_EQ(with([](Parts& p) { p.output = "k"; }),
            "'attend': 'out' may be read by the same launch");
  EXPECT_EQ(with([](Parts& p) { p.prologue += "  if (threadIdx.x > row) return;\n"; }),
            "'attend': the threads of a block do not agree on their query");
}

}  // namespace
}  // namespace warpmind::agents::builtin
