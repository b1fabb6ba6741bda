#include "daemon/handlers/handlers.h"

namespace warpmind::daemon {

Handler<protocol::Empty, protocol::KbStatsResult> kb_stats(
    const knowledge_base::KnowledgeStore& store, HealthBoard& health) {
  return [&](const protocol::Empty& /*params*/,
             RequestContext& /*context*/) -> Result<protocol::KbStatsResult> {
    WARPMIND_TRY(auto statistics, store.statistics());
    health.set_degraded(statistics.degraded);
    protocol::KbStatsResult result;
    result.schema_version = statistics.schema_version;
    result.last_sequence = statistics.last_sequence;
    result.records = std::move(statistics.records);
    result.episodes_by_outcome = std::move(statistics.episodes_by_outcome);
    result.disk_bytes = statistics.disk_bytes;
    result.degraded = statistics.degraded;
    result.note = std::move(statistics.note);
    return result;
  };
}

}  // namespace warpmind::daemon
