#include "agents/builtin/forms/sort_pass_form.h"

#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kCount =
    "extern \"C\" __global__ void count(const unsigned* keys, unsigned* counts, int n, int shift) "
    "{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) atomicAdd(&counts[(keys[i] >> shift) & 15u], 1u);\n}\n";
const std::string kScan =
    "extern \"C\" __global__ void sum(const unsigned* counts, unsigned* starts) {\n"
    "  if (threadIdx.x != 0) return;\n  unsigned start = 0;\n"
    "  for (int d = 0; d < 16; ++d) {\n    starts[d] = start;\n    start += counts[d];\n  }\n}\n";
const std::string kPassHead =
    "extern \"C\" __global__ void pass(const unsigned* keys, const float* values, unsigned* "
    "starts, unsigned* sorted, float* moved, int n, int shift) {\n";
const std::string kPass =
    "  int digit = threadIdx.x;\n  unsigned at = starts[digit];\n"
    "  for (int i = 0; i < n; ++i) {\n    if (((keys[i] >> shift) & 15u) == digit) {\n"
    "      sorted[at] = keys[i];\n      ++at;\n    }\n  }\n";

SceneOf passes(const std::string& body, const std::string& threads = "16",
               const std::string& count = kCount, const std::string& scan = kScan) {
  Task task;
  task.name = "test";
  const auto array = [](std::string name, ArgumentKind kind, Dtype dtype) {
    return Argument{std::move(name), kind, dtype, {"n"}, "", {}, 0, 0};
  };
  task.arguments = {array("keys", ArgumentKind::in, Dtype::u32),
                    array("values", ArgumentKind::in, Dtype::f32),
                    array("sorted", ArgumentKind::out, Dtype::u32),
                    array("moved", ArgumentKind::out, Dtype::f32)};
  task.workloads = {{"long", {{"n", 100000}}, true}, {"tiny", {{"n", 9}}, false}};
  std::string source = count;
  source += scan;
  source += kPassHead;
  source += body;
  source += "}\n";
  task.kernel.source = source;
  task.kernel.plan.scratch = {{"counts", Dtype::u32, "16", true}, {"starts", Dtype::u32, "16"}};
  task.kernel.plan.launches = {
      {"count",
       {"ceil_div(n, block_x)", "1", "1"},
       {"256", "1", "1"},
       "0",
       {"keys", "counts", "i32:n", "i32:4"}},
      {"sum", {"1", "1", "1"}, {"32", "1", "1"}, "0", {"counts", "starts"}},
      {"pass",
       {"1", "1", "1"},
       {threads, "1", "1"},
       "0",
       {"keys", "values", "starts", "sorted", "moved", "i32:n", "i32:4"}}};
  return SceneOf(std::move(task));
}

NormalForm form_of(const SceneOf& scene) {
  auto forms = find_sort_pass_forms(scene.scene());
  EXPECT_TRUE(forms.has_value()) << (forms ? "" : forms.error().message);
  if (!forms) return {};
  EXPECT_EQ(forms->size(), 1U);
  return std::move(forms->front());
}

std::string refusal_of(const SceneOf& scene) {
  const auto forms = find_sort_pass_forms(scene.scene());
  EXPECT_FALSE(forms.has_value()) << (forms ? forms->front().problem : "");
  return forms ? "" : forms.error().message;
}

TEST(SortPassFormTest, TakesCountingAndSummingAlong) {
  const auto form = form_of(passes(kPass));
  EXPECT_THAT(form.launches, ElementsAre(0, 1, 2));
  EXPECT_EQ(form.kernel, "count");
  EXPECT_EQ(form.types.at("key"), "unsigned");
  EXPECT_THAT(form.parameters,
              ElementsAre("const unsigned* keys", "unsigned* sorted", "int n", "int shift"));
  EXPECT_THAT(form.arguments, ElementsAre("keys", "sorted", "i32:n", "i32:4"));
  EXPECT_THAT(form.fact("count")->values, ElementsAre(100000, 9));
  EXPECT_THAT(form.fact("digits")->values, ElementsAre(16, 16));
  EXPECT_THAT(form.fact("payload_bytes")->values, ElementsAre(0, 0));
  EXPECT_THAT(form.problem, HasSubstr("(wm_key >> shift) & 15u"));
}

TEST(SortPassFormTest, TakesValuesAlong) {
  const auto form = form_of(
      passes("  const unsigned own = threadIdx.x;\n  if (own >= 16) return;\n"
             "  unsigned at = starts[own];\n"
             "  for (int i = 0; i < n; i++) {\n"
             "    const unsigned key = keys[i];\n    const unsigned d = (key >> shift) & 0xF;\n"
             "    if (own == d) { moved[at] = values[i]; sorted[at++] = key; }\n  }\n",
             "32"));
  EXPECT_EQ(form.types.at("payload"), "float");
  EXPECT_THAT(form.fact("payload_bytes")->values, ElementsAre(4, 4));
  EXPECT_THAT(form.problem, HasSubstr("return values[wm_i]"));
}

TEST(SortPassFormTest, TakesOneThreadThatWalks) {
  for (const char* body :
       {"  for (int i = 0; i < n; ++i) {\n    const unsigned d = (keys[i] >> shift) & 15u;\n"
        "    sorted[starts[d]++] = keys[i];\n  }\n",
        "  if (threadIdx.x == 0) {\n    for (int i = 0; i < n; ++i) {\n"
        "      unsigned key = keys[i];\n      unsigned d = (key >> shift) & 15u;\n"
        "      unsigned at = starts[d]++;\n      sorted[at] = key;\n      moved[at] = values[i];\n"
        "    }\n  }\n",
        "  if (threadIdx.x > 0) return;\n  for (int i = 0; i < n; ++i) {\n"
        "    unsigned d = (keys[i] >> shift) & 15u;\n    unsigned at = starts[d];\n"
        "    sorted[at] = keys[i];\n    starts[d] = at + 1;\n  }\n"}) {
    const std::string text = body;
    const auto form =
        form_of(passes(text, text.find("threadIdx") == std::string::npos ? "1" : "64"));
    EXPECT_THAT(form.launches, ElementsAre(0, 1, 2)) << text;
  }
}

TEST(SortPassFormTest, KeepsStartsThatItCannotExplain) {
  const auto given = [](const SceneOf& scene) {
    const auto form = form_of(scene);
    EXPECT_THAT(form.launches, ElementsAre(2));
    EXPECT_EQ(form.kernel, "pass");
    EXPECT_THAT(form.problem, HasSubstr("starts[wm_digit]"));
  };
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  };
  given(passes(kPass, "16", replaced(kCount, "15u", "7u")));
  given(passes(kPass, "16", replaced(kCount, "if (i < n)", "if (i < n - 1)")));
  given(passes(kPass, "16", replaced(kCount, "1u);\n", "2u);\n")));
  given(passes(kPass, "16", kCount, replaced(kScan, "start = 0", "start = 1")));
  given(passes(kPass, "16", kCount, replaced(kScan, "d < 16", "d < 15")));
  given(passes(kPass, "16", kCount,
               replaced(kScan, "starts[d] = start;\n    start += counts[d];",
                        "start += counts[d];\n    starts[d] = start;")));
  auto dirty = passes(kPass);
  dirty.task().kernel.plan.scratch[0].zeroed = false;
  given(dirty);
  auto shifted = passes(kPass);
  shifted.task().kernel.plan.launches[0].arguments[3] = "i32:8";
  given(shifted);
}

TEST(SortPassFormTest, RefusesWhatIsNoStablePass) {
  const auto loop = [](const std::string& inner, const std::string& threads = "16") {
    return refusal_of(
        passes("  int digit = threadIdx.x;\n  unsigned at = starts[digit];\n"
               "  for (int i = 0; i < n; ++i) {\n    " +
                   inner + "\n  }\n",
               threads));
  };
  const std::string choice = "if (((keys[i] >> shift) & 15u) == digit) ";
  EXPECT_THAT(loop(choice + "{ ++at; sorted[at] = keys[i]; }"), HasSubstr("behind its place"));
  EXPECT_THAT(loop(choice + "{ sorted[at] = keys[i]; }"), HasSubstr("does not advance by one"));
  EXPECT_THAT(loop(choice + "{ sorted[at] = keys[i]; at += 2; }"), HasSubstr("no store of a key"));
  EXPECT_THAT(loop(choice + "sorted[at++] = keys[i];", "8"), HasSubstr("a digit has no thread"));
  EXPECT_THAT(loop("if ((keys[i] >> shift) == digit) sorted[at++] = keys[i];"),
              HasSubstr("it is not known how many digits"));
  EXPECT_THAT(loop("if (((keys[i] ^ sorted[0]) & 15u) == digit) sorted[at++] = keys[i];"),
              HasSubstr("the digit is not that of one key"));
  EXPECT_THAT(refusal_of(passes("  unsigned at = starts[15 - threadIdx.x];\n"
                                "  for (int i = 0; i < n; ++i) if ((keys[i] & 15u) == threadIdx.x) "
                                "sorted[at++] = keys[i];\n")),
              HasSubstr("does not start at the place of its digit"));
  EXPECT_THAT(refusal_of(passes("  for (int i = 0; i < n; ++i) sorted[starts[keys[i] & 15u]++] = "
                                "keys[i];\n",
                                "2")),
              HasSubstr("more than one thread walks"));
  EXPECT_THAT(refusal_of(passes("  for (int i = n - 1; i >= 0; --i) sorted[starts[keys[i] & "
                                "15u]++] = keys[i];\n",
                                "1")),
              HasSubstr("in 'pass'"));
  EXPECT_THAT(refusal_of(passes("  for (int i = 0; i < n; ++i) { starts[keys[i] & 15u]++; unsigned "
                                "at = starts[keys[i] & 15u]; sorted[at] = keys[i]; }\n",
                                "1")),
              HasSubstr("behind its place"));
  auto advanced = passes(
      "  for (int i = 0; i < n; ++i) sorted[starts[(keys[i] >> 8) & 15u]++] = "
      "keys[i];\n",
      "1");
  advanced.task().kernel.plan.scratch.pop_back();
  advanced.task().arguments.push_back(
      {"starts", ArgumentKind::inout, Dtype::u32, {"16"}, "", {}, 0, 0});
  EXPECT_THAT(refusal_of(advanced), HasSubstr("may be read afterwards"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
