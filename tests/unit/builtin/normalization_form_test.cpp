#include "agents/builtin/forms/normalization_form.h"

#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;
using testing::Not;

Argument buffer(std::string name, ArgumentKind kind, std::string extent, Dtype dtype) {
  return {std::move(name), kind, dtype, {std::move(extent)}, "", {}, 0, 0};
}

/// `k(x, s, y, out, rows, columns)`: rows of x become rows of y, or one element of out each.
SceneOf row_kernel(const std::string& body, const std::string& grid, const std::string& block,
                   const std::string& in_front = "", bool in_place = false) {
  SceneOf scene(in_front +
                    "extern \"C\" __global__ void k(const float* x, const float* s, float* y, "
                    "float* out, int rows, int columns) {\n" +
                    body + "}\n",
                {buffer("x", ArgumentKind::in, "rows * columns", Dtype::f32),
                 buffer("s", ArgumentKind::in, "columns", Dtype::f32),
                 buffer("y", ArgumentKind::inout, "rows * columns", Dtype::f32),
                 buffer("out", ArgumentKind::out, "max(rows, columns)", Dtype::f32)},
                {{"k",
                  {grid, "1", "1"},
                  {block, "1", "1"},
                  "0",
                  {in_place ? "y" : "x", "s", "y", "out", "i32:rows", "i32:columns"}}},
                {{{"rows", 64}, {"columns", 512}}, {{"rows", 3}, {"columns", 5}}});
  scene.task().contract.tolerance = ToleranceClass::reduction;
  return scene;
}

NormalForm form_of(const SceneOf& kernel) {
  const Scene scene = kernel.scene();
  auto forms = find_normalization_forms(scene);
  EXPECT_TRUE(forms.has_value()) << (forms ? "" : forms.error().message);
  if (!forms || forms->size() != 1) return {};
  return std::move(forms->front());
}

std::string refusal_of(const SceneOf& kernel) {
  const Scene scene = kernel.scene();
  const auto forms = find_normalization_forms(scene);
  EXPECT_FALSE(forms.has_value());
  return forms ? std::string() : forms.error().message;
}

std::int64_t fact(const NormalForm& form, std::string_view name, std::size_t workload = 0) {
  const FormFact* found = form.fact(name);
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? -1 : found->values.at(workload);
}

const char* const kThreadARow =
    "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (row >= rows) return;\n";
const char* const kSoftmax =
    "  float m = -INFINITY;\n"
    "  for (int c = 0; c < columns; ++c) m = fmaxf(m, x[row * columns + c]);\n"
    "  float sum = 0.0f;\n"
    "  for (int c = 0; c < columns; ++c) sum += expf(x[row * columns + c] - m);\n"
    "  for (int c = 0; c < columns; ++c) y[row * columns + c] = expf(x[row * columns + c] - m) / "
    "sum;\n";

std::string threads(const std::string& body) { return kThreadARow + body; }
SceneOf thread_kernel(const std::string& body) {
  return row_kernel(threads(body), "ceil_div(rows, 64)", "64");
}

TEST(NormalizationFormTest, AThreadARowOfSoftmax) {
  const auto form = form_of(thread_kernel(kSoftmax));
  EXPECT_EQ(form.kernel, "k");
  EXPECT_EQ(form.fact("rows")->plan, "64 * (ceil_div(rows, 64))");
  EXPECT_EQ(fact(form, "length"), 512);
  EXPECT_EQ(fact(form, "length", 1), 5);
  EXPECT_EQ(fact(form, "passes"), 2);
  EXPECT_EQ(fact(form, "along"), 4);
  EXPECT_EQ(fact(form, "is_contiguous"), 1);
  EXPECT_EQ(fact(form, "is_across"), 0);
  EXPECT_EQ(fact(form, "has_stores"), 1);
  EXPECT_EQ(fact(form, "bytes"), 2 * 64 * 512 * 4);
  EXPECT_EQ(form.arguments.back(), "u32:ceil_div(rows, 64)");
  EXPECT_THAT(form.summary, HasSubstr("maximum of float, then sum of float, then terms"));
  EXPECT_THAT(form.problem, HasSubstr("if (!(!("));
}

TEST(NormalizationFormTest, ABlockARowWithTreesIsTheSameRow) {
  const auto form = form_of(row_kernel(
      "  __shared__ float room[128];\n"
      "  int t = threadIdx.x;\n"
      "  float sum = 0.0f, square = 0.0f;\n"
      "  for (int c = t; c < columns; c += 128) {\n"
      "    float v = x[blockIdx.x * columns + c];\n"
      "    sum += v;\n"
      "    square += v * v;\n"
      "  }\n"
      "  room[t] = sum;\n"
      "  __syncthreads();\n"
      "  for (int d = 64; d > 0; d >>= 1) {\n"
      "    if (t < d) room[t] += room[t + d];\n"
      "    __syncthreads();\n"
      "  }\n"
      "  float mean = room[0] / columns;\n"
      "  __syncthreads();\n"
      "  room[t] = square;\n"
      "  __syncthreads();\n"
      "  for (int d = 64; d > 0; d >>= 1) {\n"
      "    if (t < d) room[t] += room[t + d];\n"
      "    __syncthreads();\n"
      "  }\n"
      "  float inv = rsqrtf(room[0] / columns - mean * mean + 1e-5f);\n"
      "  if (t == 0) out[blockIdx.x] = mean;\n"
      "  for (int c = t; c < columns; c += 128) {\n"
      "    y[blockIdx.x * columns + c] = (x[blockIdx.x * columns + c] - mean) * inv * s[c];\n"
      "  }\n",
      "rows", "128"));
  EXPECT_EQ(fact(form, "passes"), 1);
  EXPECT_EQ(fact(form, "state_words"), 2);
  EXPECT_EQ(fact(form, "given_lanes"), 128);
  EXPECT_EQ(form.fact("rows")->plan, "1 * (rows)");
  EXPECT_THAT(form.problem, Not(HasSubstr("__shared__")));
  EXPECT_THAT(form.problem, HasSubstr("rsqrtf("));
  EXPECT_THAT(form.problem, HasSubstr("wm_side_"));
}

TEST(NormalizationFormTest, AWarpARowWithShuffles) {
  const auto form = form_of(
      row_kernel("  int row = blockIdx.x * 4 + (threadIdx.x >> 5);\n"
                 "  int lane = threadIdx.x & 31;\n"
                 "  if (row < rows) {\n"
                 "    float sum = 0.0f;\n"
                 "    for (int c = lane; c < columns; c += 32) sum += x[row * columns + c];\n"
                 "    for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);\n"
                 "    for (int c = lane; c < columns; c += 32) y[row * columns + c] = x[row * "
                 "columns + c] / sum;\n"
                 "  }\n",
                 "ceil_div(rows, 4)", "128"));
  EXPECT_EQ(fact(form, "given_lanes"), 32);
  EXPECT_EQ(form.fact("rows")->plan, "4 * (ceil_div(rows, 4))");
}

TEST(NormalizationFormTest, WhatLiesInTheOutputMeanwhileIsComputedAgain) {
  const auto form = form_of(thread_kernel(
      "  float sum = 0.0f;\n"
      "  for (int c = 0; c < columns; ++c) {\n"
      "    y[row * columns + c] = x[row * columns + c] * x[row * columns + c];\n"
      "    sum += y[row * columns + c];\n"
      "  }\n"
      "  for (int c = 0; c < columns; ++c) y[row * columns + c] = y[row * columns + c] / sum;\n"));
  EXPECT_THAT(form.problem, Not(HasSubstr("= y[")));
}

TEST(NormalizationFormTest, AMacroBelowIfIsCheckedByTheCompiler) {
  const auto form = form_of(row_kernel(
      "  int row = blockIdx.x;\n"
      "  float sum = 0.0f;\n"
      "  for (int c = threadIdx.x; c < columns; c += WARP) sum += x[row * columns + c];\n"
      "  for (int d = WARP / 2; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);\n"
      "  for (int c = threadIdx.x; c < columns; c += WARP) y[row * columns + c] = x[row "
      "* columns + c] - sum;\n",
      "rows", "32", "#ifndef WARP\n#define WARP 32\n#endif\n"));
  EXPECT_THAT(form.problem, HasSubstr("static_assert((WARP) == 32"));
}

TEST(NormalizationFormTest, InPlaceWhereEachTermReplacesItself) {
  const auto form = form_of(row_kernel(threads(kSoftmax), "ceil_div(rows, 64)", "64", "", true));
  EXPECT_EQ(fact(form, "passes"), 2);
}

struct Wrong {
  const char* name;
  const char* body;
  const char* reason;
};

class NoNormalization : public testing::TestWithParam<Wrong> {};

TEST_P(NoNormalization, IsRefused) {
  EXPECT_THAT(refusal_of(thread_kernel(GetParam().body)), HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    Threads, NoNormalization,
    testing::Values(
        Wrong{"carried",
              "  float m = 0.0f;\n"
              "  for (int c = 0; c < columns; ++c) m = m * 0.5f + x[row * columns + c];\n"
              "  for (int c = 0; c < columns; ++c) y[row * columns + c] = m;\n",
              "'m' is carried"},
        Wrong{"an_index_that_runs_along",
              "  float sum = 0.0f;\n  int at = row * columns;\n"
              "  for (int c = 0; c < columns; ++c) { sum += x[at]; at += 2; }\n"
              "  for (int c = 0; c < columns; ++c) y[row * columns + c] = sum * x[row * columns + "
              "c];\n",
              "'sum' is carried"},
        Wrong{"other_start_value",
              "  float sum = 0.0f;\n"
              "  for (int c = 0; c < columns; ++c) sum += x[row * columns + c];\n"
              "  for (int c = 0; c < columns; ++c) { y[row * columns + c] = x[row * columns + c] - "
              "sum; sum = sum + 1.0f; }\n",
              "stores what a loop has found so far"},
        Wrong{
            "stored_at_one_place",
            "  float sum = 0.0f;\n"
            "  for (int c = 0; c < columns; ++c) sum += x[row * columns + c];\n"
            "  for (int c = 0; c < columns; ++c) y[row * columns] = x[row * columns + c] - sum;\n",
            "terms are stored at one place"},
        Wrong{"two_terms_at_one_place",
              "  float sum = 0.0f;\n"
              "  for (int c = 0; c < columns; ++c) sum += x[row * columns + c];\n"
              "  for (int c = 0; c < columns; ++c) y[row * columns + c / 2] = x[row * columns + c] "
              "- sum;\n",
              "not stored evenly"},
        Wrong{
            "early_end",
            "  float sum = 0.0f;\n"
            "  for (int c = 0; c < columns; ++c) { if (x[row * columns + c] < 0.0f) break; sum += "
            "x[row * columns + c]; }\n"
            "  for (int c = 0; c < columns; ++c) y[row * columns + c] = x[row * columns + c] - "
            "sum;\n",
            "it may break off"},
        Wrong{"an_inner_sum",
              "  float sum = 0.0f;\n"
              "  for (int c = 0; c < columns; ++c) {\n"
              "    float own = 1.0f;\n"
              "    for (int d = 0; d < rows; ++d) own *= x[row * columns + d];\n"
              "    sum += own;\n  }\n"
              "  for (int c = 0; c < columns; ++c) y[row * columns + c] = x[row * columns + c] - "
              "sum;\n",
              "'own' changes in an inner loop"},
        Wrong{"kept_in_an_array",
              "  float last[2];\n  float sum = 0.0f;\n"
              "  for (int c = 0; c < columns; ++c) { last[0] = x[row * columns + c]; sum += "
              "last[0]; }\n"
              "  for (int c = 0; c < columns; ++c) y[row * columns + c] = x[row * columns + c] - "
              "sum - last[0];\n",
              "keeps results in an array"},
        Wrong{"nothing_read_twice",
              "  float sum = 0.0f;\n"
              "  for (int c = 0; c < columns; ++c) sum += x[row * columns + c];\n"
              "  for (int c = 0; c < columns; ++c) y[row * columns + c] = sum * s[c];\n",
              "read nothing twice"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(NormalizationFormTest, AHalfFinishedTreeIsNoTotal) {
  EXPECT_THAT(refusal_of(row_kernel(
                  "  __shared__ float room[64];\n"
                  "  float sum = 0.0f;\n"
                  "  for (int c = threadIdx.x; c < columns; c += 64) sum += x[blockIdx.x * columns "
                  "+ c];\n"
                  "  room[threadIdx.x] = sum;\n"
                  "  __syncthreads();\n"
                  "  for (int d = 32; d > 1; d >>= 1) {\n"
                  "    if (threadIdx.x < d) room[threadIdx.x] += room[threadIdx.x + d];\n"
                  "    __syncthreads();\n"
                  "  }\n"
                  "  for (int c = threadIdx.x; c < columns; c += 64) y[blockIdx.x * columns + c] = "
                  "x[blockIdx.x * columns + c] / room[0];\n",
                  "rows", "64")),
              HasSubstr("what only some threads of a row have found"));
}

std::string staged(const std::string& put, const std::string& got) {
  return "  __shared__ float kept[1024];\n"
         "  __shared__ float room[64];\n"
         "  float sum = 0.0f;\n"
         "  for (int c = threadIdx.x; c < columns; c += 64) {\n"
         "    " +
         put +
         "\n    sum += x[blockIdx.x * columns + c];\n  }\n"
         "  room[threadIdx.x] = sum;\n"
         "  __syncthreads();\n"
         "  for (int d = 32; d > 0; d >>= 1) {\n"
         "    if (threadIdx.x < d) room[threadIdx.x] += room[threadIdx.x + d];\n"
         "    __syncthreads();\n"
         "  }\n"
         "  for (int c = threadIdx.x; c < columns; c += 64) y[blockIdx.x * columns + c] = " +
         got + " - room[0];\n";
}

TEST(NormalizationFormTest, RowsInSharedMemoryAreSeenThrough) {
  const auto form = form_of(
      row_kernel(staged("kept[c] = x[blockIdx.x * columns + c];", "kept[c]"), "rows", "64"));
  EXPECT_THAT(form.problem, Not(HasSubstr("kept[")));
}

TEST(NormalizationFormTest, WhatOtherTermsHaveKeptIsNotKnown) {
  EXPECT_THAT(refusal_of(row_kernel(staged("kept[c] = x[blockIdx.x * columns + c];", "kept[c + 1]"),
                                    "rows", "64")),
              HasSubstr("what only some threads of a row have found"));
  EXPECT_THAT(refusal_of(row_kernel(
                  staged("kept[c] = x[blockIdx.x * columns + c]; kept[c + 1] = 0.0f;", "kept[c]"),
                  "rows", "64")),
              HasSubstr("several terms are kept in one element of an array"));
  EXPECT_THAT(
      refusal_of(row_kernel(staged("kept[c / 2] = x[blockIdx.x * columns + c];", "kept[c / 2]"),
                            "rows", "64")),
      HasSubstr("several terms are kept in one element of an array"));
}

TEST(NormalizationFormTest, LanesThatLeaveTermsOutShareNoRow) {
  EXPECT_THAT(refusal_of(row_kernel(
                  "  __shared__ float room[64];\n"
                  "  float sum = 0.0f;\n"
                  "  for (int c = threadIdx.x; c < columns; c += 65) sum += x[blockIdx.x * columns "
                  "+ c];\n"
                  "  room[threadIdx.x] = sum;\n"
                  "  __syncthreads();\n"
                  "  for (int c = threadIdx.x; c < columns; c += 64) y[blockIdx.x * columns + c] = "
                  "x[blockIdx.x * columns + c] / room[0];\n",
                  "rows", "64")),
              HasSubstr("is not shared evenly by threads"));
}

TEST(NormalizationFormTest, SharedMemoryThatNothingHasClearedIsNoSum) {
  EXPECT_THAT(
      refusal_of(row_kernel(
          "  __shared__ float total;\n"
          "  float sum = 0.0f;\n"
          "  for (int c = threadIdx.x; c < columns; c += 64) sum += x[blockIdx.x * columns + c];\n"
          "  atomicAdd(&total, sum);\n"
          "  __syncthreads();\n"
          "  for (int c = threadIdx.x; c < columns; c += 64) y[blockIdx.x * columns + c] = "
          "x[blockIdx.x * columns + c] / total;\n",
          "rows", "64")),
      HasSubstr("what only some threads of a row have found"));
}

TEST(NormalizationFormTest, ClearedSharedMemoryIs) {
  const auto form = form_of(row_kernel(
      "  __shared__ float total;\n"
      "  if (threadIdx.x == 0) total = 0.0f;\n"
      "  __syncthreads();\n"
      "  float sum = 0.0f;\n"
      "  for (int c = threadIdx.x; c < columns; c += 64) sum += x[blockIdx.x * columns + c];\n"
      "  atomicAdd(&total, sum);\n"
      "  __syncthreads();\n"
      "  for (int c = threadIdx.x; c < columns; c += 64) y[blockIdx.x * columns + c] = "
      "x[blockIdx.x * columns + c] / total;\n",
      "rows", "64"));
  EXPECT_EQ(fact(form, "given_lanes"), 64);
}

TEST(NormalizationFormTest, ExactSumsKeepTheirOrder) {
  SceneOf kernel = thread_kernel(kSoftmax);
  kernel.task().contract.tolerance = ToleranceClass::exact;
  EXPECT_THAT(refusal_of(kernel), HasSubstr("the contract asks for the exact sum 'sum'"));
}

TEST(NormalizationFormTest, BlocksThatSizesNameAreRefused) {
  EXPECT_THAT(refusal_of(row_kernel(threads(kSoftmax), "1", "max(rows, 64)")),
              HasSubstr("its blocks are as large as 'rows' says"));
}

// --- rows that two loops share ---

/// Four terms a step, written out, and the rest one by one.
std::string fours(const std::string& whole, const std::string& four, const std::string& rest) {
  return "  __shared__ float room[64];\n"
         "  const float* in = x + blockIdx.x * columns;\n"
         "  float* to = y + blockIdx.x * columns;\n"
         "  int t = threadIdx.x;\n"
         "  int whole = " +
         whole +
         ";\n"
         "  float sum = 0.0f;\n"
         "  for (int i = t * 4; i < whole; i += 256) " +
         four +
         "\n"
         "  for (int i = whole + t; i < columns; i += 64) " +
         rest +
         "\n"
         "  room[t] = sum;\n"
         "  __syncthreads();\n"
         "  for (int d = 32; d > 0; d >>= 1) {\n"
         "    if (t < d) room[t] += room[t + d];\n"
         "    __syncthreads();\n"
         "  }\n"
         "  for (int i = t; i < columns; i += 64) to[i] = in[i] / room[0];\n";
}

const char* const kFourSquares = "for (int k = 0; k < 4; ++k) sum += in[i + k] * in[i + k];";

TEST(NormalizationFormTest, TermsBehindTheLastFourBelongToTheRow) {
  for (const char* const whole :
       {"columns / 4 * 4", "(columns >> 2) << 2", "columns - columns % 4", "columns & ~3"}) {
    const auto form =
        form_of(row_kernel(fours(whole, kFourSquares, "sum += in[i] * in[i];"), "rows", "64"));
    EXPECT_EQ(fact(form, "length"), 512) << whole;
    EXPECT_EQ(fact(form, "length", 1), 5) << whole;
    EXPECT_EQ(fact(form, "along"), 4) << whole;
    EXPECT_EQ(fact(form, "passes"), 1) << whole;
  }
}

TEST(NormalizationFormTest, TheRestMayBeWrittenInAnotherOrder) {
  const auto form = form_of(
      row_kernel(fours("columns / 4 * 4", "sum += (in[i + 3] + in[i]) + (in[1 + i] + in[i + 2]);",
                       "sum = in[i] + sum;"),
                 "rows", "64"));
  EXPECT_EQ(fact(form, "length"), 512);
}

struct Rest {
  const char* name;
  const char* whole;
  const char* four;
  const char* rest;
  const char* reason;
};

class NoRest : public testing::TestWithParam<Rest> {};

TEST_P(NoRest, IsRefused) {
  const auto& [name, whole, four, rest, reason] = GetParam();
  EXPECT_THAT(refusal_of(row_kernel(fours(whole, four, rest), "rows", "64")), HasSubstr(reason));
}

constexpr const char* kOther = "the loop over the last terms does something else";
constexpr const char* kTerms = "its loops walk over different terms";

INSTANTIATE_TEST_SUITE_P(
    Rows, NoRest,
    testing::Values(
        Rest{"another_term", "columns / 4 * 4", kFourSquares, "sum += in[i];", kOther},
        Rest{"another_place", "columns / 4 * 4", kFourSquares, "sum += in[i - 1] * in[i - 1];",
             kOther},
        Rest{"three_of_four", "columns / 4 * 4",
             "for (int k = 0; k < 3; ++k) sum += in[i + k] * in[i + k];", "sum += in[i] * in[i];",
             kOther},
        Rest{"one_twice", "columns / 4 * 4", "sum += in[i] + in[i + 1] + in[i + 1] + in[i + 3];",
             "sum += in[i];", kOther},
        Rest{"five_of_four", "columns / 4 * 4",
             "for (int k = 0; k < 5; ++k) sum += in[i + k] * in[i + k];", "sum += in[i] * in[i];",
             kOther},
        Rest{"by_the_parity_of_the_place", "columns / 4 * 4",
             "for (int k = 0; k < 4; ++k) sum += in[i + k] * (i % 2);", "sum += in[i] * (i % 2);",
             kOther},
        Rest{"a_gap", "columns / 8 * 4", kFourSquares, "sum += in[i] * in[i];", kTerms},
        Rest{"eights", "columns / 8 * 8", kFourSquares, "sum += in[i] * in[i];", kTerms},
        Rest{"beyond_the_end", "(columns + 3) / 4 * 4", kFourSquares, "sum += in[i] * in[i];",
             kTerms},
        Rest{"no_rest", "columns / 4 * 4", kFourSquares, "out[i] = 0.0f;", kOther}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(NormalizationFormTest, WhatIsFoundBeforeTheLastTermsIsNoTotal) {
  const std::string body =
      "  int row = blockIdx.x * 32 + threadIdx.x;\n"
      "  if (row >= rows) return;\n"
      "  const float* in = x + row * columns;\n"
      "  float sum = 0.0f;\n"
      "  for (int i = 0; i < columns / 2 * 2; i += 2) sum += in[i] + in[i + 1];\n"
      "  float most = sum;\n"
      "  for (int i = columns / 2 * 2; i < columns; ++i) sum += in[i];\n"
      "  for (int i = 0; i < columns; ++i) y[row * columns + i] = in[i] - ";
  const auto form = form_of(row_kernel(body + "sum;\n", "ceil_div(rows, 32)", "32"));
  EXPECT_EQ(fact(form, "length"), 512);
  EXPECT_THAT(refusal_of(row_kernel(body + "most;\n", "ceil_div(rows, 32)", "32")),
              HasSubstr("what a loop has found before the last terms"));
}

TEST(NormalizationFormTest, EveryPassMustGoOnToTheEnd) {
  const std::string pass =
      "  for (int i = threadIdx.x * 2; i < columns / 2 * 2; i += 64) { m = fmaxf(m, "
      "fmaxf(in[i], in[i + 1])); }\n"
      "  for (int i = columns / 2 * 2 + threadIdx.x; i < columns; i += 32) m = fmaxf(m, in[i]);\n"
      "  for (int d = 16; d > 0; d /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));\n";
  const std::string front =
      "  const float* in = x + blockIdx.x * columns;\n"
      "  float* to = y + blockIdx.x * columns;\n"
      "  float m = -INFINITY;\n";
  const std::string pairs =
      "  for (int i = threadIdx.x * 2; i < columns / 2 * 2; i += 64) {\n"
      "    to[i] = in[i] - m;\n    to[i + 1] = in[i + 1] - m;\n  }\n";
  const std::string rest =
      "  for (int i = columns / 2 * 2 + threadIdx.x; i < columns; i += 32) to[i] = in[i] - m;\n";
  const auto form = form_of(row_kernel(front + pass + pairs + rest, "rows", "32"));
  EXPECT_EQ(fact(form, "length", 1), 5);
  EXPECT_THAT(refusal_of(row_kernel(front + pass + pairs, "rows", "32")), HasSubstr(kTerms));
  EXPECT_THAT(refusal_of(row_kernel(front + pass + rest + pairs, "rows", "32")), HasSubstr(kTerms));
  const std::string other =
      "  for (int i = columns / 2 * 2 + threadIdx.x; i < columns; i += 32) to[i] = m - in[i];\n";
  EXPECT_THAT(refusal_of(row_kernel(front + pass + pairs + other, "rows", "32")),
              HasSubstr(kOther));
}

TEST(NormalizationFormTest, VectorsAreTakenApartWhereTheRestIsNot) {
  const std::string front =
      "  const float* in = x + blockIdx.x * columns;\n"
      "  const float4* in4 = reinterpret_cast<const float4*>(in);\n"
      "  float4* to4 = reinterpret_cast<float4*>(y + blockIdx.x * columns);\n"
      "  float sum = 0.0f;\n"
      "  for (int i = threadIdx.x; i < columns / 4; i += 32) {\n"
      "    float4 v = in4[i];\n    sum += v.x + v.y + v.z + v.w;\n  }\n"
      "  for (int i = columns / 4 * 4 + threadIdx.x; i < columns; i += 32) sum += in[i];\n"
      "  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);\n"
      "  for (int i = threadIdx.x; i < columns / 4; i += 32) {\n"
      "    float4 v = in4[i];\n"
      "    to4[i] = make_float4(v.x / sum, v.y / sum, ";
  const std::string end =
      ");\n  }\n"
      "  for (int i = columns / 4 * 4 + threadIdx.x; i < columns; i += 32) "
      "y[blockIdx.x * columns + i] = in[i] / sum;\n";
  const auto form = form_of(row_kernel(front + "v.z / sum, v.w / sum" + end, "rows", "32"));
  EXPECT_EQ(form.types.at("element"), "float");
  EXPECT_EQ(fact(form, "along"), 4);
  EXPECT_EQ(fact(form, "length"), 512);
  EXPECT_THAT(refusal_of(row_kernel(front + "v.w / sum, v.z / sum" + end, "rows", "32")),
              HasSubstr(kOther));
}

TEST(NormalizationFormTest, WhatAnotherWalkHasOverwrittenIsNotSeenThrough) {
  const std::string body =
      "  const int at = blockIdx.x * columns;\n"
      "  float sum = 0.0f;\n"
      "  for (int i = threadIdx.x; i < columns; i += 32) {\n"
      "    y[at + i] = x[at + i];\n    sum += x[at + i];\n  }\n"
      "  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);\n"
      "  for (int i = threadIdx.x * 2; i < columns / 2 * 2; i += 64) {\n"
      "    y[at + i] = 1.0f;\n    y[at + i + 1] = 1.0f;\n  }\n"
      "  for (int i = columns / 2 * 2 + threadIdx.x; i < columns; i += 32) y[at + i] = 1.0f;\n"
      "  for (int i = threadIdx.x; i < columns; i += 32) y[at + i] = y[at + i] + x[at + i] / "
      "sum;\n";
  EXPECT_THAT(refusal_of(row_kernel(body, "rows", "32")), HasSubstr("'y'"));
}

// --- several launches ---

SceneOf two_launches(const std::string& first, const std::string& second,
                     const std::string& second_grid = "rows",
                     const std::string& last_argument = "out") {
  SceneOf scene(
      "#define DOUBLED (2 * n)\n"
      "extern \"C\" __global__ void find(const float* in, float* found, int n) {\n" +
          first +
          "}\n"
          "extern \"C\" __global__ void use(float* to, const float* x, const float* "
          "found, int columns, int n) {\n" +
          second + "}\n",
      {buffer("x", ArgumentKind::in, "rows * columns", Dtype::f32),
       buffer("y", ArgumentKind::inout, "rows * columns", Dtype::f32),
       buffer("out", ArgumentKind::out, "rows * 2", Dtype::f32)},
      {{"find", {"rows", "1", "1"}, {"32", "1", "1"}, "0", {"x", "out", "i32:columns"}},
       {"use",
        {second_grid, "1", "1"},
        {"64", "1", "1"},
        "0",
        {"y", "x", last_argument, "i32:columns", "i32:rows"}}},
      {{{"rows", 64}, {"columns", 512}}, {{"rows", 3}, {"columns", 5}}});
  scene.task().contract.tolerance = ToleranceClass::reduction;
  return scene;
}

const std::string kFind =
    "  int row = blockIdx.x;\n"
    "  float sum = 0.0f;\n"
    "  for (int i = threadIdx.x; i < n; i += 32) sum += in[row * n + i];\n"
    "  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);\n"
    "  if (threadIdx.x == 0) found[row] = sum;\n";

std::string use(const std::string& found) {
  return "  float mean = " + found +
         ";\n"
         "  for (int c = threadIdx.x; c < columns; c += 64) {\n"
         "    int row = blockIdx.x;\n"
         "    to[row * columns + c] = x[row * columns + c] - mean;\n  }\n";
}

TEST(NormalizationFormTest, ALaunchThatReadsWhatAnotherHasFoundGoesWithIt) {
  const auto form = form_of(two_launches(kFind, use("found[blockIdx.x] / n")));
  EXPECT_EQ(form.launches, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(form.kernel, "find");
  EXPECT_EQ(fact(form, "passes"), 1);
  EXPECT_EQ(fact(form, "length", 1), 5);
  EXPECT_EQ(form.parameters,
            (std::vector<std::string>{"const float* in", "float* found", "int n", "float* to",
                                      "int wm_n_2", "unsigned wm_grid_x"}));
  EXPECT_EQ(form.arguments,
            (std::vector<std::string>{"x", "out", "i32:columns", "y", "i32:rows", "u32:rows"}));
  EXPECT_THAT(form.problem, HasSubstr("found["));
  EXPECT_THAT(form.problem, HasSubstr("wm_n_2"));
}

TEST(NormalizationFormTest, LaunchesThatDoNotFitEachOtherStayApart) {
  const std::string alone = "it does not pass over its data several times";
  EXPECT_THAT(refusal_of(two_launches(kFind, use("found[blockIdx.x]"), "rows * 2")),
              HasSubstr(alone));
  EXPECT_THAT(refusal_of(two_launches(kFind, use("found[blockIdx.x + 1]"))),
              HasSubstr("'find' and 'use' together: 'found' is read and written"));
  EXPECT_THAT(refusal_of(two_launches(kFind, use("found[blockIdx.x]"), "rows", "x")),
              HasSubstr(alone));
  EXPECT_THAT(refusal_of(two_launches(kFind, use("found[blockIdx.x] / DOUBLED"))),
              HasSubstr("'DOUBLED' is a name of the file and of a parameter"));
}

TEST(NormalizationFormTest, WhatOnlySomeRowsHaveFoundIsNotKnown) {
  const std::string some = "  if (blockIdx.x >= n) return;\n" + kFind;
  EXPECT_THAT(refusal_of(two_launches(some, use("found[blockIdx.x]"))),
              HasSubstr("its launches leave out different rows"));
}

TEST(NormalizationFormTest, AFunctionThatReturnsInTwoWaysReturnsEither) {
  const auto form = form_of(row_kernel(
      "  float sum = 0.0f;\n"
      "  for (int c = threadIdx.x; c < columns; c += 32) sum += x[blockIdx.x * columns + c];\n"
      "  sum = all(sum, rows);\n"
      "  for (int c = threadIdx.x; c < columns; c += 32) {\n"
      "    y[blockIdx.x * columns + c] = x[blockIdx.x * columns + c] - sum;\n  }\n",
      "rows", "32",
      "__device__ float all(float sum, int rows) {\n"
      "  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);\n"
      "  if (rows > 7) {\n    return sum;\n  } else {\n    return sum / 2;\n  }\n}\n"));
  EXPECT_THAT(form.problem, HasSubstr("(rows > 7)"));
  EXPECT_THAT(form.problem, HasSubstr(" ? wm_at.total_0 : (wm_at.total_0 / 2)"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
