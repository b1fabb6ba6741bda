#pragma once
/// \file
/// The knowledge base on RocksDB. Format, promises and what to do when it is read-only:
/// docs/storage.md.

#include "knowledge_base/knowledge_store.h"
#include "knowledge_base/store_location.h"

#include <memory>

namespace warpmind::knowledge_base {

class OpenBase;
class Retrieval;

/// Does:      keep jobs and episodes through kill -9 and power loss; derive advice from them.
/// Does not:  decide what to try (agents), measure (profilers).
/// Threads:   all functions from any thread at the same time; writers that meet share one sync.
/// Recovery:  after a failed write, the next write closes and opens the base again. When what was
///            acknowledged cannot be found, the base stays readable and refuses writes.
class RocksDbKnowledgeStore final : public KnowledgeStore {
 public:
  /// `base` must outlive the store.
  /// recall() finds insights only with `retrieval`, which must outlive the store too.
  explicit RocksDbKnowledgeStore(OpenBase& base, const Retrieval* retrieval = nullptr);
  explicit RocksDbKnowledgeStore(std::unique_ptr<OpenBase> base);
  /// A store that owns its base, made when nothing is at `location`. `location.clock` must outlive
  /// it. Errors: unavailable when another process holds the base (names it) or the disk is nearly
  /// full before the base exists; conflict when a newer build wrote it; corrupt_data when there is
  /// nothing that could be served.
  [[nodiscard]] static Result<std::unique_ptr<KnowledgeStore>> open(const StoreLocation& location);
  ~RocksDbKnowledgeStore() override;
  RocksDbKnowledgeStore(const RocksDbKnowledgeStore&) = delete;
  RocksDbKnowledgeStore& operator=(const RocksDbKnowledgeStore&) = delete;

  [[nodiscard]] Result<Job> add_job(const JobRequest& request, UnixMillis now) override;
  [[nodiscard]] Result<void> update_job(const Job& job) override;
  [[nodiscard]] Result<std::optional<Job>> find_job(const JobId& id) const override;
  [[nodiscard]] Result<std::vector<Job>> unfinished_jobs() const override;
  [[nodiscard]] Result<std::vector<Job>> recent_jobs(std::int64_t limit) const override;
  [[nodiscard]] Result<std::vector<Job>> recent_records(std::int64_t limit) const override;
  [[nodiscard]] Result<WriteBackReceipt> commit(const Episode& episode, const Job& job) override;
  [[nodiscard]] Result<void> save_draft(const Draft& draft) override;
  [[nodiscard]] Result<std::optional<Draft>> find_draft(const EpisodeId& id) const override;
  [[nodiscard]] Result<std::optional<Episode>> find_episode(const EpisodeId& id) const override;
  [[nodiscard]] Result<std::vector<Exchange>> find_exchanges(const EpisodeId& id,
                                                             std::size_t position) const override;
  [[nodiscard]] Result<Advice> recall(const RecallQuery& query) const override;
  [[nodiscard]] Result<StoreStatistics> statistics() const override;

 private:
  std::unique_ptr<OpenBase> owned_;  ///< null when somebody else owns it
  OpenBase& base_;
  const Retrieval* retrieval_ = nullptr;
};

}  // namespace warpmind::knowledge_base
