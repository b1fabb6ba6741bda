#include "agents/builtin/lifting/flat_grid.h"

#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

std::optional<FlatAxis> axis_of(const std::string& body, char axis = 'x',
                                const std::string& before = "") {
  const auto source =
      CudaSource::read(before + "__global__ void k(float* p, int n, int m) { " + body + " }");
  EXPECT_TRUE(source.has_value());
  const Function* const kernel = source->kernel("k");
  EXPECT_NE(kernel, nullptr);
  return flat_axis(*source, *kernel, axis);
}

TEST(FlatAxis, IsFoundInEveryOrderAndCast) {
  for (const char* const number :
       {"blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x + blockDim.x * blockIdx.x",
        "(size_t)blockIdx.x * blockDim.x + threadIdx.x",
        "static_cast<int>((blockIdx.x * blockDim.x) + threadIdx.x)"}) {
    const auto flat = axis_of("int i = " + std::string(number) + "; if (i < n) p[i] = 0;");
    ASSERT_TRUE(flat.has_value()) << number;
    EXPECT_EQ(flat->variable, "i");
    EXPECT_EQ(flat->bound, "n");
  }
}

TEST(FlatAxis, TheBoundMayStandOnEitherSide) {
  const std::string number = "int i = blockIdx.x * blockDim.x + threadIdx.x; ";
  EXPECT_EQ(axis_of(number + "if (i >= n * m) return; p[i] = 0;")->bound, "m*n");
  EXPECT_EQ(axis_of(number + "if (n > i) p[i] = 0;")->bound, "n");
  EXPECT_EQ(axis_of(number + "p[i] = 0;"), std::nullopt) << "a guard is missing";
  EXPECT_EQ(axis_of(number + "if (i > n) p[i] = 0;"), std::nullopt) << "no upper bound";
}

TEST(FlatAxis, AGridStrideMayFollow) {
  EXPECT_TRUE(axis_of("for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; "
                      "i += gridDim.x * blockDim.x) p[i] = 0;")
                  .has_value());
}

TEST(FlatAxis, AxesAreLookedAtOneByOne) {
  const std::string body =
      "int i = blockIdx.x * blockDim.x + threadIdx.x; int j = blockIdx.y; "
      "if (i < n && j < m) p[j * n + i] = 0;";
  EXPECT_TRUE(axis_of(body, 'x').has_value());
  EXPECT_FALSE(axis_of(body, 'y').has_value());
  EXPECT_FALSE(axis_of(body, 'z').has_value());
}

TEST(FlatAxis, AnyOtherUseOfThePositionIsRefused) {
  const std::string number = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; ";
  for (const char* const more :
       {"p[threadIdx.x] = 0;", "p[i] = blockIdx.x;", "p[i] = blockDim.x;", "__shared__ float s[9];",
        "__syncthreads();", "p[i] = __shfl_xor_sync(~0u, 1.0f, 1);", "dim3 d = blockDim;",
        "int j = blockIdx.x * 2 + threadIdx.x;", "asm(\"\");"}) {
    EXPECT_EQ(axis_of(number + more), std::nullopt) << more;
  }
  EXPECT_EQ(axis_of(number, 'x', "__device__ int lane() { return threadIdx.x % 32; }\n"),
            std::nullopt);
  EXPECT_EQ(axis_of(number, 'x', "#define LANE() (threadIdx.x % 32)\n"), std::nullopt);
}

}  // namespace
}  // namespace warpmind::agents::builtin
