#pragma once
/// \file
/// Postings of the terms that were asked for lately. Documents are appended in ascending order, so
/// what was read of a bucket holds for ever once the bucket is full, and of the last one until the
/// next document.

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warpmind::knowledge_base {

/// What is known of one term.
struct KnownTerm {
  std::int64_t last_document = -1;     ///< newest one of the index that it was read for
  std::vector<std::uint32_t> holders;  ///< documents with the term, by bucket
  /// By bucket; empty for a term that was too frequent to be looked at.
  std::vector<std::string> postings;

  [[nodiscard]] bool has_postings() const { return !postings.empty(); }
  /// Buckets of an index up to `newest` of which nothing has to be read again.
  [[nodiscard]] std::size_t valid_buckets(std::int64_t newest) const;
  [[nodiscard]] std::size_t bytes() const;
};

/// Drops what was not asked for longest. Belongs to one load of one base. Threads: all functions
/// from any thread at the same time.
class TermCache {
 public:
  explicit TermCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Null when nothing is known.
  [[nodiscard]] std::shared_ptr<const KnownTerm> find(const std::string& term);
  void put(const std::string& term, std::shared_ptr<const KnownTerm> known);
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Entry {
    std::string term;
    std::shared_ptr<const KnownTerm> known;
  };
  using Order = std::list<Entry>;

  const std::size_t most_bytes_;
  mutable std::mutex mutex_;                                      ///< of all below
  Order order_;                                                   ///< asked for last in front
  std::unordered_map<std::string_view, Order::iterator> places_;  ///< names lie in order_
  std::size_t bytes_ = 0;
};

}  // namespace warpmind::knowledge_base
