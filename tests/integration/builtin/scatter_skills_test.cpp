/// \file
/// The shipped tasks of a histogram and of a sort pass, rewritten by their skills.

#include "tests/integration/builtin/rewrite_check.h"

namespace warpmind::rewrites {
namespace {

/// The task at sizes that can be run here.
Task small_task(const std::string& name, std::initializer_list<std::int64_t> sizes) {
  auto task = shipped_task(name);
  EXPECT_TRUE(task.has_value()) << task.error().message;
  if (!task) return {};
  task->workloads.clear();
  for (const std::int64_t n : sizes) {
    task->workloads.push_back({"n" + std::to_string(n), {{"n", n}}, task->workloads.empty()});
  }
  return std::move(*task);
}

class ScatterSkills : public RewriteTest {};

TEST_F(ScatterSkills, CountBytes) {
  const auto task = small_task("histogram", {70001, 1, 15, 16, 10007});
  const auto offer = offer_of(task, "private_histogram");
  ASSERT_TRUE(offer.has_value()) << offer.error().message;
  ASSERT_FALSE(offer->moves.empty()) << offer->refusal;
  const auto kernel = rewritten(task, "private_histogram", offer->moves.front().parameters);
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  // The launch that clears stays, the one that counts is replaced.
  ASSERT_EQ(kernel->plan.launches.size(), 2U);
  EXPECT_EQ(kernel->plan.launches[0].kernel, "clear_counts");
  EXPECT_EQ(kernel->source.find("count_values("), std::string::npos);
  expect_all_same(task, "private_histogram");
}

TEST_F(ScatterSkills, DistributeByDigits) {
  const auto task = small_task("radix_pass", {20011, 1, 31, 4099});
  const auto offer = offer_of(task, "radix_sort_pass");
  ASSERT_TRUE(offer.has_value()) << offer.error().message;
  ASSERT_FALSE(offer->moves.empty()) << offer->refusal;
  const auto kernel = rewritten(task, "radix_sort_pass", offer->moves.front().parameters);
  ASSERT_TRUE(kernel.has_value()) << kernel.error().message;
  for (const char* given : {"scan_counts", "scatter_digits"}) {
    EXPECT_EQ(kernel->source.find(given), std::string::npos) << given;
  }
  expect_all_same(task, "radix_sort_pass");
  // A place that is off by one is noticed.
  expect_noticed(task, broken(*kernel, "before + in_front", "before + in_front + (in_front & 1)"));
}

}  // namespace
}  // namespace warpmind::rewrites
