/// \file
/// The shipped tasks that attend, at sizes that the simulator can run: each way in which a skill
/// applies to them computes the same.

#include "tests/integration/builtin/rewrite_check.h"

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

/// f16 outputs; weights are rounded to f16 by tensor cores.
constexpr Closeness kClose{4, 1e-3};

/// The task at `sizes`, all of them timed or none.
Task at_sizes(const std::string& name, std::vector<Sizes> sizes) {
  auto task = shipped_task(name);
  EXPECT_TRUE(task.has_value());
  if (!task) return {};
  task->workloads.clear();
  for (auto& one : sizes) {
    const std::string number = std::to_string(task->workloads.size());
    task->workloads.push_back({"w" + number, std::move(one), task->workloads.empty()});
  }
  return std::move(*task);
}

class ShippedAttentionTest : public RewriteTest {
 protected:
  /// The first offer of the skill.
  void expect_first_same(const Task& task, const std::string& skill) {
    const auto offer = offer_of(task, skill);
    ASSERT_TRUE(offer.has_value());
    ASSERT_FALSE(offer->moves.empty()) << skill << ": " << offer->refusal;
    expect_same(task, skill, offer->moves.front().parameters, kClose);
  }
};

TEST_F(ShippedAttentionTest, SpansOfAText) {
  const Task task = at_sizes("ssas_span_attention",
                             {{{"heads", 4}, {"tokens", 70}, {"prompt", 20}, {"dim", 32}},
                              {{"heads", 1}, {"tokens", 1}, {"prompt", 1}, {"dim", 1}},
                              {{"heads", 2}, {"tokens", 133}, {"prompt", 37}, {"dim", 7}}});
  expect_first_same(task, "flash_attention");
  expect_first_same(task, "masked_flash_attention");
  expect_first_same(task, "decode_attention");
}

TEST_F(ShippedAttentionTest, SpansOfACache) {
  const Task task =
      at_sizes("ssas_span_decode", {{{"batch", 2}, {"heads", 2}, {"rows", 1024}, {"dim", 32}},
                                    {{"batch", 3}, {"heads", 1}, {"rows", 1031}, {"dim", 3}}});
  expect_first_same(task, "decode_attention");
}

TEST_F(ShippedAttentionTest, TokensOfARaggedBatch) {
  const Task task =
      at_sizes("emssd_unpad_mha", {{{"batch", 2}, {"heads", 2}, {"rows", 512}, {"dim", 32}},
                                   {{"batch", 3}, {"heads", 1}, {"rows", 519}, {"dim", 5}}});
  expect_first_same(task, "decode_attention");
  expect_first_same(task, "flash_attention");
}

}  // namespace
}  // namespace warpmind::rewrites
