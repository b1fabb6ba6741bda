#pragma once
/// \file
/// Insights that searches returned lately, decoded.

#include "base/model/insight.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace warpmind::knowledge_base {

/// By document. Whoever changes an insight touches its document (project_document), and the index
/// forgets it here while no search runs: what is found is what the base holds. Threads: all
/// functions from any thread at the same time.
class ShownCache {
 public:
  /// Null when it is not here.
  [[nodiscard]] std::shared_ptr<const Insight> find(std::int64_t document) const;
  void put(std::shared_ptr<const Insight> insight);
  void forget(const std::vector<std::int64_t>& documents);
  void clear();

 private:
  /// Then half of them go: about 10 MB.
  static constexpr std::size_t kMost = 4096;

  mutable std::mutex mutex_;
  std::unordered_map<std::int64_t, std::shared_ptr<const Insight>> by_document_;
};

}  // namespace warpmind::knowledge_base
