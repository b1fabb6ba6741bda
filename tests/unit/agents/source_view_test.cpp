#include "agents/builtin/source_view.h"

#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

std::string text_of(const std::string& source, Range range) {
  return source.substr(range.begin, range.end - range.begin);
}

TEST(SourceView, FindsFunctionsButNotDeclarationsOrComments) {
  const std::string source =
      "// __global__ void no(int a) {}\n"
      "const char* s = \"__global__ void nor(int a) {}\";\n"
      "__global__ void declared(int* a);\n"
      "template <int N>\n__global__ void __launch_bounds__(256, 2) yes(int* a, float b) { a[0] = "
      "1; }\n";
  const SourceView view(source);

  ASSERT_EQ(view.functions().size(), 1U);
  EXPECT_EQ(view.functions()[0].name, "yes");
  EXPECT_EQ(text_of(source, view.functions()[0].parameters), "int* a, float b");
  EXPECT_EQ(text_of(source, view.functions()[0].body), " a[0] = 1; ");
}

TEST(SourceView, InnermostLoopsContainNoOther) {
  const std::string source =
      "__global__ void k() { for (;;) { for (int i = 0; i < 3; ++i) f(i); } for (;;) { g(); } }";
  const SourceView view(source);

  const auto loops = view.innermost_loops(view.functions().at(0).body);

  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(source.substr(loops[0], 13), "for (int i = ");
}

TEST(SourceView, IdentifiersAreWholeWords) {
  const std::string source = "expf(x) + my_expf(x) + expf2 /* expf */ + expf";
  const SourceView view(source);

  EXPECT_EQ(view.identifiers("expf", {0, source.size()}).size(), 2U);
}

TEST(SourceView, DigitSeparatorsDoNotOpenLiterals) {
  const std::string source = "int a = 1'000; __global__ void k() { char c = '{'; }";
  const SourceView view(source);

  ASSERT_EQ(view.functions().size(), 1U);
  EXPECT_EQ(text_of(source, view.functions()[0].body), " char c = '{'; ");
}

TEST(SourceView, UnbalancedSourcesYieldNothing) {
  EXPECT_TRUE(SourceView("__global__ void k(int a { }").functions().empty());
  EXPECT_TRUE(SourceView("__global__ void k(int a) { ").functions().empty());
  EXPECT_TRUE(SourceView("__global__").functions().empty());
  EXPECT_TRUE(SourceView("/* never closed __global__ void k() {}").functions().empty());
}

TEST(ApplyEdits, KeepsEverythingElse) {
  EXPECT_EQ(apply_edits("abcdef", {{{1, 2}, "XX"}, {{4, 4}, "-"}}), "aXXcd-ef");
}

}  // namespace
}  // namespace warpmind::agents::builtin
