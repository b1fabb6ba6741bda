#include "tests/fakes/foreign_skill.h"

#include "agents/builtin/skills/skill_library.h"
#include "base/text.h"

namespace warpmind::fakes {

PackedSkill foreign_skill(const std::string& name) {
  constexpr std::string_view kFolder = "row_reduction/";
  PackedSkill made{name, "Apache-2.0", {}};
  for (const auto& file : agents::builtin::shipped_skill_files()) {
    if (!file.name.starts_with(kFolder)) continue;
    made.files[std::string(file.name.substr(kFolder.size()))] = file.content;
  }
  for (const auto& file : agents::builtin::shipped_skill_tests()) {
    if (!file.name.starts_with(kFolder)) continue;
    made.files["tests/" + std::string(file.name.substr(kFolder.size()))] = file.content;
  }
  auto& toml = made.files["skill.toml"];
  toml = replace_text(toml, "\"row_reduction\"", "\"" + name + "\"");
  return made;
}

}  // namespace warpmind::fakes
