#include "agents/builtin/forms/scan_form.h"

#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Argument buffer(std::string name, ArgumentKind kind, std::vector<std::string> shape,
                Dtype dtype = Dtype::i32) {
  return Argument{std::move(name), kind, dtype, std::move(shape), "", {}, 0, 0};
}

const char* const kOneThread = "  if (blockIdx.x != 0 || threadIdx.x != 0) return;\n";

/// One thread walks x; `body` stands behind the guard.
SceneOf vector_kernel(const std::string& body, const std::string& guard = kOneThread) {
  return {"extern \"C\" __global__ void k(const int* x, const int* mask, int* y, int* total, int n) "
          "{\n" +
              guard + body + "}\n",
          {buffer("x", ArgumentKind::in, {"n"}), buffer("mask", ArgumentKind::in, {"n"}),
           buffer("y", ArgumentKind::out, {"n + 1"}), buffer("total", ArgumentKind::out, {"8"})},
          {{"k", {"1", "1", "1"}, {"32", "1", "1"}, "0", {"x", "mask", "y", "total", "i32:n"}}},
          {{{"n", 4096}}, {{"n", 3}}}};
}

NormalForm form_of(const SceneOf& scene) {
  const auto read = scene.scene();
  auto forms = find_scan_forms(read);
  EXPECT_TRUE(forms.has_value()) << forms.error().message;
  if (!forms || forms->size() != 1) return {};
  const auto parsed = CudaSource::read(forms->front().problem);
  EXPECT_TRUE(parsed && !parsed->tree.node(0).has_error) << forms->front().problem;
  return forms->front();
}

std::string refusal_of(const SceneOf& scene) {
  const auto read = scene.scene();
  const auto forms = find_scan_forms(read);
  return forms ? "" : forms.error().message;
}

const char* const kExclusive =
    "  int sum = 0;\n"
    "  for (int i = 0; i < n; ++i) {\n    y[i] = sum;\n    sum += x[i];\n  }\n";

TEST(ScanFormTest, ShowsAVectorThatOneThreadWalks) {
  const NormalForm form = form_of(vector_kernel(kExclusive));
  EXPECT_EQ(form.summary, "scan, int sum; rows=1, length=4096");
  EXPECT_EQ(form.fact("rows")->plan, "1");
  EXPECT_EQ(form.fact("length")->plan, "max(((n) - 0), 0)");
  EXPECT_THAT(form.fact("length")->values, ElementsAre(4096, 3));
  EXPECT_THAT(form.fact("is_contiguous")->values, ElementsAre(1, 1));
  EXPECT_EQ(form.types.find("value")->second, "int");
  EXPECT_THAT(form.parameters, Not(IsEmpty()));
  EXPECT_EQ(form.parameters.size(), form.arguments.size());
  EXPECT_EQ(form.timed, 1U);
  EXPECT_GT(form.given_ns, 10'000);
  EXPECT_THAT(form.problem, HasSubstr("wm_piece_1.at[wm_i]"));
  EXPECT_THAT(form.problem, HasSubstr("y[i] = sum;\n      sum = wm_first_sum + wm_with;"));
}

TEST(ScanFormTest, ShowsSeveralCarriedSums) {
  const NormalForm form = form_of(vector_kernel(
      "  int start = 0;\n  int next = 0;\n"
      "  for (int b = 0; b < n; ++b) {\n"
      "    int right = 0;\n"
      "    while (right < mask[b] && x[start + right] == 1) ++right;\n"
      "    total[b] = right;\n"
      "    for (int j = 0; j <= x[b]; ++j) {\n"
      "      y[next] = total[b] + j;\n      ++next;\n    }\n"
      "    start += mask[b];\n  }\n"
      "  total[n] = next;\n"
      "  for (int i = next; i < 8 * n; ++i) y[i] = -1;\n"));
  EXPECT_THAT(form.summary, HasSubstr("int sum and int sum"));
  EXPECT_EQ(form.types.find("value")->second, "wm_value");
  EXPECT_THAT(form.fact("value_bytes")->values, ElementsAre(8, 8));
  const auto load = form.problem.substr(form.problem.find("value load("));
  const auto amounts = load.substr(0, load.find("void store("));
  EXPECT_THAT(amounts, HasSubstr("++next;"));
  EXPECT_THAT(amounts, HasSubstr("start += mask[b];"));
  EXPECT_THAT(amounts, Not(HasSubstr("while")));
  EXPECT_THAT(amounts, Not(HasSubstr("y[")));
  EXPECT_THAT(form.problem, HasSubstr("if (wm_lane == 0) {\n      total[n] = next;"));
  EXPECT_THAT(form.problem, HasSubstr("i += static_cast<int>(wm_lanes)"));
}

TEST(ScanFormTest, SaysWhatStandsInTheWay) {
  const auto why = [](const std::string& body) { return refusal_of(vector_kernel(body)); };
  EXPECT_THAT(why("  y[0] = x[0];\n"), HasSubstr("no loop leaves something for every prefix"));
  EXPECT_THAT(why("  int s = 0;\n  for (int i = 0; i < n; ++i) {\n    s = s * 3 + x[i];\n"
                  "    y[i] = s;\n  }\n"),
              HasSubstr("'s' is carried from one iteration to the next"));
  EXPECT_THAT(why("  int s = 0;\n  for (int i = 0; i < n; ++i) {\n    if (s < 9) s += x[i];\n"
                  "    y[i] = s;\n  }\n"),
              HasSubstr("the term depends on 's'"));
  EXPECT_THAT(why("  int s = 0;\n  for (int i = 0; i < n; ++i) {\n    s += x[s];\n"
                  "    y[i] = s;\n  }\n"),
              HasSubstr("'s' is carried"));
  EXPECT_THAT(why("  int s = 0;\n  for (int i = 0; i < n; ++i) {\n    y[i] = s;\n"
                  "    s += y[i + 1];\n  }\n"),
              HasSubstr("which it stores to"));
  EXPECT_THAT(why("  int s = 0;\n  for (int i = 0; i < n; ++i) {\n    s += x[i];\n"
                  "    y[s] = i;\n  }\n"),
              HasSubstr("may be stored by several iterations"));
  EXPECT_THAT(why("  int s = 0;\n  for (int i = 0; i < n; ++i) {\n    y[s] = i;\n"
                  "    if (x[i] > 0) ++s;\n  }\n"),
              HasSubstr("may be stored by several iterations"));
  EXPECT_THAT(why("  int s = 0;\n  for (int i = 0; i < n; ++i) {\n    s += x[i];\n"
                  "    if (s > 100) break;\n    y[i] = s;\n  }\n"),
              HasSubstr("it may break off"));
  EXPECT_THAT(why("  int s = 0;\n  for (int i = 0; i < n; ++i) {\n    s += x[i];\n"
                  "    y[i] = s;\n  }\n  y[2] = 7;\n"),
              HasSubstr("may meet"));
  EXPECT_THAT(why("  int s = 0;\n  for (int i = 0; i < n; ++i) {\n    s += x[i];\n"
                  "    y[i] = s;\n  }\n  total[0] = y[n - 1];\n"),
              HasSubstr("may meet"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
