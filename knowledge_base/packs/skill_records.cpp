#include "knowledge_base/packs/skill_records.h"

#include "base/codec/described_json.h"
#include "base/text.h"
#include "config/source_text.h"
#include "knowledge_base/insights/text_guard.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/sealed_json.h"

#include <algorithm>
#include <set>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

constexpr std::string_view kWhat = "skill";
constexpr std::size_t kMostName = 64;
constexpr std::size_t kMostTests = 32;
constexpr std::size_t kMostFileBytes = std::size_t{64} * 1024;
/// As JSON it must fit a line of a pack.
constexpr std::size_t kMostBytes = std::size_t{192} * 1024;
constexpr std::string_view kTests = "tests/";
constexpr std::string_view kTestEnd = ".cu";

tl::unexpected<Error> refuse(std::string why) {
  return fail(Errc::invalid_argument, std::move(why));
}

bool is_skill_name(std::string_view name) {
  return !name.empty() && name.size() <= kMostName && name.front() >= 'a' && name.front() <= 'z' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

/// "tests/odd.cu": one name below tests/, so that it leads nowhere else.
bool is_test_name(std::string_view file) {
  if (!file.starts_with(kTests) || !file.ends_with(kTestEnd)) return false;
  const auto name = file.substr(kTests.size());
  return name.size() > kTestEnd.size() && name.size() <= kMostName && name.front() != '.' &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return is_word_character(c) || c == '-' || c == '.'; });
}

const std::set<std::string_view>& needed_files() {
  static const std::set<std::string_view> names = {"skill.toml", "template.cuh", "notes.md"};
  return names;
}

std::string place_in(const std::string& file, std::string_view text, std::size_t offset) {
  const auto before = text.substr(0, offset);
  return file + ":" + std::to_string(std::count(before.begin(), before.end(), '\n') + 1) + ": ";
}

Result<void> check_text(const std::string& file, std::string_view text) {
  if (text.size() > kMostFileBytes) {
    return refuse(file + " has " + std::to_string(text.size()) + " bytes, at most " +
                  std::to_string(kMostFileBytes) + " are taken");
  }
  if (const auto at = config::find_invalid_utf8(text)) {
    return refuse(place_in(file, text, *at) + "is not UTF-8 from here on");
  }
  const auto odd = std::find_if(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20U && c != '\n' && c != '\t' && c != '\r') || byte == 0x7fU;
  });
  if (odd == text.end()) return {};
  return refuse(place_in(file, text, static_cast<std::size_t>(odd - text.begin())) +
                "holds the control character " + std::to_string(static_cast<unsigned char>(*odd)));
}

/// Notes are read by people and models: the rules for claims, but for their length.
Result<void> check_notes(std::string_view notes) {
  std::size_t number = 0;
  for (const auto line : split_lines(notes)) {
    ++number;
    const auto words = suspicious_words(trim_text(line, " \t#*-"));
    if (words.empty()) continue;
    return refuse("notes.md:" + std::to_string(number) + ": holds '" + words +
                  "', which is markup, a link or words to a language model: say in plain words "
                  "what holds for kernels");
  }
  return {};
}

}  // namespace

Result<std::string> encode_skill(const StoredSkill& stored) {
  return seal(nlohmann::json(stored), kWhat);
}

Result<StoredSkill> decode_skill(std::string_view bytes) {
  WARPMIND_TRY(const auto object, open_json(bytes, kWhat));
  return codec::from_json<StoredSkill>(object, "stored skill");
}

Result<void> check_packed_skill(const PackedSkill& skill) {
  if (!is_skill_name(skill.name)) {
    return refuse("its name must be 1 to " + std::to_string(kMostName) +
                  " lower-case letters, digits and '_'");
  }
  WARPMIND_CHECK(check_name("its licence", skill.licence));
  for (const auto name : needed_files()) {
    if (!skill.files.contains(std::string(name))) return refuse("has no " + std::string(name));
  }
  std::size_t bytes = 0;
  for (const auto& [file, text] : skill.files) {
    if (!needed_files().contains(file) && !is_test_name(file)) {
      return refuse("holds a file " + quoted_name(file) +
                    "; a skill has skill.toml, template.cuh, notes.md and tests/NAME.cu");
    }
    WARPMIND_CHECK(check_text(file, text));
    bytes += text.size();
  }
  if (skill.files.size() - needed_files().size() > kMostTests) {
    return refuse("has more than " + std::to_string(kMostTests) + " tests");
  }
  if (bytes > kMostBytes) {
    return refuse("its files have " + std::to_string(bytes) + " bytes, at most " +
                  std::to_string(kMostBytes) + " are taken");
  }
  return check_notes(skill.files.at("notes.md"));
}

namespace {

/// Those whose keys begin with `prefix`, by key.
Result<std::vector<StoredSkill>> skills_at(const RecordReader& reader, const std::string& prefix) {
  WARPMIND_TRY(const auto entries, reader.entries(Family::techniques, prefix, kAllEntries));
  std::vector<StoredSkill> skills;
  skills.reserve(entries.size());
  for (const auto& [key, value] : entries) {
    WARPMIND_TRY(auto stored, decode_skill(value));
    WARPMIND_TRY(const auto source, load_source(reader, stored.source));
    stored.quarantined = source.quarantined();
    skills.push_back(std::move(stored));
  }
  return skills;
}

}  // namespace

Result<std::vector<StoredSkill>> load_skills(const RecordReader& reader) {
  WARPMIND_TRY(auto skills, skills_at(reader, skill_prefix()));
  std::stable_sort(skills.begin(), skills.end(), [](const StoredSkill& a, const StoredSkill& b) {
    return a.skill.name != b.skill.name ? a.skill.name < b.skill.name : is_chosen_before(a, b);
  });
  return skills;
}

Result<bool> has_skill(const RecordReader& reader, const PackedSkill& skill) {
  WARPMIND_TRY(const auto same_name, skills_at(reader, skill_prefix(skill.name)));
  return std::any_of(same_name.begin(), same_name.end(), [&](const StoredSkill& stored) {
    return !stored.quarantined && stored.skill == skill;
  });
}

Result<std::optional<StoredSkill>> load_skill(const RecordReader& reader, const std::string& name,
                                              const std::string& source) {
  WARPMIND_TRY(const auto bytes, reader.get(Family::techniques, skill_key(name, source)));
  if (!bytes) return std::optional<StoredSkill>();
  WARPMIND_TRY(auto stored, decode_skill(*bytes));
  WARPMIND_TRY(const auto known, load_source(reader, source));
  stored.quarantined = known.quarantined();
  return std::optional<StoredSkill>(std::move(stored));
}

}  // namespace warpmind::knowledge_base
