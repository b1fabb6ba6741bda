#pragma once
/// \file
/// The host edits, one file each. For host_edits.cpp.

#include "agents/builtin/hosting/host_edits.h"

namespace warpmind::agents::builtin {

/// What an edit found: edits with places, or a refusal.
struct HostEditPlan {
  std::vector<TextEdit> edits;
  std::vector<std::string> places;
  std::string refusal;
};

[[nodiscard]] HostEditPlan direct_output(const CudaSource& program);
[[nodiscard]] HostEditPlan drop_redundant_sync(const CudaSource& program);
[[nodiscard]] HostEditPlan stream_ordered_alloc(const CudaSource& program);

}  // namespace warpmind::agents::builtin
