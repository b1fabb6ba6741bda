#include "daemon/lsp/kernel_marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::daemon::lsp {
namespace {

using testing::ElementsAre;

std::vector<std::string> kernels_of(const std::string& text) {
  std::vector<std::string> names;
  for (const auto& mark : find_kernels(text).kernels) {
    EXPECT_EQ(text.substr(mark.name_range.begin, mark.name_range.end - mark.name_range.begin),
              mark.name);
    EXPECT_LE(mark.range.begin, mark.name_range.begin);
    EXPECT_LE(mark.range.end, text.size());
    names.push_back(mark.name);
  }
  return names;
}

TEST(KernelMarks, FindDefinitionsAndLaunches) {
  const std::string text =
      "template <class T> __global__ void __launch_bounds__(256, 2) scale(T* x) { x[0] = 1; }\n"
      "extern \"C\" __global__ void plain(float* x,\n  int n) {\n}\n"
      "__device__ int twice(int a) { return 2 * a; }\n"
      "void run(float* x) { plain<<<1, 32>>>(x, 1); }\n";
  EXPECT_THAT(kernels_of(text), ElementsAre("scale", "plain"));
  const auto marks = find_kernels(text);
  ASSERT_EQ(marks.launches.size(), 1U);
  EXPECT_EQ(marks.launches[0].kernel, "plain");
  EXPECT_EQ(text.substr(marks.launches[0].name_range.begin, 5), "plain");
  EXPECT_EQ(text[marks.kernels[1].parameters_end - 1], ')');
}

TEST(KernelMarks, SurviveHalfWrittenCode) {
  EXPECT_THAT(kernels_of("__global__ void half("), ElementsAre("half"));
  EXPECT_THAT(kernels_of("__global__ void half(float* x"), ElementsAre("half"));
  EXPECT_THAT(kernels_of("__global__ void half(float* x) { if (x[0] > "), ElementsAre("half"));
  EXPECT_THAT(kernels_of("__global__ void half(float* x) {\n  x[0] = \n}\n"
                         "__global__ void whole(int* y) { y[0] = 1; }\n"),
              ElementsAre("half", "whole"));
  EXPECT_THAT(kernels_of("__global__ void half(float* x\n"
                         "__global__ void whole(int* y) { y[0] = 1; }\n"),
              ElementsAre("half", "whole"));
  EXPECT_EQ(find_kernels("__global__ void half(float* x").kernels[0].parameters_end, 0U);
}

TEST(KernelMarks, LeaveWhatIsNoKernel) {
  EXPECT_THAT(kernels_of(""), ElementsAre());
  EXPECT_THAT(kernels_of("__global__"), ElementsAre());
  EXPECT_THAT(kernels_of("__global__ void"), ElementsAre());
  EXPECT_THAT(kernels_of("__global__ void declared(int* x);"), ElementsAre());
  EXPECT_THAT(kernels_of("// __global__ void a(int* x) {}\n/* __global__ void b() {} */"
                         "const char* s = \"__global__ void c() {}\";"),
              ElementsAre());
  EXPECT_THAT(kernels_of("const char* s = R\"(\n__global__ void d() {}\n)\";\n// e \\\n"
                         "__global__ void f() {}\n"),
              ElementsAre());
  EXPECT_THAT(kernels_of(std::string(600 * 1024, ' ') + "__global__ void far() {}"), ElementsAre());
}

TEST(KernelMarks, TheLineOfAKernelIsWhereItBegins) {
  const std::string text =
      "struct sum {};\n__device__ int f();\n__global__ void a() {}\n\n__global__ void b() {}\n";
  EXPECT_EQ(line_of_kernel(text, "b"), 4);
  EXPECT_EQ(line_of_kernel(text, "a"), 2);
  EXPECT_EQ(line_of_kernel(text, "renamed"), 2);
  EXPECT_EQ(line_of_kernel("int x;\n", "a"), 0);
}

TEST(KernelMarks, AMainMakesAProgram) {
  EXPECT_TRUE(defines_main("__global__ void a() {}\nint main() { a<<<1, 1>>>(); }"));
  EXPECT_TRUE(defines_main("int\nmain (int argc, char** argv) {"));
  EXPECT_TRUE(defines_main("auto main() -> int {}"));
  EXPECT_FALSE(defines_main("// int main() {}\n__global__ void main_loop(int main);"));
  EXPECT_FALSE(
      defines_main("void f() { domain(1); return main(2); } const char* s = \"int main()\";"));
  EXPECT_FALSE(defines_main("int main"));
}

/// Every prefix of a file is what an editor may hold while it is typed.
TEST(KernelMarks, EveryPrefixIsRead) {
  const std::string text =
      "#include <x>\n__global__ void __launch_bounds__(64) a(float* x) { x['('] = \"{\"[0]; }\n"
      "__global__ void b(int n) { for (int i = 0; i < n; ++i) { } }\n";
  for (std::size_t size = 0; size <= text.size(); ++size) (void)kernels_of(text.substr(0, size));
  EXPECT_THAT(kernels_of(text), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace warpmind::daemon::lsp
