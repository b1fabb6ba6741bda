// Half precision, inner products, embedders and vector spaces.

#include "base/half.h"
#include "knowledge_base/retrieval/dot_product.h"
#include "knowledge_base/retrieval/embedder.h"
#include "knowledge_base/retrieval/stable_hash.h"
#include "knowledge_base/retrieval/stored_vector.h"
#include "knowledge_base/retrieval/vector_space.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

using testing::Each;
using testing::SizeIs;

TEST(HalfTest, EveryHalfComesBack) {
  for (std::uint32_t half = 0; half < 0x10000U; ++half) {
    const auto bits = static_cast<std::uint16_t>(half);
    const float value = f16_to_float(bits);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(f16_to_float(f16_from_float(value))));
    } else {
      ASSERT_EQ(f16_from_float(value), bits) << half;
    }
  }
}

TEST(HalfTest, RoundsToNearestEven) {
  EXPECT_EQ(f16_to_float(f16_from_float(1.0F + 0x1p-11F)), 1.0F);
  EXPECT_EQ(f16_to_float(f16_from_float(1.0F + 3 * 0x1p-11F)), 1.0F + 0x1p-9F);
  EXPECT_EQ(f16_to_float(f16_from_float(0.1F)), 0.0999755859375F);
  EXPECT_EQ(f16_to_float(f16_from_float(1e-9F)), 0.0F);
  EXPECT_TRUE(std::isinf(f16_to_float(f16_from_float(1e6F))));
}

TEST(HalfTest, AVectorOfAnotherLengthIsCorrupt) {
  Vector out(4);
  EXPECT_EQ(decode_halves("1234567", out).error().code, Errc::corrupt_data);
}

TEST(DotProductTest, EqualsTheSumForAnyLength) {
  for (std::size_t count = 0; count < 300; count += 7) {
    std::vector<float> a(count);
    std::vector<float> b(count);
    std::vector<std::uint8_t> codes(count);
    double floats = 0;
    double bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      a[i] = static_cast<float>(mix_bits(i + 1) % 1000) / 1000.0F - 0.5F;
      b[i] = static_cast<float>(mix_bits(i + 900) % 1000) / 1000.0F - 0.5F;
      codes[i] = static_cast<std::uint8_t>(mix_bits(i));
      floats += static_cast<double>(a[i]) * static_cast<double>(b[i]);
      bytes += static_cast<double>(a[i]) * codes[i];
    }
    EXPECT_NEAR(dot_product(a.data(), b.data(), count), floats, 1e-4);
    EXPECT_NEAR(dot_product(a.data(), codes.data(), count), bytes, 1e-2);
  }
}

float cosine(const Vector& a, const Vector& b) { return dot_product(a.data(), b.data(), a.size()); }

TEST(EmbedderTest, VectorsAreOfUnitLength) {
  const Vector text = embed_text("padding shared rows by one element");
  EXPECT_THAT(text, SizeIs(kTextDimension));
  EXPECT_NEAR(cosine(text, text), 1, 1e-5);
  const Vector code = embed_code({{"loops.depth", 0.5}, {"syntax.for v", 0.2}});
  EXPECT_NEAR(cosine(code, code), 1, 1e-5);
  const Vector profile = embed_profile({{"dram_share", 0.9}, {"new_metric", 0.3}});
  EXPECT_NEAR(cosine(profile, profile), 1, 1e-5);
}

TEST(EmbedderTest, NothingGivesZeros) {
  EXPECT_THAT(embed_text(""), Each(0.0F));
  EXPECT_THAT(embed_code({}), Each(0.0F));
  EXPECT_THAT(embed_profile({}), Each(0.0F));
}

TEST(EmbedderTest, NearTextsAreNearFarOnesAreNot) {
  const Vector text = embed_text("vectorized loads with float4 for coalesced rows");
  EXPECT_GT(cosine(text, embed_text("vectorised loads with float4 of coalesced rows")), 0.6F);
  EXPECT_GT(cosine(text, embed_text("vectorzied laods with flaot4, colaesced rows")), 0.3F);
  EXPECT_LT(cosine(text, embed_text("bake a cake with cinnamon")), 0.25F);
}

TEST(EmbedderTest, ProfilesAreComparedByWhatIsUnusual) {
  const Vector hungry = embed_profile({{"dram_share", 0.95}, {"sm_share", 0.1}});
  EXPECT_GT(cosine(hungry, embed_profile({{"dram_share", 0.85}, {"sm_share", 0.15}})), 0.9F);
  EXPECT_LT(cosine(hungry, embed_profile({{"dram_share", 0.05}, {"sm_share", 0.9}})), 0.0F);
}

/// Stored vectors are compared with those of later builds: who changes an embedder must give it a
/// new version, and this test new numbers.
TEST(EmbedderTest, ResultsBelongToTheVersion) {
  const auto digest = [](const Vector& vector) { return stable_hash(encode_halves(vector)); };
  EXPECT_EQ(kTextVersion, 1);
  EXPECT_EQ(digest(embed_text("Staging a tile in shared memory with cp.async")),
            17929017109255260696U);
  EXPECT_EQ(kCodeVersion, 1);
  EXPECT_EQ(digest(embed_code({{"loops.depth", 0.5}, {"loads.global", 0.25}})),
            17341265103305310991U);
  EXPECT_EQ(kProfileVersion, 1);
  EXPECT_EQ(digest(embed_profile({{"dram_share", 0.875}, {"l2_hits", 0.25}})),
            6609103149203849547U);
}

class VectorSpaceTest : public testing::Test {
 protected:
  static constexpr std::size_t kDimension = 32;
  static constexpr std::int64_t kDocuments = 2000;

  VectorSpaceTest() {
    for (std::int64_t document = 1; document <= kDocuments; ++document) {
      CatalogueEntry entry;
      entry.id = static_cast<std::uint64_t>(document);
      entry.trust = document % 3 == 0 ? Trust::t0 : Trust::t2;
      catalogue_.set(document, entry);
      documents_.push_back(document);
      const Vector row = vector(static_cast<std::uint64_t>(document));
      rows_.insert(rows_.end(), row.begin(), row.end());
    }
  }
  /// Around one of 40 centres, of unit length.
  static Vector vector(std::uint64_t number) {
    Vector values(kDimension);
    double squares = 0;
    for (std::size_t i = 0; i < kDimension; ++i) {
      const auto part = [](std::uint64_t bits) {
        return static_cast<double>(bits >> 11U) * 0x1p-52 - 1;
      };
      const double x =
          part(mix_bits(number % 40 * 100 + i)) + 0.5 * part(mix_bits(number * 1000 + i + 7));
      values[i] = static_cast<float>(x);
      squares += x * x;
    }
    for (auto& x : values) x /= static_cast<float>(std::sqrt(squares));
    return values;
  }
  [[nodiscard]] std::vector<ScoredDocument> brute_force(const Vector& query, std::size_t most,
                                                        const QueryFilter& filter) const {
    std::vector<ScoredDocument> all;
    for (std::size_t i = 0; i < documents_.size(); ++i) {
      if (!filter.admits(catalogue_.at(documents_[i]))) continue;
      all.push_back(
          {documents_[i], dot_product(query.data(), rows_.data() + i * kDimension, kDimension)});
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return a.score != b.score ? a.score > b.score : a.document < b.document;
    });
    all.resize(std::min(most, all.size()));
    return all;
  }
  [[nodiscard]] double overlap(const VectorSpace& space, const QueryFilter& filter) const {
    double found = 0;
    double wanted = 0;
    for (std::uint64_t number = 1; number < 2000; number += 100) {
      const Vector query = vector(number + 1'000'000);
      const auto answer = space.search({query, 10, catalogue_, filter}).value();
      for (const auto& one : brute_force(query, 10, filter)) {
        wanted += 1;
        found += std::any_of(answer.begin(), answer.end(),
                             [&](const auto& other) { return other.document == one.document; });
      }
    }
    return found / wanted;
  }
  [[nodiscard]] VectorSpace lists() {
    auto space = VectorSpace::trained(kDimension, rows_, documents_.size()).value();
    EXPECT_TRUE(space.add(documents_, rows_).has_value());
    return space;
  }

  Catalogue catalogue_;
  std::vector<std::int64_t> documents_;
  std::vector<float> rows_;
};

TEST_F(VectorSpaceTest, AnExactSpaceEqualsBruteForce) {
  VectorSpace space(kDimension);
  ASSERT_TRUE(space.add(documents_, rows_).has_value());
  InsightQuery query;
  query.least_trust = Trust::t1;
  const QueryFilter filter(query);
  const Vector wanted = vector(123'456);
  EXPECT_EQ(space.search({wanted, 25, catalogue_, filter}).value(),
            brute_force(wanted, 25, filter));
}

TEST_F(VectorSpaceTest, ListsFindNearlyAllOfTheNearest) {
  const InsightQuery query;
  EXPECT_GE(overlap(lists(), QueryFilter(query)), 0.9);
}

TEST_F(VectorSpaceTest, ListsHeedTheFilterAndTheDead) {
  InsightQuery query;
  query.least_trust = Trust::t1;
  const auto space = lists();
  for (std::int64_t document = 1; document <= 1000; ++document) catalogue_.set(document, {});
  EXPECT_GE(overlap(space, QueryFilter(query)), 0.9);
}

TEST_F(VectorSpaceTest, TrainingIsDeterministic) {
  const auto saved = [](const VectorSpace& space) {
    std::string bytes;
    EXPECT_TRUE(space
                    .save([&](std::string_view piece) -> Result<void> {
                      bytes += piece;
                      return {};
                    })
                    .has_value());
    return bytes;
  };
  EXPECT_EQ(stable_hash(saved(lists())), stable_hash(saved(lists())));
}

TEST_F(VectorSpaceTest, WhatIsSavedComesBack) {
  const auto space = lists();
  std::string bytes;
  ASSERT_TRUE(space
                  .save([&](std::string_view piece) -> Result<void> {
                    bytes += piece;
                    return {};
                  })
                  .has_value());
  const auto back = VectorSpace::load(bytes).value();
  EXPECT_EQ(back.size(), space.size());
  EXPECT_EQ(back.last_document(), kDocuments);
  EXPECT_EQ(back.trained_for(), 2000U);
  const InsightQuery query;
  const QueryFilter filter(query);
  const Vector wanted = vector(77);
  EXPECT_EQ(back.search({wanted, 20, catalogue_, filter}).value(),
            space.search({wanted, 20, catalogue_, filter}).value());
}

TEST_F(VectorSpaceTest, KnownDocumentsAreNotAddedTwice) {
  VectorSpace space(kDimension);
  ASSERT_TRUE(space.add(documents_, rows_).has_value());
  ASSERT_TRUE(space.add(documents_, rows_).has_value());
  EXPECT_EQ(space.size(), documents_.size());
}

}  // namespace
}  // namespace warpmind::knowledge_base
