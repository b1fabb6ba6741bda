#include "base/text.h"
#include "daemon/handlers/kb_arguments.h"
#include "daemon/handlers/kb_handlers.h"
#include "daemon/protocol/knowledge_messages.h"
#include "knowledge_base/insights/insight_library.h"
#include "knowledge_base/knowledge_store.h"
#include "knowledge_base/retrieval/retrieval.h"

namespace warpmind::daemon {
namespace {

using knowledge_base::InsightLibrary;
using knowledge_base::KnowledgeBase;
using namespace protocol;  // NOLINT(google-build-using-namespace): the messages of one group

Result<KbStatsResult> stats(KnowledgeBase& base, HealthBoard& health) {
  WARPMIND_TRY(auto statistics, base.store().statistics());
  health.set_degraded(statistics.degraded);
  KbStatsResult result;
  result.schema_version = statistics.schema_version;
  result.last_sequence = statistics.last_sequence;
  result.records = std::move(statistics.records);
  result.episodes_by_outcome = std::move(statistics.episodes_by_outcome);
  result.disk_bytes = statistics.disk_bytes;
  result.degraded = statistics.degraded;
  result.note = std::move(statistics.note);
  WARPMIND_TRY(result.insights, base.insights().counts());
  const auto figures = base.retrieval().figures();
  result.index = {figures.documents,     figures.dead,      figures.memory_bytes,
                  figures.from_snapshot, figures.embedders, figures.endpoint};
  return result;
}

Result<Technique> technique_of(const KbTechniqueParams& params) {
  Technique technique;
  technique.name = params.name;
  technique.title = params.title;
  technique.category = params.category;
  WARPMIND_TRY(technique.bottlenecks, enums_of<BottleneckClass>("bottlenecks", params.bottlenecks));
  WARPMIND_TRY(technique.capability_min, capability_of("capability_min", params.capability_min));
  WARPMIND_TRY(technique.capability_max, capability_of("capability_max", params.capability_max));
  technique.when = params.when;
  technique.when_not = params.when_not;
  technique.how = params.how;
  technique.parameters = params.parameters;
  technique.risks = params.risks;
  technique.generations = params.generations;
  technique.aliases = params.aliases;
  technique.typical_low = params.typical_low;
  technique.typical_high = params.typical_high;
  return technique;
}

Result<KbTechniquesResult> techniques(const InsightLibrary& library, const std::string& name) {
  KbTechniquesResult result;
  if (name.empty()) {
    WARPMIND_TRY(result.techniques, library.techniques());
  } else {
    WARPMIND_TRY(auto one, library.technique(name));
    result.techniques.push_back(std::move(one));
  }
  return result;
}

}  // namespace

void add_catalogue_methods(Dispatcher& dispatcher, const KnowledgeAccess& access) {
  auto& base = access.base;
  auto& library = base.insights();
  dispatcher.add(protocol::kKbStats, Execution::pool,
                 [&base, &health = access.health](const Empty&, RequestContext&) {
                   return stats(base, health);
                 });
  dispatcher.add(protocol::kKbTechniques, Execution::pool,
                 [&library](const KbTechniquesParams& params, RequestContext&) {
                   return techniques(library, params.name);
                 });
  dispatcher.add(protocol::kKbPutTechnique, Execution::write,
                 [&library, user = access.user](const KbTechniqueParams& params,
                                                RequestContext&) -> Result<KbTechniquesResult> {
                   WARPMIND_TRY(Technique technique, technique_of(params));
                   WARPMIND_TRY(auto put, library.put_technique(std::move(technique),
                                                                actor_of(user, params.reason)));
                   return KbTechniquesResult{{std::move(put)}};
                 });
  dispatcher.add(protocol::kKbFacts, Execution::pool,
                 [&library](const KbFactsParams& params, RequestContext&) -> Result<KbFactsResult> {
                   WARPMIND_TRY(auto facts, library.facts(params.subject));
                   if (facts.empty() && !params.subject.empty()) {
                     return fail(Errc::not_found, "no facts about " + quoted_name(params.subject) +
                                                      "; without a subject all are listed");
                   }
                   return KbFactsResult{std::move(facts)};
                 });
}

}  // namespace warpmind::daemon
