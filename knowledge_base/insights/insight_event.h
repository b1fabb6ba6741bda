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

struct InsightAmendment : InsightWords {
  std::optional<InsightScope> scope = {};
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
