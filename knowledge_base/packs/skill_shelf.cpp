#include "knowledge_base/packs/skill_shelf.h"

#include "base/text.h"
#include "knowledge_base/insights/validation.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/packs/skill_records.h"

#include <utility>

namespace warpmind::knowledge_base {
namespace {

constexpr std::int64_t kMostRecordBytes = std::int64_t{512} * 1024;

}  // namespace

Result<std::vector<StoredSkill>> SkillShelf::all() const {
  return base_.read([](const Database& database, const std::string&) {
    const Snapshot snapshot = database.snapshot();
    return load_skills(reading(database, snapshot.get()));
  });
}

Result<StoredSkill> SkillShelf::set_checked(const std::string& name, const std::string& source,
                                            const std::string& device) {
  return alter(name, source, [&](StoredSkill& stored) -> Result<void> {
    stored.checked_on = device;
    return {};
  });
}

Result<StoredSkill> SkillShelf::vouch(const std::string& name, const std::string& source,
                                      bool vouched, const Actor& actor) {
  WARPMIND_CHECK(check_actor(actor));
  return alter(name, source, [&](StoredSkill& stored) -> Result<void> {
    if (vouched == !stored.vouched_by.empty()) {
      return fail(Errc::conflict, vouched ? "skill " + quoted_name(name) +
                                                " is trusted already, by " + stored.vouched_by
                                          : "nobody trusts skill " + quoted_name(name) +
                                                ", so there is nothing to withdraw");
    }
    stored.vouched_by = vouched ? actor.name : "";
    stored.reason = vouched ? actor.reason : "";
    return {};
  });
}

Result<std::vector<std::string>> SkillShelf::remove(const std::string& name,
                                                    const std::string& source) {
  std::vector<std::string> sources;
  const auto make = [&](ChangeSet& change) -> Result<void> {
    sources.clear();
    WARPMIND_TRY(const auto entries, change.entries(Family::techniques, skill_prefix(name)));
    for (const auto& [key, bytes] : entries) {
      auto one = source_in_skill_key(key);
      if (!source.empty() && one != source) continue;
      change.erase(Family::techniques, key);
      sources.push_back(std::move(one));
    }
    if (!sources.empty()) change.describe("skills", {name});
    return {};
  };
  WARPMIND_CHECK(base_.write(kMostRecordBytes, make));
  return sources;
}

Result<StoredSkill> SkillShelf::alter(const std::string& name, const std::string& source,
                                      const Alter& how) {
  StoredSkill altered;
  const auto make = [&](ChangeSet& change) -> Result<void> {
    WARPMIND_TRY(auto stored, load_skill(reading(change), name, source));
    if (!stored) {
      return fail(Errc::not_found, "no skill " + quoted_name(name) + " came with " + source);
    }
    altered = std::move(*stored);
    WARPMIND_CHECK(how(altered));
    WARPMIND_TRY(auto bytes, encode_skill(altered));
    change.put(Family::techniques, skill_key(name, source), std::move(bytes));
    change.describe("skills", {name});
    return {};
  };
  WARPMIND_CHECK(base_.write(kMostRecordBytes, make));
  return altered;
}

}  // namespace warpmind::knowledge_base
