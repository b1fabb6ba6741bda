#pragma once
/// \file
/// The only loop: baseline → bottleneck → advice → move → candidate → verdict → step → gradient,
/// until the budget is spent.

#include "agents/episode.h"
#include "agents/episode_session.h"
#include "base/model/draft.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::agents {

/// Why an episode cannot go on from `draft`: a sentence; empty = it can. Steps that were judged by
/// another device or driver, or do not fit together, are not taken up.
[[nodiscard]] std::string obstacle_to_resume(const Draft& draft, const Job& job,
                                             profilers::KernelLab& lab);

class EpisodeLoop {
 public:
  explicit EpisodeLoop(EpisodeParts parts) : parts_(parts) {}

  /// Runs one episode. A bad baseline ends it with that outcome. A stop ends it with the steps so
  /// far once the baseline is in. Errors: cancelled before the baseline; invalid_argument for an
  /// unknown policy; what lab and store refuse.
  [[nodiscard]] Result<Episode> run_episode(const Job& job, const RunControl& control);

 private:
  struct State;
  struct Written;

  [[nodiscard]] Result<std::string> search(State& loop);
  [[nodiscard]] Result<std::size_t> play_round(State& loop);
  [[nodiscard]] Result<void> take_up_draft(State& loop, const Draft& draft);
  [[nodiscard]] Result<void> try_remembered(State& loop);
  [[nodiscard]] Result<std::vector<Written>> write_round(State& loop, std::int64_t width);
  [[nodiscard]] Result<void> judge(State& loop, Written written);
  [[nodiscard]] Result<bool> judge_now(State& loop, Written written);
  [[nodiscard]] Result<void> repair(State& loop, EdgeIndex failed, int attempt);
  [[nodiscard]] Result<bool> repair_once(State& loop, EdgeIndex failed, int attempt);

  EpisodeParts parts_;
};

}  // namespace warpmind::agents
