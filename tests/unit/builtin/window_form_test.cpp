#include "agents/builtin/forms/window_form.h"

#include "agents/builtin/forms/pointwise_form.h"
#include "agents/builtin/skills/skill_choice.h"
#include "agents/builtin/skills/skill_library.h"
#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Argument buffer(std::string name, ArgumentKind kind, std::vector<std::string> shape) {
  Argument made;
  made.name = std::move(name);
  made.kind = kind;
  made.dtype = Dtype::f32;
  made.shape = std::move(shape);
  return made;
}

/// A kernel of u, f → v over height x width, rows along x; `body` follows the two numbers.
SceneOf plane(const std::string& body) {
  return {
      "extern \"C\" __global__ void jacobi(const float* u, const float* f, float* v, int height, "
      "int width) {\n"
      "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  int column = blockIdx.y * blockDim.y + threadIdx.y;\n" +
          body + "}\n",
      {buffer("u", ArgumentKind::in, {"height", "width"}),
       buffer("f", ArgumentKind::in, {"height", "width"}),
       buffer("v", ArgumentKind::out, {"height", "width"})},
      {{"jacobi",
        {"ceil_div(height, block_x)", "ceil_div(width, block_y)", "1"},
        {"16", "16", "1"},
        "0",
        {"u", "f", "v", "i32:height", "i32:width"}}},
      {{{"height", 4096}, {"width", 512}}, {{"height", 67}, {"width", 131}}}};
}

const std::string kGuard = "  if (row >= height || column >= width) return;\n";
const std::string kIndex = "  int i = row * width + column;\n";
const std::string kStar =
    "v[i] = 0.25f * (u[i - 1] + u[i + 1] + u[i - width] + u[i + width] + f[i]);\n";
const std::string kFixedEdge =
    "  if (row == 0 || row == height - 1 || column == 0 || column == width - 1) {\n"
    "    v[i] = u[i];\n  } else {\n    " +
    kStar + "  }\n";

/// Max pooling as most people write it: a thread an output, sizes at run time.
SceneOf pooling(const std::string& taps, int window = 3) {
  return {
      "extern \"C\" __global__ void pool(const float* x, float* y, int count, int height, int "
      "width, int out_h, int out_w, int kernel, int stride, int pad) {\n"
      "  int idx = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (idx >= count * out_h * out_w) return;\n"
      "  int ow = idx % out_w;\n"
      "  int oh = idx / out_w % out_h;\n"
      "  int c = idx / (out_w * out_h);\n"
      "  float best = -3e38f;\n" +
          taps + "  y[idx] = best;\n}\n",
      {buffer("x", ArgumentKind::in, {"c", "h", "w"}),
       buffer("y", ArgumentKind::out, {"c", "(h - 1) / 2 + 1", "(w - 1) / 2 + 1"})},
      {{"pool",
        {"ceil_div(c * ((h - 1) / 2 + 1) * ((w - 1) / 2 + 1), block_x)", "1", "1"},
        {"256", "1", "1"},
        "0",
        {"x", "y", "i32:c", "i32:h", "i32:w", "i32:(h - 1) / 2 + 1", "i32:(w - 1) / 2 + 1",
         "i32:" + std::to_string(window), "i32:2", "i32:1"}}},
      {{{"c", 64}, {"h", 128}, {"w", 96}}, {{"c", 3}, {"h", 11}, {"w", 7}}}};
}

const std::string kGuardedTaps =
    "  for (int i = 0; i < kernel; ++i) {\n"
    "    for (int j = 0; j < kernel; ++j) {\n"
    "      int ih = oh * stride - pad + i, iw = ow * stride - pad + j;\n"
    "      if (ih >= 0 && ih < height && iw >= 0 && iw < width) {\n"
    "        best = fmaxf(best, x[(c * height + ih) * width + iw]);\n"
    "      }\n    }\n  }\n";

NormalForm form_of(const SceneOf& scene) {
  const auto forms = find_window_forms(scene.scene());
  EXPECT_TRUE(forms) << forms.error().message;
  return forms ? forms->front() : NormalForm{};
}

std::int64_t fact(const NormalForm& form, std::string_view name) {
  const FormFact* one = form.fact(name);
  EXPECT_NE(one, nullptr) << name;
  return one == nullptr ? -1 : one->values.front();
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const auto from = text.find(begin);
  const auto to = text.find(end, from);
  EXPECT_NE(from, std::string::npos) << begin;
  return text.substr(from, to - from);
}

std::string inner(const NormalForm& form) {
  return form.problem.substr(form.problem.find("void compute_inner"));
}

TEST(WindowForm, OrdersAxesByMemoryAndNotByThread) {
  const NormalForm form = form_of(plane(kGuard + kIndex + kFixedEdge));
  EXPECT_EQ(fact(form, "extent0"), 512);
  EXPECT_EQ(fact(form, "extent1"), 4096);
  EXPECT_EQ(fact(form, "extent2"), 1);
  EXPECT_EQ(form.fact("extent0")->plan, "(width)");
  EXPECT_EQ(fact(form, "taps"), 4);
  EXPECT_EQ(fact(form, "loads"), 5);
  EXPECT_EQ(fact(form, "walked1"), 10 + 16 + 8);
  EXPECT_EQ(fact(form, "reach1"), 2);
  EXPECT_EQ(fact(form, "side_by_side"), 0);
  EXPECT_EQ(fact(form, "bytes_written"), 4096 * 512 * 4);
  EXPECT_THAT(form.problem, HasSubstr("int row = static_cast<int>(wm_digit_0)"));
  EXPECT_THAT(form.parameters[0], HasSubstr("__restrict__ u"));
}

TEST(WindowForm, LeavesTestsForEdgesOutOfTheMiddle) {
  const NormalForm form = form_of(plane(kGuard + kIndex + kFixedEdge));
  EXPECT_THAT(inner(form), HasSubstr("if (false || false || false || false)"));
  EXPECT_THAT(inner(form), HasSubstr("if (false || false) return;"));
  EXPECT_THAT(form.problem, HasSubstr("wm_test_1(wm_first1) && wm_test_1(wm_last1)"));
  EXPECT_THAT(between(form.problem, "void compute(", "is_inner"), HasSubstr("row == height - 1"));
}

TEST(WindowForm, AnEqualityNeedsAllCornersOnOneSide) {
  const NormalForm form = form_of(plane(kGuard + kIndex + kFixedEdge));
  EXPECT_THAT(form.problem, HasSubstr("return row < 0; }"));
  EXPECT_THAT(form.problem, HasSubstr("return row > 0; }"));
}

TEST(WindowForm, AKernelThatLeavesTheEdgeAloneCountsItsThreads) {
  const NormalForm form =
      form_of(plane("  if (row > 0 && row < height - 1 && column > 0 && column < width - 1) {\n" +
                    kIndex + kStar + "  }\n"));
  EXPECT_EQ(form.parameters.back(), "unsigned wm_threads_y");
  EXPECT_EQ(form.arguments.back(), "u32:(ceil_div(width, (16))) * (16)");
  EXPECT_THAT(inner(form), HasSubstr("if (true && true && true && true)"));
}

TEST(WindowForm, PoolingHasItsWindowAsConstants) {
  const NormalForm form = form_of(pooling(kGuardedTaps));
  EXPECT_EQ(fact(form, "extent0"), 48);
  EXPECT_EQ(fact(form, "extent1"), 64);
  EXPECT_EQ(fact(form, "extent2"), 64);
  EXPECT_EQ(fact(form, "taps"), 9);
  EXPECT_EQ(fact(form, "walked1"), 17 * 3);
  EXPECT_EQ(fact(form, "walked2"), 8 * 9);
  EXPECT_EQ(fact(form, "reach1"), 1);
  EXPECT_EQ(fact(form, "reach2"), 0);
  EXPECT_THAT(inner(form), HasSubstr("constexpr int kernel = 3;"));
  EXPECT_THAT(inner(form), HasSubstr("#pragma unroll\nfor (int j"));
  EXPECT_THAT(inner(form), HasSubstr("if (true && true && true && true)"));
  EXPECT_THAT(form.problem, HasSubstr("if (kernel != 3) return false;"));
}

TEST(WindowForm, PoolingWithClampedBoundsLosesItsClamps) {
  const NormalForm form = form_of(pooling(
      "  int h0 = max(oh * stride - pad, 0), h1 = min(oh * stride - pad + kernel, height);\n"
      "  for (int i = h0; i < h1; ++i)\n"
      "    for (int j = max(ow * stride - pad, 0); j < min(ow * stride - pad + kernel, "
      "width); ++j)\n"
      "      best = fmaxf(best, x[(c * height + i) * width + j]);\n"));
  EXPECT_THAT(inner(form), HasSubstr("int h0 = (oh * stride - pad)"));
  EXPECT_THAT(inner(form), HasSubstr("h1 = (oh * stride - pad + kernel)"));
  EXPECT_THAT(inner(form), HasSubstr("j < (ow * stride - pad + kernel)"));
}

TEST(WindowForm, VolumesKeepTheirBatchApart) {
  const SceneOf scene{
      "extern \"C\" __global__ void pool(const float* x, float* y, int depth, int height, int "
      "width, "
      "int channels, int radius) {\n"
      "  const int ow = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  const int oh = blockIdx.y;\n"
      "  const int od = blockIdx.z % depth, c = blockIdx.z / depth;\n"
      "  if (ow >= width || c >= channels) return;\n"
      "  const int d0 = max(od - radius, 0), d1 = min(od + radius + 1, depth);\n"
      "  float sum = 0.0f;\n"
      "  const int h0 = max(oh - radius, 0), h1 = min(oh + radius + 1, height);\n"
      "  for (int d = d0; d < d1; ++d)\n"
      "    for (int h = h0; h < h1; ++h)\n"
      "      for (int w = max(ow - radius, 0); w < min(ow + radius + 1, width); ++w)\n"
      "        sum += x[((c * depth + d) * height + h) * width + w];\n"
      "  y[((c * depth + od) * height + oh) * width + ow] = sum / ((d1 - d0) * (h1 - h0));\n}\n",
      {buffer("x", ArgumentKind::in, {"c", "d", "h", "w"}),
       buffer("y", ArgumentKind::out, {"c", "d", "h", "w"})},
      {{"pool",
        {"ceil_div(w, block_x)", "h", "c * d"},
        {"64", "1", "1"},
        "0",
        {"x", "y", "i32:d", "i32:h", "i32:w", "i32:c", "i32:1"}}},
      {{{"c", 2}, {"d", 9}, {"h", 13}, {"w", 35}},
       {{"c", 1}, {"d", 1}, {"h", 1}, {"w", 1}},
       {{"c", 3}, {"d", 2}, {"h", 5}, {"w", 33}}}};
  const NormalForm form = form_of(scene);
  EXPECT_EQ(fact(form, "extent0"), 35);
  EXPECT_EQ(fact(form, "extent1"), 13);
  EXPECT_EQ(fact(form, "extent2"), 9);
  EXPECT_EQ(fact(form, "extent3"), 2);
  EXPECT_EQ(fact(form, "reach2"), 2);
  EXPECT_THAT(inner(form), HasSubstr("d0 = (od - radius), d1 = (od + radius + 1)"));
}

TEST(WindowForm, ADifferenceOfUnsignedNumbersIsTestedForEachOutput) {
  const NormalForm form =
      form_of(plane(kGuard + kIndex +
                    "  if ((unsigned)row - 1u < (unsigned)height - 2u && column > 0 && column < "
                    "width - 1)\n    " +
                    kStar + "  else v[i] = u[i];\n"));
  EXPECT_THAT(inner(form), HasSubstr("(unsigned)row - 1u < (unsigned)height - 2u && true"));
}

TEST(WindowForm, CastsOfThreadNumbersAreSeenThrough) {
  SceneOf scene = plane("  if (row > 0) return;\n");
  std::string& source = scene.task().kernel.source;
  source =
      "extern \"C\" __global__ void jacobi(const float* u, const float* f, float* v, int height, "
      "int "
      "width) {\n"
      "  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) + 1;\n"
      "  const int column = (int)blockIdx.y * blockDim.y + threadIdx.y + 1;\n"
      "  if (row < height - 1 && column < width - 1) {\n" +
      kIndex + kStar + "  }\n}\n";
  EXPECT_THAT(inner(form_of(scene)), HasSubstr("if (true && true)"));
}

TEST(WindowForm, ALoopOverAllThreadsIsRunOnceByEachOutput) {
  SceneOf scene = pooling(kGuardedTaps);
  std::string& source = scene.task().kernel.source;
  const auto replace = [&](const std::string& from, const std::string& to) {
    ASSERT_NE(source.find(from), std::string::npos);
    source.replace(source.find(from), from.size(), to);
  };
  replace(
      "  int idx = blockIdx.x * blockDim.x + threadIdx.x;\n  if (idx >= count * out_h * out_w) "
      "return;\n",
      "  for (int idx = blockIdx.x * blockDim.x + threadIdx.x; idx < count * out_h * out_w; idx += "
      "blockDim.x * gridDim.x) {\n");
  replace("  y[idx] = best;\n", "  y[idx] = best;\n  }\n");
  scene.task().kernel.plan.launches[0].grid[0] = "3";
  const NormalForm form = form_of(scene);
  EXPECT_EQ(fact(form, "extent0"), 48);
  EXPECT_EQ(fact(form, "extent2"), 64);
  EXPECT_THAT(inner(form), HasSubstr("for (bool wm_once = true; wm_once; wm_once = false)"));
  EXPECT_THAT(inner(form), HasSubstr("if (true && true && true && true)"));
}

TEST(WindowForm, IterationsOfALoopOverAllThreadsMustNotDepend) {
  const auto why = [](const std::string& before, const std::string& work) {
    SceneOf scene = plane("");
    scene.task().kernel.source =
        "extern \"C\" __global__ void jacobi(const float* u, const float* f, float* v, int height, "
        "int width) {\n" +
        before +
        "  const int step = gridDim.x * blockDim.x;\n"
        "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < height; i += step) {\n" +
        work + "  }\n}\n";
    const auto forms = find_window_forms(scene.scene());
    return forms ? std::string("found") : forms.error().message;
  };
  EXPECT_EQ(why("", "    v[i] = u[i] + u[i + 1];\n"), "found");
  EXPECT_THAT(why("  float s = 0.f;\n", "    s += u[i];\n    v[i] = s + u[i + 1];\n"),
              HasSubstr("'s' goes from one iteration"));
  EXPECT_THAT(why("", "    if (i == 7) break;\n    v[i] = u[i] + u[i + 1];\n"),
              HasSubstr("ends early"));
  EXPECT_THAT(why("  if (gridDim.x > 2) return;\n", "    v[i] = u[i] + u[i + 1];\n"),
              HasSubstr("depend on the size of the grid"));
}

TEST(WindowForm, ALongSumIsNoWindow) {
  const auto forms = find_window_forms(
      plane(kGuard + kIndex +
            "  float s = 0.f;\n  for (int k = 0; k < width; ++k) s += u[row * width + k];\n"
            "  v[i] = s;\n")
          .scene());
  ASSERT_FALSE(forms);
  EXPECT_THAT(forms.error().message, HasSubstr("a loop of 512 iterations"));
}

TEST(WindowForm, RefusesWhatThreadsPassOn) {
  const auto why = [](const std::string& body) {
    const auto forms = find_window_forms(plane(body).scene());
    return forms ? std::string("found") : forms.error().message;
  };
  EXPECT_THAT(why(kGuard + kIndex + "  v[i] = v[i - 1] + u[i];\n"),
              HasSubstr("'v' is written and read by the same launch"));
  EXPECT_THAT(why("  __shared__ float t[256];\n" + kGuard + kIndex + kFixedEdge),
              HasSubstr("__shared__"));
  EXPECT_THAT(why(kGuard + kIndex + "  v[(int)u[i]] = u[i - 1] + u[i + 1];\n"),
              HasSubstr("depends on data"));
  EXPECT_THAT(why(kGuard + kIndex + "  atomicAdd(&v[i], u[i] + u[i + 1]);\n"), HasSubstr("atomic"));
}

TEST(PointwiseForm, OneElementOfEachBuffer) {
  const auto scene = plane(kGuard + kIndex + "  v[i] = u[i] * f[column];\n");
  const auto forms = find_pointwise_forms(scene.scene());
  ASSERT_TRUE(forms) << forms.error().message;
  EXPECT_EQ(fact(forms->front(), "extent0"), 512);
  EXPECT_FALSE(find_window_forms(scene.scene()));
  EXPECT_FALSE(find_pointwise_forms(plane(kGuard + kIndex + kFixedEdge).scene()));
}

TEST(PlaneWalk, ReplacesTheLaunch) {
  const auto skill = read_skill(WARPMIND_SOURCE_DIR "/skills/plane_walk");
  ASSERT_TRUE(skill) << skill.error().message;
  const auto scene = plane(kGuard + kIndex + kFixedEdge);
  const Scene read = scene.scene();
  const auto choices = choices_of(read, *skill);
  ASSERT_FALSE(choices.all.empty()) << choices.refusal;
  EXPECT_EQ(choices.all.front().values[0], (std::pair<std::string, std::int64_t>{"axis", 1}));
  const auto kernel = apply_skill(read, *skill, choices.all.front());
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->plan.launches.front().kernel, "jacobi_plane_walk");
  EXPECT_THAT(kernel->source, Not(HasSubstr("void jacobi(")));
}

}  // namespace
}  // namespace warpmind::agents::builtin
