#pragma once
/// \file
/// `episode.list` and `episode.roofline`. What handlers capture must outlive the
/// dispatcher.

#include "daemon/protocol/dashboard_messages.h"
#include "daemon/protocol/editor_messages.h"
#include "daemon/rpc/dispatcher.h"
#include "knowledge_base/knowledge_store.h"

namespace warpmind::daemon {

[[nodiscard]] Handler<protocol::EpisodeListParams, protocol::EpisodeListResult> episode_list(
    const knowledge_base::KnowledgeStore& store);
[[nodiscard]] Handler<protocol::EpisodeRooflineParams, protocol::EpisodeRooflineResult>
episode_roofline(const knowledge_base::KnowledgeStore& store);

}  // namespace warpmind::daemon
