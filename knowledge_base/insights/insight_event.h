#pragma once
/// \file
/// What happened to an insight. Events are the truth; an insight is the fold of its events in the
/// order of the log, without those that were undone. Nothing is ever deleted.

#include "base/model/insight.h"
#include "base/model/verdict.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

enum class InsightOp {
  add,         ///< `content` is the insight as first said
  evidence,    ///< a local measurement for or against
  attest,      ///< what another base says
  amend,       ///< new wording, mechanism, parameters, scope, space
  transition,  ///< the gate or a person set a state
  pin,         ///< the user vouches: state and trust stay
  unpin,
  supersede,  ///< `other` takes its place
  undo,       ///< takes back event (`undone_sequence`, `undone_position`)
  distrust,   ///< `source` is quarantined: about no insight of its own
  trust,      ///< `source` counts again
};

/// Who did it, and why.
struct Actor {
  std::string name;    ///< "user:alice", "gate", "episode e-0000000007", "pack <hash>"
  std::string reason;  ///< one sentence
  bool operator==(const Actor&) const = default;
};

/// Who draws conclusions from evidence. Nobody else may set probation, confirmed or contested.
inline constexpr std::string_view kGate = "gate";
/// Who quarantines what was measured to do harm where it was shown.
inline constexpr std::string_view kLift = "lift";

struct InsightAmendment {
  std::optional<std::string> claim = {};
  std::optional<std::string> mechanism = {};
  std::optional<std::string> parameters = {};
  std::optional<InsightScope> scope = {};
  std::optional<std::string> space = {};
  bool operator==(const InsightAmendment&) const = default;
};

struct InsightEvent {
  InsightId insight;
  InsightOp op = InsightOp::add;
  Actor actor;
  UnixMillis at;
  std::optional<Insight> content;
  std::optional<EvidenceRef> evidence;
  std::optional<Attestation> attestation;
  std::optional<InsightAmendment> amendment;
  std::optional<InsightState> state;  ///< transition
  std::vector<EpisodeId> because;     ///< evidence behind a transition
  InsightId other;                    ///< supersede; undo of one
  std::int64_t undone_sequence = 0;
  std::int64_t undone_position = 0;
  /// What can be quarantined as one: "pack:<hash>", "user:alice", "episode:e-0000000007". Filled in
  /// by the writer where it is empty (source_of).
  std::string source = {};
  int capability = 0;                   ///< of the device of `evidence`, 90; by the writer
  std::optional<Outcome> outcome = {};  ///< of the step that `evidence` cites; by the writer
  bool operator==(const InsightEvent&) const = default;
};

}  // namespace warpmind::knowledge_base

namespace warpmind {
WARPMIND_ENUM_NAMES(
    knowledge_base::InsightOp, {knowledge_base::InsightOp::add, "add"},
    {knowledge_base::InsightOp::evidence, "evidence"},
    {knowledge_base::InsightOp::attest, "attest"}, {knowledge_base::InsightOp::amend, "amend"},
    {knowledge_base::InsightOp::transition, "transition"}, {knowledge_base::InsightOp::pin, "pin"},
    {knowledge_base::InsightOp::unpin, "unpin"},
    {knowledge_base::InsightOp::supersede, "supersede"}, {knowledge_base::InsightOp::undo, "undo"},
    {knowledge_base::InsightOp::distrust, "distrust"}, {knowledge_base::InsightOp::trust, "trust"});
}  // namespace warpmind
