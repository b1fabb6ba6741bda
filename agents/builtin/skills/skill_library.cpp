#include "agents/builtin/skills/skill_library.h"

#include "base/file.h"

#include <algorithm>
#include <map>

namespace warpmind::agents::builtin {
namespace {

constexpr std::size_t kMostFileBytes = std::size_t{1} << 20;

std::vector<KnownSkill> read_shipped() {
  std::map<std::string, std::map<std::string, std::string_view>> folders;
  for (const ShippedFile& file : shipped_skill_files()) {
    const auto slash = file.name.find('/');
    folders[std::string(file.name.substr(0, slash))][std::string(file.name.substr(slash + 1))] =
        file.content;
  }
  std::vector<KnownSkill> skills;
  for (const auto& [folder, files] : folders) {
    const auto text = [&](const char* name) {
      const auto found = files.find(name);
      return found == files.end() ? std::string_view() : found->second;
    };
    auto skill = parse_skill(text("skill.toml"), text("template.cuh"), text("notes.md"),
                             "skills/" + folder + "/skill.toml");
    // Tests hold every shipped skill to this; a build with a broken one goes on without it.
    if (skill) skills.push_back({std::make_shared<const Skill>(std::move(*skill)), {}});
  }
  return skills;
}

}  // namespace

Result<Skill> read_skill(const std::filesystem::path& folder) {
  const auto text = [&](const char* name) { return read_file(folder / name, kMostFileBytes); };
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

SkillLibrary SkillLibrary::read(std::span<const std::filesystem::path> folders) {
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
  return library;
}

void SkillLibrary::add_folder(const std::filesystem::path& folder) {
  auto skill = read_skill(folder);
  if (!skill) {
    refused_.push_back({folder.string(), skill.error().message});
    return;
  }
  if (const KnownSkill* other = find(skill->name)) {
    refused_.push_back(
        {folder.string(), "a skill named '" + skill->name + "' " +
                              (other->path.empty() ? "is shipped" : "is in " + other->path) +
                              "; give it another name"});
    return;
  }
  skills_.push_back({std::make_shared<const Skill>(std::move(*skill)), folder.string()});
}

const KnownSkill* SkillLibrary::find(std::string_view name) const {
  const auto found = std::find_if(skills_.begin(), skills_.end(),
                                  [&](const KnownSkill& one) { return one.skill->name == name; });
  return found == skills_.end() ? nullptr : &*found;
}

}  // namespace warpmind::agents::builtin
