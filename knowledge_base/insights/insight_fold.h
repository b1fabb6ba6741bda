#pragma once
/// \file
/// An insight as the fold of its events: pure, no clock, no store. Adding the next event to a fold
/// and folding everything from the start give the same insight, member by member.

#include "base/model/insight.h"
#include "base/result.h"
#include "knowledge_base/insights/insight_event.h"
#include "knowledge_base/posterior.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::knowledge_base {

struct LoggedEvent {
  std::int64_t sequence = 0;
  std::size_t position = 0;
  InsightEvent event;
  bool operator==(const LoggedEvent&) const = default;
};

struct Witness {
  EpisodeId episode;
  TaskId task;
  bool operator==(const Witness&) const = default;
};

/// Evidence on one side of a claim.
struct SideTally {
  std::int64_t confirmed = 0;      ///< several fresh process pairs, or a try that failed
  std::int64_t weak = 0;           ///< screenings
  std::vector<Witness> witnesses;  ///< two confirmed episodes, of two tasks where there are any
  bool operator==(const SideTally&) const = default;
};

/// Where evidence was measured.
struct EvidencePlace {
  Provider provider = Provider::gpu;
  std::string device;
  int capability = 0;  ///< 90; 0 = unknown
  std::string operator_family;
  // clang-tidy 14 takes the 0 that a defaulted comparison compares with for a pointer.
  auto operator<=>(const EvidencePlace&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// All evidence of one place.
struct EvidenceCell : EvidencePlace {
  Moments values;  ///< of following the claim (utility.h)
  SideTally supports;
  SideTally contradicts;
  bool operator==(const EvidenceCell&) const = default;
};

/// An insight and what the fold must remember to go on.
struct StoredInsight {
  Insight insight;
  std::vector<EvidenceCell> cells;               ///< in the order of their places
  InsightState stated = InsightState::proposed;  ///< by its events; `insight.state` also heeds
                                                 ///< that its source is quarantined
  std::string stated_reason;
  bool held = false;                  ///< set by a person or by lift: evidence does not move it
  std::vector<InsightId> successors;  ///< that superseded it; the last is `superseded_by`
  bool operator==(const StoredInsight&) const = default;
};

/// Sources that are quarantined.
using Distrusted = std::set<std::string>;

/// What can be quarantined as one: where an event comes from.
[[nodiscard]] std::string source_of(const InsightEvent& event);
[[nodiscard]] bool is_counted(const InsightEvent& event, const Distrusted& distrusted);

/// Whether evidence from there lies inside `scope`. A `capability` of 0 fits any range.
[[nodiscard]] bool admits(const InsightScope& scope, const EvidenceRef& evidence, int capability);

/// Whether the next event changes what earlier ones mean, so that all must be folded again.
[[nodiscard]] bool needs_whole_fold(const InsightEvent& event);

void amend_words(Insight& insight, const InsightWords& words);

/// Takes one more event in. `needs_whole_fold(event)` must be false.
void fold_next(StoredInsight& stored, const LoggedEvent& next, const Distrusted& distrusted);

/// `events` are those of insight `id`, in the order of the log; the first adds it.
/// Errors: corrupt_data when it does not.
[[nodiscard]] Result<StoredInsight> fold(const InsightId& id,
                                         const std::vector<LoggedEvent>& events,
                                         const Distrusted& distrusted);

/// Sequence and position of the events that undo events take back, an undone undo left out.
[[nodiscard]] std::set<std::pair<std::int64_t, std::int64_t>> undone(
    const std::vector<LoggedEvent>& events, const Distrusted& distrusted);

/// Whether `said` takes the place of `known`, both of one origin: the larger sequence does. Two
/// that differ under one sequence (a base that was restored and went on) are decided by what they
/// say, so that the order in which they come does not matter.
[[nodiscard]] bool replaces(const Attestation& said, const Attestation& known);

/// Of the newest measurements that an insight keeps one by one.
inline constexpr std::size_t kMostEvidence = 64;

}  // namespace warpmind::knowledge_base
