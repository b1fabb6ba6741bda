#include "daemon/handlers/kb_handlers.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/part.h"
#include "base/text.h"
#include "daemon/handlers/kb_arguments.h"
#include "daemon/handlers/record_handlers.h"
#include "daemon/known_skills.h"
#include "daemon/protocol/knowledge_messages.h"
#include "daemon/protocol/upkeep_messages.h"
#include "knowledge_base/graph/reasoning_graph.h"
#include "knowledge_base/insights/insight_fold.h"
#include "knowledge_base/insights/insight_library.h"
#include "knowledge_base/knowledge_store.h"
#include "knowledge_base/maintenance/maintenance.h"
#include "knowledge_base/packs/pack_exchange.h"
#include "knowledge_base/retrieval/features.h"
#include "knowledge_base/retrieval/retrieval.h"

#include <array>
#include <cmath>

namespace warpmind::daemon {
namespace {

using knowledge_base::InsightQuery;
using protocol::KbSearchParams;

constexpr std::int64_t kDefaultLimit = 10;
constexpr std::size_t kTextBytes = std::size_t{16} * 1024;
constexpr std::size_t kKernelBytes = std::size_t{1024} * 1024;
/// A person reads whole lists: room for the longest claims.
constexpr std::int64_t kTokensAnInsight = 120;

Result<void> check_sizes(const KbSearchParams& params) {
  const auto check = [](std::string_view name, std::size_t size, std::size_t most) -> Result<void> {
    if (size <= most) return {};
    return fail(Errc::invalid_argument, "'" + std::string(name) + "' may have at most " +
                                            std::to_string(most) + " bytes, not " +
                                            std::to_string(size));
  };
  WARPMIND_CHECK(check("text", params.text.size(), kTextBytes));
  WARPMIND_CHECK(check("kernel", params.kernel.size(), kKernelBytes));
  if (params.profile.size() > knowledge_base::kMostFeatures) {
    return fail(Errc::invalid_argument, "'profile' may have at most " +
                                            std::to_string(knowledge_base::kMostFeatures) +
                                            " features");
  }
  for (const auto& [name, value] : params.profile) {
    if (!std::isfinite(value)) {
      return fail(Errc::invalid_argument,
                  "feature " + quoted_name(name) + " is not a finite number");
    }
  }
  return {};
}

Result<InsightQuery> query_of(const KbSearchParams& params) {
  WARPMIND_CHECK(check_sizes(params));
  InsightQuery query;
  part<SearchTerms>(query) = part<SearchTerms>(params);
  if (!params.kernel.empty()) {
    Kernel kernel;
    kernel.source = params.kernel;
    query.code = knowledge_base::code_features(kernel);
  }
  WARPMIND_TRY(query.dtypes, enums_of<Dtype>("dtypes", params.dtypes));
  WARPMIND_TRY(query.bottlenecks, enums_of<BottleneckClass>("bottlenecks", params.bottlenecks));
  WARPMIND_TRY(const NamedDevice device, device_of(params.device));
  query.device = device.name;
  WARPMIND_TRY(query.capability, capability_of("capability", params.capability));
  if (query.capability == 0) query.capability = device.capability;
  query.offered_only = !params.all;
  WARPMIND_TRY(query.limit, within("limit", params.limit.value_or(kDefaultLimit), 1,
                                   knowledge_base::kMostInsights));
  query.token_budget = query.limit * kTokensAnInsight;
  return query;
}

}  // namespace

void add_search_methods(Dispatcher& dispatcher, const KnowledgeAccess& access) {
  auto& retrieval = access.base.retrieval();
  dispatcher.add(
      protocol::kKbSearch, Execution::pool,
      [&retrieval](const KbSearchParams& params, RequestContext&) -> Result<RetrievalAnswer> {
        WARPMIND_TRY(const InsightQuery query, query_of(params));
        return retrieval.search(query);
      });
}

namespace {

using knowledge_base::InsightLibrary;
using knowledge_base::Retrieval;
using namespace protocol;  // NOLINT(google-build-using-namespace): the messages of one group

Result<KbShowResult> show(const InsightLibrary& library, const std::string& id) {
  KbShowResult result;
  if (id.starts_with("i-")) {
    WARPMIND_TRY(result.insight, library.find(id));
  } else {
    WARPMIND_TRY(result.technique, library.technique(id));
  }
  return result;
}

Result<KbWhyResult> why(const InsightLibrary& library, const Retrieval& retrieval,
                        const std::string& id) {
  KbWhyResult result;
  WARPMIND_TRY(result.insight, library.find(id));
  WARPMIND_TRY(result.lift, retrieval.lift(result.insight.id));
  WARPMIND_TRY(result.decisions, library.history(result.insight.id));
  std::erase_if(result.decisions, [](const HistoryEntry& entry) {
    return entry.op == InsightOp::evidence || entry.op == InsightOp::attest;
  });
  return result;
}

Result<KbHistoryResult> history(const InsightLibrary& library, const KbHistoryParams& params) {
  WARPMIND_TRY(const Insight insight, library.find(params.id));
  KbHistoryResult result;
  result.id = insight.id.str();
  WARPMIND_TRY(result.entries, library.history(insight.id));
  WARPMIND_TRY(result.blame, library.blame(insight.id));
  if (params.as_of) {
    WARPMIND_TRY(result.insight, library.as_of(insight.id, *params.as_of));
  }
  return result;
}

}  // namespace

void add_insight_methods(Dispatcher& dispatcher, const KnowledgeAccess& access) {
  auto& library = access.base.insights();
  auto& retrieval = access.base.retrieval();
  dispatcher.add(
      protocol::kKbShow, Execution::pool,
      [&library](const KbShowParams& params, RequestContext&) { return show(library, params.id); });
  dispatcher.add(protocol::kKbWhy, Execution::pool,
                 [&library, &retrieval](const KbInsightParams& params, RequestContext&) {
                   return why(library, retrieval, params.id);
                 });
  dispatcher.add(protocol::kKbHistory, Execution::pool,
                 [&library](const KbHistoryParams& params, RequestContext&) {
                   return history(library, params);
                 });
}

namespace {

using knowledge_base::InsightAmendment;
using knowledge_base::InsightCommand;
using knowledge_base::InsightLibrary;
using namespace protocol;  // NOLINT(google-build-using-namespace): the messages of one group

/// One model, or with "sm_90" all of a capability.
Result<void> set_device(const std::string& text, InsightScope& scope) {
  WARPMIND_TRY(const NamedDevice device, device_of(text));
  scope.device = device.name;
  if (device.name.empty() && device.capability != 0) {
    scope.capability_min = scope.capability_max = device.capability;
  }
  return {};
}

/// `scope` with what was given put in.
Result<InsightScope> amended(InsightScope scope, const KbClaimParams& params) {
  if (params.operator_families) scope.operator_families = *params.operator_families;
  if (params.dtypes) {
    WARPMIND_TRY(scope.dtypes, enums_of<Dtype>("dtypes", *params.dtypes));
  }
  if (params.bottlenecks) {
    WARPMIND_TRY(scope.bottlenecks, enums_of<BottleneckClass>("bottlenecks", *params.bottlenecks));
  }
  if (params.capability_min) {
    WARPMIND_TRY(scope.capability_min, capability_of("capability_min", *params.capability_min));
  }
  if (params.capability_max) {
    WARPMIND_TRY(scope.capability_max, capability_of("capability_max", *params.capability_max));
  }
  if (params.device) WARPMIND_CHECK(set_device(*params.device, scope));
  if (params.contracts) scope.contracts = *params.contracts;
  return scope;
}

Result<Insight> claim_of(const KbAddParams& params, const std::string& user) {
  Insight claim;
  WARPMIND_TRY(claim.kind, enum_of<InsightKind>("kind", params.kind));
  claim.action.techniques = params.techniques;
  knowledge_base::amend_words(claim, params);
  WARPMIND_TRY(claim.scope, amended(std::move(claim.scope), params));
  claim.provenance = {.source = "user:" + user,
                      .author = user,
                      .model = params.model,
                      .prompt_hash = {},
                      .licence = params.licence,
                      .toolkit = {},
                      .driver = {}};
  return claim;
}

Result<KbInsightResult> edit(InsightLibrary& library, const KbEditParams& params,
                             const std::string& user) {
  WARPMIND_TRY(const Insight insight, library.find(params.id));
  InsightAmendment amendment{part<InsightWords>(params), {}};
  WARPMIND_TRY(const InsightScope scope, amended(insight.scope, params));
  if (scope != insight.scope) amendment.scope = scope;
  if (amendment == InsightAmendment{}) {
    return fail(Errc::invalid_argument, "nothing to edit: " + insight.id.str() +
                                            " is so already; name what to change, such as 'claim'");
  }
  WARPMIND_TRY(auto edited, library.edit(insight.id, amendment, actor_of(user, params.reason)));
  return KbInsightResult{std::move(edited)};
}

struct NamedCommand {
  std::string_view name;
  InsightCommand command;
};
constexpr std::array kCommands{
    NamedCommand{"retire", InsightCommand::retire},
    NamedCommand{"retract", InsightCommand::retract},
    NamedCommand{"pin", InsightCommand::pin},
    NamedCommand{"unpin", InsightCommand::unpin},
    NamedCommand{"quarantine", InsightCommand::quarantine},
    NamedCommand{"reinstate", InsightCommand::reinstate},
};

Result<KbInsightResult> change(InsightLibrary& library, const KbChangeParams& params,
                               const std::string& user) {
  std::vector<std::string_view> known;
  for (const auto& named : kCommands) {
    known.push_back(named.name);
    if (named.name != params.command) continue;
    WARPMIND_TRY(const Insight insight, library.find(params.id));
    WARPMIND_TRY(auto changed,
                 library.command(insight.id, named.command, actor_of(user, params.reason)));
    return KbInsightResult{std::move(changed)};
  }
  return fail(Errc::invalid_argument,
              "'command' does not know " + quoted_name(params.command) +
                  config::suggestion(std::string_view(params.command).substr(0, 64), known));
}

Result<KbInsightResult> supersede(InsightLibrary& library, const KbSupersedeParams& params,
                                  const std::string& user) {
  WARPMIND_TRY(const Insight insight, library.find(params.id));
  WARPMIND_TRY(const Insight successor, library.find(params.by));
  WARPMIND_TRY(auto changed,
               library.supersede(insight.id, successor.id, actor_of(user, params.reason)));
  return KbInsightResult{std::move(changed)};
}

Result<KbInsightResult> undo(InsightLibrary& library, const KbUndoParams& params,
                             const std::string& user) {
  WARPMIND_TRY(const Insight insight, library.find(params.id));
  WARPMIND_TRY(auto changed,
               library.undo(insight.id, params.change, actor_of(user, params.reason)));
  return KbInsightResult{std::move(changed)};
}

void add_source_methods(Dispatcher& dispatcher, InsightLibrary& library, const std::string& user) {
  dispatcher.add(protocol::kKbSources, Execution::pool,
                 [&library](const Empty&, RequestContext&) -> Result<KbSourcesResult> {
                   WARPMIND_TRY(auto sources, library.sources());
                   return KbSourcesResult{std::move(sources)};
                 });
  dispatcher.add(
      protocol::kKbSetSource, Execution::slow,
      [&library, user](const KbSourceParams& params, RequestContext&) -> Result<KbSourcesResult> {
        WARPMIND_TRY(auto report, library.quarantine_source(params.source, params.quarantined,
                                                            actor_of(user, params.reason)));
        return KbSourcesResult{{std::move(report)}};
      });
}

}  // namespace

void add_claim_methods(Dispatcher& dispatcher, const KnowledgeAccess& access) {
  auto& library = access.base.insights();
  const std::string user = access.user;
  dispatcher.add(
      protocol::kKbAdd, Execution::write,
      [&library, user](const KbAddParams& params, RequestContext&) -> Result<KbInsightResult> {
        WARPMIND_TRY(Insight claim, claim_of(params, user));
        WARPMIND_TRY(auto added, library.add(std::move(claim), actor_of(user, params.reason)));
        return KbInsightResult{std::move(added)};
      });
  dispatcher.add(protocol::kKbEdit, Execution::write,
                 [&library, user](const KbEditParams& params, RequestContext&) {
                   return edit(library, params, user);
                 });
  dispatcher.add(protocol::kKbChange, Execution::write,
                 [&library, user](const KbChangeParams& params, RequestContext&) {
                   return change(library, params, user);
                 });
  dispatcher.add(protocol::kKbSupersede, Execution::write,
                 [&library, user](const KbSupersedeParams& params, RequestContext&) {
                   return supersede(library, params, user);
                 });
  dispatcher.add(protocol::kKbUndo, Execution::write,
                 [&library, user](const KbUndoParams& params, RequestContext&) {
                   return undo(library, params, user);
                 });
  add_source_methods(dispatcher, library, user);
}

namespace {

using knowledge_base::InsightLibrary;
using knowledge_base::KnowledgeBase;
using namespace protocol;  // NOLINT(google-build-using-namespace): the messages of one group

Result<KbStatsResult> stats(KnowledgeBase& base, HealthBoard& health) {
  WARPMIND_TRY(auto statistics, base.store().statistics());
  health.set_degraded(statistics.degraded);
  WARPMIND_TRY(auto insights, base.insights().counts());
  return KbStatsResult{std::move(statistics), std::move(insights), base.retrieval().figures()};
}

Result<Technique> technique_of(const KbTechniqueParams& params) {
  Technique technique;
  part<TechniqueCard>(technique) = part<TechniqueCard>(params);
  WARPMIND_TRY(technique.bottlenecks, enums_of<BottleneckClass>("bottlenecks", params.bottlenecks));
  WARPMIND_TRY(technique.capability_min, capability_of("capability_min", params.capability_min));
  WARPMIND_TRY(technique.capability_max, capability_of("capability_max", params.capability_max));
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

namespace {

using knowledge_base::EdgeFilter;
using knowledge_base::ReasoningGraph;
using namespace protocol;  // NOLINT(google-build-using-namespace): the messages of one group

constexpr std::int64_t kMostEdges = 10'000;
constexpr std::size_t kGraphBytes = std::size_t{256} * 1024 * 1024;

Result<std::optional<Provider>> provider_of(const std::string& text) {
  if (text.empty()) return std::optional<Provider>();
  WARPMIND_TRY(const Provider provider, enum_of<Provider>("provider", text));
  return std::optional<Provider>(provider);
}

Result<KbGraphResult> edges(const ReasoningGraph& graph, const KbGraphParams& params) {
  EdgeFilter filter;
  filter.from = params.from.value_or("*");
  filter.cluster = params.cluster;
  WARPMIND_TRY(const NamedDevice device, device_of(params.device));
  filter.device = device.name;
  WARPMIND_TRY(filter.provider, provider_of(params.provider));
  WARPMIND_TRY(filter.limit, within("limit", params.limit.value_or(filter.limit), 1, kMostEdges));
  WARPMIND_TRY(auto found, graph.edges(filter));
  return KbGraphResult{std::move(found)};
}

Result<KbGraphExportResult> export_graph(const ReasoningGraph& graph, const std::string& text) {
  WARPMIND_TRY(const auto file, new_file("file", text));
  WARPMIND_TRY(const std::string json, graph.export_json());
  WARPMIND_CHECK(write_output_file(file, json));
  return KbGraphExportResult{file.string(), static_cast<std::int64_t>(json.size())};
}

Result<KbGraphImportResult> import_graph(ReasoningGraph& graph, const KbGraphImportParams& params) {
  WARPMIND_TRY(const auto file, readable_path("file", params.file));
  WARPMIND_TRY(const std::string json, read_file(file, kGraphBytes));
  const std::string source = params.source.empty() ? "regrapht:" + short_hash(json) : params.source;
  auto added = graph.import_json(json, source);
  if (!added) return fail(std::move(added).error().while_doing(file.string()));
  return KbGraphImportResult{*added};
}

Result<KbClustersResult> clusters(const ReasoningGraph& graph) {
  WARPMIND_TRY(auto found, graph.clusters());
  return KbClustersResult{std::move(found)};
}

Result<Calibration> calibration(const ReasoningGraph& graph, const std::string& provider) {
  WARPMIND_TRY(const auto wanted, provider_of(provider));
  return graph.calibration(wanted);
}

}  // namespace

void add_graph_methods(Dispatcher& dispatcher, const KnowledgeAccess& access) {
  auto& graph = access.base.graph();
  dispatcher.add(
      protocol::kKbGraph, Execution::pool,
      [&graph](const KbGraphParams& params, RequestContext&) { return edges(graph, params); });
  dispatcher.add(protocol::kKbExportGraph, Execution::slow,
                 [&graph](const KbGraphExportParams& params, RequestContext&) {
                   return export_graph(graph, params.file);
                 });
  dispatcher.add(protocol::kKbImportGraph, Execution::slow,
                 [&graph](const KbGraphImportParams& params, RequestContext&) {
                   return import_graph(graph, params);
                 });
  dispatcher.add(protocol::kKbClusters, Execution::pool,
                 [&graph](const Empty&, RequestContext&) { return clusters(graph); });
  dispatcher.add(protocol::kKbCalibration, Execution::slow,
                 [&graph](const KbCalibrationParams& params, RequestContext&) {
                   return calibration(graph, params.provider);
                 });
}

namespace {

using knowledge_base::KnowledgeBase;
using knowledge_base::Maintenance;
using namespace protocol;  // NOLINT(google-build-using-namespace): the messages of one group

constexpr std::int64_t kDefaultKeep = 7;
constexpr std::int64_t kMostKept = 1000;

Result<BackupInfo> backup(Maintenance& maintenance, const KbBackupParams& params) {
  WARPMIND_TRY(const auto directory, writable_path("directory", params.directory));
  WARPMIND_TRY(const auto keep, within("keep", params.keep.value_or(kDefaultKeep), 1, kMostKept));
  return maintenance.backup(directory, keep);
}

Result<KbBackupsResult> backups(const Maintenance& maintenance, const std::string& text) {
  WARPMIND_TRY(const auto directory, path_of("directory", text));
  WARPMIND_TRY(auto found, maintenance.backups(directory));
  return KbBackupsResult{std::move(found)};
}

Result<BackupInfo> restore(const KnowledgeAccess& access, const KbRestoreParams& params) {
  Maintenance& maintenance = access.base.maintenance();
  WARPMIND_TRY(const auto directory, path_of("directory", params.directory));
  WARPMIND_TRY(const auto id, within("id", params.id, 0, INT64_MAX));
  if (params.replace != params.target.empty()) {
    return fail(Errc::invalid_argument,
                "kb.restore needs one of 'target' (a new folder) and 'replace' (in place of the "
                "open base)");
  }
  if (!params.replace) {
    WARPMIND_TRY(const auto target, writable_path("target", params.target));
    return maintenance.restore(directory, id, target);
  }
  if (access.jobs_at_work()) {
    return fail(Errc::conflict,
                "jobs wait or run, and the backup does not know them; cancel them or let them end "
                "first");
  }
  return maintenance.restore_here(directory, id);
}

Result<KbCompactResult> compact(KnowledgeBase& base) {
  WARPMIND_TRY(const auto before, base.store().statistics());
  WARPMIND_CHECK(base.maintenance().compact());
  WARPMIND_TRY(const auto after, base.store().statistics());
  return KbCompactResult{before.disk_bytes, after.disk_bytes};
}

}  // namespace

void add_upkeep_methods(Dispatcher& dispatcher, const KnowledgeAccess& access) {
  auto& base = access.base;
  auto& maintenance = base.maintenance();
  dispatcher.add(protocol::kKbVerify, Execution::slow,
                 [&maintenance](const KbVerifyParams& params, RequestContext& context) {
                   return maintenance.verify(params.deep, context.stop);
                 });
  dispatcher.add(protocol::kKbRebuild, Execution::slow,
                 [&maintenance](const Empty&, RequestContext& context) {
                   return maintenance.rebuild(context.stop);
                 });
  dispatcher.add(protocol::kKbBackup, Execution::slow,
                 [&maintenance](const KbBackupParams& params, RequestContext&) {
                   return backup(maintenance, params);
                 });
  dispatcher.add(protocol::kKbBackups, Execution::pool,
                 [&maintenance](const KbDirectoryParams& params, RequestContext&) {
                   return backups(maintenance, params.directory);
                 });
  dispatcher.add(
      protocol::kKbRestore, Execution::slow,
      [access](const KbRestoreParams& params, RequestContext&) { return restore(access, params); });
  dispatcher.add(
      protocol::kKbCheckpoint, Execution::slow,
      [&maintenance](const KbDirectoryParams& params, RequestContext&) -> Result<BackupInfo> {
        WARPMIND_TRY(const auto directory, writable_path("directory", params.directory));
        return maintenance.checkpoint(directory);
      });
  dispatcher.add(protocol::kKbCompact, Execution::slow,
                 [&base](const Empty&, RequestContext&) { return compact(base); });
}

namespace {

using knowledge_base::PackExchange;
using knowledge_base::PackExportOptions;
using knowledge_base::PackImportOptions;
using namespace protocol;  // NOLINT(google-build-using-namespace): the messages of one group

tl::unexpected<Error> unknown_format(const std::string& format,
                                     const std::vector<std::string_view>& known) {
  return fail(Errc::invalid_argument,
              "'format' does not know " + quoted_name(format) +
                  config::suggestion(std::string_view(format).substr(0, 64), known));
}

/// Said once, before every line of a pack is refused for it.
Result<void> check_space(std::string_view space) {
  if (space == "user") return {};
  for (const std::string_view kind : {"project:", "team:"}) {
    if (space.starts_with(kind) && space.size() > kind.size()) return {};
  }
  return fail(Errc::invalid_argument,
              "'space' must be user, project:<name> or team:<name>, not " + quoted_name(space));
}

Result<PackReport> export_knowledge(const PackExchange& packs, const KbExportParams& params,
                                    const std::filesystem::path& skills,
                                    const std::stop_token& stop) {
  PackExportOptions options;
  options.stop = stop;
  options.spaces = params.spaces;
  options.licences = params.licences;
  options.offered_only = !params.all;
  options.with_skills = !params.without_skills;
  if (!params.key.empty()) {
    WARPMIND_TRY(options.private_key, readable_path("key", params.key));
  }
  if (params.format == "pack") {
    WARPMIND_TRY(const auto file, new_file("file", params.file));
    if (options.with_skills) options.skills = own_skills(skills);
    return packs.export_pack(file, options);
  }
  if (params.format != "markdown") return unknown_format(params.format, {"pack", "markdown"});
  if (!params.key.empty()) {
    return fail(Errc::invalid_argument, "only packs are signed: leave 'key' out for markdown");
  }
  WARPMIND_TRY(const auto folder, writable_path("file", params.file));
  return packs.export_markdown(folder, options);
}

Result<PackImportOptions> options_of(const std::vector<std::string>& trusted_keys,
                                     bool require_signature, const std::string& space) {
  PackImportOptions options;
  WARPMIND_CHECK(check_space(space));
  WARPMIND_TRY(options.trusted_keys, readable_paths("trusted_keys", trusted_keys));
  options.require_signature = require_signature;
  options.space = space;
  options.check_skill = check_foreign_skill;
  return options;
}

Result<void> check_format(const KbImportParams& params) {
  if (params.format == "pack") return {};
  if (params.format != "kernelblaster" && params.format != "kernel-tuner") {
    return unknown_format(params.format, {"pack", "kernelblaster", "kernel-tuner"});
  }
  if (!params.require_signature && params.trusted_keys.empty()) return {};
  return fail(Errc::invalid_argument,
              "only packs are signed: leave 'require_signature' and 'trusted_keys' out for " +
                  params.format);
}

Result<PackReport> import_knowledge(PackExchange& packs, const KbImportParams& params,
                                    const std::stop_token& stop) {
  WARPMIND_CHECK(check_format(params));
  WARPMIND_TRY(const auto file, readable_path("file", params.file));
  WARPMIND_TRY(auto options,
               options_of(params.trusted_keys, params.require_signature, params.space));
  options.stop = stop;
  if (params.format == "pack") return packs.import_pack(file, options);
  if (params.format == "kernelblaster") return packs.import_kernelblaster(file, options);
  return packs.import_kernel_tuner(file, options);
}

Result<PackReport> merge(PackExchange& packs, const KbMergeParams& params,
                         const std::stop_token& stop) {
  WARPMIND_TRY(const auto path, readable_path("path", params.path));
  WARPMIND_TRY(auto options,
               options_of(params.trusted_keys, params.require_signature, params.space));
  options.stop = stop;
  return packs.merge(path, options);
}

}  // namespace

void add_exchange_methods(Dispatcher& dispatcher, const KnowledgeAccess& access) {
  auto& packs = access.base.packs();
  dispatcher.add(
      protocol::kKbExport, Execution::slow,
      [&packs, skills = access.skills](const KbExportParams& params, RequestContext& context) {
        return export_knowledge(packs, params, skills, context.stop);
      });
  dispatcher.add(protocol::kKbImport, Execution::slow,
                 [&packs](const KbImportParams& params, RequestContext& context) {
                   return import_knowledge(packs, params, context.stop);
                 });
  dispatcher.add(protocol::kKbMerge, Execution::slow,
                 [&packs](const KbMergeParams& params, RequestContext& context) {
                   return merge(packs, params, context.stop);
                 });
}

void add_knowledge_methods(Dispatcher& dispatcher, const KnowledgeAccess& access) {
  add_search_methods(dispatcher, access);
  add_insight_methods(dispatcher, access);
  add_claim_methods(dispatcher, access);
  add_catalogue_methods(dispatcher, access);
  add_graph_methods(dispatcher, access);
  add_upkeep_methods(dispatcher, access);
  add_exchange_methods(dispatcher, access);
  add_explain_methods(dispatcher, access);
  add_export_methods(dispatcher, access);
}

}  // namespace warpmind::daemon
