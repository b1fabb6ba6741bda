#pragma once
/// \file
/// Catalogue and vector spaces of one base in memory, in step with its commits.

#include "base/result.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/retrieval/bm25.h"
#include "knowledge_base/retrieval/embedding_records.h"
#include "knowledge_base/retrieval/retrieval.h"
#include "knowledge_base/retrieval/shown_cache.h"
#include "knowledge_base/retrieval/term_cache.h"
#include "knowledge_base/retrieval/vector_space.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace warpmind::knowledge_base {

/// Postings kept in memory; those of 10^5 insights are a fifth of it.
inline constexpr std::size_t kTermCacheBytes = std::size_t{128} << 20U;

/// What searches read.
struct IndexState {
  Catalogue catalogue;
  /// By place in kSpaces; absent while a large one is made in the background.
  std::array<std::optional<VectorSpace>, kSpaces.size()> spaces;
  std::int64_t last_sequence = 0;  ///< newest change that is in it
  std::int64_t tokens = 0;         ///< of all documents that are alive
  bool from_snapshot = false;
  /// Of the base as it was loaded: a rebuild gives documents other numbers.
  std::shared_ptr<TermCache> terms = std::make_shared<TermCache>(kTermCacheBytes);
  std::shared_ptr<ShownCache> shown = std::make_shared<ShownCache>();

  [[nodiscard]] CorpusFigures corpus() const;
};

/// Does:      load, follow commits, make large vector spaces in the background, write snapshots.
/// Does not:  rank (retrieval.cpp).
/// Threads:   all functions from any thread at the same time.
class SearchIndex {
 public:
  /// `base` must outlive it.
  SearchIndex(OpenBase& base, RetrievalOptions options);
  ~SearchIndex();
  SearchIndex(const SearchIndex&) = delete;
  SearchIndex& operator=(const SearchIndex&) = delete;

  /// Reads everything. Errors: corrupt_data; unavailable while the base is closed.
  [[nodiscard]] Result<void> load();
  /// Brings in what a commit touched; what could not be read is tried again at the next one.
  void take_commit(const Committed& committed);
  /// Calls `f(const IndexState&)` while nothing changes it.
  template <class F>
  auto read(const F& f) const {
    {
      // Waits behind a writer that waits: readers alone would keep it out for ever.
      const std::lock_guard turn(gate_);
      lock_.lock_shared();
    }
    const std::shared_lock held(lock_, std::adopt_lock);
    return f(static_cast<const IndexState&>(state_));
  }
  /// Returns when nothing is left to be made in the background.
  void settle() const;
  /// Writes the snapshots of large spaces.
  [[nodiscard]] Result<void> save() const;
  [[nodiscard]] IndexFigures figures() const;
  [[nodiscard]] OpenBase& base() const { return base_; }

 private:
  template <class F>
  void change(const F& f);
  [[nodiscard]] std::size_t most_exact() const {
    return static_cast<std::size_t>(options_.most_exact);
  }
  Result<void> save_if_large(Space which, const IndexState& state) const;
  Result<void> take_in(const std::vector<std::int64_t>& documents, std::int64_t sequence);
  Result<IndexState> loaded() const;
  void plan_building();
  void build_until_stopped(const std::stop_token& stop);
  Result<void> build(Space space, const std::stop_token& stop);

  OpenBase& base_;
  const RetrievalOptions options_;
  mutable std::mutex gate_;
  mutable std::shared_mutex lock_;  ///< of state_
  IndexState state_;
  std::mutex writer_;                 ///< one change of state_ at a time; taken before lock_
  std::vector<std::int64_t> unread_;  ///< documents that could not be read; under writer_
  mutable std::mutex plan_;           ///< of the four below
  mutable std::condition_variable_any planned_;
  std::set<Space> wanted_;       ///< spaces to be made, the one in the making too
  std::int64_t generation_ = 0;  ///< of loads: what was begun before one is not used
  std::jthread builder_;
};

}  // namespace warpmind::knowledge_base
