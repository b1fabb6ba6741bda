#include "agents/builtin/skills/skill_library.h"

#include "agents/builtin/skills/skill_test.h"
#include "agents/builtin/technique.h"
#include "base/file.h"
#include "base/text.h"

#include <algorithm>
#include <map>

namespace warpmind::agents::builtin {
namespace {

constexpr std::size_t kMostFileBytes = std::size_t{1} << 20;
constexpr std::string_view kTests = "tests/";

std::vector<KnownSkill> read_shipped() {
  std::map<std::string, std::map<std::string, std::string_view>> folders;
  for (const EmbeddedFile& file : shipped_skill_files()) {
    const auto slash = file.name.find('/');
    folders[std::string(file.name.substr(0, slash))][std::string(file.name.substr(slash + 1))] =
        file.content;
  }
  std::vector<KnownSkill> skills;
  for (const auto& one : folders) {
    const auto& folder = one.first;
    const auto& files = one.second;
    const auto text = [&](const char* name) {
      const auto found = files.find(name);
      return found == files.end() ? std::string_view() : found->second;
    };
    auto skill = parse_skill(text("skill.toml"), text("template.cuh"), text("notes.md"),
                             "skills/" + folder + "/skill.toml");
    // Tests hold every shipped skill to this; a build with a broken one goes on without it.
    if (skill) skills.push_back({std::make_shared<const Skill>(std::move(*skill))});
  }
  return skills;
}

}  // namespace

Result<Skill> read_skill(const std::filesystem::path& folder) {
  if (std::filesystem::is_regular_file(folder)) {
    return fail(Errc::invalid_argument,
                folder.string() + " is a file; name the folder of the skill");
  }
  const auto text = [&](const char* name) -> Result<std::string> {
    if (std::filesystem::is_directory(folder) && !std::filesystem::exists(folder / name)) {
      return fail(Errc::not_found, folder.string() + " lacks " + name +
                                       "; a skill has skill.toml, template.cuh and notes.md");
    }
    return read_file(folder / name, kMostFileBytes);
  };
  WARPMIND_TRY(const auto toml, text("skill.toml"));
  WARPMIND_TRY(const auto device_code, text("template.cuh"));
  WARPMIND_TRY(const auto notes, text("notes.md"));
  return parse_skill(toml, device_code, notes, (folder / "skill.toml").string());
}

const SkillLibrary& SkillLibrary::shipped() {
  static const SkillLibrary library = [] {
    SkillLibrary one;
    one.skills_ = read_shipped();
    return one;
  }();
  return library;
}

bool is_technique_name(std::string_view name) {
  const auto& all = techniques();
  return SkillLibrary::shipped().find(name) == nullptr &&
         std::any_of(all.begin(), all.end(),
                     [&](const Technique& technique) { return technique.name == name; });
}

Result<Skill> read_packed(const PackedSkill& packed) {
  const auto text = [&](const char* name) {
    const auto found = packed.files.find(name);
    return found == packed.files.end() ? std::string_view() : std::string_view(found->second);
  };
  WARPMIND_TRY(auto skill, parse_skill(text("skill.toml"), text("template.cuh"), text("notes.md"),
                                       packed.name + "/skill.toml"));
  const auto differs = [&](const char* what, const std::string& is, const std::string& said) {
    return fail(Errc::invalid_argument, packed.name + "/skill.toml: its " + what + " is " +
                                            quoted_name(is) + ", but the pack says " +
                                            quoted_name(said));
  };
  if (skill.name != packed.name) return differs("name", skill.name, packed.name);
  if (skill.licence != packed.licence) return differs("licence", skill.licence, packed.licence);
  bool applies = false;
  for (const auto& [file, content] : packed.files) {
    if (!file.starts_with(kTests)) continue;
    WARPMIND_TRY(const auto test, read_skill_test(content, packed.name + "/" + file));
    applies = applies || test.applies;
  }
  if (applies) return skill;
  return fail(Errc::invalid_argument,
              packed.name + "/tests: no test expects that the skill applies");
}

Result<KnownSkill> known_skill(const StoredSkill& stored) {
  WARPMIND_TRY(auto skill, read_packed(stored.skill));
  KnownSkill known{std::make_shared<const Skill>(std::move(skill))};
  known.packed = std::make_shared<const StoredSkill>(stored);
  if (stored.quarantined) {
    known.withheld = "its source is quarantined";
  } else if (!is_used(stored)) {
    known.withheld = "it came with a pack and has not passed `warpmind skill check " +
                     stored.skill.name + "` here";
  }
  return known;
}

Result<std::vector<std::pair<std::string, std::string>>> tests_in(
    const std::filesystem::path& folder) {
  std::vector<std::pair<std::string, std::string>> tests;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "tests", error)) {
    if (entry.path().extension() != ".cu") continue;
    WARPMIND_TRY(auto text, read_file(entry.path(), kMostFileBytes));
    tests.emplace_back(entry.path().filename().string(), std::move(text));
  }
  std::sort(tests.begin(), tests.end());
  return tests;
}

Result<PackedSkill> pack_skill(const std::filesystem::path& folder) {
  WARPMIND_TRY(auto skill, read_skill(folder));
  PackedSkill packed{skill.name, skill.licence, {}};
  packed.files["skill.toml"] = std::move(skill.toml);
  packed.files["template.cuh"] = std::move(skill.device_code);
  packed.files["notes.md"] = std::move(skill.notes);
  WARPMIND_TRY(auto tests, tests_in(folder));
  for (auto& [name, text] : tests) packed.files[std::string(kTests) + name] = std::move(text);
  return packed;
}

SkillLibrary SkillLibrary::read(std::span<const std::filesystem::path> folders,
                                std::span<const StoredSkill> packed) {
  SkillLibrary library = shipped();
  for (const auto& folder : folders) {
    std::vector<std::filesystem::path> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (std::filesystem::exists(entry.path() / "skill.toml", error)) found.push_back(entry);
    }
    std::sort(found.begin(), found.end());
    for (const auto& one : found) library.add_folder(one);
  }
  for (const auto& stored : packed) library.add_packed(stored);
  return library;
}

void SkillLibrary::add_folder(const std::filesystem::path& folder) {
  auto skill = read_skill(folder);
  if (!skill) {
    refused_.push_back({folder.string(), skill.error().message});
    return;
  }
  if (const auto taken = taken_by(skill->name); !taken.empty()) {
    refused_.push_back({folder.string(), taken + "; give it another name"});
    return;
  }
  skills_.push_back({std::make_shared<const Skill>(std::move(*skill)), folder.string()});
}

void SkillLibrary::add_packed(const StoredSkill& stored) {
  const auto& name = stored.skill.name;
  const auto refuse = [&](std::string why) {
    refused_.push_back({name + " of " + stored.source, std::move(why)});
  };
  if (stored.quarantined) return refuse("its source is quarantined");
  if (const KnownSkill* const other = find(name)) {
    std::string why = taken_by(name);
    if (other->packed) {
      why += "; to use this one in its place: `warpmind skill check " + name + " --source " +
             stored.source + "`";
    }
    return refuse(std::move(why));
  }
  if (is_technique_name(name)) return refuse(taken_by(name));
  auto known = known_skill(stored);
  if (!known) return refuse(known.error().message);
  (known->withheld.empty() ? skills_ : withheld_).push_back(*std::move(known));
}

std::string SkillLibrary::taken_by(std::string_view name) const {
  const KnownSkill* const other = find(name);
  if (other == nullptr) {
    return is_technique_name(name) ? "a technique of the agent is named '" + std::string(name) + "'"
                                   : std::string();
  }
  const std::string head = "a skill named '" + std::string(name) + "' ";
  if (other->packed) return head + "came with " + other->packed->source;
  return head + (other->is_shipped() ? "is shipped" : "is in " + other->path);
}

const KnownSkill* SkillLibrary::find(std::string_view name) const {
  for (const auto* list : {&skills_, &withheld_}) {
    const auto found = std::find_if(list->begin(), list->end(),
                                    [&](const KnownSkill& one) { return one.skill->name == name; });
    if (found != list->end()) return &*found;
  }
  return nullptr;
}

}  // namespace warpmind::agents::builtin
