#pragma once
/// \file
/// The real job engine: episodes of agents/ on the labs of profilers/.

#include "daemon/application.h"

namespace warpmind::daemon {

/// Labs are made when first needed, so that a daemon starts without nvcc and without a GPU.
/// Errors: corrupt_data if the built-in device table cannot be read.
[[nodiscard]] Result<std::unique_ptr<JobEngine>> make_episode_engine(
    knowledge_base::KnowledgeBase& base, const config::Settings& settings, const Clock& clock);

}  // namespace warpmind::daemon
