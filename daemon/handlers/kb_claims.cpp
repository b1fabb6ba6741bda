#include "base/text.h"
#include "daemon/handlers/kb_arguments.h"
#include "daemon/handlers/kb_handlers.h"
#include "daemon/protocol/knowledge_messages.h"
#include "knowledge_base/insights/insight_library.h"

#include <array>

namespace warpmind::daemon {
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

Result<Insight> claim_of(const KbAddParams& params, const std::string& user) {
  Insight claim;
  WARPMIND_TRY(claim.kind, enum_of<InsightKind>("kind", params.kind));
  claim.claim = params.claim;
  claim.mechanism = params.mechanism;
  claim.action = {params.techniques, params.parameters};
  InsightScope& scope = claim.scope;
  scope.operator_families = params.operator_families;
  WARPMIND_TRY(scope.dtypes, enums_of<Dtype>("dtypes", params.dtypes));
  WARPMIND_TRY(scope.bottlenecks, enums_of<BottleneckClass>("bottlenecks", params.bottlenecks));
  WARPMIND_TRY(scope.capability_min, capability_of("capability_min", params.capability_min));
  WARPMIND_TRY(scope.capability_max, capability_of("capability_max", params.capability_max));
  WARPMIND_CHECK(set_device(params.device, scope));
  scope.contracts = params.contracts;
  claim.space = params.space;
  claim.provenance.source = "user:" + user;
  claim.provenance.author = user;
  claim.provenance.model = params.model;
  claim.provenance.licence = params.licence;
  return claim;
}

/// The scope as it is, with what was given put in.
Result<InsightScope> amended(InsightScope scope, const KbEditParams& params) {
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

Result<KbInsightResult> edit(InsightLibrary& library, const KbEditParams& params,
                             const std::string& user) {
  WARPMIND_TRY(const Insight insight, library.find(params.id));
  InsightAmendment amendment;
  amendment.claim = params.claim;
  amendment.mechanism = params.mechanism;
  amendment.parameters = params.parameters;
  amendment.space = params.space;
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
  dispatcher.add(
      protocol::kKbSources, Execution::pool,
      [&library](const Empty&, RequestContext&) -> Result<KbSourcesResult> {
        WARPMIND_TRY(auto sources, library.sources());
        KbSourcesResult result;
        for (auto& one : sources) {
          result.sources.push_back({std::move(one.source), one.quarantined, one.insights});
        }
        return result;
      });
  dispatcher.add(
      protocol::kKbSetSource, Execution::slow,
      [&library, user](const KbSourceParams& params, RequestContext&) -> Result<KbSourcesResult> {
        WARPMIND_TRY(auto report, library.quarantine_source(params.source, params.quarantined,
                                                            actor_of(user, params.reason)));
        return KbSourcesResult{
            {KbSource{std::move(report.source), report.quarantined, report.insights}}};
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

}  // namespace warpmind::daemon
