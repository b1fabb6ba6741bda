#include "knowledge_base/retrieval/text_merge.h"

#include <algorithm>
#include <unordered_map>

namespace warpmind::knowledge_base {
namespace {

struct Placed {
  double place = 0;
  bool built_in = false;  ///< of two at one place, the endpoint's comes first
  std::int64_t document = 0;
  float score = 0;
};

}  // namespace

RankedList merge_texts(const RankedList& built_in, const EndpointHits& hits,
                       const std::function<bool(std::int64_t document)>& is_embedded,
                       std::size_t most) {
  std::unordered_map<std::int64_t, float> known;
  std::vector<Placed> all;
  for (std::size_t i = 0; i < built_in.documents.size(); ++i) {
    const std::int64_t document = built_in.documents[i];
    known.emplace(document, built_in.scores[i]);
    if (is_embedded(document)) continue;
    all.push_back({static_cast<double>(i + 1), true, document, built_in.scores[i]});
  }
  for (std::size_t i = 0; i < hits.nearest.size(); ++i) {
    const auto& hit = hits.nearest[i];
    const auto found = known.find(hit.document);
    float score = found == known.end() ? 0.0F : found->second;
    if (static_cast<double>(hit.score) >= hits.near) score = 1;
    all.push_back({static_cast<double>(i + 1) / hits.share, false, hit.document, score});
  }
  std::sort(all.begin(), all.end(), [](const Placed& a, const Placed& b) {
    if (a.place != b.place) return a.place < b.place;
    return a.built_in != b.built_in ? b.built_in : a.document < b.document;
  });
  RankedList merged;
  merged.ranking = built_in.ranking;
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i) {
    merged.documents.push_back(all[i].document);
    merged.scores.push_back(all[i].score);
  }
  return merged;
}

}  // namespace warpmind::knowledge_base
