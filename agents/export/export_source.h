#pragma once
/// \file
/// What an export reads, what it is asked, and what it hands back. docs/export.md.

#include "base/model/episode.h"
#include "base/model/export_counts.h"
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
struct Exported : ExportCounts {
  std::string text;
};

}  // namespace warpmind::agents
