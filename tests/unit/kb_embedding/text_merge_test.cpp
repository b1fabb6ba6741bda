// One ranking by text out of two.

#include "knowledge_base/retrieval/text_merge.h"

#include <set>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

using testing::ElementsAre;

RankedList built_in(std::vector<std::int64_t> documents, std::vector<float> scores) {
  return {Ranking::text, std::move(documents), std::move(scores)};
}

RankedList merged(const RankedList& list, const EndpointHits& hits,
                  const std::set<std::int64_t>& embedded, std::size_t most = 100) {
  return merge_texts(
      list, hits, [&](std::int64_t document) { return embedded.contains(document); }, most);
}

TEST(TextMerge, WhatIsEmbeddedIsRankedByTheEndpointAlone) {
  const auto list = merged(built_in({1, 2, 3}, {0.9F, 0.5F, 0.3F}),
                           {{{3, 0.7F}, {4, 0.6F}, {1, 0.2F}}, 1, 0.8}, {1, 2, 3, 4});
  EXPECT_EQ(list.ranking, Ranking::text);
  EXPECT_THAT(list.documents, ElementsAre(3, 4, 1));
  EXPECT_THAT(list.scores, ElementsAre(0.3F, 0, 0.9F));
}

TEST(TextMerge, WhatIsNearEnoughThereIsNearEnough) {
  const auto list =
      merged(built_in({1}, {0.1F}), {{{1, 0.8F}, {2, 0.9F}, {3, 0.79F}}, 1, 0.8F}, {1, 2, 3});
  EXPECT_THAT(list.scores, ElementsAre(1, 1, 0));
}

TEST(TextMerge, WhatIsNotEmbeddedKeepsItsPlaceAmongAll) {
  // A quarter is embedded: the first of them stands for four places.
  const auto list = merged(built_in({10, 11, 12, 13, 14}, {0.5F, 0.4F, 0.3F, 0.2F, 0.1F}),
                           {{{12, 0.9F}, {20, 0.8F}}, 0.25, 1}, {12, 20});
  EXPECT_THAT(list.documents, ElementsAre(10, 11, 12, 13, 14, 20));
}

TEST(TextMerge, IsNoLongerThanAsked) {
  const auto list = merged(built_in({1, 2}, {0.5F, 0.4F}), {{{3, 0.9F}}, 0.5, 1}, {3}, 2);
  EXPECT_THAT(list.documents, ElementsAre(1, 3));
  EXPECT_THAT(list.scores, ElementsAre(0.5F, 0));
}

}  // namespace
}  // namespace warpmind::knowledge_base
