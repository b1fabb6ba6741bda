#pragma once
/// \file
/// One ranking by text out of two: of the endpoint's space, which may lack documents, and of the
/// built-in one, which has all.

#include "knowledge_base/retrieval/ranking.h"
#include "knowledge_base/retrieval/vector_space.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace warpmind::knowledge_base {

struct EndpointHits {
  std::vector<ScoredDocument> nearest;  ///< best first
  double share = 1;                     ///< of the documents that have a vector there, above 0
  double near = 1;                      ///< cosine that is near enough by itself
};

/// Documents that the endpoint's space has are ranked by it alone, the others by the built-in one.
/// Cosines of two spaces cannot be compared, places can: the k-th of a share s of all documents is
/// expected at place k / s. Scores are those of the built-in space, for the floor knows their
/// scale; what is near enough in the endpoint's gets 1. At most `most`.
[[nodiscard]] RankedList merge_texts(const RankedList& built_in, const EndpointHits& hits,
                                     const std::function<bool(std::int64_t document)>& is_embedded,
                                     std::size_t most);

}  // namespace warpmind::knowledge_base
