#include "agents/builtin/hosting/host_edits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

HostEdit edit(const std::string& name, const std::string& host) {
  const auto source = CudaSource::read(
      "__global__ void k(const float* x, float* y, int n) { y[n] = x[n]; }\n" + host);
  EXPECT_TRUE(source.has_value());
  auto edit = host_edit(name, *source);
  EXPECT_TRUE(edit.has_value());
  if (edit->refusal.empty()) {
    const auto edited = CudaSource::read(edit->text);
    EXPECT_TRUE(edited.has_value());
    EXPECT_FALSE(edited->tree.node(edited->tree.root()).has_error) << edit->text;
  }
  return *edit;
}

TEST(DropRedundantSync, KeepsTheLastWait) {
  const auto done = edit("drop_redundant_sync",
                         "void f(float* x, float* y) {\n"
                         "  k<<<1, 32>>>(x, y, 1);\n"
                         "  CHECK(cudaDeviceSynchronize());\n"
                         "  CHECK(cudaGetLastError());\n"
                         "  k<<<1, 32>>>(y, x, 1);\n"
                         "  cudaDeviceSynchronize();\n"
                         "}\n");
  EXPECT_EQ(done.refusal, "");
  EXPECT_THAT(done.places, SizeIs(1));
  EXPECT_THAT(done.text, HasSubstr("(x, y, 1);\n  CHECK(cudaGetLastError());\n"));
  EXPECT_THAT(done.text, HasSubstr("(y, x, 1);\n  cudaDeviceSynchronize();\n}"));
}

TEST(DropRedundantSync, RefusesWhatTheHostMayLookAt) {
  const std::string begin =
      "void f(float* x, float* y, cudaStream_t s) {\n"
      "  k<<<1, 32>>>(x, y, 1);\n  cudaDeviceSynchronize();\n";
  for (const std::string between :
       {"  look(y);\n  k<<<1, 32>>>(y, x, 1);\n}\n", "}\n",
        "  x = y;\n  k<<<1, 32>>>(y, x, 1);\n}\n", "  if (x[0] > 1) k<<<1, 32>>>(y, x, 1);\n}\n"}) {
    EXPECT_THAT(edit("drop_redundant_sync", begin + between).refusal, HasSubstr("no wait stands"))
        << between;
  }
  EXPECT_THAT(edit("drop_redundant_sync", begin + "  k<<<1, 32, 0, s>>>(y, x, 1);\n}\n").refusal,
              HasSubstr("several streams"));
}

TEST(StreamOrderedAlloc, TakesBuffersOfAFunctionFromThePool) {
  const auto done = edit("stream_ordered_alloc",
                         "void f(float* x, float* y, cudaStream_t s) {\n  float* t;\n"
                         "  CHECK(cudaMalloc((void**)&t, 64));\n"
                         "  k<<<1, 32, 0, s>>>(x, t, 1);\n  k<<<1, 32, 0, s>>>(t, y, 1);\n"
                         "  cudaFree(t);\n}\n");
  EXPECT_EQ(done.refusal, "");
  EXPECT_THAT(done.text, HasSubstr("CHECK(cudaMallocAsync((void**)&t, 64, s));"));
  EXPECT_THAT(done.text, HasSubstr("cudaFreeAsync(t, s);"));
}

TEST(StreamOrderedAlloc, RefusesWithTheReason) {
  const auto refusal = [](const std::string& body, const std::string& parameters = "") {
    return edit("stream_ordered_alloc",
                "float* f(float* x, float* y" + parameters + ") {\n  float* t;\n" + body + "}\n")
        .refusal;
  };
  const std::string use = "  k<<<1, 32>>>(x, t, 1);\n";
  EXPECT_THAT(refusal(use), HasSubstr("no function allocates"));
  EXPECT_THAT(refusal("  cudaMalloc(&t, 64);\n" + use), HasSubstr("not freed"));
  EXPECT_THAT(refusal("  cudaMalloc(&t, 64);\n" + use + "  keep(t);\n  cudaFree(t);\n"),
              HasSubstr("more than launches and copies"));
  EXPECT_THAT(refusal("  cudaMalloc(&t, 64);\n  cudaFree(t);\n"), HasSubstr("on no stream"));
  EXPECT_THAT(refusal("  cudaMalloc(&t, 64);\n  k<<<1, 32, 0, s>>>(x, t, 1);\n"
                      "  cudaMemcpy(y, t, 4, cudaMemcpyDeviceToHost);\n  cudaFree(t);\n",
                      ", cudaStream_t s"),
              HasSubstr("another stream"));
  EXPECT_THAT(
      refusal("  cudaMallocManaged(&y, 4);\n  cudaMalloc(&t, 64);\n" + use + "  cudaFree(t);\n"),
      HasSubstr("cudaMallocManaged"));
}

TEST(DirectOutput, WritesWhereTheResultShallBe) {
  const auto done = edit("direct_output",
                         "void f(const float* x, float* __restrict__ out, int n) {\n"
                         "  float* t = nullptr;\n  cudaMalloc(&t, n * sizeof(float));\n"
                         "  k<<<1, 32>>>(x, t, n);\n"
                         "  cudaMemcpy(out, t, n * sizeof(float), cudaMemcpyDeviceToDevice);\n"
                         "  cudaFree(t);\n}\n");
  EXPECT_EQ(done.refusal, "");
  EXPECT_THAT(done.text, HasSubstr("int n) {\n  k<<<1, 32>>>(x, out, n);\n}\n"));
}

TEST(DirectOutput, RefusesWithTheReason) {
  const auto refusal = [](const std::string& head, const std::string& copy) {
    return edit("direct_output", "void f(const float* x, " + head +
                                     ", int n) {\n  float* t = nullptr;\n"
                                     "  cudaMalloc(&t, n * 4);\n  k<<<1, 32>>>(x, t, n);\n" +
                                     copy + "  cudaFree(t);\n}\n")
        .refusal;
  };
  const std::string plain = "  cudaMemcpy(out, t, n * 4, cudaMemcpyDeviceToDevice);\n";
  EXPECT_EQ(refusal("float* __restrict__ out", plain), "");
  EXPECT_THAT(refusal("float* out", plain), HasSubstr("may be memory that the kernels read"));
  EXPECT_THAT(refusal("float* __restrict__ out",
                      "  cudaMemcpy(out, t, n * 2, cudaMemcpyDeviceToDevice);\n"),
              HasSubstr("as a whole"));
  EXPECT_THAT(refusal("float* __restrict__ out", "  k<<<1, 1>>>(out, t, n);\n" + plain),
              HasSubstr("used before the copy"));
  EXPECT_THAT(refusal("float* __restrict__ out", plain + "  k<<<1, 1>>>(x, t, n);\n"),
              HasSubstr("after the copy"));
  EXPECT_THAT(refusal("float* __restrict__ out", ""), HasSubstr("only copied to another"));
}

TEST(HostEdits, UnknownNamesAndForeignText) {
  const auto source = CudaSource::read("int main() { return 0; }\n");
  ASSERT_TRUE(source.has_value());
  const auto unknown = host_edit("no_such", *source);
  ASSERT_FALSE(unknown.has_value());
  EXPECT_THAT(unknown.error().message, HasSubstr("drop_redundant_sync"));
  for (const std::string text : {"", "{{{", "int main() {\n  cudaMalloc(", "no CUDA at all"}) {
    const auto strange = CudaSource::read(text);
    ASSERT_TRUE(strange.has_value());
    for (const auto& edit : host_edits(*strange)) {
      EXPECT_THAT(edit.refusal, Not(IsEmpty())) << edit.name;
      EXPECT_THAT(edit.text, IsEmpty());
    }
  }
}

}  // namespace
}  // namespace warpmind::agents::builtin
