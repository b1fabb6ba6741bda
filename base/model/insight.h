#pragma once
/// \file
/// Insights: scoped claims about optimisations, with their evidence. What they mean and how they
/// change: docs/knowledge.md.

#include "base/clock.h"
#include "base/enum_names.h"
#include "base/ids.h"
#include "base/model/bottleneck.h"
#include "base/model/dtype.h"
#include "base/model/measurement.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind {

enum class InsightKind {
  positive,      ///< doing this helps
  negative,      ///< doing this does not help, or harms
  precondition,  ///< something must hold before the action pays
  composite,     ///< several techniques in this order
};
WARPMIND_ENUM_NAMES(InsightKind, {InsightKind::positive, "positive"},
                    {InsightKind::negative, "negative"},
                    {InsightKind::precondition, "precondition"},
                    {InsightKind::composite, "composite"});

/// Changed by the gate of knowledge_base/insights alone.
enum class InsightState {
  proposed,     ///< a claim without local evidence
  probation,    ///< has local evidence, not enough of it
  confirmed,    ///< several independent episodes agree
  contested,    ///< local evidence speaks on both sides
  quarantined,  ///< harms, or comes from a source that is not trusted; never offered
  deprecated,   ///< retired or superseded; never offered
  retracted,    ///< withdrawn as wrong; kept for history, never offered
};
WARPMIND_ENUM_NAMES(InsightState, {InsightState::proposed, "proposed"},
                    {InsightState::probation, "probation"}, {InsightState::confirmed, "confirmed"},
                    {InsightState::contested, "contested"},
                    {InsightState::quarantined, "quarantined"},
                    {InsightState::deprecated, "deprecated"},
                    {InsightState::retracted, "retracted"});

/// How far a text may be believed.
enum class Trust {
  t0,  ///< external text: packs, imports, seed
  t1,  ///< proposed by a model or a person
  t2,  ///< measured once
  t3,  ///< confirmed by independent episodes
  t4,  ///< vouched for by the user (pinned)
};
WARPMIND_ENUM_NAMES(Trust, {Trust::t0, "T0"}, {Trust::t1, "T1"}, {Trust::t2, "T2"},
                    {Trust::t3, "T3"}, {Trust::t4, "T4"});

/// What happened to an insight; knowledge_base/insights/insight_event.h has the events.
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
WARPMIND_ENUM_NAMES(InsightOp, {InsightOp::add, "add"}, {InsightOp::evidence, "evidence"},
                    {InsightOp::attest, "attest"}, {InsightOp::amend, "amend"},
                    {InsightOp::transition, "transition"}, {InsightOp::pin, "pin"},
                    {InsightOp::unpin, "unpin"}, {InsightOp::supersede, "supersede"},
                    {InsightOp::undo, "undo"}, {InsightOp::distrust, "distrust"},
                    {InsightOp::trust, "trust"});

/// Compute capabilities times ten: 80 = 8.0. Zero sets no limit.
struct CapabilityRange {
  int capability_min = 0;
  int capability_max = 0;  ///< inclusive
  bool operator==(const CapabilityRange&) const = default;
};

/// Where a claim is said to hold. An empty list sets no limit.
struct InsightScope : CapabilityRange {
  std::vector<std::string> operator_families;
  std::vector<Dtype> dtypes;
  std::vector<BottleneckClass> bottlenecks;
  std::string device;                  ///< one model, "NVIDIA H200"
  std::vector<std::string> contracts;  ///< what the task must allow: "tf32", "reassociation"
  bool operator==(const InsightScope&) const = default;
};

struct InsightAction {
  std::vector<std::string> techniques;  ///< one; several in order for a composite
  std::string parameters;  ///< "block=256x1x1", as the proposer spells it; may be empty
  bool operator==(const InsightAction&) const = default;
};

/// What an edit says anew; what is absent stays.
struct InsightWords {
  std::optional<std::string> claim = {};
  std::optional<std::string> mechanism = {};
  std::optional<std::string> parameters = {};
  std::optional<std::string> space = {};
  bool operator==(const InsightWords&) const = default;
};

/// Who said it. `source` is what can be quarantined as one.
struct Provenance {
  std::string source;  ///< "episodes", "user:alice", "seed", "pack:<hash>", "kernelblaster:<hash>"
  std::string author;  ///< "builtin critic", "alice"
  std::string model;   ///< language model, empty without one
  std::string prompt_hash;  ///< of the prompt that made it, empty without one
  std::string licence;      ///< SPDX id, "" = unknown
  std::string toolkit;      ///< nvcc release the claim was made with, "13.0"
  std::string driver;
  bool operator==(const Provenance&) const = default;
};

/// A step, and what it was about.
struct StepRef {
  EpisodeId episode;
  std::int64_t step = 0;
  TaskId task;
  std::string operator_family;
  bool operator==(const StepRef&) const = default;
};

/// One local measurement for or against. The numbers are those of the step's verdict.
struct EvidenceRef : StepRef {
  Provider provider = Provider::gpu;
  std::string device;     ///< "NVIDIA H200"
  bool supports = true;   ///< of the claim, not of the technique
  double log_gain = 0;    ///< ln(incumbent time / candidate time); 0 where nothing was timed
  bool confirmed = true;  ///< several fresh process pairs; false = screening, or a failed build
  bool operator==(const EvidenceRef&) const = default;
};

/// What another base says of the same claim. Ranks; never counts as local evidence.
struct Attestation {
  std::string origin;         ///< id of that base
  std::int64_t sequence = 0;  ///< its change; of two, the larger wins
  InsightState state = InsightState::proposed;
  std::int64_t supports = 0;
  std::int64_t contradicts = 0;
  double mean_log_gain = 0;
  bool operator==(const Attestation&) const = default;
};

/// Belief about ln(gain) when the claim is followed in its scope.
struct Utility {
  double mean = 0;
  double deviation = 0.24;  ///< of the belief about the mean
  double low = 0;           ///< 80 % interval of the mean
  double high = 0;
  std::int64_t observations = 0;  ///< local evidence, both sides
  bool operator==(const Utility&) const = default;
};

/// What every list of insights shows of one.
struct InsightSummary {
  InsightId id;
  InsightKind kind = InsightKind::positive;
  InsightState state = InsightState::proposed;
  Trust trust = Trust::t0;
  std::string claim;  ///< one or two sentences, at most 400 characters
  InsightAction action;
  Utility utility;
  bool operator==(const InsightSummary&) const = default;
};

struct Insight : InsightSummary {
  std::string mechanism;  ///< why, at most 400 characters; may be empty
  InsightScope scope;
  /// Named features of the kernel state it was learned on: metric or feature name → value
  /// (knowledge_base/retrieval/features.h). At most 64 each; empty when unknown.
  std::map<std::string, double> profile_signature;
  std::map<std::string, double> code_signature;
  bool pinned = false;         ///< kept in its state by the user
  std::string space = "user";  ///< namespace: "user", "project:<name>", "team:<name>"
  Provenance provenance;
  std::vector<EvidenceRef> evidence;      ///< newest last, at most 64; older ones live in `utility`
  std::vector<Attestation> attestations;  ///< by origin
  std::vector<InsightId> supersedes;
  InsightId superseded_by;
  std::string state_reason;   ///< one sentence of the last transition
  std::int64_t created = 0;   ///< sequence of the change that made it
  std::int64_t changed = 0;   ///< sequence of the last change
  std::int64_t document = 0;  ///< number in the search index; 0 = not indexed
  UnixMillis created_at;
  UnixMillis changed_at;
  bool operator==(const Insight&) const = default;
};

/// Whether an insight in this state may be offered at all.
[[nodiscard]] constexpr bool is_offered(InsightState state) {
  return state == InsightState::proposed || state == InsightState::probation ||
         state == InsightState::confirmed || state == InsightState::contested;
}

/// Content address: equal kind, techniques, parameters, scope and namespace give the same id. The
/// wording counts only where no technique is named.
[[nodiscard]] InsightId id_of(const Insight& insight);

}  // namespace warpmind
