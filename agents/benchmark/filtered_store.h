#pragma once
/// \file
/// A base seen through the rules of one arm of the experiment: what may be asked, what may be
/// heard, what may be written.

#include "knowledge_base/knowledge_store.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::agents::benchmark {

/// What a search would have asked about a kernel of another task.
struct Situation {
  BottleneckClass bottleneck = BottleneckClass::unknown;
  knowledge_base::InsightQuery query;
  std::string operator_family;
};

/// What of memory an arm has. The defaults are all of it, read only.
struct MemoryRules {
  bool advice = true;       ///< false: nothing is recalled
  bool statistics = true;   ///< gains of techniques, and of techniques with parameters
  bool insights = true;     ///< claims
  bool order = true;        ///< what came of a technique after another one
  bool negatives = true;    ///< what did not help
  bool seed = true;         ///< claims that nothing here has measured
  bool remembered = false;  ///< the best kernel of this very task
  bool shuffled = false;    ///< asks about another task's kernels instead
  bool writes = false;      ///< episodes are kept
  bool operator==(const MemoryRules&) const = default;
};

/// Threads: as the base. `base` may be null where the rules give no advice and no writes.
class FilteredStore final : public knowledge_base::KnowledgeStore {
 public:
  /// `seed` goes into every random choice of retrieval, so that copies of one base differ.
  /// `elsewhere`: situations for `shuffled`; with none, the true question is asked.
  FilteredStore(knowledge_base::KnowledgeStore* base, MemoryRules rules, std::uint64_t seed,
                std::vector<Situation> elsewhere = {})
      : base_(base), rules_(rules), seed_(seed), elsewhere_(std::move(elsewhere)) {}

  [[nodiscard]] Result<Job> add_job(const JobRequest& request, UnixMillis now) override;
  [[nodiscard]] Result<void> update_job(const Job& job) override;
  [[nodiscard]] Result<std::optional<Job>> find_job(const JobId& id) const override;
  [[nodiscard]] Result<std::vector<Job>> unfinished_jobs() const override;
  [[nodiscard]] Result<std::vector<Job>> recent_jobs(std::int64_t limit) const override;
  [[nodiscard]] Result<std::vector<Job>> recent_records(std::int64_t limit) const override;
  /// Without writes: an empty receipt, and nothing happens.
  [[nodiscard]] Result<WriteBackReceipt> commit(const Episode& episode, const Job& job) override;
  /// Drafts are for a daemon that restarts: none is kept here.
  [[nodiscard]] Result<void> save_draft(const Draft& draft) override;
  [[nodiscard]] Result<std::optional<Draft>> find_draft(const EpisodeId& id) const override;
  [[nodiscard]] Result<std::optional<Episode>> find_episode(const EpisodeId& id) const override;
  [[nodiscard]] Result<std::vector<Exchange>> find_exchanges(const EpisodeId& id,
                                                             std::size_t position) const override;
  [[nodiscard]] Result<Advice> recall(const knowledge_base::RecallQuery& query) const override;
  [[nodiscard]] Result<StoreStatistics> statistics() const override;

 private:
  [[nodiscard]] bool writes() const { return rules_.writes && base_ != nullptr; }
  void change(knowledge_base::RecallQuery& query) const;
  void mix_moves(const knowledge_base::RecallQuery& query, std::vector<MoveAdvice>& moves) const;
  void move_elsewhere(knowledge_base::RecallQuery& query) const;

  knowledge_base::KnowledgeStore* base_;
  MemoryRules rules_;
  std::uint64_t seed_;
  std::vector<Situation> elsewhere_;
  std::atomic<std::int64_t> jobs_ = 0;
};

/// The advice with what the rules do not allow taken out.
[[nodiscard]] Advice filtered(Advice advice, const MemoryRules& rules);

}  // namespace warpmind::agents::benchmark
