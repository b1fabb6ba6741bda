#include "agents/builtin/forms/selection_form.h"

#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;

/// Four passes; `choice` is the condition under which a column becomes the best.
struct Passes {
  std::string type = "float";
  std::string start = "int best = -1;";
  std::string mark = "taken = taken || at[row * 4 + e] == c;";
  std::string choice = "if (!taken && (best < 0 || x[row * n + c] > x[row * n + best])) best = c;";
  std::string store = "at[row * 4 + rank] = best;";

  [[nodiscard]] SceneOf scene() const {
    const auto buffer = [](std::string name, ArgumentKind kind, Dtype dtype,
                           std::vector<std::string> shape) {
      return Argument{std::move(name), kind, dtype, std::move(shape), "", {}, 0, 0};
    };
    return {
        "extern \"C\" __global__ void k(const " + type +
            "* x, int* at, float* values, int rows, int n) {\n"
            "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "  if (row >= rows) return;\n"
            "  for (int rank = 0; rank < 4; ++rank) {\n    " +
            start +
            "\n    for (int c = 0; c < n; ++c) {\n      bool taken = false;\n"
            "      for (int e = 0; e < rank; ++e) " +
            mark + "\n      " + choice + "\n    }\n    " + store + "\n  }\n}\n",
        {buffer("x", ArgumentKind::in, type == "float" ? Dtype::f32 : Dtype::f16, {"rows", "n"}),
         buffer("at", ArgumentKind::out, Dtype::i32, {"rows", "4"}),
         buffer("values", ArgumentKind::out, Dtype::f32, {"rows", "4"})},
        {{"k",
          {"ceil_div(rows, block_x)", "1", "1"},
          {"32", "1", "1"},
          "0",
          {"x", "at", "values", "i32:rows", "i32:n"}}},
        {{{"rows", 64}, {"n", 100}}, {{"rows", 3}, {"n", 5}}}};
  }
  [[nodiscard]] NormalForm form() const {
    auto forms = find_selection_forms(scene().scene());
    EXPECT_TRUE(forms.has_value()) << forms.error().message;
    return forms && forms->size() == 1 ? forms->front() : NormalForm{};
  }
  [[nodiscard]] std::string refusal() const {
    const auto forms = find_selection_forms(scene().scene());
    EXPECT_FALSE(forms.has_value());
    return forms ? "" : forms.error().message;
  }
};

TEST(SelectionForm, ReadsOrderAndSizes) {
  const auto form = Passes{}.form();
  EXPECT_EQ(form.types.at("key"), "float");
  EXPECT_EQ(form.fact("k")->values, (std::vector<std::int64_t>{4, 4}));
  EXPECT_EQ(form.fact("columns")->values, (std::vector<std::int64_t>{100, 5}));
  EXPECT_THAT(form.summary,
              HasSubstr("the largest 4 float of each row, of equal ones the earlier"));
  EXPECT_THAT(form.problem, HasSubstr("wm_largest = true;"));
  EXPECT_THAT(form.problem, HasSubstr("wm_earlier_first = true;"));
  // Without a key to beat, a NaN may be the first that is taken.
  EXPECT_THAT(form.problem, HasSubstr("return wm_a == wm_a;"));
  EXPECT_THAT(form.problem, HasSubstr("return x[row * n + c];"));
}

TEST(SelectionForm, TellsSmallestAndLaterFirst) {
  Passes passes;
  passes.choice = "if (!taken && (best == -1 || x[row * n + best] >= x[row * n + c])) best = c;";
  const auto form = passes.form();
  EXPECT_THAT(form.problem, HasSubstr("wm_largest = false;"));
  EXPECT_THAT(form.problem, HasSubstr("wm_earlier_first = false;"));
}

TEST(SelectionForm, KeepsTheKeyToBeat) {
  Passes passes;
  passes.start = "float most = -1e30f;\n    int best = -1;";
  passes.choice =
      "const float v = x[row * n + c];\n      if (taken) continue;\n"
      "      if (v > most) {\n        most = v;\n        best = c;\n      }";
  passes.store = "at[row * 4 + rank] = best;\n    values[row * 4 + rank] = most;";
  const auto form = passes.form();
  EXPECT_THAT(form.problem, HasSubstr("return wm_a > static_cast<wm_key>(-1e30f);"));
  EXPECT_THAT(form.problem, HasSubstr("const wm_key most = wm_load(wm_row, wm_column);"));
}

TEST(SelectionForm, SaysWhatStandsInTheWay) {
  Passes other;
  other.store = "at[row * 4 + rank] = best + 1;";
  EXPECT_THAT(other.refusal(), HasSubstr("'best' is not kept as taken"));
  other = {};
  other.mark = "taken = at[row * 4 + e] == c;";
  EXPECT_THAT(other.refusal(), HasSubstr("does more than look for the best"));
  other = {};
  other.choice = "if (!taken && (best < 0 || x[row * n + c] > x[row * n + best + 1])) best = c;";
  EXPECT_THAT(other.refusal(), HasSubstr("not compared with the best"));
  other = {};
  other.choice = "if (best < 0 || x[row * n + c] > x[row * n + best]) best = c;";
  EXPECT_THAT(other.refusal(), HasSubstr("no pass leaves out the columns that were taken"));
  other = {};
  other.store = "at[row * 4] = best;\n    at[row * 4 + rank] = best;";
  EXPECT_THAT(other.refusal(), HasSubstr("may be stored for several ranks"));
  other = {};
  other.type = "__half";
  EXPECT_THAT(other.refusal(), HasSubstr("keys of type '__half' are not brought in order"));
  other = {};
  other.choice += "\n      values[row] = 1.0f;";
  EXPECT_THAT(other.refusal(), HasSubstr("the best"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
