#include "agents/builtin/hosting/device_merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CudaSource read(const std::string& text) {
  auto source = CudaSource::read(text);
  EXPECT_TRUE(source.has_value());
  return std::move(*source);
}

const char* const kProgram = R"(#include <cstdio>
#define SIDE 4
struct Pair { int a; };
namespace {
__device__ float twice(float x) { return 2 * x; }
__global__ void k(float* x) { x[0] = twice(x[SIDE]); }
}
int main() { return 0; }
)";

TEST(DeviceMerge, SaysOnlyWhatIsNew) {
  const auto program = read(kProgram);
  DeviceMerge merge(program);
  const auto added =
      merge.add("k",
                read("#include <cstdio>\n#include <mma.h>\n#define SIDE 4\n"
                     "struct Pair { int a; };\nnamespace {\n"
                     "__device__ float twice(float x) { return 2 * x; }\n"
                     "__device__ float wm_new(float x) { return twice(x); }\n"
                     "extern \"C\" __global__ void k(float* x) { x[1] = wm_new(0); }\n"
                     "extern \"C\" __global__ void other(float* x) { x[1] = 0; }\n"
                     "}\n"),
                {"k"});
  ASSERT_TRUE(added.has_value()) << added.error().message;
  EXPECT_EQ(added->text,
            "#include <mma.h>\n\n"
            "__device__ float wm_new(float x) { return twice(x); }\n"
            "static __global__ void wm_k(float* x) { x[1] = wm_new(0); }\n");
  EXPECT_EQ(added->kernels.at("k"), "wm_k");
}

TEST(DeviceMerge, WhatDiffersGetsANameOfItsOwn) {
  const auto program = read(kProgram);
  DeviceMerge merge(program);
  const auto rewritten = read(
      "__device__ float twice(float x) { return x + x; }\n"
      "extern \"C\" __global__ void k(float* x) { x[1] = twice(0); }\n");
  const auto added = merge.add("k", rewritten, {"k"});
  ASSERT_TRUE(added.has_value());
  EXPECT_THAT(added->text, HasSubstr("float wm_k_twice(float x) { return x + x; }"));
  EXPECT_THAT(added->text, HasSubstr("x[1] = wm_k_twice(0);"));
  const auto again = merge.add("k2", rewritten, {"k"});
  ASSERT_TRUE(again.has_value());
  EXPECT_THAT(again->text, HasSubstr("wm_k2_twice")) << "never said under that name before";
  EXPECT_THAT(again->text, HasSubstr("void wm_k2_k("));
}

TEST(DeviceMerge, PastedCodeOfTwoPartsStandsOnce) {
  const auto program = read(kProgram);
  DeviceMerge merge(program);
  const std::string pasted = "template <class T> struct wm_pack { T v[4]; };\n";
  const auto first = merge.add(
      "a", read(pasted + "extern \"C\" __global__ void a(float* x) { x[0] = 0; }\n"), {"a"});
  const auto second = merge.add(
      "b", read(pasted + "extern \"C\" __global__ void b(float* x) { x[0] = 1; }\n"), {"b"});
  ASSERT_TRUE(first.has_value());
  ASSERT_TRUE(second.has_value());
  EXPECT_THAT(first->text, HasSubstr("wm_pack"));
  EXPECT_THAT(second->text, Not(HasSubstr("wm_pack")));
}

TEST(DeviceMerge, RefusesANameForTwoThings) {
  const auto program = read(kProgram);
  DeviceMerge merge(program);
  const std::string kernel = "extern \"C\" __global__ void k(float* x) { x[0] = SIDE; }\n";
  for (const std::string other : {"#define SIDE 8\n", "struct Pair { long a; };\n"}) {
    const auto added = merge.add("k", read(other + kernel), {"k"});
    ASSERT_FALSE(added.has_value()) << other;
    EXPECT_THAT(added.error().message, HasSubstr("would stand for two things"));
  }
  const auto absent = merge.add("k", read(kernel), {"gone"});
  ASSERT_FALSE(absent.has_value());
  EXPECT_THAT(absent.error().message, HasSubstr("no kernel 'gone'"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
