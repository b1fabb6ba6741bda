#include "tests/integration/builtin/product_task.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

/// The skills on the normal form contraction that take plain matrices, in the simulator.
class GemmSkill : public RewriteTest {
 protected:
  void SetUp() override {
    RewriteTest::SetUp();
    build_for("sm_90a");
  }
};

/// Sizes that fill tiles, that end within one where lines are aligned, and that are not aligned.
Task half_product(const std::string& left, const std::string& right) {
  Task task = product("__half", "__half2float", Dtype::f16, left, right);
  task.workloads[0].sizes = {{"m", 136}, {"n", 264}, {"k", 520}};
  task.workloads[4].sizes = {{"m", 72}, {"n", 264}, {"k", 200}};
  return task;
}

TEST_F(GemmSkill, OperandsInEveryOrder) {
  for (const char* left : {"row * k + i", "i * m + row"}) {
    for (const char* right : {"i * n + column", "column * k + i"}) {
      const auto task = half_product(left, right);
      for (const char* choice : {"teams=1;groups=2;width=128", "teams=2;groups=1;width=64"}) {
        const auto kernel = rewritten(task, "gemm", choice);
        ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
        expect_same(task, *kernel);
      }
    }
  }
}

TEST_F(GemmSkill, EveryTileOfBfloat16) {
  Task task =
      product("__nv_bfloat16", "__bfloat162float", Dtype::bf16, "row * k + i", "i * n + column");
  expect_all_same(task, "gemm");
  for (const char* choice : {"teams=1;groups=2;width=256", "teams=2;groups=1;width=256",
                             "teams=2;groups=2;width=128", "teams=1;groups=1;width=64"}) {
    const auto kernel = rewritten(task, "gemm", choice);
    ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
    expect_same(task, *kernel);
  }
}

TEST_F(GemmSkill, BatchesAndTailsOfShippedTasks) {
  for (const char* name : {"gemm_f16", "batched_gemm_f16"}) {
    auto task = shipped_task(name);
    ASSERT_TRUE(task.has_value()) << task.error().message;
    task->workloads.back().sizes = {{"m", 72}, {"n", 136}, {"k", 80}};
    if (std::string(name) == "batched_gemm_f16") task->workloads.back().sizes["batch"] = 5;
    expect_all_same(*task, "gemm");
  }
}

TEST_F(GemmSkill, RefusesOtherDevicesAndOperands) {
  auto task = half_product("row * k + i", "i * n + column");
  situation.device = "a100_80";
  expect_refused(task, "gemm", "compute capability 9.0");
}

TEST_F(GemmSkill, SeededFaultsAreNoticed) {
  const auto task = half_product("row * k + i", "i * n + column");
  const auto kernel = rewritten(task, "gemm", "teams=1;groups=2;width=128");
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  // A stage is filled again before all have multiplied it, and multiplied before it is there.
  expect_noticed(task, broken(*kernel, "wm_gemm_wait(empty + stage * 8u, round);", ""));
  expect_noticed(task, broken(*kernel, "wm_gemm_wait(full + stage * 8u, round);", ""));
  expect_noticed(task, broken(*kernel, "empty + s * 8u, kGroups * 4u", "empty + s * 8u, 1u"));
  // Zeros outside, where the operand is not aligned.
  expect_noticed(task, broken(*kernel, "if (place + j >= across) continue;", ""));
  expect_noticed(
      task,
      broken(*kernel, "line_stride % 8 == 0 && batch_stride >= 0 && batch_stride % 8 == 0 &&", ""));
  expect_noticed(task, broken(*kernel, "swizzle_mode.shared::cta.b1024.b32 [%0], 3",
                              "swizzle_mode.shared::cta.b1024.b32 [%0], 2"));
  expect_noticed(task, broken(*kernel, "(1ull << 62)", "(2ull << 62)"));
  expect_noticed(task, broken(*kernel, "+ member * 8192u", ""));
}

}  // namespace
}  // namespace warpmind::rewrites
