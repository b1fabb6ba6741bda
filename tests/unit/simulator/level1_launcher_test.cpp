// Calls of KernelBlaster's launchers, from sources in the shape of that folder's.

#include "tests/bench/level1/driver_text.h"
#include "tests/bench/level1/launcher_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::level1 {
namespace {

using ::testing::HasSubstr;

constexpr const char* kKernel = R"(
/* void launch_gpu_implementation(void* output) { } */
void launch_gpu_implementation(void* output, const void* input, void* weight, void* bias,
                               int64_t batch_size, int height, float eps, bool has_bias) {
}
)";
constexpr const char* kDriver = R"(
void launch_gpu_implementation(void*, void*);  // declaration
int main() {
  int64_t batch_size = 128, size = 4000;
  const int height_in = (size + 96) / 2;
  constexpr float eps = 1e-5f;
  bool bias = false;
  auto input = torch::randn({batch_size, height_in});
  launch_gpu_implementation(
      gpu_output.data_ptr(), // the output, of course
      input.data_ptr<at::Half>(), weight.data_ptr(), bias ? b.data_ptr() : nullptr,
      batch_size, height_in, eps, bias);
}
)";

TEST(LauncherCall, TakesValuesFromTheDriverAndMakesExtentsSmall) {
  const auto call = launcher_call(kKernel, kDriver);
  ASSERT_TRUE(call.has_value()) << call.error().message;
  ASSERT_EQ(call->size(), 8U);
  EXPECT_EQ((*call)[0].content, Content::output);
  EXPECT_EQ((*call)[1].type, "const void*");
  EXPECT_EQ((*call)[1].content, Content::signed_halves);
  EXPECT_EQ((*call)[3].content, Content::null_pointer);
  EXPECT_EQ((*call)[4].value, "2");
  EXPECT_EQ((*call)[5].value, "176");  // from the size that was made small
  EXPECT_EQ((*call)[6].value, "1e-5f");
  EXPECT_EQ((*call)[7].value, "0");
}

TEST(LauncherCall, SaysWhichArgumentItCannotEvaluate) {
  const auto call =
      launcher_call("void launch_gpu_implementation(void* output, int n) { }",
                    "int main() { launch_gpu_implementation(x.data_ptr(), n_elements); }");
  ASSERT_FALSE(call.has_value());
  EXPECT_THAT(call.error().message, HasSubstr("argument n"));
}

TEST(LauncherCall, WithoutALauncherIsRefused) {
  const auto call = launcher_call("int main() {}", kDriver);
  ASSERT_FALSE(call.has_value());
  EXPECT_THAT(call.error().message, HasSubstr("launch_gpu_implementation"));
}

TEST(DriverProgram, CallsWithTheDeclaredTypes) {
  const auto call = launcher_call(kKernel, kDriver);
  ASSERT_TRUE(call.has_value());
  const std::string text = driver_program("init.cu", *call);
  EXPECT_THAT(text, HasSubstr("#include \"init.cu\""));
  EXPECT_THAT(text, HasSubstr("static_cast<void*>(level1::output())"));
  EXPECT_THAT(text, HasSubstr("static_cast<int64_t>(2) /* batch_size */"));
}

TEST(DriverText, SplitsOnlyAtOuterCommas) {
  EXPECT_THAT(split_at_commas("a, f(b, c), {d, e}"),
              ::testing::ElementsAre("a", "f(b, c)", "{d, e}"));
  EXPECT_TRUE(split_at_commas("  ").empty());
}

TEST(DriverText, DropsCommentsThatNeverEnd) {
  EXPECT_EQ(without_comments("a // b\nc /* d"), "a \nc  ");
}

}  // namespace
}  // namespace warpmind::level1
