#include "tests/integration/builtin/product_task.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

class StagedContractions : public RewriteTest {};

/// Sizes that fill tiles, that end within a tile on aligned rows, and that are not aligned at all.
Task staged_product(const std::string& type, const std::string& to_float, Dtype dtype,
                    const std::string& left, const std::string& right) {
  Task task = product(type, to_float, dtype, left, right);
  task.workloads[0].sizes = {{"m", 130}, {"n", 136}, {"k", 256}};
  task.workloads[4].sizes = {{"m", 72}, {"n", 264}, {"k", 200}};
  return task;
}

TEST_F(StagedContractions, OperandsInEveryOrder) {
  for (const char* left : {"row * k + i", "i * m + row"}) {
    for (const char* right : {"i * n + column", "column * k + i"}) {
      const auto task = staged_product("__half", "__half2float", Dtype::f16, left, right);
      expect_same(task, *rewritten(task, "async_copy_pipeline", "tile=128x128x32;stages=3"));
      expect_same(task, *rewritten(task, "async_copy_pipeline", "tile=64x64x64;stages=4"));
      expect_same(task, *rewritten(task, "async_copy_pipeline", "tile=32x32x64;stages=2"));
    }
  }
}

TEST_F(StagedContractions, EveryTileOfBfloat16) {
  const auto task = staged_product("__nv_bfloat16", "__bfloat162float", Dtype::bf16, "row * k + i",
                                   "i * n + column");
  expect_all_same(task, "async_copy_pipeline");
  for (const char* tile : {"128x256x32", "256x128x32", "128x128x64", "128x64x64", "64x128x64",
                           "64x32x64", "32x64x64", "16x64x64", "64x16x64"}) {
    const auto kernel =
        rewritten(task, "async_copy_pipeline", "tile=" + std::string(tile) + ";stages=3");
    ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
    expect_same(task, *kernel);
  }
}

TEST_F(StagedContractions, ShippedHalfPrecisionProduct) {
  auto task = shipped_task("gemm_f16");
  ASSERT_TRUE(task.has_value()) << task.error().message;
  task->workloads.back().sizes = {{"m", 144}, {"n", 136}, {"k", 80}};
  expect_all_same(*task, "async_copy_pipeline");
}

TEST_F(StagedContractions, BatchesOfRowsThatAreTakenApart) {
  const char* source = R"(#include <cuda_fp16.h>
extern "C" __global__ void project(const __half* x, const __half* w, __half* y, int images,
                                   int length, int width, int outputs) {
  const int flat = blockIdx.x * blockDim.x + threadIdx.x;
  if (flat >= images * length * outputs) return;
  const int column = flat % outputs;
  const int place = flat / outputs % length;
  const int image = flat / (outputs * length);
  float sum = 0.0f;
  for (int i = 0; i < width; ++i) {
    sum += __half2float(x[(image * length + place) * width + i]) *
           __half2float(w[i * outputs + column]);
  }
  if (sum > -100.0f)
    y[flat] = __float2half(sum);
  else
    y[flat] = __float2half(0.0f);
}
)";
  std::string text = source;
  const auto task_with = [&](const std::string& kernel) {
    return task_of(
        kernel,
        {ranged("x", Dtype::f16, {"images", "length", "width"}, -4, 4),
         ranged("w", Dtype::f16, {"width", "outputs"}, -4, 4),
         output("y", Dtype::f16, {"images", "length", "outputs"})},
        {launch_of("project", {"ceil_div(images * length * outputs, block_x)", "1", "1"},
                   {"128", "1", "1"},
                   {"x", "w", "y", "i32:images", "i32:length", "i32:width", "i32:outputs"})},
        {{{"images", 5}, {"length", 19}, {"width", 72}, {"outputs", 40}},
         {{"images", 3}, {"length", 7}, {"width", 33}, {"outputs", 21}},
         {{"images", 1}, {"length", 1}, {"width", 64}, {"outputs", 8}}});
  };
  expect_all_same(task_with(text), "async_copy_pipeline");
  // One store behind a condition: neighbours may or may not be there.
  const std::string other = "  else\n    y[flat] = __float2half(0.0f);\n";
  text.replace(text.find(other), other.size(), "");
  text.replace(text.find("sum > -100.0f"), 13, "column % 8 < 8");
  expect_all_same(task_with(text), "async_copy_pipeline");
}

/// compute-sanitizer takes a copy of 16 bytes that is filled with 8 for a read of 16.
TEST_F(StagedContractions, CopiesAreWholeOrZeros) {
  for (const char* left : {"row * k + i", "i * m + row"}) {
    for (const char* right : {"i * n + column", "column * k + i"}) {
      auto task = staged_product("__half", "__half2float", Dtype::f16, left, right);
      task.workloads[1].sizes = {{"m", 12}, {"n", 20}, {"k", 28}};
      task.workloads[2].sizes = {{"m", 67}, {"n", 131}, {"k", 77}};
      for (const auto& [technique, tile] :
           {std::pair("async_copy_pipeline", "tile=64x64x64;stages=3"),
            std::pair("wgmma_pipeline", "tile=64x64x64;stages=3")}) {
        const auto kernel = rewritten(task, technique, tile);
        ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
        expect_same(task, broken(*kernel, "asm volatile(\"cp.async.cg",
                                 "if (bytes % 16u != 0u) __trap();\n  asm volatile(\"cp.async.cg"));
      }
    }
  }
}

TEST_F(StagedContractions, SeededFaultsAreNoticed) {
  const auto task =
      staged_product("__half", "__half2float", Dtype::f16, "row * k + i", "i * n + column");
  const auto kernel = rewritten(task, "async_copy_pipeline", "tile=64x64x64;stages=3");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_same(task, *kernel);
  expect_noticed(task, broken(*kernel, "wm_wait_for_copies<kStages - 2>()",
                              "wm_wait_for_copies<kStages - 1>()"));
  expect_noticed(task, broken(*kernel, "__syncthreads();  // the tile is there", "// the tile"));
  expect_noticed(
      task, broken(*kernel, "first + (kAlongDepth ? mine : unit * kPerUnit) < extent", "true"));
  expect_noticed(task, broken(*kernel, "&& from + kDepth <= depth", ""));
  expect_noticed(task, broken(*kernel, "at += tile_stride;", ""));
  expect_noticed(task, broken(*kernel, "(reinterpret_cast<size_t>(here) & 15u) == 0", "true"));
  expect_noticed(task, broken(*kernel, "(4 * kWords - 1)) == 0", "0) == 0"));
  expect_noticed(task, broken(*kernel, "wm_store_words(outputs[0].at, words);", ""));
  expect_noticed(task, broken(*kernel, "wm_out.at = &(c[row * n + column]);",
                              "wm_out.at = &(c[row * n + column + column % 2]);"));
}

TEST_F(StagedContractions, SingleFloatsOnTensorCores) {
  for (const char* left : {"row * k + i", "i * m + row"}) {
    for (const char* right : {"i * n + column", "column * k + i"}) {
      auto task = staged_product("float", "", Dtype::f32, left, right);
      expect_refused(task, "tf32_math", "the contract does not allow tf32");
      task.contract.tf32_allowed = true;
      expect_same(task, *rewritten(task, "tf32_math", "tile=128x128x32;stages=3"));
      expect_same(task, *rewritten(task, "tf32_math", "tile=32x32x32;stages=4"));
    }
  }
  auto task = staged_product("float", "", Dtype::f32, "row * k + i", "i * n + column");
  task.contract.tf32_allowed = true;
  expect_all_same(task, "tf32_math");
  for (const char* tile : {"128x256x32", "128x64x32", "64x128x32", "64x32x32"}) {
    const auto kernel = rewritten(task, "tf32_math", "tile=" + std::string(tile) + ";stages=2");
    ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
    expect_same(task, *kernel);
  }
  const auto kernel = rewritten(task, "tf32_math", "tile=64x64x32;stages=3");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(task, broken(*kernel, "to[3] = wm_load_word((at ^ 32u) + 512u)",
                              "to[3] = wm_load_word(at + 512u)"));
}

TEST_F(StagedContractions, GroupsOfWarpsWithOperandsInEveryOrder) {
  for (const char* left : {"row * k + i", "i * m + row"}) {
    for (const char* right : {"i * n + column", "column * k + i"}) {
      const auto task = staged_product("__half", "__half2float", Dtype::f16, left, right);
      expect_same(task, *rewritten(task, "wgmma_pipeline", "tile=128x128x64;stages=4"));
      expect_same(task, *rewritten(task, "wgmma_pipeline", "tile=64x64x64;stages=3"));
    }
  }
}

TEST_F(StagedContractions, GroupsOfWarpsWithEveryTile) {
  const auto task = staged_product("__nv_bfloat16", "__bfloat162float", Dtype::bf16, "row * k + i",
                                   "i * n + column");
  for (const char* tile : {"128x256x64;stages=4", "256x128x64;stages=3", "128x128x64;stages=6",
                           "64x256x64;stages=3", "64x128x64;stages=4", "128x64x64;stages=6"}) {
    const auto kernel = rewritten(task, "wgmma_pipeline", "tile=" + std::string(tile));
    ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
    expect_same(task, *kernel);
  }
  auto shipped = shipped_task("gemm_f16");
  ASSERT_TRUE(shipped.has_value()) << shipped.error().message;
  shipped->workloads.back().sizes = {{"m", 144}, {"n", 136}, {"k", 80}};
  expect_all_same(*shipped, "wgmma_pipeline");
  situation.device = "a100_80";
  expect_refused(*shipped, "wgmma_pipeline", "compute capability 9.0");
}

TEST_F(StagedContractions, SeededFaultsInGroupsAreNoticed) {
  const auto task =
      staged_product("__half", "__half2float", Dtype::f16, "row * k + i", "i * n + column");
  const auto kernel = rewritten(task, "wgmma_pipeline", "tile=128x128x64;stages=4");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  expect_noticed(task, broken(*kernel, "wm_wait_for_copies<kStages - 3>()",
                              "wm_wait_for_copies<kStages - 2>()"));
  expect_noticed(task, broken(*kernel, "__syncthreads();  // the tile is there", "// the tile"));
  expect_noticed(task, broken(*kernel, "+ group * 64u * 128u", ""));
  expect_noticed(task, broken(*kernel, "(1ull << 62)", "(2ull << 62)"));
  expect_noticed(task, broken(*kernel, "(64ull << 32)", "(32ull << 32)"));
  expect_noticed(task, broken(*kernel, "kDepth * 128;", "kDepth * 64;"));
}

}  // namespace
}  // namespace warpmind::rewrites
