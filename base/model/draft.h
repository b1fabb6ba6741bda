#pragma once
/// \file
/// An episode that has not ended, as it is stored: what was judged, and the decisions that led
/// there, so that another start goes on from it.

#include "base/enum_names.h"
#include "base/model/episode.h"
#include "base/model/job.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind {

enum class TurnKind {
  chosen,      ///< by the search policy
  remembered,  ///< the base's best kernel of the task
  repaired,    ///< the proposer had its failed candidate back
};
WARPMIND_ENUM_NAMES(TurnKind, {TurnKind::chosen, "chosen"}, {TurnKind::remembered, "remembered"},
                    {TurnKind::repaired, "repaired"});

enum class TurnEnd {
  judged,     ///< `step` says what came of it
  duplicate,  ///< the kernel of `step` once more
  dropped,    ///< nothing usable was written
};
WARPMIND_ENUM_NAMES(TurnEnd, {TurnEnd::judged, "judged"}, {TurnEnd::duplicate, "duplicate"},
                    {TurnEnd::dropped, "dropped"});

/// One decision of an episode, in the order in which they were settled.
struct Turn {
  TurnKind kind = TurnKind::chosen;
  TurnEnd end = TurnEnd::dropped;
  std::int64_t edited = 0;      ///< position of the step whose kernel was edited
  std::string technique;        ///< of the move
  std::string parameters;       ///< of the move
  std::int64_t step = -1;       ///< position; -1 when it was dropped
  ModelSpending spending = {};  ///< of a turn without a step of its own
  bool operator==(const Turn&) const = default;
};

struct Draft {
  Episode episode;         ///< `spending`: what was paid so far
  std::int64_t epoch = 0;  ///< of the lease under which it was made
  std::vector<Turn> turns = {};
  Spent cost = {};       ///< of the episode so far, over all starts
  Spent job_spent = {};  ///< what the job has cost then: Job::spent follows with each draft
  bool operator==(const Draft&) const = default;
};

}  // namespace warpmind
