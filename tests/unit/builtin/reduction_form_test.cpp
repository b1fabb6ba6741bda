#include "agents/builtin/forms/reduction_form.h"

#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;
using testing::Not;

Argument buffer(std::string name, ArgumentKind kind, std::string extent, Dtype dtype = Dtype::f32) {
  return {std::move(name), kind, dtype, {std::move(extent)}, "", {}, 0, 0};
}

/// `k(x, y, out, rows, columns)` with one output a row.
SceneOf row_kernel(const std::string& body, const std::string& grid, const std::string& block,
                   const std::string& in_front = "") {
  SceneOf scene(in_front +
                    "extern \"C\" __global__ void k(const float* x, const float* y, float* out, "
                    "int rows, int columns) {\n" +
                    body + "}\n",
                {buffer("x", ArgumentKind::in, "rows * columns"),
                 buffer("y", ArgumentKind::in, "rows * columns"),
                 buffer("out", ArgumentKind::out, "max(rows, columns)")},
                {{"k",
                  {grid, "1", "1"},
                  {block, "1", "1"},
                  "0",
                  {"x", "y", "out", "i32:rows", "i32:columns"}}},
                {{{"rows", 64}, {"columns", 512}}, {{"rows", 3}, {"columns", 5}}});
  scene.task().contract.tolerance = ToleranceClass::reduction;
  return scene;
}

NormalForm form_of(const SceneOf& kernel) {
  const Scene scene = kernel.scene();
  auto forms = find_reduction_forms(scene);
  EXPECT_TRUE(forms.has_value()) << (forms ? "" : forms.error().message);
  if (!forms || forms->size() != 1) return {};
  return std::move(forms->front());
}

std::string refusal_of(const SceneOf& kernel) {
  const Scene scene = kernel.scene();
  const auto forms = find_reduction_forms(scene);
  EXPECT_FALSE(forms.has_value());
  return forms ? std::string() : forms.error().message;
}

std::int64_t fact(const NormalForm& form, std::string_view name, std::size_t workload = 0) {
  const FormFact* found = form.fact(name);
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? -1 : found->values.at(workload);
}

/// The text of a method of the problem, to the next one.
std::string method(const NormalForm& form, const std::string& name) {
  const auto begin = form.problem.find(" " + name + "(");
  EXPECT_NE(begin, std::string::npos) << name << " in\n" << form.problem;
  if (begin == std::string::npos) return {};
  return form.problem.substr(begin, form.problem.find("\n  }\n", begin) - begin);
}

const char* const kRowSum =
    "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (row >= rows) return;\n"
    "  float sum = 0.0f;\n"
    "  for (int c = 0; c < columns; ++c) {\n"
    "    sum += x[row * columns + c] * y[c];\n"
    "  }\n"
    "  out[row] = sum;\n";

TEST(ReductionFormTest, AThreadARow) {
  const auto form = form_of(row_kernel(kRowSum, "ceil_div(rows, block_x)", "128"));
  EXPECT_EQ(form.kernel, "k");
  EXPECT_EQ(form.fact("rows")->plan, "128 * (ceil_div(rows, 128))");
  EXPECT_EQ(fact(form, "rows"), 128);
  EXPECT_EQ(fact(form, "length"), 512);
  EXPECT_EQ(fact(form, "length", 1), 5);
  EXPECT_EQ(fact(form, "is_contiguous"), 1);
  EXPECT_EQ(fact(form, "is_across"), 0);
  EXPECT_EQ(fact(form, "along"), 4);
  EXPECT_EQ(fact(form, "state_words"), 1);
  EXPECT_THAT(method(form, "wm_fold"), HasSubstr("sum += x[row * columns + c] * y[c];"));
  EXPECT_THAT(method(form, "wm_fold_piece"),
              HasSubstr("sum += wm_loads.wm_load_1.at[wm_item] * wm_loads.wm_load_2.at[wm_item];"));
  EXPECT_THAT(method(form, "wm_finish"), HasSubstr("sum = sum + wm_sum.sum;"));
  EXPECT_THAT(form.parameters,
              testing::ElementsAre("const float* x", "const float* y", "float* out", "int rows",
                                   "int columns", "unsigned wm_grid_x"));
  EXPECT_EQ(form.arguments.back(), "u32:ceil_div(rows, 128)");
  if (getenv("SHOW") != nullptr) std::cout << form.problem;
}

TEST(ReductionFormTest, NeighbouringRowsSideBySide) {
  const auto form =
      form_of(row_kernel("  int column = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (column < columns) {\n"
                         "    float sum = 0.0f;\n"
                         "    for (int row = 0; row < rows; ++row) {\n"
                         "      sum += x[row * columns + column] * y[row];\n"
                         "    }\n"
                         "    out[column] = sum;\n"
                         "  }\n",
                         "ceil_div(columns, block_x)", "128"));
  EXPECT_EQ(fact(form, "is_across"), 1);
  EXPECT_EQ(fact(form, "beside"), 4);
  EXPECT_EQ(fact(form, "length"), 64);
  EXPECT_THAT(method(form, "wm_fold_one_beside"),
              HasSubstr("sum += wm_loads.wm_load_1.at[wm_item] * y[row];"));
  if (getenv("SHOW") != nullptr) std::cout << form.problem;
}

const char* const kTree =
    "  __shared__ float sums[256];\n"
    "  int thread = threadIdx.x;\n"
    "  float sum = 0.0f;\n"
    "  for (int i = thread; i < columns; i += 256) {\n"
    "    sum += x[blockIdx.x * columns + i];\n"
    "  }\n"
    "  sums[thread] = sum;\n"
    "  __syncthreads();\n"
    "  for (int step = 128; step > 0; step /= 2) {\n"
    "    if (thread < step) {\n"
    "      sums[thread] += sums[thread + step];\n"
    "    }\n"
    "    __syncthreads();\n"
    "  }\n"
    "  if (thread == 0) {\n"
    "    out[blockIdx.x] = sums[0] / columns;\n"
    "  }\n";

TEST(ReductionFormTest, ABlockARowWithATree) {
  const auto form = form_of(row_kernel(kTree, "rows", "256"));
  EXPECT_EQ(form.fact("rows")->plan, "1 * (rows)");
  EXPECT_EQ(fact(form, "rows"), 64);
  EXPECT_EQ(fact(form, "given_lanes"), 256);
  EXPECT_EQ(fact(form, "length"), 512);
  EXPECT_EQ(fact(form, "is_contiguous"), 1);
  EXPECT_THAT(method(form, "wm_finish"), HasSubstr("wm_total_sum / columns"));
  EXPECT_THAT(form.problem, Not(HasSubstr("__shared__")));
  EXPECT_THAT(form.problem, Not(HasSubstr("__syncthreads")));
  if (getenv("SHOW") != nullptr) std::cout << form.problem;
}

TEST(ReductionFormTest, AnUnfinishedTreeIsNoSum) {
  std::string half = kTree;
  half.replace(half.find("step = 128"), 10, "step = 64");
  EXPECT_THAT(refusal_of(row_kernel(half, "rows", "256")),
              HasSubstr("does not store the whole sum"));
  std::string twice = kTree;
  twice.replace(twice.find("step > 0"), 8, "step >= 0");
  EXPECT_THAT(refusal_of(row_kernel(twice, "rows", "256")), HasSubstr("too many steps"));
  std::string other = kTree;
  other.replace(other.find("sums[thread + step]"), 19, "sums[thread + 1]");
  EXPECT_THAT(refusal_of(row_kernel(other, "rows", "256")),
              HasSubstr("does not store the whole sum"));
}

const char* const kBlockSum =
    "__device__ float warp_sum(float v) {\n"
    "  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);\n"
    "  return v;\n"
    "}\n"
    "__device__ float block_sum(float v) {\n"
    "  __shared__ float partial[32];\n"
    "  int lane = threadIdx.x & 31;\n"
    "  int warp = threadIdx.x >> 5;\n"
    "  v = warp_sum(v);\n"
    "  if (lane == 0) partial[warp] = v;\n"
    "  __syncthreads();\n"
    "  v = threadIdx.x < blockDim.x / 32 ? partial[lane] : 0.0f;\n"
    "  if (warp == 0) v = warp_sum(v);\n"
    "  return v;\n"
    "}\n";

TEST(ReductionFormTest, FunctionsThatCombine) {
  const auto form =
      form_of(row_kernel("  const int row = blockIdx.x;\n"
                         "  float total = 0.f;\n"
                         "  float squares = 0.f;\n"
                         "  for (int i = threadIdx.x; i < columns; i += blockDim.x) {\n"
                         "    const float v = x[row * columns + i];\n"
                         "    total += v;\n"
                         "    squares += v * v;\n"
                         "  }\n"
                         "  total = block_sum(total);\n"
                         "  __syncthreads();\n"
                         "  squares = block_sum(squares);\n"
                         "  if (threadIdx.x == 0) {\n"
                         "    const float mean = total / columns;\n"
                         "    out[row] = squares / columns - mean * mean;\n"
                         "  }\n",
                         "rows", "128", kBlockSum));
  EXPECT_EQ(fact(form, "state_words"), 2);
  EXPECT_THAT(method(form, "wm_finish"), HasSubstr("const float mean = wm_total_total / columns;"));
  EXPECT_THAT(method(form, "wm_finish"),
              HasSubstr("out[row] = wm_total_squares / columns - mean * mean;"));
  if (getenv("SHOW") != nullptr) std::cout << form.problem;
}

TEST(ReductionFormTest, AWarpARow) {
  const std::string body =
      "  int lane = threadIdx.x % 32;\n"
      "  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;\n"
      "  if (row >= rows) return;\n"
      "  float largest = -1e30f;\n"
      "  for (int i = lane; i < columns; i += 32) {\n"
      "    largest = fmaxf(largest, x[row * columns + i]);\n"
      "  }\n"
      "  for (int d = 16; d > 0; d /= 2) {\n"
      "    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, d));\n"
      "  }\n"
      "  if (lane == 0) out[row] = largest;\n";
  const auto form = form_of(row_kernel(body, "ceil_div(rows, 4)", "128"));
  EXPECT_EQ(form.fact("rows")->plan, "4 * (ceil_div(rows, 4))");
  EXPECT_EQ(fact(form, "rows"), 64);
  EXPECT_EQ(fact(form, "given_lanes"), 32);
  EXPECT_THAT(method(form, "wm_finish"), HasSubstr("out[row] = wm_total_largest;"));
  EXPECT_THAT(form.problem, Not(HasSubstr("__shfl")));
  std::string half = body;
  half.replace(half.find("d = 16"), 6, "d = 8");
  EXPECT_THAT(refusal_of(row_kernel(half, "ceil_div(rows, 4)", "128")),
              HasSubstr("does not store the whole sum"));
  if (getenv("SHOW") != nullptr) std::cout << form.problem;
}

TEST(ReductionFormTest, TheWholeGridWithAtomics) {
  SceneOf kernel(
      "extern \"C\" __global__ void k(const int* x, int* out, int n) {\n"
      "  __shared__ int s[128];\n"
      "  int sum = 0;\n"
      "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) "
      "{\n"
      "    sum += x[i];\n"
      "  }\n"
      "  s[threadIdx.x] = sum;\n"
      "  __syncthreads();\n"
      "  for (int d = blockDim.x / 2; d > 0; d >>= 1) {\n"
      "    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];\n"
      "    __syncthreads();\n"
      "  }\n"
      "  if (threadIdx.x == 0) atomicAdd(out, s[0]);\n"
      "}\n",
      {buffer("x", ArgumentKind::in, "n", Dtype::i32),
       buffer("out", ArgumentKind::inout, "1", Dtype::i32)},
      {{"k", {"64", "1", "1"}, {"128", "1", "1"}, "0", {"x", "out", "i32:n"}}},
      {{{"n", 100000}}, {{"n", 3}}});
  const auto form = form_of(kernel);
  EXPECT_EQ(form.fact("rows")->plan, "1");
  EXPECT_THAT(method(form, "wm_finish"), HasSubstr("atomicAdd(out, wm_total_sum);"));
  if (getenv("SHOW") != nullptr) std::cout << form.problem;
}

TEST(ReductionFormTest, AnExtremeAndItsPlace) {
  const auto form =
      form_of(row_kernel("  int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (row >= rows) return;\n"
                         "  float best = x[row * columns];\n"
                         "  int at = 0;\n"
                         "  for (int c = 1; c < columns; ++c) {\n"
                         "    if (x[row * columns + c] > best) {\n"
                         "      best = x[row * columns + c];\n"
                         "      at = c;\n"
                         "    }\n"
                         "  }\n"
                         "  out[row] = at;\n",
                         "ceil_div(rows, block_x)", "128"));
  EXPECT_EQ(fact(form, "state_words"), 2);
  EXPECT_THAT(form.problem, HasSubstr("long long wm_key_1;"));
  EXPECT_THAT(form.problem, HasSubstr("wm_greater_key"));
  if (getenv("SHOW") != nullptr) std::cout << form.problem;
}

TEST(ReductionFormTest, RowsThatDataDelimit) {
  SceneOf kernel(
      "extern \"C\" __global__ void k(const int* first, const float* v, float* out, int rows) {\n"
      "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (row >= rows) return;\n"
      "  float sum = 0.0f;\n"
      "  for (int i = first[row]; i < first[row + 1]; ++i) sum += v[i];\n"
      "  out[row] = sum;\n"
      "}\n",
      {buffer("first", ArgumentKind::in, "rows + 1", Dtype::i32),
       buffer("v", ArgumentKind::in, "rows * 100"), buffer("out", ArgumentKind::out, "rows")},
      {{"k",
        {"ceil_div(rows, 256)", "1", "1"},
        {"256", "1", "1"},
        "0",
        {"first", "v", "out", "i32:rows"}}},
      {{{"rows", 512}}});
  kernel.task().contract.tolerance = ToleranceClass::reduction;
  const auto form = form_of(kernel);
  EXPECT_EQ(fact(form, "is_ragged"), 1);
  EXPECT_EQ(fact(form, "is_contiguous"), 1);
  EXPECT_EQ(fact(form, "length"), 100);
  if (getenv("SHOW") != nullptr) std::cout << form.problem;
}

TEST(ReductionFormTest, SaysWhatStandsInTheWay) {
  auto exact = row_kernel(kRowSum, "ceil_div(rows, block_x)", "128");
  exact.task().contract.tolerance = ToleranceClass::exact;
  EXPECT_THAT(refusal_of(exact), HasSubstr("asks for the exact sum 'sum'"));
  std::string stores = kRowSum;
  stores.replace(stores.find("  }\n"), 4, "    out[row * columns + c] = y[c];\n  }\n");
  EXPECT_THAT(refusal_of(row_kernel(stores, "ceil_div(rows, block_x)", "128")),
              HasSubstr("the loop stores, too"));
  std::string late = kTree;
  late += "  for (int i = thread; i < columns; i += 256) out[i] = sums[0];\n";
  EXPECT_THAT(refusal_of(row_kernel(late, "rows", "256")), HasSubstr("behind the sum"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
