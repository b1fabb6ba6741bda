#pragma once
/// \file
/// `kernel.analyze`, `episode.profile` and `library.baseline`.

#include "agents/analysis/kernel_analyst.h"
#include "config/settings.h"
#include "daemon/protocol/analysis_messages.h"
#include "daemon/rpc/dispatcher.h"
#include "knowledge_base/knowledge_store.h"

namespace warpmind::daemon {

/// `analyst` may be null: then the methods answer that this daemon does not look at source. What is
/// given must outlive the dispatcher.
struct AnalysisAccess {
  agents::KernelAnalyst* analyst = nullptr;
  const config::Settings& settings;
  const knowledge_base::KnowledgeStore& store;
};

[[nodiscard]] Handler<protocol::EpisodeProfileParams, protocol::EpisodeProfileResult>
episode_profile(const AnalysisAccess& access);

void add_analysis_methods(Dispatcher& dispatcher, const AnalysisAccess& access);

}  // namespace warpmind::daemon
