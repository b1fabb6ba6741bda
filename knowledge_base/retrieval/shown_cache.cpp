#include "knowledge_base/retrieval/shown_cache.h"

#include <utility>

namespace warpmind::knowledge_base {

std::shared_ptr<const Insight> ShownCache::find(std::int64_t document) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_document_.find(document);
  return found == by_document_.end() ? nullptr : found->second;
}

void ShownCache::put(std::shared_ptr<const Insight> insight) {
  const std::lock_guard lock(mutex_);
  const std::int64_t document = insight->document;
  by_document_[document] = std::move(insight);
  if (by_document_.size() <= kMost) return;
  // Any half: what is asked for often comes back at once.
  bool goes = false;
  std::erase_if(by_document_, [&goes](const auto&) { return goes = !goes; });
}

void ShownCache::forget(const std::vector<std::int64_t>& documents) {
  const std::lock_guard lock(mutex_);
  for (const auto document : documents) by_document_.erase(document);
}

void ShownCache::clear() {
  const std::lock_guard lock(mutex_);
  by_document_.clear();
}

}  // namespace warpmind::knowledge_base
