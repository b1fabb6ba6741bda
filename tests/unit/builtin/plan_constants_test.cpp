#include "agents/builtin/probe/integer_interpreter.h"
#include "tests/unit/builtin/scene_of.h"

#include <set>

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

Argument buffer(std::string name, ArgumentKind kind, Dtype dtype, std::vector<std::string> shape) {
  return {std::move(name), kind, dtype, std::move(shape), "", {}, 0, 0};
}

/// The same kernel with its width as a macro of the file, and as a constant of the plan.
struct Twins {
  SceneOf macro;
  SceneOf constant;
};

Twins twins_of(const std::string& source, const std::vector<Argument>& arguments,
               const std::vector<Launch>& launches, const std::vector<Sizes>& sizes) {
  Twins twins{SceneOf("#define WIDTH 512\n" + source, arguments, launches, sizes),
              SceneOf(source, arguments, launches, sizes)};
  twins.constant.task().kernel.plan.constants = {{"WIDTH", 512}};
  return twins;
}

/// Techniques that offer something; offers, refusals and rewrites must be alike.
std::set<std::string> offered_alike(const Twins& twins) {
  std::set<std::string> offered;
  const Scene macro = twins.macro.scene();
  const Scene constant = twins.constant.scene();
  const std::string line = "#define WIDTH 512\n";
  for (const Technique& technique : techniques()) {
    const Offer ours = technique.offer(constant);
    const Offer theirs = technique.offer(macro);
    EXPECT_EQ(ours.refusal, theirs.refusal) << technique.name;
    EXPECT_EQ(ours.moves.size(), theirs.moves.size()) << technique.name;
    if (ours.moves.empty() || theirs.moves.empty()) continue;
    const auto rewritten = technique.apply(constant, ours.moves.front().parameters);
    auto expected = technique.apply(macro, theirs.moves.front().parameters);
    EXPECT_EQ(rewritten.has_value(), expected.has_value()) << technique.name;
    if (!rewritten || !expected) continue;
    offered.emplace(technique.name);
    EXPECT_EQ(expected->plan.launches, rewritten->plan.launches) << technique.name;
    const auto at = expected->source.find(line);
    EXPECT_NE(at, std::string::npos);
    if (at == std::string::npos) continue;
    EXPECT_EQ(expected->source.erase(at, line.size()), rewritten->source) << technique.name;
  }
  return offered;
}

TEST(PlanConstantsTest, ARowOfThatWidth) {
  const auto offered = offered_alike(twins_of(
      R"(extern "C" __global__ void k(const float* x, float* y, float* out, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int i = 0; i < WIDTH; ++i) sum += x[row * WIDTH + i];
  for (int i = 0; i < WIDTH; ++i) y[row * WIDTH + i] = x[row * WIDTH + i] / sum;
  out[row] = sum;
}
)",
      {buffer("x", ArgumentKind::in, Dtype::f32, {"rows", "512"}),
       buffer("y", ArgumentKind::out, Dtype::f32, {"rows", "512"}),
       buffer("out", ArgumentKind::out, Dtype::f32, {"rows"})},
      {{"k",
        {"ceil_div(rows, block_x)", "1", "1"},
        {"64", "1", "1"},
        "0",
        {"x", "y", "out", "i32:rows"}}},
      {{{"rows", 4096}}, {{"rows", 3}}}));
  EXPECT_THAT(offered, testing::IsSupersetOf({"warp_per_output", "vectorized_loads"}));
}

TEST(PlanConstantsTest, AProductOfThatWidth) {
  const auto offered = offered_alike(twins_of(
      R"(#include <cuda_fp16.h>
extern "C" __global__ void gemm(const __half* a, const __half* b, float* c, int m, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < WIDTH; ++i) sum += __half2float(a[row * WIDTH + i]) * __half2float(b[i * n + column]);
  c[row * n + column] = sum;
}
)",
      {buffer("a", ArgumentKind::in, Dtype::f16, {"m", "512"}),
       buffer("b", ArgumentKind::in, Dtype::f16, {"512", "n"}),
       buffer("c", ArgumentKind::out, Dtype::f32, {"m", "n"})},
      {{"gemm",
        {"ceil_div(n, block_x)", "ceil_div(m, block_y)", "1"},
        {"16", "16", "1"},
        "0",
        {"a", "b", "c", "i32:m", "i32:n"}}},
      {{{"m", 128}, {"n", 192}}, {{"m", 3}, {"n", 5}}}));
  EXPECT_THAT(offered, testing::IsSupersetOf({"tensor_core_mma"}));
}

TEST(PlanConstantsTest, AnOutputOfThatWidth) {
  const auto offered = offered_alike(twins_of(
      R"(extern "C" __global__ void gemm(const float* a, const float* b, float* c, int m, int k) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= WIDTH) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * WIDTH + column];
  c[row * WIDTH + column] = sum;
}
)",
      {buffer("a", ArgumentKind::in, Dtype::f32, {"m", "k"}),
       buffer("b", ArgumentKind::in, Dtype::f32, {"k", "512"}),
       buffer("c", ArgumentKind::out, Dtype::f32, {"m", "512"})},
      {{"gemm",
        {"ceil_div(512, block_x)", "ceil_div(m, block_y)", "1"},
        {"16", "16", "1"},
        "0",
        {"a", "b", "c", "i32:m", "i32:k"}}},
      {{{"m", 128}, {"k", 192}}, {{"m", 3}, {"k", 5}}}));
  EXPECT_THAT(offered, testing::IsSupersetOf({"simt_contraction"}));
}

TEST(PlanConstantsTest, ElementsInRowsOfThatWidth) {
  const auto offered = offered_alike(twins_of(
      R"(extern "C" __global__ void scale(const float* x, const float* bias, float* y, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * WIDTH) y[i] = x[i] + bias[i % WIDTH];
}
extern "C" __global__ void turn(const float* y, float* z, int rows) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < WIDTH) z[column * rows + row] = y[row * WIDTH + column];
}
)",
      {buffer("x", ArgumentKind::in, Dtype::f32, {"rows", "512"}),
       buffer("bias", ArgumentKind::in, Dtype::f32, {"512"}),
       buffer("y", ArgumentKind::out, Dtype::f32, {"rows", "512"}),
       buffer("z", ArgumentKind::out, Dtype::f32, {"512", "rows"})},
      {{"scale",
        {"ceil_div(rows * 512, block_x)", "1", "1"},
        {"128", "1", "1"},
        "0",
        {"x", "bias", "y", "i32:rows"}},
       {"turn",
        {"ceil_div(512, block_x)", "ceil_div(rows, block_y)", "1"},
        {"16", "16", "1"},
        "0",
        {"y", "z", "i32:rows"}}},
      {{{"rows", 4096}}, {{"rows", 3}}}));
  EXPECT_THAT(offered,
              testing::IsSupersetOf({"vectorized_loads", "thread_coarsening", "tiled_transpose"}));
}

/// Of the expression `WIDTH + 0` in that file.
Value width_in(const std::string& head, const PlanConstants& constants) {
  const auto source = CudaSource::read(head + "int value = WIDTH + 0;\n");
  EXPECT_TRUE(source.has_value());
  const ProbeProgram program(*source, constants);
  return program.constant("WIDTH");
}

TEST(PlanConstantsTest, TheFileMayTakeThemBack) {
  const PlanConstants given{{"WIDTH", 512}};
  EXPECT_EQ(width_in("", given).number, 512);
  EXPECT_FALSE(width_in("", {}).known);
  EXPECT_EQ(width_in("#ifndef WIDTH\n#define WIDTH 16\n#endif\n", given).number, 512);
  EXPECT_FALSE(width_in("#ifndef WIDTH\n#define WIDTH 16\n#endif\n", {}).known);
  EXPECT_FALSE(width_in("#define WIDTH 16\n", given).known) << "defined twice";
  EXPECT_FALSE(width_in("#ifdef OTHER\n#define WIDTH 16\n#endif\n", given).known);
  EXPECT_FALSE(width_in("#undef WIDTH\n", given).known);
  EXPECT_EQ(width_in("", {{"WIDTH", -3}}).number, -3);
  EXPECT_EQ(width_in("", {{"WIDTH", std::int64_t{1} << 40}}).type.bytes, 8U);
}

}  // namespace
}  // namespace warpmind::agents::builtin
