#pragma once
/// \file
/// Concise reasoning traces that led to fast kernels: the criteria of ConCuR (arXiv 2510.07356).
/// docs/export.md.

#include "agents/export/held_out.h"

#include <span>

namespace warpmind::agents {

/// `sources` in a fixed order. The same input gives the same bytes.
[[nodiscard]] Exported export_concur(std::span<const SourceEpisode> sources,
                                     const HeldOut& held_out, const ExportOptions& options);

}  // namespace warpmind::agents
