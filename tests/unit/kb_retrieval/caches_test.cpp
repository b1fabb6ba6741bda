// What searches keep in memory never changes an answer.

#include "knowledge_base/retrieval/embedding_records.h"
#include "knowledge_base/retrieval/postings.h"
#include "knowledge_base/retrieval/shown_insight.h"
#include "knowledge_base/retrieval/term_cache.h"
#include "knowledge_base/retrieval/term_index.h"
#include "knowledge_base/retrieval/text_analysis.h"
#include "tests/unit/kb_retrieval/retrieval_fixture.h"

#include <random>
#include <set>

namespace warpmind::knowledge_base {
namespace {

using testing::HasSubstr;

std::string random_text(std::mt19937& random, std::size_t words) {
  std::string text;
  for (std::size_t i = 0; i < words; ++i) {
    const double u = std::uniform_real_distribution<double>(0, 1)(random);
    text += "w" + std::to_string(static_cast<int>(200 * u * u * u)) + "x ";
  }
  return text;
}

class TermCacheTest : public RetrievalFixture {
 protected:
  /// Indexes `count` documents with gaps between their numbers.
  void grow(int count) {
    const auto written = base_->write(1000, [&](ChangeSet& change) -> Result<void> {
      for (int i = 0; i < count; ++i) {
        corpus_.last_document += 1 + static_cast<std::int64_t>(random_() % 300);
        ++corpus_.documents;
        const auto text = random_text(random_, 3 + random_() % 30);
        WARPMIND_CHECK(indexed(change, text));
      }
      change.describe("insights", {});
      return {};
    });
    ASSERT_TRUE(written.has_value()) << written.error().message;
  }
  [[nodiscard]] std::vector<TermHit> search(TermQuery query, TermCache* cache) const {
    query.corpus = corpus_;
    query.cache = cache;
    return base_
        ->read([&](const Database& database, const std::string&) {
          return search_terms(database, nullptr, query);
        })
        .value();
  }

  std::mt19937 random_{23};
  CorpusFigures corpus_{0, 0, 15};
  std::map<std::int64_t, std::string> texts_;

 private:
  Result<void> indexed(ChangeSet& change, const std::string& text) {
    texts_[corpus_.last_document] = text;
    WARPMIND_TRY(const int length, index_document(change, corpus_.last_document, text));
    EXPECT_GT(length, 0);
    return {};
  }
};

TEST_F(TermCacheTest, AnswersAreThoseOfTheBaseWhileItGrows) {
  TermCache cache(1U << 20U);
  for (int round = 0; round < 12; ++round) {
    grow(120);
    for (int i = 0; i < 12; ++i) {
      TermQuery query{random_text(random_, 1 + random_() % 10), 20, {}};
      // Terms left out by one query are looked at by the next.
      query.most_postings = i % 3 == 0 ? 0 : 40U + random_() % 400;
      EXPECT_EQ(search(query, &cache), search(query, nullptr)) << "round " << round;
      EXPECT_EQ(search(query, &cache), search(query, nullptr)) << "again, round " << round;
    }
  }
  ASSERT_GT(bucket_of(corpus_.last_document), 2);
}

TEST_F(TermCacheTest, AHitHasAtLeastTheWordsThatItSays) {
  grow(500);
  int said = 0;
  for (int i = 0; i < 30; ++i) {
    const TermQuery query{random_text(random_, 6), 30, {}};
    const auto asked = analyse(query.text);
    const std::set<std::string> terms(asked.begin(), asked.end());
    for (const auto& hit : search(query, nullptr)) {
      const auto tokens = analyse(texts_.at(hit.document));
      const std::set<std::string> held(tokens.begin(), tokens.end());
      const auto common = std::count_if(
          terms.begin(), terms.end(), [&](const std::string& term) { return held.contains(term); });
      EXPECT_LE(hit.least_terms, common);
      said += hit.least_terms > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(said, 50) << "a bound of one word says nothing";
}

TEST_F(TermCacheTest, KeepsWhatWasAskedForLastWithinItsBounds) {
  constexpr std::size_t kMost = 20'000;
  TermCache cache(kMost);
  const auto known = [](std::size_t bytes) {
    auto term = std::make_shared<KnownTerm>();
    term->last_document = 7;
    term->holders = {1};
    term->postings = {std::string(bytes, 'x')};
    return term;
  };
  cache.put("often", known(1000));
  for (int i = 0; i < 100; ++i) {
    cache.put("t" + std::to_string(i), known(1000));
    EXPECT_NE(cache.find("often"), nullptr);
    EXPECT_LE(cache.bytes(), kMost);
  }
  EXPECT_EQ(cache.find("t0"), nullptr);
  EXPECT_NE(cache.find("t99"), nullptr);
  cache.put("t99", known(10));
  EXPECT_EQ(cache.find("t99")->postings.front().size(), 10U);
}

TEST(KnownTermTest, FullBucketsStayTheLastOneUntilItGrows) {
  KnownTerm term;
  term.last_document = 2 * kBucketDocuments - 1;
  term.holders = {1, 1};
  EXPECT_EQ(term.valid_buckets(term.last_document), 2U);
  EXPECT_EQ(term.valid_buckets(term.last_document + 1), 2U);
  EXPECT_EQ(term.valid_buckets(term.last_document - 1), 0U);
  term.last_document -= 1;
  EXPECT_EQ(term.valid_buckets(term.last_document), 2U);
  EXPECT_EQ(term.valid_buckets(term.last_document + 1), 1U);
}

TEST(WithoutMembersTest, LeavesOutTheOnesNamedAndNothingElse) {
  const std::string text = R"({"a":{"b":[1,"}",{"c":null}]},"b":"x\",\"y","c":-1.5e3,"d":true})";
  EXPECT_EQ(without_members(text, {"b", "d"}).value(),
            R"({"a":{"b":[1,"}",{"c":null}]},"c":-1.5e3})");
  EXPECT_EQ(without_members(text, {"a", "b", "c"}).value(), R"({"d":true})");
  EXPECT_EQ(without_members(text, {"a", "b", "c", "d"}).value(), "{}");
  EXPECT_EQ(without_members(text, {}).value(), text);
}

TEST(WithoutMembersTest, OtherLayoutsAreLeftToTheParser) {
  for (const char* text :
       {"", "{", "{}", "[]", "{\"a\":1", "{\"a\":1}x", "{ \"a\":1}", "{\"a\" :1}", "{\"a\":[1,2}",
        "{\"a\":\"b", "{\"a\\u0062\":1}", "{\"a\":1,}"}) {
    EXPECT_EQ(without_members(text, {"b"}), std::nullopt) << text;
  }
}

class ShownInsightTest : public RetrievalFixture {};

TEST_F(ShownInsightTest, IsTheInsightWithoutWhatIsNotShown) {
  std::vector<Insight> insights;
  for (std::int64_t i = 0; i < 40; ++i) insights.push_back(fakes::generated_insight(i, 3));
  put(insights);
  for (const auto& one : insights) {
    const auto read =
        base_->read([&](const Database& database, const std::string&) -> Result<void> {
          WARPMIND_TRY(auto whole, read_insight(database, one.id));
          WARPMIND_TRY(const auto shown, read_shown_insight(database, one.id));
          whole.profile_signature.clear();
          whole.code_signature.clear();
          whole.attestations.clear();
          EXPECT_EQ(shown, whole);
          return {};
        });
    ASSERT_TRUE(read.has_value()) << read.error().message;
  }
}

TEST_F(ShownInsightTest, NewEvidenceIsShownAtOnce) {
  auto one = insight("tile=32");
  one.evidence.resize(2);
  one.evidence.front().supports = true;
  one.evidence.back().supports = false;
  put({one});
  EXPECT_THAT(search(about(kQuestion)).insights.at(0).why, HasSubstr("1 of 2"));
  EXPECT_THAT(search(about(kQuestion)).insights.at(0).why, HasSubstr("1 of 2"));
  // Nothing that the search ranks by is another: the answer must follow all the same.
  one.evidence.back().supports = true;
  put({one});
  EXPECT_THAT(search(about(kQuestion)).insights.at(0).why, HasSubstr("2 of 2"));
}

}  // namespace
}  // namespace warpmind::knowledge_base
