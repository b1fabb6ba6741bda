#pragma once
/// \file
/// A knowledge base that forgets at exit: the same contract and the same statistics as the durable
/// one, in maps.

#include "knowledge_base/knowledge_store.h"
#include "knowledge_base/posterior.h"
#include "knowledge_base/remembered_kernel.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace warpmind::fakes {

/// Threads: as the contract asks. Nothing survives the object.
class MemoryKnowledgeStore final : public knowledge_base::KnowledgeStore {
 public:
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
  [[nodiscard]] Result<Advice> recall(const knowledge_base::RecallQuery& query) const override;
  [[nodiscard]] Result<StoreStatistics> statistics() const override;

  /// From now on writing functions fail with `note`, as on a full disk; "" ends it.
  void degrade(std::string note);

 private:
  using TaskOfProvider = std::pair<TaskId, Provider>;

  [[nodiscard]] Result<void> require_writable() const;
  /// As stored, with the episode joined in.
  [[nodiscard]] Job joined(const Job& job) const;
  void learn(const Episode& episode, WriteBackReceipt& receipt);
  void remember(const Episode& episode);

  mutable std::mutex mutex_;
  std::string note_;
  std::int64_t sequence_ = 0;
  std::map<std::int64_t, Job> jobs_;              ///< without episodes
  std::map<std::int64_t, EpisodeId> ended_with_;  ///< by job
  std::map<std::int64_t, Episode> episodes_;
  std::map<std::int64_t, Draft> drafts_;  ///< of jobs that have not ended, and older ones
  std::map<KernelId, Kernel> kernels_;
  std::map<TaskId, Task> tasks_;
  std::map<TaskOfProvider, std::int64_t> episode_counts_;
  std::map<TaskOfProvider, std::map<std::string, knowledge_base::BestKernel>> best_;
  std::map<knowledge_base::PosteriorKey, PosteriorCounts> posteriors_;
  std::int64_t steps_ = 0;
  std::int64_t measurements_ = 0;
};

}  // namespace warpmind::fakes
