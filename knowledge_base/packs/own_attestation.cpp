#include "knowledge_base/packs/own_attestation.h"

#include "knowledge_base/insights/utility.h"
#include "knowledge_base/packs/seed.h"

#include <algorithm>

namespace warpmind::knowledge_base {
bool is_of_others(const InsightEvent& event) {
  return event.actor.name.starts_with(kPackActor) || event.actor.name == kSeedSource;
}

namespace {

/// A change of this base that may alter what it attests.
bool is_own(const InsightEvent& event) {
  return event.op != InsightOp::add && event.op != InsightOp::attest && !is_of_others(event);
}

/// Worth telling: measured on a GPU, or decided by a person or by lift.
bool is_statement(const InsightEvent& event) {
  switch (event.op) {
    case InsightOp::evidence: return event.evidence && event.evidence->provider == Provider::gpu;
    case InsightOp::transition: return event.actor.name != kGate;
    case InsightOp::pin:
    case InsightOp::unpin:
    case InsightOp::supersede:
    case InsightOp::undo: return true;
    default: return false;
  }
}

/// Whoever moved it last.
bool was_moved_by_others(const std::vector<LoggedEvent>& history) {
  const auto last = std::find_if(history.rbegin(), history.rend(), [](const LoggedEvent& logged) {
    return logged.event.op == InsightOp::transition || logged.event.op == InsightOp::supersede;
  });
  return last != history.rend() && is_of_others(last->event);
}

}  // namespace

std::optional<Attestation> own_attestation(const StoredInsight& stored,
                                           const std::vector<LoggedEvent>& history,
                                           const std::string& base_id, std::int64_t newest_toggle) {
  Attestation own;
  bool says_something = false;
  for (const auto& logged : history) {
    if (!is_own(logged.event)) continue;
    own.sequence = std::max(own.sequence, logged.sequence);
    says_something = says_something || is_statement(logged.event);
  }
  if (!says_something) return std::nullopt;
  own.origin = base_id;
  own.sequence = std::max(own.sequence, newest_toggle);
  for (const auto& cell : stored.cells) {
    if (cell.provider != Provider::gpu) continue;
    own.supports += cell.supports.confirmed;
    own.contradicts += cell.contradicts.confirmed;
  }
  const bool measured = own.supports + own.contradicts > 0;
  if (measured) own.mean_log_gain = values_of(stored.cells, Provider::gpu).mean;
  // A state that the simulator or another base brought about is not ours to attest.
  const bool decided = !is_offered(stored.stated) && !was_moved_by_others(history);
  if (measured || decided) own.state = stored.stated;
  if (own.state != InsightState::proposed && was_moved_by_others(history)) {
    own.state = InsightState::proposed;
  }
  return own;
}

}  // namespace warpmind::knowledge_base
