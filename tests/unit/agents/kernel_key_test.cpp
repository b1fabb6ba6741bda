#include "agents/search/kernel_key.h"

#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

TEST(KernelKey, CommentsAndLayoutMakeNoOtherKernel) {
  Kernel tidy;
  tidy.source = "int f(int a) {\n  return a;  // back\n}\n";
  Kernel loose;
  loose.source = "\n\n/* why */ int  f(int\ta)  {\r\n\r\n      return a;\n}";

  EXPECT_EQ(kernel_key(tidy), kernel_key(loose));
}

TEST(KernelKey, AnythingElseDoes) {
  Kernel kernel;
  kernel.source = "int f(int a) { return a; }";
  Kernel other_text = kernel;
  other_text.source = "int f(int a) { return a + 0; }";
  Kernel other_plan = kernel;
  other_plan.plan.constants["N"] = 4;
  Kernel other_flags = kernel;
  other_flags.build_flags = {"-O1"};

  EXPECT_NE(kernel_key(kernel), kernel_key(other_text));
  EXPECT_NE(kernel_key(kernel), kernel_key(other_plan));
  EXPECT_NE(kernel_key(kernel), kernel_key(other_flags));
}

TEST(KernelKey, LiteralsKeepTheirBlanksAndSlashes) {
  EXPECT_EQ(without_layout("a(\"x  // y\",  '\"', 1'000);  // z"), "a(\"x  // y\", '\"', 1'000);");
  EXPECT_NE(without_layout("f(\"a  b\")"), without_layout("f(\"a b\")"));
}

TEST(KernelKey, LiteralsEndWhereTheCompilerEndsThem) {
  EXPECT_EQ(without_layout("f(u'\"');  // z"), "f(u'\"');");
  EXPECT_EQ(without_layout("R\"(a\n\n  // b)\"  + c"), "R\"(a\n\n  // b)\" + c");
  EXPECT_EQ(without_layout("a // b \\\n  goes on\nc"), "a\nc") << "the comment goes on";
}

TEST(KernelKey, LinesOfThePreprocessorStayLines) {
  EXPECT_EQ(without_layout("#define A  1\n\n#if A\nx\n#endif\n"), "#define A 1\n#if A\nx\n#endif");
}

TEST(KernelKey, WhatIsNeverClosedEndsWithTheText) {
  EXPECT_EQ(without_layout("a /* b"), "a");
  EXPECT_EQ(without_layout("a \"b"), "a \"b");
}

}  // namespace
}  // namespace warpmind::agents
