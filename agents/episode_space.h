#pragma once
/// \file
/// An episode as a search policy sees it: moves of its kernels with what is expected of them.

#include "agents/episode_session.h"
#include "agents/search/episode_learning.h"

#include <map>
#include <vector>

namespace warpmind::agents {

class EpisodeSpace final : public SearchSpace {
 public:
  /// Both must outlive it.
  EpisodeSpace(EpisodeSession& session, const Proposer& proposer)
      : session_(session), proposer_(proposer) {}

  [[nodiscard]] std::span<const ScoredMove> moves(NodeIndex node) override;
  /// A candidate was judged, or the advice for `node` was recalled anew.
  void learn(EdgeIndex edge);
  void forget(NodeIndex node) { expected_.erase(node); }
  /// As the policy saw it; the guess of the move itself where it did not see it.
  [[nodiscard]] ScoredMove expectation(NodeIndex node, const Move& move);

  /// What went wrong while moves were asked for; an empty answer stands for it.
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  EpisodeSession& session_;
  const Proposer& proposer_;
  EpisodeLearning learning_;
  std::map<NodeIndex, std::vector<ScoredMove>> expected_;  ///< by memory and proposer
  std::vector<ScoredMove> answer_;
  std::optional<Error> error_;
};

}  // namespace warpmind::agents
