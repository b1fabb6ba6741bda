#pragma once
/// \file
/// The BM25 ranking function: how much one term says for one document.

#include <cstdint>

namespace warpmind::knowledge_base {

// Found on the judged queries (tests/data/retrieval): any saturation from 0.3 to 1.5 with any
// length weight from 0 to 0.75 ranks within one point of nDCG. These are low because then no
// posting scores much more than usual, and a search can leave out more of them.
inline constexpr double kBm25Saturation = 0.5;  ///< of repeats: the second mention says little
inline constexpr double kBm25Length = 0.2;      ///< weight of the document's length, 0 … 1
inline constexpr double kMostTimes = 3;         ///< further repeats say nothing

/// What all documents together say; the caller counts them.
struct CorpusFigures {
  std::int64_t documents = 0;      ///< that are indexed, dead ones too
  std::int64_t last_document = 0;  ///< largest number that was given
  double average_length = 1;       ///< tokens
  bool operator==(const CorpusFigures&) const = default;
};

/// How rare a term is: ln(1 + (documents - holders + 1/2) / (holders + 1/2)).
[[nodiscard]] double rarity(std::int64_t documents, std::int64_t holders);

/// What a term says that is `times` in a document of `length` tokens, before its rarity.
[[nodiscard]] double bm25(double times, double length, double average_length);

}  // namespace warpmind::knowledge_base
