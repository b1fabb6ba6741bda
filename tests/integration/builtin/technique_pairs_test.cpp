#include "tests/integration/builtin/rewrite_check.h"

#include <array>

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

constexpr std::array<const char*, 9> kPointwise{
    "fuse_pointwise",    "vectorized_loads", "tiled_transpose",
    "thread_coarsening", "grid_stride",      "shape_specialization",
    "shared_padding",    "restrict",         "block_size"};

class TechniquePairs : public RewriteTest {
 protected:
  /// What one technique makes is given to each other one; results are those of the given kernel.
  void expect_pairs_same(const std::string& name) {
    auto task = shipped_task(name);
    ASSERT_TRUE(task.has_value()) << task.error().message;
    std::erase_if(task->workloads, [](const Workload& workload) { return workload.timed; });
    task->workloads.back().timed = true;
    int pairs = 0;
    for (const auto* first : kPointwise) {
      const auto offer = offer_of(*task, first, situation);
      ASSERT_TRUE(offer.has_value());
      if (offer->moves.empty()) continue;
      const auto once = rewritten(*task, first, offer->moves.front().parameters, situation);
      ASSERT_TRUE(once.has_value());
      Task next = *task;
      next.kernel = *once;
      for (const auto* second : kPointwise) {
        const auto more = offer_of(next, second, situation);
        ASSERT_TRUE(more.has_value());
        if (more->moves.empty()) continue;
        const auto twice = rewritten(next, second, more->moves.front().parameters, situation);
        ASSERT_TRUE(twice.has_value());
        SCOPED_TRACE(std::string(first) + " then " + second);
        expect_same(*task, *twice);
        ++pairs;
      }
    }
    EXPECT_GT(pairs, 8);
  }
};

TEST_F(TechniquePairs, OnAChainOfVectors) { expect_pairs_same("vector_add_chain"); }
TEST_F(TechniquePairs, OnATranspose) { expect_pairs_same("transpose"); }

}  // namespace
}  // namespace warpmind::rewrites
