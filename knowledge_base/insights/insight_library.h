#pragma once
/// \file
/// Insights, techniques and facts as a person or an agent handles them.

#include "base/model/knowledge.h"
#include "base/model/technique.h"
#include "base/result.h"
#include "knowledge_base/insights/insight_event.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

class OpenBase;
struct TechniqueVersion;

/// What one change of the log did to an insight.
struct InsightChange {
  Insight insight;  ///< as it stands today
  InsightEvent event;
  bool operator==(const InsightChange&) const = default;
};

enum class InsightCommand { retire, retract, pin, unpin, quarantine, reinstate };

/// Every function is one durable change or none. Threads: any.
class InsightLibrary {
 public:
  /// `base` must outlive it.
  explicit InsightLibrary(OpenBase& base) : base_(base) {}

  /// A claim of a person or an agent: starts as `proposed`. Errors: invalid_argument (what
  /// validation.h refuses); conflict when the same claim is there (names it).
  [[nodiscard]] Result<Insight> add(Insight claim, const Actor& actor);
  [[nodiscard]] Result<Insight> edit(const InsightId& id, const InsightAmendment& amendment,
                                     const Actor& actor);
  [[nodiscard]] Result<Insight> command(const InsightId& id, InsightCommand command,
                                        const Actor& actor);
  /// `successor` takes the place of `id`. Errors: invalid_argument for a cycle.
  [[nodiscard]] Result<Insight> supersede(const InsightId& id, const InsightId& successor,
                                          const Actor& actor);
  /// Takes back the newest event of `id` that is not undone, or the one at `sequence`. An undo can
  /// be undone. The first event (add) cannot: retract instead.
  [[nodiscard]] Result<Insight> undo(const InsightId& id, std::optional<std::int64_t> sequence,
                                     const Actor& actor);

  /// `prefix` is an id or the beginning of one that is unambiguous ("i-3fa"). Errors: not_found;
  /// invalid_argument when several match (names some).
  [[nodiscard]] Result<Insight> find(const std::string& prefix) const;
  /// At most 200. Reads every insight when there is one.
  [[nodiscard]] Result<std::vector<Insight>> in_state(InsightState state) const;
  /// As it stood after change `sequence`.
  [[nodiscard]] Result<Insight> as_of(const InsightId& id, std::int64_t sequence) const;
  [[nodiscard]] Result<std::vector<HistoryEntry>> history(const InsightId& id) const;
  /// Of change `sequence`, in its order: what an episode taught. Events about no insight are left
  /// out.
  [[nodiscard]] Result<std::vector<InsightChange>> changes(std::int64_t sequence) const;
  [[nodiscard]] Result<std::vector<BlameLine>> blame(const InsightId& id) const;
  /// Counts by state, kind and trust: "state.confirmed" → 12.
  [[nodiscard]] Result<std::map<std::string, std::int64_t>> counts() const;

  /// All influence of a source goes (or comes back): its insights are quarantined, its evidence and
  /// attestations no longer count.
  [[nodiscard]] Result<SourceReport> quarantine_source(const std::string& source, bool quarantined,
                                                       const Actor& actor);
  [[nodiscard]] Result<std::vector<SourceReport>> sources() const;

  [[nodiscard]] Result<std::vector<Technique>> techniques() const;
  /// Errors: not_found, naming the nearest.
  [[nodiscard]] Result<Technique> technique(const std::string& name) const;
  /// Adds or replaces; marks it as edited. Errors: invalid_argument.
  [[nodiscard]] Result<Technique> put_technique(Technique technique, const Actor& actor);
  /// Versions that were replaced, oldest first (insight_codec.h).
  [[nodiscard]] Result<std::vector<TechniqueVersion>> technique_history(
      const std::string& name) const;
  /// Empty subject: all.
  [[nodiscard]] Result<std::vector<Fact>> facts(const std::string& subject) const;

 private:
  OpenBase& base_;
};

}  // namespace warpmind::knowledge_base
