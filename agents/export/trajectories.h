#pragma once
/// \file
/// Multi-turn trajectories with rewards, as Kevin (arXiv 2507.11948) trains on them: a trajectory
/// is the way from the given kernel to a leaf of the episode's tree. docs/export.md.

#include "agents/export/held_out.h"

#include <span>

namespace warpmind::agents {

/// `sources` in the order of their lines. The same input gives the same bytes.
[[nodiscard]] Exported export_trajectories(std::span<const SourceEpisode> sources,
                                           const HeldOut& held_out, const ExportOptions& options);

}  // namespace warpmind::agents
