#pragma once
/// \file
/// Takes claims, cards, facts and skills from outside into one change: as claims, never as
/// evidence.

#include "base/model/insight.h"
#include "base/model/packed_skill.h"
#include "base/model/technique.h"
#include "base/result.h"
#include "knowledge_base/change_set.h"
#include "knowledge_base/insights/insight_writer.h"
#include "knowledge_base/packs/pack_exchange.h"
#include "knowledge_base/packs/pack_format.h"

#include <functional>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// What is kept with skills of a pack, and who reads them.
struct SkillIntake {
  /// Refuses what is no skill; empty: none is taken.
  std::function<Result<void>(const PackedSkill& skill)> check = {};
  std::string origin = {};  ///< id of the base that exported the pack
  std::string signer = {};  ///< fingerprint; empty = not signed
  bool signer_known = false;
};

/// Where it all comes from.
struct Intake {
  std::string source;   ///< provenance: "pack:<name>", "kernelblaster:<hash>"
  Actor actor;          ///< name "pack <name>"
  std::string space;    ///< namespace that claims go into; empty = as they say
  std::string base_id;  ///< of this base: what it said itself is not heard again
  UnixMillis at;
  SkillIntake skills = {};
};

/// One a change. Counts into `report`; what the rules for texts refuse is counted and noted, and
/// does not fail. Does not describe the change.
class ClaimIntake {
 public:
  ClaimIntake(ChangeSet& change, const Intake& intake, PackReport& report)
      : change_(change), writer_(change), intake_(intake), report_(report) {}

  /// `where` begins a note: "line 7".
  [[nodiscard]] Result<void> take(PackRecord record, const std::string& where);

  /// Ids of claims and names of cards that were written.
  [[nodiscard]] const std::vector<std::string>& written() const { return written_; }

 private:
  enum class Effect { unchanged, added, confirmed };

  Result<Effect> take_card(Technique technique);
  Result<Effect> take_fact(Fact fact);
  Result<Effect> take_claim(PackedClaim claim);
  Result<Effect> take_skill(PackedSkill skill);
  Result<Insight> add_claim(Insight claim, std::optional<Insight> first);
  Result<bool> attest(const Insight& known, const std::vector<Attestation>& attestations);
  Result<bool> settle_withdrawn(const InsightId& id);
  [[nodiscard]] InsightEvent event_on(const InsightId& id, InsightOp op) const;

  ChangeSet& change_;
  InsightWriter writer_;
  const Intake& intake_;
  PackReport& report_;
  std::vector<std::string> written_;
};

/// Adds a note unless there are ten.
void add_note(PackReport& report, std::string note);

}  // namespace warpmind::knowledge_base
