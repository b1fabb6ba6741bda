#include "knowledge_base/retrieval/term_index.h"

#include "knowledge_base/key_codec.h"
#include "knowledge_base/retrieval/postings.h"
#include "knowledge_base/retrieval/text_analysis.h"
#include "tests/unit/kb_text/base_fixture.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Documents by number and text, with the figures of all of them.
struct Corpus {
  std::map<std::int64_t, std::string> texts;
  std::map<std::int64_t, std::map<std::string, int>> counts;  ///< of tokens
  std::map<std::int64_t, int> lengths;
  std::map<std::string, std::int64_t> holders;
  CorpusFigures figures;

  void add(std::int64_t document, std::string text) {
    const auto tokens = analyse(text);
    for (const auto& token : tokens) ++counts[document][token];
    for (const auto& [token, times] : counts[document]) ++holders[token];
    lengths[document] = static_cast<int>(tokens.size());
    const double sum = figures.average_length * static_cast<double>(figures.documents) +
                       static_cast<double>(tokens.size());
    figures.last_document = document;
    figures.average_length = sum / static_cast<double>(++figures.documents);
    texts[document] = std::move(text);
  }
};

/// BM25 as the books have it, document by document.
std::vector<TermHit> by_brute_force(const Corpus& corpus, const TermQuery& query) {
  const auto tokens = analyse(query.text);
  const std::set<std::string> terms(tokens.begin(), tokens.end());
  std::vector<TermHit> hits;
  for (const auto& [document, counts] : corpus.counts) {
    if (query.accepts && !query.accepts(document)) continue;
    double score = 0;
    for (const auto& term : terms) {
      const auto found = counts.find(term);
      if (found == counts.end()) continue;
      score += rarity(corpus.figures.documents, corpus.holders.at(term)) *
               bm25(found->second, corpus.lengths.at(document), corpus.figures.average_length);
    }
    if (score > 0) hits.push_back({document, static_cast<float>(score)});
  }
  std::stable_sort(hits.begin(), hits.end(),
                   [](const TermHit& a, const TermHit& b) { return a.score > b.score; });
  hits.resize(std::min(hits.size(), query.limit));
  return hits;
}

class TermIndexTest : public BaseFixture {
 protected:
  void index(const Corpus& corpus) {
    const auto written = write([&](ChangeSet& change) -> Result<void> {
      for (const auto& [document, text] : corpus.texts) {
        WARPMIND_TRY(const int length, index_document(change, document, text));
        EXPECT_EQ(length, corpus.lengths.at(document));
      }
      return {};
    });
    ASSERT_TRUE(written) << written.error().message;
  }

  Result<std::vector<TermHit>> search(const TermQuery& query) {
    return base().read([&](const Database& database, const std::string& /*note*/) {
      return search_terms(database, nullptr, query);
    });
  }

  /// Scores within rounding of the reference, and the same documents where scores differ clearly.
  void expect_same(const std::vector<TermHit>& hits, const std::vector<TermHit>& expected) {
    ASSERT_EQ(hits.size(), expected.size());
    for (std::size_t i = 0; i < hits.size(); ++i) {
      EXPECT_NEAR(hits[i].score, expected[i].score, 1e-4) << "rank " << i;
      const bool tied = (i > 0 && expected[i - 1].score - expected[i].score < 1e-4) ||
                        i + 1 == expected.size() ||
                        expected[i].score - expected[i + 1].score < 1e-4;
      if (!tied) {
        EXPECT_EQ(hits[i].document, expected[i].document) << "rank " << i;
      }
    }
  }
};

/// Words with very different frequencies, so that frequent ones are skipped.
std::string random_text(std::mt19937& random, std::size_t words) {
  std::string text;
  for (std::size_t i = 0; i < words; ++i) {
    const double u = std::uniform_real_distribution<double>(0, 1)(random);
    text += "w" + std::to_string(static_cast<int>(300 * u * u * u)) + "x ";
  }
  return text;
}

TEST_F(TermIndexTest, EqualsBruteForceOnRandomCorpora) {
  std::mt19937 random(17);
  Corpus corpus;
  // Sparse numbers, over three buckets.
  std::int64_t document = 1;
  for (int i = 0; i < 1500; ++i) {
    document += 1 + static_cast<std::int64_t>(random() % 200);
    corpus.add(document, random_text(random, 3 + random() % 40));
  }
  ASSERT_GT(bucket_of(corpus.figures.last_document), 1);
  index(corpus);
  for (int round = 0; round < 60; ++round) {
    TermQuery query{random_text(random, 1 + random() % 12), 1 + random() % 50, corpus.figures};
    if (round % 3 == 0) query.accepts = [](std::int64_t d) { return d % 3 == 0; };
    const auto hits = search(query);
    ASSERT_TRUE(hits) << hits.error().message;
    expect_same(*hits, by_brute_force(corpus, query));
  }
}

TEST_F(TermIndexTest, RanksTheRareWordAboveTheFrequentOne) {
  Corpus corpus;
  for (std::int64_t i = 1; i <= 20; ++i) corpus.add(i, "kernel loads memory");
  corpus.add(21, "kernel wavefront");
  index(corpus);
  const auto hits = search({"kernel wavefront", 3, corpus.figures});
  ASSERT_TRUE(hits);
  ASSERT_EQ(hits->size(), 3U);
  EXPECT_EQ((*hits)[0].document, 21);
  EXPECT_EQ((*hits)[1].document, 1) << "of equal documents the oldest comes first";
  EXPECT_EQ((*hits)[2].document, 2);
}

TEST_F(TermIndexTest, FilterKeepsDocumentsOut) {
  Corpus corpus;
  for (std::int64_t i = 1; i <= 6; ++i) corpus.add(i, "shared tile");
  index(corpus);
  std::vector<std::int64_t> asked;
  const auto hits = search({"tile", 2, corpus.figures, [&](std::int64_t document) {
                              asked.push_back(document);
                              return document > 3;
                            }});
  ASSERT_TRUE(hits);
  ASSERT_EQ(hits->size(), 2U);
  EXPECT_EQ((*hits)[0].document, 4);
  EXPECT_EQ((*hits)[1].document, 5);
  EXPECT_THAT(asked, ElementsAre(1, 2, 3, 4, 5)) << "asked only of those that would be hits";
}

TEST_F(TermIndexTest, AReaderSeesItsSnapshot) {
  Corpus corpus;
  corpus.add(1, "warp shuffle");
  index(corpus);
  const auto read = base().read([&](const Database& database, const std::string&) -> Result<int> {
    const auto before = database.snapshot();
    Corpus later;
    later.add(2, "warp shuffle");
    index(later);
    const CorpusFigures figures{2, 2, 2};
    EXPECT_EQ(search_terms(database, before.get(), {"warp", 9, figures})->size(), 1U);
    EXPECT_EQ(search_terms(database, nullptr, {"warp", 9, figures})->size(), 2U);
    return 0;
  });
  EXPECT_TRUE(read);
}

TEST_F(TermIndexTest, DocumentsOfSeveralChangesMeetInOneValue) {
  for (std::int64_t i = 1; i <= 5; ++i) {
    Corpus one;
    one.add(i, "ballot");
    index(one);
  }
  const auto hits = search({"ballot", 9, {5, 5, 1}});
  ASSERT_TRUE(hits);
  EXPECT_EQ(hits->size(), 5U);
}

TEST_F(TermIndexTest, NothingAskedNothingFound) {
  Corpus corpus;
  corpus.add(1, "warp");
  index(corpus);
  EXPECT_THAT(*search({"", 5, corpus.figures}), IsEmpty());
  EXPECT_THAT(*search({"the of", 5, corpus.figures}), IsEmpty());
  EXPECT_THAT(*search({"warp", 0, corpus.figures}), IsEmpty());
  EXPECT_THAT(*search({"warp", 5, {}}), IsEmpty());
  EXPECT_THAT(*search({"absent", 5, corpus.figures}), IsEmpty());
}

TEST_F(TermIndexTest, QueriesOfManyWordsAreCut) {
  Corpus corpus;
  corpus.add(1, "first");
  corpus.add(2, "last");
  index(corpus);
  std::string text = "first ";
  for (std::size_t i = 0; i < kMostQueryTerms; ++i) text += "q" + std::to_string(i) + "z ";
  const auto hits = search({text + "last", 5, corpus.figures});
  ASSERT_TRUE(hits);
  ASSERT_EQ(hits->size(), 1U);
  EXPECT_EQ(hits->front().document, 1);
}

TEST_F(TermIndexTest, DamagedPostingsAreReported) {
  Corpus corpus;
  corpus.add(1, "warp");
  index(corpus);
  ASSERT_TRUE(write([](ChangeSet& change) -> Result<void> {
    change.append(Family::terms, postings_key("warp", 0), "x");
    return {};
  }));
  EXPECT_EQ(search({"warp", 5, corpus.figures}).error().code, Errc::corrupt_data);
}

TEST_F(TermIndexTest, NumbersThatNoKeyHoldsAreRefused) {
  const auto written = write([](ChangeSet& change) -> Result<void> {
    EXPECT_EQ(index_document(change, -1, "warp").error().code, Errc::invalid_argument);
    EXPECT_EQ(index_document(change, std::int64_t{1} << 50, "warp").error().code,
              Errc::invalid_argument);
    return {};
  });
  EXPECT_TRUE(written);
}

}  // namespace
}  // namespace warpmind::knowledge_base
