#include "agents/builtin/forms/contraction_form.h"

#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using ::testing::HasSubstr;

Argument matrix(std::string name, ArgumentKind kind, Dtype dtype, std::vector<std::string> shape) {
  Argument made;
  made.name = std::move(name);
  made.kind = kind;
  made.dtype = dtype;
  made.shape = std::move(shape);
  return made;
}

/// A product whose kernel has `parameters` besides the matrices and `term` in its loop.
SceneOf product_with(const std::string& term, const std::string& above = "",
                     const std::string& tail = "c[row * n + column] = __float2half(sum);") {
  return {
      "#include <cuda_fp16.h>\n" + above +
          "extern \"C\" __global__ void gemm(const __half* a, const __half* b, __half* c, int m,"
          " int n, int depth) {\n"
          "  const int column = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  const int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
          "  if (row >= m || column >= n) return;\n"
          "  float sum = 0.0f;\n"
          "  for (int i = 0; i < depth; ++i) {\n    " +
          term + "\n  }\n  " + tail + "\n}\n",
      {matrix("a", ArgumentKind::in, Dtype::f16, {"m", "k"}),
       matrix("b", ArgumentKind::in, Dtype::f16, {"k", "n"}),
       matrix("c", ArgumentKind::out, Dtype::f16, {"m", "n"})},
      {{"gemm",
        {"ceil_div(n, block_x)", "ceil_div(m, block_y)", "1"},
        {"16", "16", "1"},
        "0",
        {"a", "b", "c", "i32:m", "i32:n", "i32:k"}}},
      {{{"m", 128}, {"n", 192}, {"k", 64}}, {{"m", 3}, {"n", 5}, {"k", 7}}}};
}

const std::string kTerm =
    "sum += __half2float(a[row * depth + i]) * __half2float(b[i * n + column]);";

std::int64_t fact(const NormalForm& form, std::string_view name) {
  const FormFact* found = form.fact(name);
  return found == nullptr || found->values.empty() ? -1 : found->values.front();
}

TEST(ContractionForm, TellsExtentsAndHowTheOperandsLie) {
  const auto scene_of = product_with(kTerm);
  const auto scene = scene_of.scene();
  const auto forms = find_contraction_forms(scene);
  ASSERT_TRUE(forms.has_value()) << forms.error().message;
  ASSERT_EQ(forms->size(), 1U);
  const NormalForm& form = forms->front();
  EXPECT_EQ(form.kernel, "gemm");
  EXPECT_EQ(form.workloads, (std::vector<std::string>{"w0", "w1"}));
  EXPECT_EQ(form.timed, 1U);
  EXPECT_EQ(form.types.at("element"), "__half");
  EXPECT_EQ(form.types.at("output"), "__half");
  EXPECT_EQ(form.fact("rows")->values, (std::vector<std::int64_t>{128, 3}));
  EXPECT_EQ(form.fact("columns")->values, (std::vector<std::int64_t>{192, 5}));
  EXPECT_EQ(form.fact("depth")->values, (std::vector<std::int64_t>{64, 7}));
  EXPECT_EQ(form.fact("depth")->plan, "((k))");
  EXPECT_EQ(form.fact("batches")->plan, "1");
  EXPECT_EQ(fact(form, "is_plain_left"), 1);
  EXPECT_EQ(fact(form, "is_plain_right"), 1);
  EXPECT_EQ(fact(form, "left_along_depth"), 1);
  EXPECT_EQ(fact(form, "right_along_depth"), 0);
  EXPECT_EQ(fact(form, "is_output_even"), 1);
  EXPECT_GT(form.given_ns, 0);
  EXPECT_THAT(form.summary, HasSubstr("contraction of __half, rows=128, columns=192, depth=64"));
}

TEST(ContractionForm, AParameterMayBeCalledAsAMemberAndBeWritten) {
  const auto scene_of = product_with(kTerm);
  const auto scene = scene_of.scene();
  const auto forms = find_contraction_forms(scene);
  ASSERT_TRUE(forms.has_value()) << forms.error().message;
  for (const char* part : {"int wm_given_depth;", "unsigned depth() const",
                           "    int depth = wm_given_depth;\n", "return &a[row * depth + i];"}) {
    EXPECT_THAT(forms->front().problem, HasSubstr(part));
  }
}

TEST(ContractionForm, ANameThatAMemberWouldHideIsRefused) {
  const auto scene_of = product_with(
      "sum += __half2float(a[row * depth + left(i)]) * __half2float(b[i * n + column]);",
      "__device__ int left(int i) { return i; }\n");
  const auto scene = scene_of.scene();
  const auto forms = find_contraction_forms(scene);
  ASSERT_FALSE(forms.has_value());
  EXPECT_THAT(forms.error().message, HasSubstr("'left' of the file would be hidden"));
}

TEST(ContractionForm, OutputsThatAreNotSideBySideAreTold) {
  const auto scene_of = product_with(kTerm, "", "c[column * m + row] = __float2half(sum);");
  const auto scene = scene_of.scene();
  const auto forms = find_contraction_forms(scene);
  ASSERT_TRUE(forms.has_value()) << forms.error().message;
  EXPECT_EQ(fact(forms->front(), "is_output_even"), 0);
  EXPECT_EQ(fact(forms->front(), "is_wide"), 1);
}

TEST(ContractionForm, ExactResultsAreNotReordered) {
  auto scene_of = product_with(kTerm);
  scene_of.task().contract.tolerance = ToleranceClass::exact;
  const auto scene = scene_of.scene();
  const auto forms = find_contraction_forms(scene);
  ASSERT_FALSE(forms.has_value());
  EXPECT_EQ(forms.error().message, "the contract wants exact results");
}

}  // namespace
}  // namespace warpmind::agents::builtin
