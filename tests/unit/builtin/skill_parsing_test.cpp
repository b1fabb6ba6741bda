#include "agents/builtin/skills/skill.h"
#include "agents/builtin/skills/skill_library.h"
#include "agents/builtin/skills/skill_test.h"
#include "base/file.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;

constexpr const char* kToml = R"(name = "double_all"
form = "pointwise"
summary = "why"
origin = "a test"
licence = "Apache-2.0"
[[parameter]]
name = "threads"
values = [128, 256]
[[launch]]
entry = "wm_double_all"
grid = ["extent0"]
threads = "threads"
template_arguments = ["threads"]
[cost]
nanoseconds = "extent0"
)";
constexpr const char* kCode =
    "template <class Problem, int kThreads>\n"
    "__device__ void wm_double_all(const Problem& problem) {}\n";

std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// The sentence of a refusal; empty: it was read.
std::string refusal_of(const std::string& toml, const std::string& code = kCode,
                       const std::string& notes = "notes\n") {
  const auto skill = parse_skill(toml, code, notes, "x/skill.toml");
  return skill ? std::string() : skill.error().message;
}

TEST(SkillParsing, ReadsWhatTheFilesSay) {
  const auto skill = parse_skill(kToml, kCode, "notes\n", "x/skill.toml");
  ASSERT_TRUE(skill.has_value()) << skill.error().message;
  EXPECT_EQ(skill->name, "double_all");
  EXPECT_EQ(skill->form, FormKind::pointwise);
  ASSERT_EQ(skill->parameters.size(), 1U);
  EXPECT_EQ(skill->parameters[0].values, (std::vector<std::int64_t>{128, 256}));
  ASSERT_EQ(skill->launches.size(), 1U);
  EXPECT_EQ(skill->launches[0].entry, "wm_double_all");
  EXPECT_EQ(own_names(*skill).value(), (std::vector<std::string>{"wm_double_all"}));
}

TEST(SkillParsing, RefusesWithThePlaceAndTheWayOut) {
  EXPECT_THAT(refusal_of(with(kToml, "\"pointwise\"", "\"pointwize\"")),
              HasSubstr("x/skill.toml:2:8: form must be one of contraction, reduction"));
  EXPECT_THAT(refusal_of(with(kToml, "\"double_all\"", "\"Double all\"")),
              HasSubstr("name must be lower-case letters, digits and '_'"));
  EXPECT_THAT(refusal_of(with(kToml, "values = [128, 256]", "values = []")),
              HasSubstr("[[parameter]] 'threads' lacks values; write values = [128, 256]"));
  EXPECT_THAT(refusal_of(with(kToml, "[cost]\nnanoseconds = \"extent0\"\n", "")),
              HasSubstr("nanoseconds"));
  EXPECT_THAT(refusal_of(with(kToml, "summary", "sumary")), HasSubstr("summary"));
  EXPECT_THAT(refusal_of(with(kToml, "\"why\"", "\"why.\"")),
              HasSubstr("x/skill.toml:3:11: summary is one clause without a full stop"));
  EXPECT_THAT(
      refusal_of(with(kToml, "grid = [\"extent0\"]", "grid = [\"extend0\"]")),
      HasSubstr("x/skill.toml:11:8: grid: unknown name 'extend0'; did you mean 'extent0'?"));
  EXPECT_THAT(refusal_of(with(kToml, "[\"threads\"]", "[\"type:value\"]")),
              HasSubstr("the form pointwise has no type:value; it has no types"));
  EXPECT_THAT(refusal_of(with(kToml, "[[launch]]", "[let]\na = \"b\"\nb = \"1\"\n[[launch]]")),
              HasSubstr("a uses a name of [let] that stands below it; move that up"));
  EXPECT_THAT(
      refusal_of(std::string(kToml) + "[[require]]\nthat = \"extent0\"\notherwise = \"x\"\n"),
      HasSubstr("[[require]] needs at_least, at_most or equals"));
  EXPECT_THAT(refusal_of(with(kToml, "template_arguments",
                              "scratch = [\"parts\"]\n"
                              "template_arguments")),
              HasSubstr("there is no [[scratch]] 'parts'"));
}

TEST(SkillParsing, ATemplateStandsAlone) {
  const std::string code = kCode;
  EXPECT_THAT(refusal_of(kToml, "#include <cub/cub.cuh>\n" + code), HasSubstr("includes a file"));
  EXPECT_THAT(refusal_of(kToml, "#define N 3\n" + code), HasSubstr("defines a macro"));
  EXPECT_THAT(refusal_of(kToml, code + "__global__ void wm_k() {}\n"),
              HasSubstr("defines the kernel 'wm_k'"));
  EXPECT_THAT(refusal_of(kToml, code + "__device__ int helper() { return 1; }\n"),
              HasSubstr("defines 'helper'; its names begin with wm_"));
  EXPECT_THAT(refusal_of(kToml, code + "struct pair { int a; };\n"),
              HasSubstr("defines 'struct pair'"));
  EXPECT_THAT(refusal_of(with(kToml, "entry = \"wm_double_all\"", "entry = \"wm_other\"")),
              HasSubstr("has no function 'wm_other'"));
  EXPECT_THAT(refusal_of(kToml, code + "__device__ void wm_f( {\n"), HasSubstr("template.cuh"));
}

TEST(SkillParsing, NotesAreShort) {
  std::string notes;
  for (int i = 0; i < 21; ++i) notes += "line\n";
  EXPECT_THAT(refusal_of(kToml, kCode, notes), HasSubstr("more than 20 lines"));
}

class SkillFolders : public testing::Test {
 protected:
  void write_skill(const std::string& folder, const std::string& toml) const {
    const auto path = places_.path() / folder;
    std::filesystem::create_directories(path);
    ASSERT_TRUE(write_output_file(path / "skill.toml", toml).has_value());
    ASSERT_TRUE(write_output_file(path / "template.cuh", kCode).has_value());
    ASSERT_TRUE(write_output_file(path / "notes.md", "notes\n").has_value());
  }
  [[nodiscard]] SkillLibrary library() const {
    const std::array folders{places_.path()};
    return SkillLibrary::read(folders);
  }

  ScratchDirectory places_ =
      ScratchDirectory::create(std::filesystem::temp_directory_path(), "skills").value();
};

TEST_F(SkillFolders, ABadOneIsNamedAndTheOthersAreUsed) {
  write_skill("a", kToml);
  write_skill("b", with(kToml, "[cost]", "[costs]"));
  write_skill("c", kToml);
  const SkillLibrary all = library();
  ASSERT_NE(all.find("double_all"), nullptr);
  EXPECT_EQ(all.find("double_all")->path, (places_.path() / "a").string());
  ASSERT_EQ(all.refused().size(), 2U);
  EXPECT_THAT(all.refused()[0].reason, HasSubstr("costs"));
  EXPECT_THAT(all.refused()[1].reason, HasSubstr("a skill named 'double_all' is in"));
}

TEST_F(SkillFolders, AShippedNameIsTaken) {
  const auto& shipped = SkillLibrary::shipped().skills();
  ASSERT_FALSE(shipped.empty());
  write_skill("mine", with(kToml, "double_all", shipped.front().skill->name));
  ASSERT_EQ(library().refused().size(), 1U);
  EXPECT_THAT(library().refused()[0].reason, HasSubstr("is shipped; give it another name"));
}

TEST_F(SkillFolders, NoFolderIsNoSkill) {
  const std::array folders{places_.path() / "not_there"};
  EXPECT_EQ(SkillLibrary::read(folders).skills().size(), SkillLibrary::shipped().skills().size());
}

TEST(SkillTestFiles, SayWhatIsMissing) {
  const auto complaint = [](const std::string& text) {
    const auto test = read_skill_test(text, "tests/a.cu");
    return test ? std::string() : test.error().message;
  };
  EXPECT_THAT(complaint("__global__ void k() {}"), HasSubstr("tests/a.cu:1:1: a test begins with"));
  EXPECT_THAT(complaint("/*\nexpect = \"maybe\"\n[contract]\n*/"),
              HasSubstr("expect must be \"applies\" or \"refuses\""));
  EXPECT_THAT(complaint("/*\nexpect = \"refuses\"\n[contract]\n*/"),
              HasSubstr("a refusal needs a part of its reason"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
