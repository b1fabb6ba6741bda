#include "agents/builtin/lifting/device_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

DeviceSource cut(const std::string& text,
                 const std::map<std::string, TemplateValues, std::less<>>& kernels) {
  const auto source = CudaSource::read(text);
  EXPECT_TRUE(source.has_value());
  return device_source(*source, kernels);
}

TEST(DeviceSource, CutsHostFunctionsAndKeepsTheRest) {
  const auto device = cut(R"(#include <cuda_runtime.h>
// what k does
__global__ void k(float* x) { x[0] = helper(1); }
static int on_host(int a) { return a; }
extern "C" void launch(void* x) { k<<<1, on_host(2)>>>((float*)x); }
int main() { return 0; }
)",
                          {{"k", {}}});
  EXPECT_EQ(device.text, R"(#include <cuda_runtime.h>
// what k does
extern "C" __global__ void k(float* x) { x[0] = helper(1); }



)");
  EXPECT_EQ(device.names.at("k"), "k");
}

TEST(DeviceSource, KeepsWhatDeviceCodeMayCall) {
  const std::string text = R"(#define ON_DEVICE __device__
ON_DEVICE int third(int a) { return a; }
ON_DEVICE int second(int a) { return third(a); }
constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }
template <class T> T twice(T a) { return a + a; }
struct Pair { int a; int sum() const { return a; } };
int never() { return third(1); }
__global__ void k(int* x) { x[0] = second(1); }
)";
  const auto device = cut(text, {{"k", {}}});
  for (const char* const kept : {"int third", "int second", "ceil_div", "twice", "int sum()"}) {
    EXPECT_THAT(device.text, HasSubstr(kept));
  }
  EXPECT_THAT(device.text, Not(HasSubstr("never")));
}

TEST(DeviceSource, MakesKernelsReachableByName) {
  const auto device = cut(R"(__global__ void exp(float* x);
namespace {
static __global__ void quiet(float* x) { x[0] = 1; }
}
extern "C" { __global__ void loud(float* x) { x[0] = 2; } }
__global__ void exp(float* x) { x[0] = 3; }
__global__ void other(float* x) { x[0] = 4; }
)",
                          {{"quiet", {}}, {"loud", {}}, {"exp", {}}});
  EXPECT_THAT(device.text, HasSubstr("extern \"C\"  __global__ void quiet"));
  EXPECT_THAT(device.text, HasSubstr("{ __global__ void loud"));
  EXPECT_THAT(device.text, HasSubstr("extern \"C\" __global__ void wm_exp(float* x) {"));
  EXPECT_THAT(device.text, Not(HasSubstr("void exp(float* x);"))) << "a name of the C library";
  EXPECT_THAT(device.text, HasSubstr("\n__global__ void other"));
  EXPECT_EQ(device.names.at("exp"), "wm_exp");
}

TEST(DeviceSource, TextThatIsNotUnderstoodIsLeftAlone) {
  const std::string text = "int main( { ]] __global__ @ \xff\xfe";
  EXPECT_EQ(cut(text, {{"k", {}}}).text, text);
  EXPECT_EQ(cut("", {{"k", {}}}).text, "");
}

}  // namespace
}  // namespace warpmind::agents::builtin
