#include "agents/builtin/forms/scatter_form.h"

#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Argument array(std::string name, ArgumentKind kind, Dtype dtype, std::vector<std::string> shape) {
  return Argument{std::move(name), kind, dtype, std::move(shape), "", {}, 0, 0};
}

/// A kernel `k` over bytes x, weights w and counters of 256 bins.
SceneOf counting(const std::string& body, const std::string& block = "256",
                 const std::string& grid = "ceil_div(n, block_x)", const std::string& above = "") {
  return {above +
              "extern \"C\" __global__ void k(const unsigned char* x, const int* w, unsigned* "
              "counts, int* sums, int n, int low) {\n" +
              body + "\n}\n",
          {array("x", ArgumentKind::in, Dtype::u8, {"n"}),
           array("w", ArgumentKind::in, Dtype::i32, {"n"}),
           array("counts", ArgumentKind::inout, Dtype::u32, {"256"}),
           array("sums", ArgumentKind::inout, Dtype::i32, {"256"})},
          {{"k",
            {grid, "1", "1"},
            {block, "1", "1"},
            "0",
            {"x", "w", "counts", "sums", "i32:n", "i32:3"}}},
          {{{"n", 100000}}, {{"n", 7}}}};
}

NormalForm form_of(const SceneOf& scene) {
  auto forms = find_scatter_forms(scene.scene());
  EXPECT_TRUE(forms.has_value()) << (forms ? "" : forms.error().message);
  if (!forms) return {};
  EXPECT_EQ(forms->size(), 1U);
  return std::move(forms->front());
}

std::string refusal_of(const SceneOf& scene) {
  const auto forms = find_scatter_forms(scene.scene());
  EXPECT_FALSE(forms.has_value());
  return forms ? "" : forms.error().message;
}

std::vector<std::int64_t> values(const NormalForm& form, std::string_view name) {
  const FormFact* fact = form.fact(name);
  EXPECT_NE(fact, nullptr) << name;
  return fact == nullptr ? std::vector<std::int64_t>{} : fact->values;
}

const std::string kIndex = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n";

TEST(ScatterFormTest, CountsWithOneThreadAnElement) {
  const auto form = form_of(counting(kIndex + "  if (i < n) atomicAdd(&counts[x[i]], 1u);"));
  EXPECT_EQ(form.kernel, "k");
  EXPECT_THAT(form.launches, ElementsAre(0));
  EXPECT_EQ(form.types.at("value"), "unsigned");
  EXPECT_THAT(values(form, "count"), ElementsAre(100000, 7));
  EXPECT_THAT(values(form, "bins"), ElementsAre(256, 256));
  EXPECT_THAT(values(form, "pack"), ElementsAre(16, 16));
  EXPECT_THAT(values(form, "is_weighted"), ElementsAre(0, 0));
  EXPECT_THAT(form.parameters, ElementsAre("const unsigned char* x", "unsigned* counts", "int n"));
  EXPECT_THAT(form.arguments, ElementsAre("x", "counts", "i32:n"));
  EXPECT_THAT(form.problem,
              HasSubstr("wm_sink.add(static_cast<int>(wm_at_x), static_cast<unsigned>(1u))"));
  EXPECT_GT(form.given_ns, 0);
}

TEST(ScatterFormTest, CountsInALoopOverAllThreads) {
  const auto form = form_of(
      counting("  const int stride = gridDim.x * blockDim.x;\n"
               "  const int shift = low - 1;\n"
               "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {\n"
               "    const int v = __ldg(&x[i]) >> shift;\n"
               "    if (v == low) continue;\n"
               "    atomicAdd(sums + v, w[i]);\n  }",
               "128", "64"));
  EXPECT_EQ(form.types.at("value"), "int");
  EXPECT_THAT(values(form, "is_weighted"), ElementsAre(1, 1));
  EXPECT_THAT(values(form, "element_bytes"), ElementsAre(1, 1));
  // The weight is not read for every element, so it is not read in pieces.
  EXPECT_THAT(form.problem, HasSubstr("static_cast<int>(w[i])"));
  EXPECT_THAT(form.problem, HasSubstr("wm_at_x >> shift"));
  EXPECT_THAT(form.problem, HasSubstr("const int shift = low - 1;"));
  EXPECT_THAT(form.problem, HasSubstr("if (v == low) return;"));
  EXPECT_THAT(form.problem, Not(HasSubstr("gridDim")));
}

TEST(ScatterFormTest, ReadsWeightsInPieces) {
  const auto form = form_of(counting(kIndex + "  if (i >= n) return;\n"
                                              "  int bin = (int)((x[i] / 256.0f) * 256);\n"
                                              "  bin = bin;\n"
                                              "  atomicAdd(&sums[bin], w[i]);"));
  EXPECT_THAT(values(form, "element_bytes"), ElementsAre(5, 5));
  EXPECT_THAT(form.problem, HasSubstr("static_cast<int>(wm_at_w)"));
}

const std::string kShared =
    "  __shared__ unsigned local[256];\n"
    "  for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;\n"
    "  __syncthreads();\n";
const std::string kMerge =
    "  __syncthreads();\n"
    "  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&counts[b], local[b]);";

TEST(ScatterFormTest, SeesThroughCountsOfABlock) {
  const auto form = form_of(
      counting(kShared + kIndex + "  if (i < n) atomicAdd(&local[x[i]], 1u);\n" + kMerge, "96"));
  EXPECT_THAT(form.parameters, ElementsAre("const unsigned char* x", "unsigned* counts", "int n"));
  EXPECT_THAT(form.problem, Not(HasSubstr("local")));
  const auto other = form_of(counting(
      "  __shared__ unsigned local[256];\n  local[threadIdx.x] = 0u;\n  __syncthreads();\n"
      "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)\n"
      "    atomicAdd(&local[x[i]], 1u);\n"
      "  __syncthreads();\n"
      "  unsigned mine = local[threadIdx.x];\n"
      "  if (mine > 0) atomicAdd(&counts[threadIdx.x], mine);",
      "256", "32"));
  EXPECT_THAT(values(other, "bins"), ElementsAre(256, 256));
}

TEST(ScatterFormTest, CountsWithOneThread) {
  const auto form = form_of(counting("  for (int i = 0; i < n; ++i) counts[x[i]]++;", "1", "1"));
  EXPECT_THAT(form.problem, HasSubstr("wm_sink.add(static_cast<int>(wm_at_x)"));
  EXPECT_THAT(refusal_of(counting("  for (int i = 0; i < n; ++i) counts[x[i]]++;", "32", "1")),
              HasSubstr("'i' is not the flat number of the thread"));
}

TEST(ScatterFormTest, RefusesWhatIsMoreThanAdding) {
  const auto one = [](const std::string& work) {
    return refusal_of(counting(kIndex + "  if (i < n) { " + work + " }"));
  };
  EXPECT_THAT(one("unsigned at = atomicAdd(&counts[x[i]], 1u); sums[at] = 1;"),
              HasSubstr("the count before an add is used"));
  EXPECT_THAT(one("atomicAdd(&counts[x[i]], 1u); atomicAdd(&sums[x[i]], 1);"),
              HasSubstr("it adds to several arrays"));
  EXPECT_THAT(one("atomicMax(&counts[x[i]], 1u);"), HasSubstr("it calls atomicMax"));
  EXPECT_THAT(one("atomicAdd(&counts[x[i]], counts[0]);"),
              HasSubstr("'counts' is read while it is added to"));
  EXPECT_THAT(one("atomicAdd(&counts[x[i]], 1u); sums[i] = 2;"),
              HasSubstr("an element stores to 'sums'"));
  EXPECT_THAT(one("atomicAdd(&counts[x[i]], threadIdx.x);"), HasSubstr("it reads threadIdx"));
  EXPECT_THAT(one("sums[i] = x[i];"), HasSubstr("no element adds to a counter"));
  EXPECT_THAT(refusal_of(counting("  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; "
                                  "i += 7) atomicAdd(&counts[x[i]], 1u);")),
              HasSubstr("does not step over all threads"));
}

TEST(ScatterFormTest, RefusesBlocksThatLoseCounts) {
  const auto staged = [](const std::string& clear, const std::string& merge) {
    return refusal_of(
        counting("  __shared__ unsigned local[256];\n" + clear + "  __syncthreads();\n" + kIndex +
                 "  if (i < n) atomicAdd(&local[x[i]], 1u);\n  __syncthreads();\n" + merge));
  };
  const std::string clear = "  local[threadIdx.x] = 0;\n";
  const std::string merge = "  atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);\n";
  EXPECT_THAT(staged("  if (threadIdx.x < 128) local[threadIdx.x] = 0;\n", merge),
              HasSubstr("not all of 'local' is set to zero"));
  EXPECT_THAT(staged("", merge), HasSubstr("not all of 'local' is set to zero"));
  EXPECT_THAT(staged("  local[threadIdx.x] = 1;\n", merge),
              HasSubstr("not all of 'local' is set to zero"));
  EXPECT_THAT(staged(clear, "  if (threadIdx.x > 0) " + merge), HasSubstr("not each added once"));
  EXPECT_THAT(staged(clear, "  atomicAdd(&counts[255 - threadIdx.x], local[threadIdx.x]);\n"),
              HasSubstr("not each added once"));
  EXPECT_THAT(staged(clear, "  if (local[threadIdx.x] > 1) " + merge),
              HasSubstr("a way that is not understood"));
  EXPECT_THAT(staged(clear, "  counts[threadIdx.x] += local[threadIdx.x];\n"),
              HasSubstr("are not added to memory"));
}

TEST(ScatterFormTest, RefusesOneBufferInTwoRoles) {
  auto scene = counting(kIndex + "  if (i < n) atomicAdd(&counts[sums[i]], 1u);");
  scene.task().kernel.plan.launches[0].arguments[3] = "counts";
  EXPECT_THAT(refusal_of(scene), HasSubstr("is read while it is added to"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
