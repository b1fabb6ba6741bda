// Catalogue entries, filters over them, fusion, value and selection.

#include "knowledge_base/retrieval/ranking.h"

#include "knowledge_base/retrieval/catalogue.h"
#include "knowledge_base/retrieval/searched_text.h"
#include "knowledge_base/retrieval/selection.h"
#include "knowledge_base/retrieval/stable_hash.h"
#include "knowledge_base/retrieval/text_analysis.h"
#include "tests/fakes/insight_generator.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

CatalogueEntry entry_of(const Insight& insight) {
  return catalogue_entry_of(insight, searched_text(insight)).value();
}

TEST(CatalogueEntryTest, ComesBackFromBytes) {
  for (std::int64_t i = 0; i < 50; ++i) {
    const auto insight = fakes::generated_insight(i, 1);
    const auto entry = entry_of(insight);
    const auto bytes = encode_catalogue_entry(entry);
    EXPECT_EQ(bytes.size(), kCatalogueEntryBytes);
    EXPECT_EQ(decode_catalogue_entry(bytes).value(), entry);
    EXPECT_EQ(insight_id_of(entry), insight.id);
  }
}

TEST(CatalogueEntryTest, DamagedBytesAreRefused) {
  const auto bytes = encode_catalogue_entry(entry_of(fakes::generated_insight(3, 1)));
  EXPECT_EQ(decode_catalogue_entry("").error().code, Errc::corrupt_data);
  EXPECT_EQ(decode_catalogue_entry(bytes.substr(1)).error().code, Errc::corrupt_data);
  std::string newer = bytes;
  newer[0] = 9;
  EXPECT_THAT(decode_catalogue_entry(newer).error().message, testing::HasSubstr("newer build"));
  std::string wild = bytes;
  wild[wild.size() - 3] = 77;  // state
  EXPECT_EQ(decode_catalogue_entry(wild).error().code, Errc::corrupt_data);
}

TEST(CatalogueEntryTest, AnIdOfAnotherShapeIsRefused) {
  auto insight = fakes::generated_insight(3, 1);
  for (const char* id : {"", "i-1", "k-0123456789abcdef", "i-0123456789abcdeg"}) {
    insight.id = InsightId(id);
    EXPECT_EQ(catalogue_entry_of(insight, "").error().code, Errc::invalid_argument) << id;
  }
}

/// The masks must never hold back what applies by name.
TEST(QueryFilterTest, AdmitsEverythingThatApplies) {
  int applied = 0;
  for (std::int64_t i = 0; i < 400; ++i) {
    const auto insight = fakes::generated_insight(i, 2);
    const auto entry = entry_of(insight);
    InsightQuery query;
    query.operator_family = i % 2 == 0 ? "gemm" : "";
    query.dtypes = {Dtype::f16};
    query.bottlenecks = {BottleneckClass::memory_bandwidth};
    query.capability = i % 3 == 0 ? 90 : 0;
    query.device = i % 5 == 0 ? "NVIDIA H200" : "";
    query.contracts.emplace();
    const QueryFilter filter(query);
    if (!filter.applies(insight)) continue;
    ++applied;
    EXPECT_TRUE(filter.admits(entry));
  }
  EXPECT_GT(applied, 20);
}

TEST(FusionTest, AddsWeightedReciprocalRanks) {
  const std::vector<RankedList> lists{{Ranking::words, {7, 8, 9}, {3, 2, 1}},
                                      {Ranking::profile, {9, 7}, {0.9F, 0.8F}}};
  const auto fused = fuse(lists, {0.6, 0, 0, 0.4});
  ASSERT_THAT(fused, SizeIs(3));
  EXPECT_EQ(fused[0].document, 7);
  EXPECT_NEAR(fused[0].relevance, (0.6 / 11 + 0.4 / 12) / (1.0 / 11), 1e-12);
  EXPECT_EQ(fused[1].document, 9);
  EXPECT_THAT(fused[1].ranks, ElementsAre(3, 0, 0, 1));
  EXPECT_FLOAT_EQ(fused[1].scores[3], 0.9F);
}

/// The second by words may be far behind, which its rank does not say.
TEST(FusionTest, OfWordsTheScoreCountsToo) {
  const std::vector<RankedList> lists{
      {Ranking::words, {1, 2}, {8, 2}},
      {Ranking::text, {2, 3, 4, 5, 1}, {0.5F, 0.4F, 0.4F, 0.4F, 0.3F}}};
  const auto fused = fuse(lists, kRankingWeights);
  EXPECT_EQ(fused.front().document, 1);
  EXPECT_NEAR(fused.front().relevance, (0.6 / 11 + 0.2 / 15) / (0.8 / 11), 1e-12);
  const auto second = std::find_if(fused.begin(), fused.end(),
                                   [](const Candidate& one) { return one.document == 2; });
  EXPECT_NEAR(second->relevance, (0.6 * 0.25 / 12 + 0.2 / 11) / (0.8 / 11), 1e-12);
}

TEST(ValueTest, BetterUtilityWinsMoreOftenTheSurerTheBelief) {
  CatalogueEntry good;
  good.id = 11;
  good.utility_mean = 0.3F;
  CatalogueEntry poor;
  poor.id = 12;
  poor.utility_mean = 0.0F;
  const auto wins = [&](float deviation) {
    good.utility_deviation = poor.utility_deviation = deviation;
    int count = 0;
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
      count += sampled_utility(good, seed) > sampled_utility(poor, seed) ? 1 : 0;
    }
    return count;
  };
  // P(N(0.3, 2 d²) > 0): 0.983 at d = 0.1, 0.665 at d = 0.5; standard error 0.011 at most.
  EXPECT_NEAR(wins(0.1F) / 2000.0, 0.983, 0.02);
  EXPECT_NEAR(wins(0.5F) / 2000.0, 0.665, 0.04);
  EXPECT_DOUBLE_EQ(sampled_utility(good, 0), static_cast<double>(good.utility_mean));
  EXPECT_EQ(sampled_utility(good, 5), sampled_utility(good, 5));
}

TEST(ValueTest, WhatWasMeasuredOnOtherOperatorsIsAClaimHere) {
  CatalogueEntry measured;
  measured.state = InsightState::confirmed;
  measured.trust = Trust::t4;
  measured.utility_mean = 2;
  CatalogueEntry claimed;
  claimed.state = InsightState::proposed;
  claimed.trust = Trust::t0;
  EXPECT_DOUBLE_EQ(value_elsewhere(1, measured, 0), value_of(1, claimed, 0));
  claimed.utility_mean = -0.5F;
  EXPECT_DOUBLE_EQ(value_elsewhere(1, claimed, 0), value_of(1, claimed, 0))
      << "it is not lifted either";
}

TEST(QueryFilterTest, AQuestionThatNamesAnOperatorIsAboutIt) {
  auto of_family = [](const std::string& family) {
    Insight insight = fakes::generated_insight(1, 1);
    insight.scope.operator_families.clear();
    if (!family.empty()) insight.scope.operator_families = {family};
    return entry_of(insight);
  };
  InsightQuery query;
  query.text = "uncoalesced stores in a transpose";
  const QueryFilter filter(query, analyse(query.text));
  EXPECT_TRUE(filter.is_of_other_operators(of_family("softmax")));
  EXPECT_FALSE(filter.is_of_other_operators(of_family("transpose")));
  EXPECT_FALSE(filter.is_of_other_operators(of_family(""))) << "it holds for all";
  query.text = "uncoalesced stores";
  EXPECT_FALSE(QueryFilter(query, analyse(query.text)).is_of_other_operators(of_family("softmax")));
}

TEST(ValueTest, MeasuredStandsAboveClaimedContestedBelow) {
  const auto standing = [](InsightState state, Trust trust) {
    CatalogueEntry entry;
    entry.state = state;
    entry.trust = trust;
    return standing_of(entry);
  };
  const double confirmed = standing(InsightState::confirmed, Trust::t3);
  const double probation = standing(InsightState::probation, Trust::t2);
  const double proposed = standing(InsightState::proposed, Trust::t1);
  const double imported = standing(InsightState::proposed, Trust::t0);
  EXPECT_GT(confirmed, probation);
  EXPECT_GT(probation, proposed);
  EXPECT_GT(proposed, imported);
  EXPECT_LT(standing(InsightState::contested, Trust::t2), probation);
}

class SelectionTest : public testing::Test {
 protected:
  void add(const std::string& claim, const std::string& technique, const std::string& source,
           double value) {
    Insight insight;
    insight.claim = claim;
    insight.action.techniques = {technique};
    insight.action.parameters = std::to_string(insights_.size());
    insight.provenance.source = source;
    insight.id = id_of(insight);
    const auto document = static_cast<std::int64_t>(insights_.size()) + 1;
    catalogue_.set(document, entry_of(insight));
    candidates_.push_back({.document = document, .relevance = value, .value = value});
    insights_.push_back(std::move(insight));
  }
  [[nodiscard]] std::vector<std::int64_t> selected() const {
    const auto selection = select(candidates_, catalogue_, query_,
                                  [&](const Candidate& one) -> Result<std::optional<Insight>> {
                                    return insights_[static_cast<std::size_t>(one.document) - 1];
                                  });
    std::vector<std::int64_t> documents;
    for (const auto& pick : selection.value().picks) documents.push_back(pick.candidate.document);
    return documents;
  }

  Catalogue catalogue_;
  std::vector<Candidate> candidates_;
  std::vector<Insight> insights_;
  InsightQuery query_;
};

TEST_F(SelectionTest, OneOfTwoAlikeGivesWayToAnother) {
  add("padding shared rows by one element ends bank conflicts of column reads", "pad", "seed", 1);
  add("padding shared rows by one element ends bank conflicts of column loads", "pad", "seed",
      0.98);
  add("fusing the epilogue saves a round trip through device memory", "fuse", "seed", 0.9);
  query_.limit = 2;
  EXPECT_THAT(selected(), ElementsAre(1, 3));
}

TEST_F(SelectionTest, TheAnswerIsInTheOrderOfItsValues) {
  add("padding shared rows by one element ends bank conflicts of column reads", "pad", "seed", 1);
  add("padding shared rows by one element ends bank conflicts of column loads", "pad", "seed",
      0.98);
  add("fusing the epilogue saves a round trip through device memory", "fuse", "seed", 0.9);
  query_.limit = 3;
  EXPECT_THAT(selected(), ElementsAre(1, 2, 3));
}

TEST_F(SelectionTest, TheLimitAndTheBudgetHold) {
  for (int i = 0; i < 20; ++i) {
    add(std::string(200, 'x') + std::to_string(i), "t" + std::to_string(i), "seed", 1 - 0.01 * i);
  }
  query_.limit = 7;
  EXPECT_THAT(selected(), SizeIs(7));
  query_.token_budget = 160;
  EXPECT_THAT(selected(), SizeIs(3));
}

TEST_F(SelectionTest, OneSourceGivesAtMostHalf) {
  for (int i = 0; i < 10; ++i) {
    add("claim number " + std::to_string(i), "t" + std::to_string(i), "pack:1", 1 - 0.01 * i);
  }
  query_.limit = 5;
  EXPECT_THAT(selected(), SizeIs(3));
  EXPECT_FALSE(is_capped(name_hash("episodes")));
  EXPECT_TRUE(is_capped(name_hash("user:alice")));
}

TEST(UniformDrawTest, IsUniform) {
  std::map<int, int> tenths;
  for (std::uint64_t id = 1; id <= 10'000; ++id) {
    ++tenths[static_cast<int>(10 * uniform_draw(99, id, 3))];
  }
  ASSERT_THAT(tenths, SizeIs(10));
  // Binomial: 1000 expected, standard deviation 30.
  for (const auto& [tenth, count] : tenths) EXPECT_NEAR(count, 1000, 150) << tenth;
}

}  // namespace
}  // namespace warpmind::knowledge_base
