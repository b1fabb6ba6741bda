#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kTwo = R"(// Adds.
extern "C" __global__ void add(const float* x, const float* y, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = x[i] + y[i];
  }
}
extern "C" __global__ void __launch_bounds__(128) relu(float* x, int count) {
  int a = blockIdx.x * blockDim.x + threadIdx.x;
  if (a >= count) return;
  float out = fmaxf(x[a], 0.0f);  // keeps
  x[a] = out;
}
extern "C" __global__ void other(float* q) { q[0] = 1; }
)";

Argument float_buffer(std::string name, ArgumentKind kind) {
  return {std::move(name), kind, Dtype::f32, {"n"}, "", {}, 0, 0};
}

Launch line_launch(std::string kernel, std::vector<std::string> arguments) {
  return {std::move(kernel),
          {"ceil_div(n, block_x)", "1", "1"},
          {"128", "1", "1"},
          "0",
          std::move(arguments)};
}

SceneOf chain(std::vector<Launch> launches, const std::string& source = kTwo) {
  SceneOf scene(source,
                {float_buffer("a", ArgumentKind::in), float_buffer("b", ArgumentKind::in),
                 float_buffer("c", ArgumentKind::out)},
                std::move(launches), {{{"n", 1 << 24}}, {{"n", 5}}});
  scene.task().kernel.plan.scratch = {{"t", Dtype::f32, "n"}, {"u", Dtype::f32, "n"}};
  return scene;
}

TEST(FusePointwiseTest, TheIntermediateStaysInARegister) {
  auto scene = chain(
      {line_launch("add", {"a", "b", "t", "i32:n"}), line_launch("add", {"t", "a", "c", "i32:n"})});
  const auto offer = scene.offer("fuse_pointwise");
  ASSERT_EQ(offer.moves.size(), 1U) << offer.refusal;
  EXPECT_EQ(offer.moves[0].parameters, "max_chain=2");
  EXPECT_NEAR(offer.moves[0].prior_gain, 2, 0.01);  // 6 vectors become 3
  const auto kernel = scene.apply("fuse_pointwise", "max_chain=2");
  EXPECT_THAT(kernel.source,
              HasSubstr("void add_add(const float* a, const float* b, float* c, int n)"));
  EXPECT_THAT(kernel.source, HasSubstr("wm_t = a[i] + b[i];"));
  EXPECT_THAT(kernel.source, HasSubstr("c[i] = wm_t + a[i];"));
  EXPECT_THAT(kernel.source, Not(HasSubstr("void add(")));
  EXPECT_THAT(kernel.source, HasSubstr("void other(float* q) { q[0] = 1; }"));
  ASSERT_EQ(kernel.plan.launches.size(), 1U);
  EXPECT_THAT(kernel.plan.launches[0].arguments, ElementsAre("a", "b", "c", "i32:n"));
  EXPECT_TRUE(kernel.plan.scratch.empty());
}

TEST(FusePointwiseTest, InPlaceWorkKeepsTheOutput) {
  auto scene = chain({line_launch("add", {"a", "b", "c", "i32:n"}),
                      line_launch("relu", {"c", "i32:n"}), line_launch("relu", {"c", "i32:n"})});
  const auto offer = scene.offer("fuse_pointwise");
  ASSERT_EQ(offer.moves.size(), 2U);
  EXPECT_EQ(offer.moves[0].parameters, "max_chain=4");
  const auto pair = scene.apply("fuse_pointwise", "max_chain=2");
  ASSERT_EQ(pair.plan.launches.size(), 2U);
  EXPECT_THAT(pair.source, HasSubstr("wm_c = out;"));
  EXPECT_THAT(pair.source, HasSubstr("c[i] = wm_c;"));
  EXPECT_THAT(pair.source, HasSubstr("void __launch_bounds__(128) relu("));
  EXPECT_EQ(scene.apply("fuse_pointwise", "max_chain=4").plan.launches.size(), 1U);
}

TEST(FusePointwiseTest, ABufferWithAnotherReaderIsStillWritten) {
  auto scene = chain({line_launch("add", {"a", "b", "t", "i32:n"}),
                      line_launch("add", {"t", "a", "u", "i32:n"}), line_launch("other", {"c"}),
                      line_launch("add", {"t", "u", "c", "i32:n"})});
  const auto kernel = scene.apply("fuse_pointwise", "max_chain=2");
  EXPECT_EQ(kernel.plan.launches.size(), 3U);
  EXPECT_THAT(kernel.source, HasSubstr("t[i] = wm_t;"));
  EXPECT_EQ(kernel.plan.scratch.size(), 2U);
}

TEST(FusePointwiseTest, NamesWhatStandsInTheWay) {
  const auto refusal = [](std::vector<Launch> launches, const std::string& source = kTwo) {
    return chain(std::move(launches), source).offer("fuse_pointwise").refusal;
  };
  EXPECT_EQ(refusal({line_launch("add", {"a", "b", "t", "i32:n"})}), "the plan has one launch");
  EXPECT_EQ(refusal({line_launch("add", {"a", "b", "t", "i32:n"}),
                     line_launch("add", {"a", "b", "c", "i32:n"})}),
            "'add' uses nothing that 'add' writes");
  EXPECT_THAT(refusal({line_launch("add", {"a", "b", "t", "i32:n"}),
                       line_launch("add", {"t", "b", "c", "i32:n - 1"})}),
              HasSubstr("do not cover the same elements"));
  std::string gathers = kTwo;
  gathers.replace(gathers.find("x[a] = out;"), 11, "x[a] = out + x[0];");
  EXPECT_THAT(
      refusal({line_launch("add", {"a", "b", "c", "i32:n"}), line_launch("relu", {"c", "i32:n"})},
              gathers),
      HasSubstr("'c' is written and used at another index in 'relu'"));
  EXPECT_THAT(refusal({line_launch("other", {"c"}), line_launch("relu", {"c", "i32:n"})}),
              HasSubstr("'other' does not write each element of 'c' once"));
}

constexpr const char* kSums =
    R"(extern "C" __global__ void sums(const float* x, float* y, int rows, int columns) {
  int row = blockIdx.x;
  if (threadIdx.x > 0) return;
  float value = 0.0f;
  for (int i = 0; i < columns; ++i) value += x[row * columns + i];
  y[row] = value;
}
extern "C" __global__ void shift(const float* y, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = y[i] + b[i];
}
)";

SceneOf sums_and_shift(const std::string& source) {
  SceneOf scene(
      source,
      {{"x", ArgumentKind::in, Dtype::f32, {"rows", "columns"}, "", {}, 0, 0},
       {"b", ArgumentKind::in, Dtype::f32, {"rows"}, "", {}, 0, 0},
       {"c", ArgumentKind::out, Dtype::f32, {"rows"}, "", {}, 0, 0}},
      {{"sums", {"rows", "1", "1"}, {"128", "1", "1"}, "0", {"x", "t", "i32:rows", "i32:columns"}},
       {"shift",
        {"ceil_div(rows, block_x)", "1", "1"},
        {"64", "1", "1"},
        "0",
        {"t", "b", "c", "i32:rows"}}},
      {{{"rows", 1 << 20}, {"columns", 8}}, {{"rows", 5}, {"columns", 3}}});
  scene.task().kernel.plan.scratch = {{"t", Dtype::f32, "rows"}};
  return scene;
}

TEST(FusePointwiseTest, ATailGoesIntoTheStoreOfWhateverComesBefore) {
  const auto scene = sums_and_shift(kSums);
  const auto kernel = scene.apply("fuse_pointwise", "max_chain=2");
  EXPECT_THAT(kernel.source, HasSubstr("float wm_t = value;"));
  EXPECT_THAT(kernel.source, HasSubstr("c[i] = wm_t + b[i];"));
  EXPECT_THAT(kernel.source, HasSubstr("value += x[row * columns + i];"));
  EXPECT_EQ(kernel.plan.launches[0].block[0], "128");
  EXPECT_TRUE(kernel.plan.scratch.empty());
}

TEST(FusePointwiseTest, EachElementMustBeStoredOnce) {
  const auto refusal = [](const std::string& from, const std::string& to) {
    std::string source = kSums;
    source.replace(source.find(from), from.size(), to);
    return sums_and_shift(source).offer("fuse_pointwise").refusal;
  };
  EXPECT_THAT(refusal("y[row] = value", "y[row / 2] = value"),
              HasSubstr("each element of 't' once"));
  EXPECT_THAT(refusal("y[row] = value", "if (row > 1) y[row] = value"),
              HasSubstr("each element of 't' once"));
  EXPECT_THAT(refusal("y[row] = value", "y[row] += value"), HasSubstr("one plain store alone"));
  EXPECT_THAT(refusal("out[i] = y[i]", "out[i] = y[n - 1 - i]"), HasSubstr("at another index"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
