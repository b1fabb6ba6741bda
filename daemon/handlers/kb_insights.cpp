#include "daemon/handlers/kb_arguments.h"
#include "daemon/handlers/kb_handlers.h"
#include "daemon/protocol/knowledge_messages.h"
#include "knowledge_base/insights/insight_library.h"
#include "knowledge_base/retrieval/retrieval.h"

namespace warpmind::daemon {
namespace {

using knowledge_base::HistoryEntry;
using knowledge_base::InsightLibrary;
using knowledge_base::InsightOp;
using knowledge_base::Retrieval;
using namespace protocol;  // NOLINT(google-build-using-namespace): the messages of one group

KbHistoryEntry entry_of(HistoryEntry entry) {
  KbHistoryEntry wire;
  wire.change = entry.sequence;
  wire.position = entry.position;
  wire.at = entry.event.at;
  wire.op = name_of(entry.event.op);
  wire.actor = std::move(entry.event.actor.name);
  wire.reason = std::move(entry.event.actor.reason);
  wire.summary = std::move(entry.summary);
  wire.undone = entry.undone;
  return wire;
}

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
  WARPMIND_TRY(const auto lift, retrieval.lift(result.insight.id));
  result.lift = {lift.shown, lift.withheld, lift.lift, lift.low, lift.high, lift.known};
  WARPMIND_TRY(auto entries, library.history(result.insight.id));
  for (auto& entry : entries) {
    const InsightOp op = entry.event.op;
    if (op == InsightOp::evidence || op == InsightOp::attest) continue;
    result.decisions.push_back(entry_of(std::move(entry)));
  }
  return result;
}

Result<KbHistoryResult> history(const InsightLibrary& library, const KbHistoryParams& params) {
  WARPMIND_TRY(const Insight insight, library.find(params.id));
  KbHistoryResult result;
  result.id = insight.id.str();
  WARPMIND_TRY(auto entries, library.history(insight.id));
  for (auto& entry : entries) result.entries.push_back(entry_of(std::move(entry)));
  WARPMIND_TRY(auto blame, library.blame(insight.id));
  for (auto& line : blame) {
    result.blame.push_back(
        {std::move(line.field), std::move(line.value), line.sequence, std::move(line.actor)});
  }
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

}  // namespace warpmind::daemon
