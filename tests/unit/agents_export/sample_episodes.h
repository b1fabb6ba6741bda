#pragma once
/// \file
/// Episodes that exports are tested on: six tasks with five attempts each.

#include "agents/export/export_source.h"

#include <string>
#include <vector>

namespace warpmind::agents::samples {

/// A source whose 13-grams it shares with no other seed's.
[[nodiscard]] std::string kernel_source(int seed);

/// What becomes of one attempt.
struct Try {
  Outcome outcome = Outcome::improved;
  double speedup = 1;
  int words = 10;  ///< of reasoning; 0 = none is stored
};

/// An episode of `number` whose attempts all edit the given kernel.
[[nodiscard]] SourceEpisode episode(int number, const std::string& task,
                                    const std::vector<Try>& tries);

/// Shortest is fastest, shortest is not fastest, threshold only (fused), wrong but short (fused),
/// exploit flagged, held out.
[[nodiscard]] std::vector<SourceEpisode> six_tasks();

/// One row of four edits with the scores 0, 1.3, 0, 2.3.
[[nodiscard]] SourceEpisode four_turns();

/// Reads tests/data/export/`name`; with UPDATE_GOLDEN set, writes `text` there first.
[[nodiscard]] std::string golden(const std::string& name, const std::string& text);

}  // namespace warpmind::agents::samples
