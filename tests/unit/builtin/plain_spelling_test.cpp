#include "agents/builtin/loops/plain_spelling.h"

#include "agents/builtin/scene_rewrites.h"
#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// `body` behind the guard of one thread a row; `y` may be the buffer of `x`.
SceneOf rows(const std::string& body, bool in_place = false) {
  return {
      "__global__ void k(const float* x, float* y, float* out, int rows, int columns) {\n"
      "  const int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (row >= rows) return;\n" +
          body + "}\n",
      {{"x", ArgumentKind::inout, Dtype::f32, {"rows", "columns"}, "", {}, 0, 0},
       {"y", ArgumentKind::out, Dtype::f32, {"rows", "columns"}, "", {}, 0, 0},
       {"out", ArgumentKind::out, Dtype::f32, {"rows"}, "", {}, 0, 0}},
      {{"k",
        {"ceil_div(rows, block_x)", "1", "1"},
        {"64", "1", "1"},
        "0",
        {"x", in_place ? "x" : "y", "out", "i32:rows", "i32:columns"}}},
      {{{"rows", 512}, {"columns", 2048}}}};
}

/// The body of the kernel in plain spelling, behind the guard; empty when nothing changed.
std::string normal(const SceneOf& given) {
  const auto kernel = plain_spelling(given.scene());
  if (!kernel) return {};
  const auto read = CudaSource::read(kernel->source);
  EXPECT_TRUE(read && !read->tree.node(0).has_error) << kernel->source;
  const auto begin = kernel->source.find("return;\n") + 8;
  return kernel->source.substr(begin, kernel->source.rfind('}') - begin);
}
std::string normal(const std::string& body, bool in_place = false) {
  return normal(rows(body, in_place));
}

Offer offer(const SceneOf& given, std::string_view technique) {
  const Scene scene = given.scene();
  const auto rewrites = SceneRewrites::read(scene.context());
  EXPECT_TRUE(rewrites.has_value());
  return rewrites->offer(SceneOf::technique_called(technique));
}

TEST(PlainSpelling, EveryNameHasADeclarationOfItsOwn) {
  EXPECT_EQ(normal("  float sum = 0, *line = y + row * columns, part[2];\n"),
            "  float sum = 0;\n  float *line = y + row * columns;\n  float part[2];\n");
}

TEST(PlainSpelling, ALoopDeclaresWhatItCountsWith) {
  EXPECT_EQ(normal("  int i, j;\n"
                   "  float sum = 0;\n"
                   "  for (i = 0; i < 2; ++i)\n"
                   "    for (j = i; j < columns; j += 2) sum += x[row * columns + j];\n"
                   "  for (i = 0; i < columns; ++i) y[row * columns + i] = sum;\n"),
            "  float sum = 0;\n"
            "  for (int i = 0; i < 2; ++i)\n"
            "    for (int j = i; j < columns; j += 2) sum += x[row * columns + j];\n"
            "  for (int i = 0; i < columns; ++i) y[row * columns + i] = sum;\n");
}

TEST(PlainSpelling, AHeadWithoutABeginningTakesTheDeclaration) {
  EXPECT_EQ(normal("  int i = threadIdx.x;\n"
                   "  for (; i < columns; i += blockDim.x) y[i] = 1;\n"),
            "  for (int i = threadIdx.x; i < columns; i += blockDim.x) y[i] = 1;\n");
  // Where it is used before, the loop counts on from there.
  EXPECT_EQ(normal("  int i = threadIdx.x;\n"
                   "  y[i] = 0;\n"
                   "  for (; i < columns; i += blockDim.x) out[i] = 1;\n"),
            "  int i = threadIdx.x;\n"
            "  y[i] = 0;\n"
            "  for (int i_from = i; i_from < columns; i_from += blockDim.x) out[i_from] = 1;\n");
}

TEST(PlainSpelling, AWhileThatCountsIsAFor) {
  EXPECT_EQ(normal("  int i = row;\n"
                   "  while (i < columns) {\n"
                   "    y[i] = x[i];\n"
                   "    i += gridDim.x * blockDim.x;\n"
                   "  }\n"),
            "  for (int i = row; i < columns; i += gridDim.x * blockDim.x) {\n"
            "    y[i] = x[i];\n"
            "  }\n");
}

TEST(PlainSpelling, OtherVariablesLeaveTheHead) {
  EXPECT_EQ(normal("  for (int i = 0, end = 2 * columns; i < end; ++i) y[i] = 1;\n"),
            "  int end = 2 * columns;\n"
            "  for (int i = 0; i < end; ++i) y[i] = 1;\n");
}

TEST(PlainSpelling, ASumInMemoryIsKeptInAVariable) {
  EXPECT_EQ(normal("  out[row] = 0;\n"
                   "  for (int i = 0; i < columns; ++i) out[row] += x[row * columns + i];\n"
                   "  out[row] *= 0.5f;\n"),
            "  float out_value = 0;\n"
            "  for (int i = 0; i < columns; ++i) out_value += x[row * columns + i];\n"
            "  out_value *= 0.5f;\n"
            "  out[row] = out_value;\n");
}

// A loop without iterations must not touch a place that the given kernel never touched.
TEST(PlainSpelling, ASumThatOnlyTheLoopTouchesIsGuarded) {
  const auto text =
      normal("  for (int i = row; i < columns; i += 64) out[row] = out[row] + x[i];\n");
  EXPECT_THAT(text, HasSubstr("if (row < columns) {\n  float out_value = out[row];\n"));
  EXPECT_THAT(text, HasSubstr("out_value = out_value + x[i];\n  out[row] = out_value;\n  }"));
}

TEST(PlainSpelling, WhatMayMeetAnotherWayStays) {
  const std::string sum = "  y[row] = 0;\n  for (int i = 0; i < columns; ++i) y[row] += x[i];\n";
  EXPECT_THAT(normal(sum), HasSubstr("y_value"));
  EXPECT_THAT(normal(sum, true), IsEmpty()) << "x and y are one buffer";
  for (const std::string body :
       {"  for (int i = 0; i < columns; ++i) y[i] += x[i];\n",
        "  for (int i = 0; i < columns; ++i) if (x[i] > 0) y[row] += x[i];\n",
        "  for (int i = 0; i < columns; ++i) { y[row] += x[i]; __syncthreads(); }\n",
        "  for (int i = 0; i < columns; ++i) { y[row] += x[i]; if (x[i] < 0) return; }\n",
        "  for (int i = 0; i < columns; ++i) { y[row] += x[i]; out[i] = y[row + 1]; }\n",
        "  for (int i = 0; i < columns; ++i) y[(int)out[row]] += x[i];\n",
        "  volatile float* seen = y;\n"
        "  for (int i = 0; i < columns; ++i) seen[row] += x[i];\n",
        "  for (int i = 0; i < columns; ++i) atomicAdd(&y[row], x[i]);\n"}) {
    EXPECT_THAT(normal(body), Not(HasSubstr("_value"))) << body;
  }
}

TEST(PlainSpelling, AVariableThatIsReadAfterItsLoopStays) {
  for (const std::string body :
       {"  int i;\n  for (i = 0; i < columns; ++i) y[i] = 1;\n  out[row] = i;\n",
        "  int i = 0;\n  for (int r = 0; r < 3; ++r) for (; i < columns; i += 7) y[i] = r;\n",
        "  int i;\n  for (i = 0; i < columns; ++i) { y[i] = 1; i += x[i] > 0; }\n",
        "  int i;\n  int* at = &i;\n  for (i = 0; i < columns; ++i) y[*at] = 1;\n",
        "  int i = 0;\n  while (i < columns) { if (x[i] > 0) continue; i += 1; }\n",
        "  int i = 0;\n  while (i < columns) { int s = 2; y[i] = s; i += s; }\n"}) {
    EXPECT_EQ(normal(body), "") << body;
  }
}

TEST(PlainSpelling, OrdinarySpellingsHaveTheMovesOfTheOthers) {
  const char* const kSpellings[] = {
      "  int j, k;\n  out[row] = 0;\n"
      "  for (j = 0; j < 2; ++j)\n"
      "    for (k = 0; k < columns; ++k) out[row] += x[row * columns + k];\n",
      "  float sum = 0, unused;\n  int k = 0;\n"
      "  while (k < columns) {\n    sum += x[row * columns + k];\n    k++;\n  }\n"
      "  out[row] = sum;\n"};
  for (const char* const spelling : kSpellings) {
    const auto found = offer(rows(spelling), "warp_per_output");
    EXPECT_FALSE(found.moves.empty()) << spelling << found.refusal;
  }
}

TEST(PlainSpelling, AReasonNamesWhatIsInTheWay) {
  const auto why = [](const std::string& body) {
    return offer(rows(body), "warp_per_output").refusal;
  };
  EXPECT_THAT(why("  int i;\n  for (i = 0; i < columns; ++i) y[row] += x[i];\n  out[row] = i;\n"),
              HasSubstr("does not declare what it counts with"));
  EXPECT_THAT(why("  for (int i = 0; i != columns; ++i) y[row] += x[i];\n"),
              HasSubstr("the loop over 'i' ends at no '<'"));
  EXPECT_THAT(
      offer(rows("  for (int i = 0; i < columns; ++i) y[row] += x[i];\n", true), "simt_contraction")
          .refusal,
      HasSubstr("keep their sum in memory, in 'y[row]'"));
}

TEST(PlainSpelling, KernelsThatATechniqueDoesNotTouchStayAsTheyAre) {
  const std::string other =
      "__global__ void other(float* y, int n) {\n"
      "  int i = threadIdx.x, step = blockDim.x;\n"
      "  for (; i < n; i += step) y[i] = 0;\n"
      "}\n";
  SceneOf given = rows(
      "  int i;\n  out[row] = 0;\n"
      "  for (i = 0; i < columns; ++i) out[row] += x[row * columns + i];\n");
  given.task().kernel.source += other;
  given.task().kernel.plan.launches.push_back(
      {"other", {"1", "1", "1"}, {"64", "1", "1"}, "0", {"y", "i32:columns"}});
  const Scene scene = given.scene();
  const auto rewrites = SceneRewrites::read(scene.context());
  ASSERT_TRUE(rewrites.has_value());
  const auto& technique = SceneOf::technique_called("warp_per_output");
  const auto moves = rewrites->offer(technique).moves;
  ASSERT_FALSE(moves.empty());
  const auto edited = rewrites->rewrite(technique, moves.front().parameters);
  ASSERT_TRUE(edited.has_value());
  EXPECT_THAT(edited->source, HasSubstr(other));
  EXPECT_THAT(edited->source, HasSubstr("out_value"));
}

TEST(PlainSpelling, WhatAnIterationFindsInMemoryIsAVariable) {
  EXPECT_EQ(normal("  y[row * columns] = x[row * columns];\n"
                   "  for (int i = 1; i < columns; ++i) {\n"
                   "    y[row * columns + i] = y[row * columns + i - 1] + x[row * columns + i];\n"
                   "  }\n"),
            "  float wm_handed_on = x[row * columns];\n"
            "  y[row * columns] = wm_handed_on;\n"
            "  for (int i = 1; i < columns; ++i) {\n"
            "    wm_handed_on = wm_handed_on + x[row * columns + i]; "
            "y[row * columns + i] = wm_handed_on;\n"
            "  }\n");
  // In place, from the right; the first value is read where the loop runs at all.
  EXPECT_EQ(normal("  for (int i = columns - 2; i >= 0; --i) y[i] += y[1 + i];\n"),
            "  float wm_handed_on = (columns - 2) >= (0) ? y[1 + (columns - 2)] : "
            "static_cast<float>(0);\n"
            "  for (int i = columns - 2; i >= 0; --i) { wm_handed_on = y[i] + (wm_handed_on); "
            "y[i] = wm_handed_on; }\n");
}

TEST(PlainSpelling, WhatMayBeMetOtherwiseStaysInMemory) {
  const std::string head = "  for (int i = 2; i < columns; ++i) {\n";
  EXPECT_THAT(normal(head + "    y[i] = y[i - 2] + x[i];\n  }\n"), IsEmpty());
  EXPECT_THAT(normal(head + "    y[i] = y[i - 1] + y[i - 2];\n  }\n"), IsEmpty());
  EXPECT_THAT(normal(head + "    if (x[i] > 0) y[i] = y[i - 1] + x[i];\n  }\n"), IsEmpty());
  EXPECT_THAT(normal(head + "    y[i] = y[i - 1] + x[i];\n    y[0] = 1;\n  }\n"), IsEmpty());
  EXPECT_THAT(normal(head + "    y[i] = y[i - 1] + x[i];\n  }\n", true), IsEmpty());
}

/// The body for a device of that compute capability.
std::string on_device(const std::string& body, int major, int minor = 0) {
  SceneOf given = rows(body);
  given.device().compute_major = major;
  given.device().compute_minor = minor;
  return normal(given);
}

TEST(PlainSpelling, TheDeviceDecidesOnBranchesOfThePreprocessor) {
  const std::string body =
      "#if (__CUDA_ARCH__ >= 700) && defined(__CUDA_ARCH__)\n"
      "  out[row] = 1.0f;\n"
      "#elif __CUDA_ARCH__ > 600\n"
      "  out[row] = 2.0f;\n"
      "#else\n"
      "  out[row] = 3.0f;\n"
      "#endif\n"
      "  y[row] = 0.0f;\n";
  EXPECT_EQ(on_device(body, 9), "  out[row] = 1.0f;\n\n  y[row] = 0.0f;\n");
  EXPECT_EQ(on_device(body, 6, 1), "  out[row] = 2.0f;\n\n  y[row] = 0.0f;\n");
  EXPECT_EQ(on_device(body, 6), "  out[row] = 3.0f;\n\n  y[row] = 0.0f;\n");
  EXPECT_THAT(on_device(body, 0), IsEmpty());
}

TEST(PlainSpelling, BranchesWithoutAnElseMayBeNothing) {
  const std::string body =
      "#ifdef __CUDA_ARCH__\n  out[row] = 1.0f;\n#endif\n"
      "#ifndef __CUDA_ARCH__\n  out[row] = 2.0f;\n#endif\n"
      "#if __CUDA_ARCH__ < 500\n  out[row] = 3.0f;\n#endif\n";
  EXPECT_EQ(on_device(body, 9), "  out[row] = 1.0f;\n\n\n\n");
}

TEST(PlainSpelling, BranchesInBranchesAreChosenOneByOne) {
  EXPECT_EQ(on_device("#if __CUDA_ARCH__ >= 800\n"
                      "#if __CUDA_ARCH__ >= 900\n  out[row] = 1.0f;\n#else\n  out[row] = 2.0f;\n"
                      "#endif\n#endif\n",
                      9),
            "  out[row] = 1.0f;\n\n\n");
}

TEST(PlainSpelling, WhatElseAPreprocessorMaySeeStays) {
  EXPECT_THAT(on_device("#ifdef FAST\n  out[row] = 1.0f;\n#endif\n", 9), IsEmpty());
  EXPECT_THAT(on_device("#if __CUDA_ARCH__ >= LEAST\n  out[row] = 1.0f;\n#endif\n", 9), IsEmpty());
  EXPECT_THAT(on_device("#if FAST && __CUDA_ARCH__ >= 700\n  out[row] = 1.0f;\n#endif\n", 9),
              IsEmpty());
}

}  // namespace
}  // namespace warpmind::agents::builtin
