#pragma once
/// \file
/// Skills of the built-in agent (`skill.*`), as values. Names on the wire are the field names.

#include "base/model/skill_report.h"
#include "daemon/protocol/messages.h"

#include <map>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

struct SkillListResult {
  std::vector<SkillSummary> skills;
  std::vector<RefusedSkillFolder> refused;
  std::string folder;

  static void describe(auto& self, auto& field) {
    field.required("skills", self.skills,
                   "shipped ones, yours, then those of packs; what is withheld last");
    field.required("refused", self.refused, "folders, and skills of packs, that are not used");
    field.required("folder", self.folder, "where your own skills are read from");
  }
};

struct SkillShowParams {
  std::string name;
  std::string source;

  static void describe(auto& self, auto& field) {
    field.required("name", self.name, "of a skill");
    field.optional("source", self.source,
                   "`pack:<name>` that it came with; default the one that is chosen");
  }
};

struct SkillShowResult {
  SkillSummary skill;
  std::map<std::string, std::string> files;

  static void describe(auto& self, auto& field) {
    field.required("skill", self.skill, "in short");
    field.required("files", self.files,
                   "text by name: skill.toml, template.cuh, notes.md, and tests/….cu");
  }
};

struct SkillDraftParams {
  std::string name;
  std::string from;

  static void describe(auto& self, auto& field) {
    field.required("name", self.name, "of the new skill: lower-case letters, digits and '_'");
    field.required("from", self.from, "skill that it starts from, or a form that one is for");
  }
};

struct SkillFolderParams {
  std::string directory;
  std::string device;

  static void describe(auto& self, auto& field) {
    field.required("directory", self.directory, "absolute path of the skill's folder");
    field.optional("device", self.device, "key of the device table; default `lab.target`");
  }
};

struct SkillCheckParams {
  std::string directory;
  std::string name;
  std::string source;
  std::string device;

  static void describe(auto& self, auto& field) {
    field.optional("directory", self.directory, "absolute path of the skill's folder");
    field.optional("name", self.name, "instead: of a skill that came with a pack");
    field.optional("source", self.source, "that pack, as in skill.show");
    field.optional("device", self.device, "key of the device table; default `lab.target`");
  }
};

struct SkillTrustParams {
  std::string name;
  std::string source;
  bool withdraw = false;
  std::string reason;

  static void describe(auto& self, auto& field) {
    field.required("name", self.name, "of a skill that came with a pack");
    field.optional("source", self.source, "that pack, as in skill.show");
    field.optional("withdraw", self.withdraw, "takes an earlier word back");
    field.optional("reason", self.reason, "one sentence, kept with it");
  }
};

struct SkillTrustResult {
  SkillSummary skill;

  static void describe(auto& self, auto& field) {
    field.required("skill", self.skill, "as it stands now");
  }
};

struct SkillRemoveParams {
  std::string name;
  std::string source;

  static void describe(auto& self, auto& field) {
    field.required("name", self.name, "of a skill of yours or of a pack");
    field.optional("source", self.source, "only the one that came with this pack, `pack:<name>`");
  }
};

struct SkillRemoveResult {
  std::string folder;
  bool folder_stays = false;
  std::vector<std::string> sources;

  static void describe(auto& self, auto& field) {
    field.required("folder", self.folder, "of your own skill; empty where there was none");
    field.required("folder_stays", self.folder_stays, "it holds files that are not the skill's");
    field.required("sources", self.sources, "packs whose skill of that name left the base");
  }
};

struct SkillCheckResult {
  SkillSummary skill;
  std::vector<SkillTestReport> tests;
  bool passed = false;

  static void describe(auto& self, auto& field) {
    field.required("skill", self.skill, "in short");
    field.required("tests", self.tests, "one for each file of tests/");
    field.required("passed", self.passed, "every test did");
  }
};

struct SkillAddResult {
  std::string folder;

  static void describe(auto& self, auto& field) {
    field.required("folder", self.folder, "that it was copied to");
  }
};

// --- Methods

inline constexpr Method<Empty, SkillListResult> kSkillList{
    "skill.list", "Skills of the built-in agent: shipped ones, your own, and those of packs."};
inline constexpr Method<SkillShowParams, SkillShowResult> kSkillShow{"skill.show",
                                                                     "One skill with its files."};
inline constexpr Method<SkillDraftParams, SkillShowResult> kSkillDraft{
    "skill.draft", "The files of a new skill that starts as a copy of another. Writes nothing."};
inline constexpr Method<SkillCheckParams, SkillCheckResult> kSkillCheck{
    "skill.check",
    "Reads a skill and runs its tests: whether it applies where it should, builds, and computes "
    "on the simulator what the given kernels compute. Given `name`, it is kept whether episodes "
    "may "
    "use that skill."};
inline constexpr Method<SkillFolderParams, SkillAddResult> kSkillAdd{
    "skill.add",
    "As skill.check, then copies the folder to your own skills; episodes use it from then on."};

inline constexpr Method<SkillTrustParams, SkillTrustResult> kSkillTrust{
    "skill.trust",
    "Vouches for a skill that came with a pack: episodes use it without a check. Error `conflict` "
    "when it is so already."};

inline constexpr Method<SkillRemoveParams, SkillRemoveResult> kSkillRemove{
    "skill.remove",
    "Removes a skill from your own skills, and from the base what packs brought under that name. "
    "Error `conflict` for one that is shipped."};

[[nodiscard]] std::vector<MethodSpec> skill_methods();

}  // namespace warpmind::daemon::protocol
