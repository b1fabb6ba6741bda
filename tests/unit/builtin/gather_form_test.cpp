#include "agents/builtin/forms/gather_form.h"

#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;
using testing::Not;

Argument buffer(std::string name, ArgumentKind kind, Dtype dtype, std::string elements) {
  return {std::move(name), kind, dtype, {std::move(elements)}, "", {}, 0, 0};
}

/// `work` with shift, values and y; 300 rows of 16 terms.
SceneOf rows_of(const std::string& work, const std::string& grid = "ceil_div(rows, block_x)") {
  return {
      "extern \"C\" __global__ void k(const int* shift, const float* values, float* y, int rows) "
      "{\n" +
          work + "\n}\n",
      {buffer("shift", ArgumentKind::in, Dtype::i32, "rows + 1"),
       buffer("values", ArgumentKind::in, Dtype::f32, "16 * rows"),
       buffer("y", ArgumentKind::out, Dtype::f32, "rows")},
      {{"k", {grid, "1", "1"}, {"64", "1", "1"}, "0", {"shift", "values", "y", "i32:rows"}}},
      {{{"rows", 300}}, {{"rows", 7}}}};
}

std::string refusal_of(SceneOf scene) {
  const auto forms = find_gather_forms(scene.scene());
  EXPECT_FALSE(forms.has_value());
  return forms ? "" : forms.error().message;
}

NormalForm form_of(const SceneOf& scene) {
  auto forms = find_gather_forms(scene.scene());
  EXPECT_TRUE(forms.has_value()) << forms.error().message;
  return forms && forms->size() == 1 ? forms->front() : NormalForm{};
}

const std::string kRow =
    "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n  if (row >= rows) return;\n";

TEST(GatherForm, KeepsTheKernelsOwnCode) {
  const auto form = form_of(
      rows_of(kRow + "  int begin = shift[row];\n  float scale = 2.0f;\n  float sum = 0.0f;\n"
                     "  for (int i = begin; i <= shift[row + 1]; ++i) sum += scale * values[i];\n"
                     "  y[row] = sum * scale;"));
  EXPECT_EQ(form.kernel, "k");
  EXPECT_EQ(form.arguments.back(), "u32:(ceil_div(rows, (64))) * (64)");
  ASSERT_NE(form.fact("length"), nullptr);
  EXPECT_EQ(form.fact("rows")->values, (std::vector<std::int64_t>{320, 64}));
  EXPECT_EQ(form.fact("length")->values.front(), 15);
  EXPECT_EQ(form.fact("term_bytes")->values.front(), 4);
  EXPECT_EQ(form.timed, 1U);
  EXPECT_THAT(form.problem, HasSubstr("const float* __restrict__ values;"));
  EXPECT_THAT(form.problem, HasSubstr("float* y;"));
  EXPECT_THAT(form.problem, HasSubstr("const int row = static_cast<int>(wm_row);\n"
                                      "    if (row >= rows) return;\n"
                                      "    int begin = shift[row];\n"
                                      "    wm_begin = begin;\n"
                                      "    wm_end = shift[row + 1] + 1;"));
  EXPECT_THAT(form.problem,
              HasSubstr("    float scale = 2.0f;\n    float sum = wm_identity().sum;"));
  EXPECT_THAT(form.problem, HasSubstr("sum += wm_total.sum;"));
}

TEST(GatherForm, CountsRowsOfAStrideByItsBound) {
  const auto form = form_of(rows_of(
      "  int total = gridDim.x * blockDim.x;\n"
      "  for (int row = threadIdx.x + blockDim.x * blockIdx.x; row < rows; row += total) {\n"
      "    if (shift[row] < 0) continue;\n"
      "    float sum = 0.0f;\n"
      "    for (int i = shift[row]; i < shift[row + 1]; ++i) sum += values[i];\n"
      "    y[row] = sum;\n  }",
      "2"));
  EXPECT_EQ(form.arguments.back(), "u32:(rows)");
  EXPECT_EQ(form.fact("rows")->values.front(), 300);
  EXPECT_THAT(form.problem, HasSubstr("if (shift[row] < 0) return;"));
  EXPECT_THAT(form.problem, Not(HasSubstr("continue")));
  EXPECT_THAT(form.problem, Not(HasSubstr("gridDim")));
}

TEST(GatherForm, TakesSeveralResultsAsOneState) {
  const auto form = form_of(rows_of(
      kRow +
      "  float sum = 0.0f;\n  int count = 0;\n  float most = -1.0f;\n"
      "  for (int i = shift[row]; i < shift[row + 1]; ++i) {\n    const float v = values[i];\n"
      "    sum += v;\n    if (v > most) most = v;\n    ++count;\n  }\n"
      "  y[row] = count > 0 ? sum / count + most : 0.0f;"));
  EXPECT_EQ(form.fact("state_words")->values.front(), 3);
  EXPECT_THAT(form.problem, HasSubstr("if (wm_b.most > wm_a.most) wm_a.most = wm_b.most;"));
}

TEST(GatherForm, TellsWhatTermsAreGatheredFrom) {
  const auto gathering = [](const std::string& load, const std::string& before = "") {
    return form_of(
        rows_of(kRow + before +
                "  float sum = 0.0f;\n  for (int i = shift[row]; i < shift[row + 1]; ++i)"
                " sum += " +
                load + ";\n  y[row] = sum;"));
  };
  const auto form = gathering("__ldg(&values[shift[i]])");
  EXPECT_EQ(form.fact("gathered")->plan, "(16 * rows)");
  EXPECT_EQ(form.fact("gathered")->values.front(), 4800);
  EXPECT_EQ(form.fact("gathered_bytes")->plan, "4");
  EXPECT_EQ(form.arguments.back(), "i64:(16 * rows)");
  EXPECT_EQ(form.parameters.back(), "long long wm_gathered_elements");
  EXPECT_THAT(form.problem, HasSubstr("wm_other.values = wm_copy;"));
  // The copy may lie in shared memory, which the cache for constants does not reach.
  EXPECT_THAT(form.problem, HasSubstr("sum += values[shift[i]];"));
  for (const auto& other :
       {gathering("values[i]"), gathering("__ldcs(values + shift[i])"),
        gathering("w * values[shift[i]]", "  float w = __ldg(&values[row]);\n")}) {
    EXPECT_EQ(other.fact("gathered")->values.front(), 0);
    EXPECT_THAT(other.problem, HasSubstr("return nullptr;"));
  }
}

TEST(GatherForm, SaysWhatStandsInTheWay) {
  const std::string sum =
      "  float sum = 0.0f;\n  for (int i = shift[row]; i < shift[row + 1]; ++i) sum += values[i];\n"
      "  y[row] = sum;";
  EXPECT_THAT(refusal_of(rows_of("  int row = blockIdx.x;\n" + sum)),
              HasSubstr("no variable of 'k' is the number of the thread"));
  EXPECT_THAT(refusal_of(rows_of(kRow + "  if (threadIdx.x == 3) y[row] = 1.0f;\n" + sum)),
              HasSubstr("differ by more than 'row'"));
  EXPECT_THAT(refusal_of(rows_of(kRow + "  __shared__ float s[64];\n  s[0] = 1.0f;\n" + sum)),
              HasSubstr("share memory"));
  EXPECT_THAT(refusal_of(rows_of(kRow + "  if (row > 2) { y[row] = 0.0f; return; }\n" + sum)),
              HasSubstr("leaves its row in the middle"));
  EXPECT_THAT(
      refusal_of(rows_of(
          kRow + "  float sum = 0.0f;\n  for (int i = shift[row]; i < shift[row + 1]; i += 2)"
                 " sum += values[i];\n  y[row] = sum;")),
      HasSubstr("do not stand side by side"));
  EXPECT_THAT(refusal_of(rows_of(
                  kRow + "  float sum = 0.0f;\n  for (int i = shift[row]; i < shift[row + 1]; ++i)"
                         " sum += values[i] * y[row];\n  y[row] = sum;")),
              HasSubstr("'y[row]' is written, too"));
  EXPECT_THAT(refusal_of(rows_of(
                  kRow + "  float sum = 0.0f;\n  for (int i = shift[row]; i < shift[row + 1]; ++i)"
                         " { if (values[i] > 9.0f) break; sum += values[i]; }\n  y[row] = sum;")),
              HasSubstr("it may break off"));
  // The number of the thread in the block is that of the grid only where there is one block.
  EXPECT_THAT(refusal_of(rows_of("  int row = threadIdx.x;\n" + sum, "1 * rows / rows")),
              HasSubstr("no variable of 'k' is the number of the thread"));
  auto exact = rows_of(kRow + sum);
  exact.task().contract.tolerance = ToleranceClass::exact;
  EXPECT_THAT(refusal_of(std::move(exact)), HasSubstr("the order in which 'sum' adds must stay"));
  auto aliased = rows_of(kRow + sum);
  aliased.task().arguments[1].name = "y2";
  aliased.task().kernel.plan.launches[0].arguments = {"shift", "y", "y", "i32:rows"};
  EXPECT_THAT(refusal_of(std::move(aliased)), HasSubstr("is written, too"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
