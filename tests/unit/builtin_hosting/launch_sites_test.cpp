#include "agents/builtin/hosting/launch_sites.h"

#include "agents/builtin/hosting/local_buffers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

CudaSource read(const std::string& text) {
  auto source = CudaSource::read(text);
  EXPECT_TRUE(source.has_value());
  return std::move(*source);
}

const char* const kKernels = R"(
__global__ void a(const float* x, float* y, int n) { y[0] = x[n]; }
__global__ void b(const float* x, float* y, int n) { y[0] = x[n]; }
template <class T> __global__ void t(T* x) { *x = 0; }
namespace named { __global__ void in(float* x) { *x = 0; } }
__global__ void fixed(float (&x)[4]) { x[0] = 0; }
__global__ void unlaunched(float* x) { *x = 0; }
)";

std::vector<std::vector<std::string>> runs_of(const std::string& host) {
  const auto source = read(kKernels + host);
  std::vector<std::vector<std::string>> names;
  for (const auto& run : launch_runs(source)) names.push_back(run.kernels());
  return names;
}

TEST(LaunchSites, LaunchesThatFollowEachOtherAreARun) {
  EXPECT_THAT(runs_of("void f(float* p, cudaStream_t s) {\n"
                      "  a<<<1, 32, 0, s>>>(p, p, 1);\n"
                      "  CHECK(cudaGetLastError());\n"
                      "  // a remark\n"
                      "  cudaDeviceSynchronize();\n"
                      "  b<<<dim3(2, 2), 32, 0, s>>>(p, p + 4, 1);\n"
                      "}\n"),
              ElementsAre(ElementsAre("a", "b")));
}

TEST(LaunchSites, WhatMayMatterBetweenThemEndsARun) {
  const std::string first = "void f(float* p, cudaStream_t s, int n) {\n  a<<<1, 32>>>(p, p, 1);\n";
  const auto apart = ElementsAre(ElementsAre("a"), ElementsAre("b"));
  EXPECT_THAT(runs_of(first + "  cudaMemset(p, 0, 4);\n  b<<<1, 32>>>(p, p, 1);\n}\n"), apart);
  EXPECT_THAT(runs_of(first + "  n = 4;\n  b<<<1, 32>>>(p, p, n);\n}\n"), apart);
  EXPECT_THAT(runs_of(first + "  if (n) b<<<1, 32>>>(p, p, 1);\n}\n"), apart);
  EXPECT_THAT(runs_of(first + "  b<<<1, 32, 0, s>>>(p, p, 1);\n}\n"), apart) << "another stream";
  EXPECT_THAT(runs_of(first + "  b<<<1, 32>>>(p, p, next());\n}\n"), apart) << "a call";
  EXPECT_THAT(runs_of(first + "  b<<<1, 32>>>(p, p, n++);\n}\n"), apart);
}

TEST(LaunchSites, RefusesWithAReason) {
  const auto source = read(kKernels + std::string("void f(float* p) { t<float><<<1, 1>>>(p);\n"
                                                  "named::in<<<1, 1>>>(p);\n"
                                                  "a<<<1, 1>>>(p, p); b<<<1, 1>>>(p, p, 1); }\n"));
  EXPECT_EQ(reason_not_to_host(source, "b"), "");
  EXPECT_THAT(reason_not_to_host(source, "a"), HasSubstr("passes 2 arguments to 3 parameters"));
  EXPECT_THAT(reason_not_to_host(source, "t"), HasSubstr("template"));
  EXPECT_THAT(reason_not_to_host(source, "in"), HasSubstr("named namespace"));
  EXPECT_THAT(reason_not_to_host(source, "fixed"), HasSubstr("no plain value or pointer"));
  EXPECT_THAT(reason_not_to_host(source, "unlaunched"), HasSubstr("stands in the file"));
  EXPECT_THAT(reason_not_to_host(source, "elsewhere"), HasSubstr("does not define it"));
}

TEST(LocalBuffers, OnlyWhatNobodyElseSees) {
  const auto locals = [](const std::string& more) {
    const auto source = read(kKernels + ("void f(float* p) {\n  float* t = nullptr;\n"
                                         "  CHECK(cudaMalloc((void**)&t, 4));\n"
                                         "  a<<<1, 32>>>(p, t, 1);\n  b<<<1, 32>>>(t, p, 1);\n" +
                                         more + "  cudaFree(t);\n}\n"));
    const auto runs = launch_runs(source);
    EXPECT_THAT(runs.front().launches, SizeIs(2));
    return local_buffers(source, runs.front());
  };
  EXPECT_THAT(locals(""), ElementsAre(Pair(0, 1), Pair(1, 0)));
  EXPECT_THAT(locals("  use(t);\n"), IsEmpty());
  EXPECT_THAT(locals("  float* other = t;\n"), IsEmpty());
  EXPECT_THAT(locals("  cudaMemcpy(p, t, 4, cudaMemcpyDeviceToHost);\n"), IsEmpty());
  EXPECT_THAT(locals("  if (p) { b<<<1, 1>>>(t, p, 1); }\n"), IsEmpty()) << "another launch";
}

}  // namespace
}  // namespace warpmind::agents::builtin
