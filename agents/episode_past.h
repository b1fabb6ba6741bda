#pragma once
/// \file
/// What an earlier start of an episode decided and judged. The loop goes through it once more,
/// asking policy and memory as it did then, but neither writes nor judges: so everything that they
/// keep is as it was, and the loop goes on at the step that had been reached.

#include "agents/episode_session.h"
#include "base/model/draft.h"

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace warpmind::agents {

/// Why an episode cannot go on from `draft`: a sentence; empty = it can. Steps that were judged by
/// another device or driver, or do not fit together, are not taken up.
[[nodiscard]] std::string obstacle_to_resume(const Draft& draft, const Job& job,
                                             profilers::KernelLab& lab);

/// The decisions of an episode: those of an earlier start, as long as there are any left to go
/// through, and the record of all that were settled.
class EpisodePast {
 public:
  explicit EpisodePast(const RunControl& control) : control_(control) {}

  /// Puts the given kernel of the earlier start into `session`.
  [[nodiscard]] Result<void> begin(EpisodeSession& session);

  /// Turns of the earlier start are left.
  [[nodiscard]] bool is_left() const { return !turns_.empty(); }
  /// The next turn left; there must be one.
  [[nodiscard]] const Turn& front() const { return turns_.front(); }
  /// The next turn left, if it is of this kind; or null.
  [[nodiscard]] const Turn* next(TurnKind kind) const;
  /// The choice number `i` of those left; null when there are fewer.
  [[nodiscard]] const Turn* choice(std::size_t i) const;
  /// Settles the next turn left as what came of `edge`. True: it judged a candidate.
  bool settle(EpisodeSession& session, EdgeIndex edge);
  /// Starts and settles the next turn left on the kernel that it edited. Returns the edge. Errors:
  /// corrupt_data when the episode has no such kernel.
  [[nodiscard]] Result<EdgeIndex> repeat(EpisodeSession& session);

  /// Records what came of `edge` now, and keeps the episode so far when that was worth something.
  /// What a stop cut short is not recorded: it is repeated. Errors: what RunControl::keep refuses.
  [[nodiscard]] Result<void> note(const EpisodeSession& session, TurnKind kind, EdgeIndex edge,
                                  const ModelSpending& spending);
  [[nodiscard]] Result<void> keep(const EpisodeSession& session) const;

 private:
  const RunControl& control_;
  std::deque<Turn> turns_;  ///< left
  std::deque<Step> steps_;  ///< of them
  std::vector<Turn> settled_;
};

}  // namespace warpmind::agents
