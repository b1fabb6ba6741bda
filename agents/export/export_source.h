#pragma once
/// \file
/// What an export reads, what it is asked, and what it hands back. docs/export.md.

#include "base/model/episode.h"
#include "base/model/task.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::agents {

/// A finished episode with what is stored beside it.
struct SourceEpisode {
  Episode episode;
  TaskId heldout_twin;  ///< id that the task would have, were it held out; see heldout_twin()
  std::string licence;  ///< SPDX id of the task's text; empty = unknown
  /// By position of the step; shorter than the steps where nothing is stored.
  std::vector<std::vector<Exchange>> exchanges;
};

enum class TrajectoryFormat { kevin, chat };

struct ExportOptions {
  std::string base_id;                ///< of the base that the episodes are from
  Provider provider = Provider::gpu;  ///< whose results
  TrajectoryFormat format = TrajectoryFormat::kevin;
  double threshold = 1.5;  ///< ConCuR: speedup that criterion b asks for
  double balance = 1;      ///< ConCuR: lines of the larger kind a line of the smaller; 0 = all
};

/// The text of the file, and what was left out of it.
struct Exported {
  std::string text;
  std::int64_t lines = 0;
  std::int64_t episodes = 0;        ///< with at least one line
  std::int64_t tasks = 0;           ///< with at least one line
  std::int64_t heldout = 0;         ///< attempts of held-out tasks, or with their kernels
  std::int64_t other_provider = 0;  ///< episodes that another provider judged
  std::int64_t no_reasoning = 0;    ///< attempts without reasoning text (ConCuR)
  std::int64_t duplicates = 0;      ///< picks that are copies (ConCuR)
  std::int64_t unbalanced = 0;      ///< picks beyond the balance (ConCuR)
  std::vector<std::string> notes;
};

}  // namespace warpmind::agents
