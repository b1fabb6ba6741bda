#pragma once
/// \file
/// One episode under way: its steps, the graph of its kernels, and what is known of each. Who
/// chooses and writes candidates (the loop of episode_loop.h, or an agent outside) is not its
/// business.

#include "agents/episode.h"
#include "agents/gradient/builtin_critic.h"
#include "agents/search/search_policy.h"
#include "agents/search/search_tree.h"
#include "base/model/episode.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::agents {

/// Does:      judge, compare, diagnose, recall, criticise; keep the incumbent.
/// Does not:  choose, write candidates, store.
/// Threads:   one at a time.
class EpisodeSession {
 public:
  EpisodeSession(const EpisodeParts& parts, const Job& job, const RunControl& control);

  /// Judges the given kernel. False: it is not right or could not be measured, and that is how the
  /// episode ends. Errors: cancelled; what the lab refuses.
  [[nodiscard]] Result<bool> open();
  /// Takes up an episode that was interrupted: `draft` has the given kernel judged as right.
  /// Errors: corrupt_data when its steps do not fit together.
  [[nodiscard]] Result<void> take_up(Episode draft);
  /// Takes up the given kernel alone of an interrupted episode; returns the other steps, for
  /// settle(). Errors: corrupt_data when there is no step.
  [[nodiscard]] Result<std::vector<Step>> begin_again(Episode draft);
  /// `step` was judged in an earlier start: into the tree, the episode and the budget.
  void settle(EdgeIndex edge, Step step);
  /// In an earlier start, `edge` led to the kernel of step `position` once more.
  void settle_duplicate(EdgeIndex edge, std::size_t position, const ModelSpending& spending);
  /// Bottleneck and advice of the kernel of `node`, found out when first asked.
  [[nodiscard]] Result<const NodeKnowledge*> know(NodeIndex node);
  /// Recalls for `node` anew: what is withheld is drawn once a step, or no insight's worth could be
  /// told.
  [[nodiscard]] Result<void> recall_again(NodeIndex node);
  /// For a proposer; `node` must be known. Valid until the next judge().
  [[nodiscard]] ProposalContext context(NodeIndex node) const;

  /// The base's best kernel of this very task, if it has one that was not judged yet.
  [[nodiscard]] std::optional<Candidate> remembered() const;

  /// Judges what was written for `edge` of the tree against the kernel that it edits. A candidate
  /// that improves on another kernel than the incumbent is compared with the incumbent too.
  /// Errors: what the lab refuses; a stop is no error.
  [[nodiscard]] Result<JudgedCandidate> judge(EdgeIndex edge, Writing writing);
  /// Nothing was written for `edge`; what that cost counts all the same.
  void drop(EdgeIndex edge, const Writing& writing);

  /// Compares the best kernel with the given one, criticises, concludes. `ended` says why.
  [[nodiscard]] Result<Episode> close(std::string ended);

  [[nodiscard]] const Episode& episode() const { return episode_; }
  /// The episode so far, with what was paid.
  [[nodiscard]] Episode draft() const;
  [[nodiscard]] SearchTree& tree() { return *tree_; }
  [[nodiscard]] const SearchTree& tree() const { return *tree_; }
  [[nodiscard]] EpisodeBudget& budget() { return budget_; }
  [[nodiscard]] const DeviceSpec& device() const { return device_; }
  [[nodiscard]] NodeIndex incumbent() const { return incumbent_; }
  /// Node whose kernel step `position` judged, if it is right.
  [[nodiscard]] std::optional<NodeIndex> node_of(std::size_t position) const;
  /// Position of the step that judged the kernel of `node`.
  [[nodiscard]] std::size_t position_of(NodeIndex node) const { return steps_.at(node); }
  /// Position of the step that judged this kernel, comments and layout aside.
  [[nodiscard]] std::optional<std::size_t> step_of(const Kernel& kernel) const;
  /// "the best kernel takes 1.03 times the limit": nothing more is to be had. Empty otherwise.
  [[nodiscard]] std::string at_the_limit();
  void report(std::string line) const;
  /// A candidate of `technique` is being written.
  void report_writing(const std::string& technique) const;

 private:
  enum class Worth { passing, milestone };
  void report(std::string line, Worth worth) const;
  /// What is being done to `candidate` now; null = the given kernel.
  void report_stage(const Candidate* candidate, std::string stage) const;
  void tell(JobProgress news) const;
  [[nodiscard]] const Step& step_of(NodeIndex node) const;
  void plant(const Step& given);
  void identify();
  [[nodiscard]] double baseline_error() const;
  /// What the lab is asked about `candidate`.
  [[nodiscard]] profilers::JudgeOrder order_for(const Candidate& candidate,
                                                const Step& edited) const;
  /// Node of the kernel with the same text, or the same plan and machine code.
  [[nodiscard]] Result<std::optional<NodeIndex>> judged_alike(const Candidate& candidate,
                                                              const Step& edited) const;
  [[nodiscard]] Result<Verdict> verdict_on(const Candidate& candidate, const Step& edited);
  [[nodiscard]] Result<void> promote(Step& step, std::size_t edited);
  [[nodiscard]] Judgement judgement_of(const Step& step, NodeIndex from) const;
  void criticise(Step& step, NodeIndex edited);
  void keep(EdgeIndex edge, Step step);
  void note_machine_code(const Step& step, NodeIndex node);
  [[nodiscard]] Result<void> compare_best();
  void criticise_episode();

  EpisodeParts parts_;
  const Job& job_;
  Task shown_task_;  ///< what proposers and critics see: without the hidden ranges
  const RunControl& control_;
  EpisodeBudget budget_;
  BuiltinCritic builtin_;
  DeviceSpec device_;
  DeviceIdentity identity_;
  Episode episode_;
  std::unique_ptr<SearchTree> tree_;
  NodeIndex incumbent_ = SearchTree::kRoot;
  std::map<NodeIndex, std::size_t> steps_;            ///< that judged the kernel of a node
  std::map<std::string, NodeIndex> by_machine_code_;  ///< keys: machine_code_key
  std::map<NodeIndex, NodeKnowledge> known_;
  std::map<InsightId, RetrievedInsight> shown_;
  double best_ratio_ = 1;
};

}  // namespace warpmind::agents
