#pragma once
/// \file
/// Skills that came with packs, and what a person says of them. Episodes use one once a check here
/// passed or somebody vouched for it, and its source is not quarantined.

#include "base/model/packed_skill.h"
#include "base/result.h"
#include "knowledge_base/insights/insight_event.h"

#include <functional>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

class OpenBase;

/// Every function is one durable change or none. Threads: any.
class SkillShelf {
 public:
  /// `base` must outlive it.
  explicit SkillShelf(OpenBase& base) : base_(base) {}

  /// By name, of one name the one that is chosen first.
  [[nodiscard]] Result<std::vector<StoredSkill>> all() const;
  /// What a check said: `device` is where it passed; empty: it failed. Errors: not_found.
  [[nodiscard]] Result<StoredSkill> set_checked(const std::string& name, const std::string& source,
                                                const std::string& device);
  /// Vouches, or takes that back. Errors: not_found; invalid_argument for an actor whose words are
  /// refused; conflict when it is so already.
  [[nodiscard]] Result<StoredSkill> vouch(const std::string& name, const std::string& source,
                                          bool vouched, const Actor& actor);
  /// Takes a skill off the shelf, with what was said of it: the one that came with `source`; empty:
  /// with whatever pack. Returns the sources, none where there was no such skill.
  [[nodiscard]] Result<std::vector<std::string>> remove(const std::string& name,
                                                        const std::string& source);

 private:
  using Alter = std::function<Result<void>(StoredSkill& stored)>;
  Result<StoredSkill> alter(const std::string& name, const std::string& source, const Alter& how);

  OpenBase& base_;
};

}  // namespace warpmind::knowledge_base
