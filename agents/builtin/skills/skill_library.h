#pragma once
/// \file
/// The skills that there are: shipped ones, those of a person's folders, and those of packs.

#include "agents/builtin/skills/skill.h"
#include "agents/builtin/templates/device_templates.h"
#include "base/model/packed_skill.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// A folder that is no skill, or a skill of a pack that is not listed, and why.
struct RefusedSkill {
  std::string path;    ///< of a pack: "my_scan of pack:<name>"
  std::string reason;  ///< one sentence
};

struct KnownSkill {
  std::shared_ptr<const Skill> skill;
  std::string path = {};                           ///< of its folder; empty: shipped, or of a pack
  std::shared_ptr<const StoredSkill> packed = {};  ///< as it came with a pack
  std::string withheld = {};  ///< why episodes do not use it, one sentence; empty: they do

  [[nodiscard]] bool is_shipped() const { return path.empty() && !packed; }
};

class SkillLibrary {
 public:
  /// Those of this build, by name.
  [[nodiscard]] static const SkillLibrary& shipped();
  /// The shipped ones and every folder inside of `folders` that holds a skill.toml. A folder that
  /// is no skill, or takes the name of another, is refused and does not disturb the rest; one of
  /// `folders` that does not exist holds none.
  /// Names of `packed` that are taken are refused; what is not trusted is withheld.
  [[nodiscard]] static SkillLibrary read(std::span<const std::filesystem::path> folders,
                                         std::span<const StoredSkill> packed = {});

  /// What episodes use.
  [[nodiscard]] const std::vector<KnownSkill>& skills() const { return skills_; }
  /// Listed, and not used until they are trusted.
  [[nodiscard]] const std::vector<KnownSkill>& withheld() const { return withheld_; }
  [[nodiscard]] const std::vector<RefusedSkill>& refused() const { return refused_; }
  /// In use or withheld.
  [[nodiscard]] const KnownSkill* find(std::string_view name) const;

 private:
  void add_folder(const std::filesystem::path& folder);
  void add_packed(const StoredSkill& stored);
  [[nodiscard]] std::string taken_by(std::string_view name) const;

  std::vector<KnownSkill> skills_;
  std::vector<KnownSkill> withheld_;
  std::vector<RefusedSkill> refused_;
};

/// The skill in that folder. Errors: not_found where a file is missing; invalid_argument as
/// parse_skill().
[[nodiscard]] Result<Skill> read_skill(const std::filesystem::path& folder);

/// Of a technique that is no skill: moves, statistics and insights know both by name, so no skill
/// may take it.
[[nodiscard]] bool is_technique_name(std::string_view name);

/// A skill of a pack: its files, and that name, licence and tests are what they should be. Errors:
/// invalid_argument, one sentence with file and line.
[[nodiscard]] Result<Skill> read_packed(const PackedSkill& packed);

/// The same of one in the base, with why episodes do not use it. Errors: as read_packed().
[[nodiscard]] Result<KnownSkill> known_skill(const StoredSkill& stored);

/// The skill in that folder with its tests, as it would leave in a pack. Errors: as read_skill().
[[nodiscard]] Result<PackedSkill> pack_skill(const std::filesystem::path& folder);

/// Names and texts of the tests in a skill's folder, by name.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::string>>> tests_in(
    const std::filesystem::path& folder);

/// Generated from the folders of skills/: "single_pass_scan/skill.toml".
[[nodiscard]] std::span<const EmbeddedFile> shipped_skill_files();
/// From those of tests/skills: "single_pass_scan/serial.cu".
[[nodiscard]] std::span<const EmbeddedFile> shipped_skill_tests();

}  // namespace warpmind::agents::builtin
