#include "tests/bench/retrieval_quality/golden_set.h"

#include "tests/bench/retrieval_quality/ranking_quality.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace warpmind::bench {
namespace {

const std::string kData = std::string(WARPMIND_TEST_DATA) + "/retrieval";

TEST(GoldenSet, IsCompleteAndConsistent) {
  const auto set = read_golden_set(kData);
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_GE(set->insights.size(), 300U);
  EXPECT_GE(set->queries.size(), 120U);
  std::set<std::string> names;
  std::set<std::string> claims;
  for (const auto& [name, insight] : set->insights) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_TRUE(claims.insert(insight.claim).second) << name;
    EXPECT_LE(insight.claim.size(), 400U) << name;
  }
  for (const auto& query : set->queries) {
    EXPECT_FALSE(query.grades.empty()) << query.base;
    EXPECT_FALSE(query.query.text.empty() && query.query.code.empty()) << query.base;
    for (const auto& [name, grade] : query.grades) {
      EXPECT_TRUE(names.contains(name)) << query.base << " grades " << name;
      EXPECT_TRUE(grade >= 1 && grade <= 3) << query.base << " " << name;
    }
  }
}

TEST(GoldenSet, LeavesTheFamilyOut) {
  const auto sets = read_leave_family_out(kData, std::string(WARPMIND_SOURCE_DIR) + "/tasks");
  ASSERT_TRUE(sets) << sets.error().message;
  ASSERT_EQ(sets->size(), 3U);
  for (const auto& set : *sets) {
    for (const auto& lesson : set.insights) {
      EXPECT_FALSE(lesson.name.starts_with(set.queries.front().base));
    }
  }
}

TEST(RankingQuality, OfKnownLists) {
  const std::map<std::string, int> grades{{"a", 3}, {"b", 2}, {"c", 1}};
  const auto best = quality_of({"a", "b", "c"}, grades);
  EXPECT_DOUBLE_EQ(best.ndcg, 1);
  EXPECT_DOUBLE_EQ(best.recall, 1);
  EXPECT_DOUBLE_EQ(best.reciprocal_rank, 1);
  const auto late = quality_of({"x", "c", "b"}, grades);
  EXPECT_NEAR(late.ndcg, (1 / std::log2(3) + 3 / 2.0) / (7 + 3 / std::log2(3) + 1 / 2.0), 1e-12);
  EXPECT_DOUBLE_EQ(late.recall, 0.5);
  EXPECT_DOUBLE_EQ(late.reciprocal_rank, 1.0 / 3);
  EXPECT_DOUBLE_EQ(quality_of({}, grades).ndcg, 0);
}

}  // namespace
}  // namespace warpmind::bench
