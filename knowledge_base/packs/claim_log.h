#pragma once
/// \file
/// What a base says to other bases, change by change, and what it hears from them. The outbox is
/// the log of insight events itself: it is never cut, so anything can be said again. docs/hosts.md.

#include "base/result.h"
#include "knowledge_base/packs/claim_log_records.h"
#include "knowledge_base/packs/pack_exchange.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpmind::knowledge_base {

class OpenBase;

/// What one base said of its claims between two of its changes, as they stand at the second.
struct ClaimLogEntry {
  std::string node;       ///< id of the base: 16 hex digits
  std::int64_t era = 0;   ///< of its log
  std::int64_t from = 0;  ///< the change after which it begins
  std::int64_t upto = 0;  ///< the change at which it ends
  std::string chain;      ///< hex, of its log at `upto`
  std::string pack;       ///< docs/packs.md
  bool operator==(const ClaimLogEntry&) const = default;
};

/// Where the log of this base stands.
struct ClaimLogState {
  std::string node;
  std::int64_t era = 0;
  std::int64_t newest = 0;  ///< its newest change
};

/// A part of the log: nothing to say, or an entry; either way up to change `upto`.
struct ClaimLogPart {
  std::int64_t upto = 0;
  std::optional<ClaimLogEntry> entry;
};

enum class Hearing {
  applied,
  known,  ///< heard before: nothing changed
  gap,    ///< what lies between the last mark and this entry is missing: nothing changed
};

struct HearingReport {
  Hearing hearing = Hearing::applied;
  HeardMark mark;     ///< afterwards
  PackReport report;  ///< of an applied entry
};

/// Ids of bases as they appear in names of subjects and keys.
[[nodiscard]] bool is_node_id(std::string_view text);

/// Threads: any. `base` must outlive it.
class ClaimLog {
 public:
  explicit ClaimLog(OpenBase& base) : base_(base) {}

  /// Gives the log an era when it has none. Errors: what the base refuses.
  [[nodiscard]] Result<ClaimLogState> state();
  /// Begins a new era, later than `after`: what was said before does not hold any more.
  [[nodiscard]] Result<ClaimLogState> begin_era(std::int64_t after);
  /// Whether this base has change `upto` with that chain: false after a restore.
  [[nodiscard]] Result<bool> holds(std::int64_t upto, std::string_view chain) const;

  /// The next part after change `after`: own words only, never what was heard or seeded.
  [[nodiscard]] Result<ClaimLogPart> next(const ClaimLogState& state, std::int64_t after) const;

  [[nodiscard]] Result<HeardMark> heard(std::string_view node) const;
  /// Takes an entry in: claims that rank and are no evidence, and the mark, in one change. What the
  /// rules for texts refuse is left out and counted. Errors: invalid_argument for an entry that is
  /// not what it says; what the base refuses.
  [[nodiscard]] Result<HearingReport> hear(const ClaimLogEntry& entry);

 private:
  OpenBase& base_;
};

}  // namespace warpmind::knowledge_base
