#pragma once
/// \file
/// The skills that there are: shipped ones, and those of a person's folders.

#include "agents/builtin/skills/skill.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// A folder that is no skill, and why.
struct RefusedSkill {
  std::string path;
  std::string reason;  ///< one sentence
};

struct KnownSkill {
  std::shared_ptr<const Skill> skill;
  std::string path;  ///< of its folder; empty: shipped
};

class SkillLibrary {
 public:
  /// Those of this build, by name.
  [[nodiscard]] static const SkillLibrary& shipped();
  /// The shipped ones and every folder inside of `folders` that holds a skill.toml. A folder that
  /// is no skill, or takes the name of another, is refused and does not disturb the rest; one of
  /// `folders` that does not exist holds none.
  [[nodiscard]] static SkillLibrary read(std::span<const std::filesystem::path> folders);

  [[nodiscard]] const std::vector<KnownSkill>& skills() const { return skills_; }
  [[nodiscard]] const std::vector<RefusedSkill>& refused() const { return refused_; }
  [[nodiscard]] const KnownSkill* find(std::string_view name) const;

 private:
  void add_folder(const std::filesystem::path& folder);

  std::vector<KnownSkill> skills_;
  std::vector<RefusedSkill> refused_;
};

/// The skill in that folder. Errors: not_found where a file is missing; invalid_argument as
/// parse_skill().
[[nodiscard]] Result<Skill> read_skill(const std::filesystem::path& folder);

struct ShippedFile {
  std::string_view name;  ///< "single_pass_scan/skill.toml"
  std::string_view content;
};
/// Generated from the folders of skills/.
[[nodiscard]] std::span<const ShippedFile> shipped_skill_files();
/// From those of tests/skills: "single_pass_scan/serial.cu".
[[nodiscard]] std::span<const ShippedFile> shipped_skill_tests();

}  // namespace warpmind::agents::builtin
