#include "daemon/known_skills.h"

#include "base/log.h"
#include "knowledge_base/insights/text_guard.h"
#include "knowledge_base/packs/skill_shelf.h"

#include <array>

namespace warpmind::daemon {

using agents::builtin::KnownSkill;
using agents::builtin::SkillLibrary;

SkillLibrary known_skills(const config::Settings& settings, knowledge_base::KnowledgeBase& base) {
  const std::array folders{settings.episode.skill_directory};
  const auto packed = base.skills().all();
  if (packed) return SkillLibrary::read(folders, *packed);
  log::warn("daemon", "skills that came with packs are not used",
            {{"why", packed.error().message}});
  return SkillLibrary::read(folders);
}

std::vector<PackedSkill> own_skills(const std::filesystem::path& folder) {
  const std::array folders{folder};
  const SkillLibrary library = SkillLibrary::read(folders);
  std::vector<PackedSkill> skills;
  for (const KnownSkill& known : library.skills()) {
    if (known.path.empty()) continue;
    // It was read a moment ago; what has vanished since is not there.
    if (auto packed = agents::builtin::pack_skill(known.path)) skills.push_back(*std::move(packed));
  }
  return skills;
}

Result<void> check_foreign_skill(const PackedSkill& packed) {
  using knowledge_base::check_prose;
  WARPMIND_TRY(const auto skill, agents::builtin::read_packed(packed));
  WARPMIND_CHECK(check_prose("skill.toml: the summary", skill.summary));
  WARPMIND_CHECK(check_prose("skill.toml: the origin", skill.origin));
  for (const auto& requirement : skill.requirements) {
    WARPMIND_CHECK(check_prose("skill.toml: a reason (otherwise)", requirement.otherwise));
  }
  return {};
}

}  // namespace warpmind::daemon
