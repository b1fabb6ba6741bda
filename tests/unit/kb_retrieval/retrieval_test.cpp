// Searches end to end: what is found, what is held back, and that the index keeps in step.

#include "knowledge_base/key_codec.h"
#include "knowledge_base/retrieval/embedding_records.h"
#include "tests/unit/kb_retrieval/retrieval_fixture.h"

#include <cmath>
#include <limits>
#include <set>

namespace warpmind::knowledge_base {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class RetrievalTest : public RetrievalFixture {
 protected:
  void expect_refused(const InsightQuery& query, const std::string& why) const {
    const auto answer = retrieval_->search(query);
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().code, Errc::invalid_argument);
    EXPECT_THAT(answer.error().message, HasSubstr(why));
  }
};

TEST_F(RetrievalTest, ACommitIsFoundAtOnceAndAfterOpeningAgain) {
  put({insight("tile=32")});
  EXPECT_THAT(found(about(kQuestion)), ElementsAre(insight("tile=32").id));
  const auto before = search(about(kQuestion));
  open();
  EXPECT_EQ(search(about(kQuestion)), before);
}

TEST_F(RetrievalTest, SaysWhyAndHowSure) {
  auto measured = insight("tile=32");
  measured.utility.mean = std::log(1.3);
  measured.evidence.resize(4);
  measured.evidence[3].supports = false;
  put({measured});
  const auto answer = search(about(kQuestion));
  ASSERT_THAT(answer.insights, SizeIs(1));
  EXPECT_THAT(answer.insights[0].why,
              HasSubstr("words rank 1, text rank 1; worth 1.30x, 3 of 4 measurements agree"));
  EXPECT_EQ(answer.documents, 1);
  EXPECT_EQ(answer.candidates, 1);
  EXPECT_EQ(answer.note, "");
}

TEST_F(RetrievalTest, NothingAppliesIsSaidWithItsReason) {
  EXPECT_THAT(search(about(kQuestion)).note, HasSubstr("no insight that is offered"));
  put({insight("tile=32")});
  const auto far = search(about("bake a cake with cinnamon and raisins"));
  EXPECT_THAT(far.insights, IsEmpty());
  EXPECT_THAT(far.note, StartsWith("nothing applies: none of 1 insights"));
  auto elsewhere = about(kQuestion);
  elsewhere.techniques = {"tensor_cores"};
  EXPECT_THAT(search(elsewhere).note, HasSubstr("passes the filters"));
  auto tight = about(kQuestion);
  tight.token_budget = 3;
  EXPECT_THAT(search(tight).note, HasSubstr("token budget"));
}

TEST_F(RetrievalTest, HardFiltersHoldBackWhatDoesNotApply) {
  auto scoped = insight("tile=32");
  scoped.scope.operator_families = {"gemm"};
  scoped.scope.dtypes = {Dtype::f16};
  scoped.scope.bottlenecks = {BottleneckClass::uncoalesced_access};
  scoped.scope.capability_min = 80;
  scoped.scope.capability_max = 90;
  scoped.scope.device = "NVIDIA H200";
  scoped.scope.contracts = {"tf32"};
  scoped.id = id_of(scoped);
  put({scoped, insight("general")});
  auto fits = about(kQuestion);
  fits.operator_family = "gemm";
  fits.dtypes = {Dtype::f16, Dtype::f32};
  fits.bottlenecks = {BottleneckClass::memory_latency, BottleneckClass::uncoalesced_access};
  fits.capability = 90;
  fits.device = "NVIDIA H200";
  fits.contracts = {"reassociation", "tf32"};
  EXPECT_THAT(found(fits), SizeIs(2));
  std::vector<InsightQuery> misfits(7, fits);
  misfits[0].operator_family = "softmax";
  misfits[1].dtypes = {Dtype::f64};
  misfits[2].bottlenecks = {BottleneckClass::register_spills};
  misfits[3].capability = 100;
  misfits[4].capability = 75;
  misfits[5].device = "NVIDIA L4";
  misfits[6].contracts->clear();
  for (const auto& misfit : misfits) {
    EXPECT_THAT(found(misfit), ElementsAre(insight("general").id));
  }
  auto unknown_class = fits;
  unknown_class.bottlenecks = {BottleneckClass::unknown};
  EXPECT_THAT(found(unknown_class), SizeIs(2));
}

/// The README's question, on a base that has measured much, but never a transposition.
TEST_F(RetrievalTest, WhatIsAskedAboutComesBeforeWhatPaidElsewhere) {
  auto card = insight("");
  card.claim =
      "A transposition that goes through a padded 32 by 32 shared tile is contiguous on both sides "
      "and comes close to the bandwidth of a plain copy.";
  card.action.techniques = {"tiled_transpose"};
  card.scope.operator_families = {"transpose"};
  card.scope.bottlenecks = {BottleneckClass::uncoalesced_access};
  card.state = InsightState::proposed;
  card.trust = Trust::t0;
  card.utility = {};
  card.provenance.source = "seed";
  card.id = id_of(card);
  std::vector<Insight> all{card};
  for (const char* family : {"softmax", "norm", "reduction"}) {
    for (const char* technique : {"row_in_registers", "warp_per_output", "vectorized_loads"}) {
      auto measured = insight("", technique);
      measured.claim = std::string(technique) + " pays at uncoalesced_access in " + family;
      measured.scope.operator_families = {family};
      measured.scope.bottlenecks = {BottleneckClass::uncoalesced_access};
      measured.utility.mean = std::log(8.0);
      measured.id = id_of(measured);
      all.push_back(measured);
    }
  }
  put(all);
  auto query = about("uncoalesced stores in a transpose");
  query.limit = 10;
  query.token_budget = 10'000;
  const auto answer = search(query);
  ASSERT_THAT(answer.insights, SizeIs(testing::Ge(4)));
  EXPECT_EQ(answer.insights.front().id, card.id) << answer.insights.front().claim;
  for (std::size_t i = 1; i < answer.insights.size(); ++i) {
    EXPECT_GE(answer.insights[i - 1].score, answer.insights[i].score) << i;
  }
}

TEST_F(RetrievalTest, StandingFilters) {
  auto quarantined = insight("a");
  quarantined.state = InsightState::quarantined;
  auto claimed = insight("b");
  claimed.trust = Trust::t0;
  auto elsewhere = insight("c");
  elsewhere.space = "team:other";
  elsewhere.id = id_of(elsewhere);
  auto other_technique = insight("d", "vectorized_loads");
  put({quarantined, claimed, elsewhere, other_technique});
  EXPECT_THAT(found(about(kQuestion)), Not(Contains(quarantined.id)));
  auto query = about(kQuestion);
  query.offered_only = false;
  EXPECT_THAT(found(query), Contains(quarantined.id));
  query.least_trust = Trust::t2;
  EXPECT_THAT(found(query), Not(Contains(claimed.id)));
  query = about(kQuestion);
  query.spaces = {"user"};
  EXPECT_THAT(found(query), Not(Contains(elsewhere.id)));
  query.techniques = {"vectorized_loads"};
  EXPECT_THAT(found(query), ElementsAre(other_technique.id));
}

TEST_F(RetrievalTest, AChangedTextIsANewDocumentAndTheOldOneIsGone) {
  put({insight("tile=32")});
  auto reworded = insight("tile=32");
  reworded.claim = "Padding every shared row by one element ends bank conflicts.";
  put({reworded});
  EXPECT_THAT(found(about("uncoalesced neighbours transposing index order")), IsEmpty());
  EXPECT_THAT(found(about("shared bank conflicts padding")), ElementsAre(reworded.id));
  EXPECT_EQ(retrieval_->figures().documents, 1);
  EXPECT_EQ(retrieval_->figures().dead, 1);
}

TEST_F(RetrievalTest, AChangedStateKeepsTheDocument) {
  put({insight("tile=32")});
  auto retired = insight("tile=32");
  retired.state = InsightState::deprecated;
  put({retired});
  EXPECT_THAT(found(about(kQuestion)), IsEmpty());
  EXPECT_EQ(retrieval_->figures().dead, 0);
  retired.state = InsightState::confirmed;
  put({retired});
  EXPECT_THAT(found(about(kQuestion)), SizeIs(1));
}

TEST_F(RetrievalTest, AQuestionWithoutWordsIsItsSituation) {
  auto fitting = insight("a");
  fitting.profile_signature = {{"dram_share", 0.9}, {"sectors.load", 0.9}, {"l2_hits", 0.1}};
  auto other = insight("b");
  other.profile_signature = {{"sm_share", 0.95}, {"fma_share", 0.9}, {"stall.math_pipe", 0.9}};
  put({fitting, other});
  InsightQuery query;
  query.profile = {{"dram_share", 0.85}, {"sectors.load", 0.95}, {"l2_hits", 0.15}};
  EXPECT_THAT(found(query), ElementsAre(fitting.id));
  InsightQuery filters_only;
  filters_only.capability = 90;
  EXPECT_THAT(found(filters_only), SizeIs(2));
}

TEST_F(RetrievalTest, WithheldAsOftenAsAskedAndReproducibly) {
  std::vector<Insight> many;
  for (int i = 0; i < 10; ++i) many.push_back(insight("tile=" + std::to_string(i)));
  put(many);
  auto query = about(kQuestion);
  query.limit = 10;
  query.withhold = 0.2;
  int withheld = 0;
  int all = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    query.seed = seed;
    const auto answer = search(query);
    EXPECT_EQ(answer, search(query));
    for (const auto& one : answer.insights) {
      EXPECT_DOUBLE_EQ(one.propensity, 0.8);
      ++all;
      withheld += one.shown ? 0 : 1;
    }
  }
  ASSERT_EQ(all, 2000);
  // Binomial: 400 expected, standard deviation 18.
  EXPECT_NEAR(withheld, 400, 75);
  query.withhold = 0;
  for (const auto& one : search(query).insights) EXPECT_TRUE(one.shown);
}

TEST_F(RetrievalTest, AnImportFillsAtMostHalfOfAnAnswer) {
  std::vector<Insight> many;
  for (int i = 0; i < 12; ++i) {
    many.push_back(insight("tile=" + std::to_string(i)));
    many.back().provenance.source = i < 10 ? "pack:evil" : "user:alice";
  }
  put(many);
  auto query = about(kQuestion);
  query.limit = 6;
  const auto ids = found(query);
  const auto evil = std::count_if(ids.begin(), ids.end(), [&](const InsightId& id) {
    return std::any_of(many.begin(), many.begin() + 10,
                       [&](const Insight& one) { return one.id == id; });
  });
  EXPECT_EQ(evil, 3);
  EXPECT_THAT(ids, SizeIs(5));
}

TEST_F(RetrievalTest, TheBudgetHolds) {
  std::vector<Insight> many;
  for (int i = 0; i < 10; ++i) many.push_back(insight("tile=" + std::to_string(i)));
  put(many);
  auto query = about(kQuestion);
  query.limit = 10;
  query.token_budget = 100;
  const auto answer = search(query);
  std::size_t bytes = 0;
  for (const auto& one : answer.insights) bytes += one.claim.size();
  EXPECT_THAT(answer.insights, Not(IsEmpty()));
  EXPECT_LE(bytes, 400U);
}

TEST_F(RetrievalTest, BadQuestionsAreRefusedWithOneSentence) {
  auto query = about(kQuestion);
  query.limit = 100'000;
  expect_refused(query, "limit is 100000, it must be 1 to 200");
  query = about(kQuestion);
  query.withhold = std::numeric_limits<double>::quiet_NaN();
  expect_refused(query, "withhold");
  query = about(std::string(5'000'000, 'x'));
  expect_refused(query, "5000000 bytes");
  query = about(kQuestion);
  query.profile["dram_share"] = std::numeric_limits<double>::infinity();
  expect_refused(query, "dram_share");
  query = about(kQuestion);
  query.token_budget = 0;
  expect_refused(query, "token_budget");
}

TEST_F(RetrievalTest, LiftOfAnUnknownInsightIsNotFound) {
  EXPECT_EQ(retrieval_->lift(InsightId("i-0000000000000001")).error().code, Errc::not_found);
  put({insight("a")});
  EXPECT_FALSE(retrieval_->lift(insight("a").id).value().known);
}

TEST_F(RetrievalTest, VectorsOfAnotherEmbedderAreMadeAgain) {
  put({insight("tile=32")});
  ASSERT_TRUE(base_
                  ->write(1000,
                          [](ChangeSet& change) -> Result<void> {
                            change.put(Family::embeddings, vector_key(1, 1),
                                       std::string(1, '\x7f') + "of another length");
                            change.describe("insights", {});
                            return {};
                          })
                  .has_value());
  open();
  RankingWeights text_alone{0, 1, 0, 0};
  EXPECT_THAT(retrieval_->rank(about(kQuestion), text_alone).value(),
              ElementsAre(insight("tile=32").id));
}

TEST_F(RetrievalTest, DamagedEntriesAreSaid) {
  put({insight("tile=32")});
  ASSERT_TRUE(base_
                  ->write(1000,
                          [](ChangeSet& change) -> Result<void> {
                            change.put(Family::embeddings, catalogue_key(1), "rubbish");
                            return {};
                          })
                  .has_value());
  retrieval_.reset();
  const auto opened = Retrieval::open(*base_, {});
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, Errc::corrupt_data);
}

TEST_F(RetrievalTest, ReloadReadsTheBaseAgain) {
  put({insight("a"), insight("b")});
  const auto before = search(about(kQuestion));
  ASSERT_TRUE(retrieval_->reload().has_value());
  EXPECT_EQ(search(about(kQuestion)), before);
}

}  // namespace
}  // namespace warpmind::knowledge_base
