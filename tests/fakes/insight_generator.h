#pragma once
/// \file
/// Any number of insights that look like real ones: a vocabulary with frequent and rare words,
/// techniques that fit their bottleneck, signatures that resemble each other where the situation
/// does. The same numbers give the same insights for ever.

#include "base/model/insight.h"
#include "knowledge_base/retrieval/query.h"

#include <cstdint>

namespace warpmind::fakes {

/// Insight number `index` of the collection `seed`. Ids of different numbers differ. State, trust
/// and utility are as if the evidence behind them were there; `document` is 0.
[[nodiscard]] Insight generated_insight(std::int64_t index, std::uint64_t seed);

/// The same as somebody would first say it: a claim, proposed, without evidence or utility, of
/// a person or an import. Its id is another one.
[[nodiscard]] Insight generated_claim(std::int64_t index, std::uint64_t seed);

/// How a question about a known insight differs from its text.
enum class Noise {
  none,       ///< half of its words, shuffled
  typos,      ///< and every fifth word damaged
  situation,  ///< no words: the profile and code of a kernel like its own
};

/// A question whose answer is generated_insight(index, seed). No filters but those it satisfies.
[[nodiscard]] knowledge_base::InsightQuery known_item_query(std::int64_t index, std::uint64_t seed,
                                                            Noise noise);

}  // namespace warpmind::fakes
