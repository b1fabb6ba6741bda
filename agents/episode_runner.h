#pragma once
/// \file
/// The only loop: baseline → bottleneck → advice → move → candidate → verdict → step → gradient,
/// until the budget is spent.

#include "agents/episode_session.h"

namespace warpmind::agents {

class EpisodeSpace;

class EpisodeRunner {
 public:
  explicit EpisodeRunner(EpisodeParts parts) : parts_(parts) {}

  /// Runs one episode. A bad baseline ends it with that outcome. A stop ends it with the steps so
  /// far once the baseline is in. Errors: cancelled before the baseline; invalid_argument for an
  /// unknown policy; what lab and store refuse.
  [[nodiscard]] Result<Episode> run(const Job& job, const RunControl& control);

 private:
  struct Loop;
  struct Written;

  [[nodiscard]] Result<std::string> search(Loop& loop);
  [[nodiscard]] Result<std::size_t> play_round(Loop& loop);
  [[nodiscard]] Result<void> go_through(Loop& loop);
  [[nodiscard]] Result<void> try_remembered(Loop& loop);
  [[nodiscard]] Result<std::vector<Written>> write_round(Loop& loop, std::int64_t width);
  [[nodiscard]] Result<void> judge(Loop& loop, Written written);
  [[nodiscard]] Result<bool> judge_now(Loop& loop, Written written);
  [[nodiscard]] Result<void> repair(Loop& loop, EdgeIndex failed);
  [[nodiscard]] Result<bool> repair_once(Loop& loop, EdgeIndex failed, int attempt);

  EpisodeParts parts_;
};

}  // namespace warpmind::agents
