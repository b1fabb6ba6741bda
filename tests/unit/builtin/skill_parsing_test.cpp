#include "agents/builtin/skills/skill.h"
#include "agents/builtin/skills/skill_library.h"
#include "agents/builtin/skills/skill_test.h"
#include "agents/builtin/technique.h"
#include "base/file.h"
#include "tests/fakes/foreign_skill.h"

#include <algorithm>
#include <array>
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
  EXPECT_THAT(refusal_of(kToml, code + "struct pair { int a; };\n"), HasSubstr("has 'struct pair"));
  EXPECT_THAT(refusal_of(with(kToml, "entry = \"wm_double_all\"", "entry = \"wm_other\"")),
              HasSubstr("has no function 'wm_other'"));
  EXPECT_THAT(refusal_of(kToml, code + "__device__ void wm_f( {\n"), HasSubstr("template.cuh"));
}

TEST(SkillParsing, ARefusedTemplateIsNamedWithItsLine) {
  const std::string code = kCode;
  EXPECT_EQ(refusal_of(kToml, code + "\n#include <cuda.h>\n"),
            "x/template.cuh:4: includes a file; it must stand alone");
  EXPECT_EQ(refusal_of(kToml, code + "struct pair { int a; };\n"),
            "x/template.cuh:3: has 'struct pair { int a; }'; at file level there are functions, "
            "types and constants whose names begin with wm_");
}

/// What hides below something else, or is no function, is looked at like the rest.
TEST(SkillParsing, NothingForeignHidesInATemplate) {
  const std::string code = kCode;
  EXPECT_THAT(refusal_of(kToml, "#if 1\n#include <cub/cub.cuh>\n#endif\n" + code),
              HasSubstr("includes a file"));
  EXPECT_THAT(refusal_of(kToml, "__device__ void wm_f() {\n#define N 3\n}\n" + code),
              HasSubstr("defines a macro"));
  EXPECT_THAT(refusal_of(kToml, "#undef assert\n" + code), HasSubstr("holds '#undef assert'"));
  EXPECT_THAT(refusal_of(kToml, "#pragma GCC poison printf\n" + code), HasSubstr("holds '#pragma"));
  EXPECT_THAT(refusal_of(kToml, "#if 1\n__device__ int wm_x;\n#endif\n" + code),
              HasSubstr("at file level there are"));
  EXPECT_THAT(refusal_of(kToml, "template <class T>\nstruct pair { T a; };\n" + code),
              HasSubstr("has 'struct pair"));
  EXPECT_THAT(refusal_of(kToml, "namespace wm_n { __device__ int x; }\n" + code),
              HasSubstr("has 'namespace wm_n"));
  EXPECT_THAT(refusal_of(kToml, "using namespace std;\n" + code),
              HasSubstr("has 'using namespace"));
  EXPECT_THAT(refusal_of(kToml, "using real = double;\n" + code), HasSubstr("has 'using real"));
  EXPECT_THAT(refusal_of(kToml, "constexpr int wm_a = 1, kB = 2;\n" + code),
              HasSubstr("has 'constexpr int"));
  EXPECT_THAT(refusal_of(kToml, "enum color { red };\n" + code), HasSubstr("has 'enum color"));
  EXPECT_THAT(refusal_of(kToml, "extern \"C\" int system(const char*);\n" + code),
              HasSubstr("at file level there are"));
  EXPECT_EQ(
      refusal_of(kToml,
                 "constexpr int wm_a = 1, wm_b = 2;\nusing wm_real = double;\n"
                 "template <class T>\nstruct wm_pair { T a; __device__ T sum() { return a; } };\n"
                 "__device__ int wm_f(int x) {\n#pragma unroll\n  for (int i = 0; i < 4; ++i) "
                 "x += i;\n  return x;\n}\n" +
                     code),
      "");
}

TEST(SkillParsing, ALaunchGivesWhatItsEntryTakes) {
  EXPECT_THAT(refusal_of(with(kToml, "[\"threads\"]", "[\"threads\", 2]")),
              HasSubstr("wm_double_all takes 2 template arguments and 1 arguments; given are 3"));
  EXPECT_THAT(refusal_of(with(kToml, "template_arguments", "sizes = [4]\ntemplate_arguments")),
              HasSubstr("1 arguments; given are 2 (the problem's type, template_arguments) and 2"));
  EXPECT_EQ(refusal_of(kToml,
                       "template <class Problem, int kThreads, int kDeep = 2>\n"
                       "__device__ void wm_double_all(const Problem& problem) {}\n"),
            "");
}

TEST(SkillParsing, NotesAreShort) {
  std::string notes;
  for (int i = 0; i < 21; ++i) notes += "line\n";
  EXPECT_THAT(refusal_of(kToml, kCode, notes), HasSubstr("more than 20 lines"));
}

StoredSkill came(PackedSkill skill, const std::string& pack, const std::string& checked_on = {}) {
  StoredSkill stored;
  stored.skill = std::move(skill);
  stored.source = "pack:" + pack;
  stored.checked_on = checked_on;
  return stored;
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

TEST_F(SkillFolders, ANameOfATechniqueIsTaken) {
  write_skill("mine", with(kToml, "double_all", "block_size"));
  const std::array folders{places_.path()};
  const std::vector<StoredSkill> packed{came(fakes::foreign_skill("split_k"), "a", "h200")};
  const auto all = SkillLibrary::read(folders, packed);
  EXPECT_EQ(all.skills().size(), SkillLibrary::shipped().skills().size());
  ASSERT_EQ(all.refused().size(), 2U);
  EXPECT_EQ(all.refused()[0].reason,
            "a technique of the agent is named 'block_size'; give it another name");
  EXPECT_EQ(all.refused()[1].reason, "a technique of the agent is named 'split_k'");
}

TEST_F(SkillFolders, NoFolderIsNoSkill) {
  const std::array folders{places_.path() / "not_there"};
  EXPECT_EQ(SkillLibrary::read(folders).skills().size(), SkillLibrary::shipped().skills().size());
}

TEST_F(SkillFolders, SkillsOfPacksComeLastAndAreWithheldUntilTheyAreTrusted) {
  write_skill("mine", kToml);
  const auto& shipped = SkillLibrary::shipped().skills();
  const std::string taken = shipped.front().skill->name;
  auto double_all = fakes::foreign_skill("double_all");
  auto quarantined = came(fakes::foreign_skill("bad_sums"), "f", "h200");
  quarantined.quarantined = true;
  auto damaged = fakes::foreign_skill("cut_sums");
  damaged.files.erase("template.cuh");
  const std::vector<StoredSkill> packed{came(fakes::foreign_skill("new_sums"), "a"),
                                        came(fakes::foreign_skill("good_sums"), "b", "h200"),
                                        came(fakes::foreign_skill("good_sums"), "c"),
                                        came(fakes::foreign_skill(taken), "d", "h200"),
                                        came(std::move(double_all), "e", "h200"),
                                        quarantined,
                                        came(std::move(damaged), "g", "h200")};
  const std::array folders{places_.path()};
  const auto all = SkillLibrary::read(folders, packed);
  ASSERT_EQ(all.skills().size(), shipped.size() + 2);
  EXPECT_EQ(all.skills().back().skill->name, "good_sums");
  ASSERT_NE(all.skills().back().packed, nullptr);
  EXPECT_EQ(all.skills().back().packed->source, "pack:b");
  ASSERT_EQ(all.withheld().size(), 1U);
  EXPECT_EQ(all.withheld()[0].withheld,
            "it came with a pack and has not passed `warpmind skill check new_sums` here");
  EXPECT_EQ(all.find("new_sums"), &all.withheld()[0]);
  ASSERT_EQ(all.refused().size(), 5U);
  EXPECT_EQ(all.refused()[0].path, "good_sums of pack:c");
  EXPECT_EQ(all.refused()[0].reason,
            "a skill named 'good_sums' came with pack:b; to use this one in its place: `warpmind "
            "skill check good_sums --source pack:c`");
  EXPECT_EQ(all.refused()[1].reason, "a skill named '" + taken + "' is shipped");
  EXPECT_EQ(all.refused()[2].reason,
            "a skill named 'double_all' is in " + (places_.path() / "mine").string());
  EXPECT_EQ(all.refused()[3].reason, "its source is quarantined");
  EXPECT_THAT(all.refused()[4].reason, HasSubstr("cut_sums/template.cuh: has no function"));
}

TEST_F(SkillFolders, WithheldSkillsAreNoTechniques) {
  const std::vector<StoredSkill> packed{came(fakes::foreign_skill("new_sums"), "a")};
  const auto is_there = [](const SkillLibrary& library) {
    const auto table = techniques_with(library);
    return std::any_of(table.begin(), table.end(),
                       [](const Technique& one) { return one.name == "new_sums"; });
  };
  EXPECT_FALSE(is_there(SkillLibrary::read({}, packed)));
  auto trusted = packed;
  trusted[0].vouched_by = "user:alice";
  EXPECT_TRUE(is_there(SkillLibrary::read({}, trusted)));
}

TEST_F(SkillFolders, AFolderIsPackedWithItsTests) {
  write_skill("mine", kToml);
  std::filesystem::create_directories(places_.path() / "mine" / "tests");
  ASSERT_TRUE(write_output_file(places_.path() / "mine" / "tests" / "a.cu", "x\n").has_value());
  ASSERT_TRUE(write_output_file(places_.path() / "mine" / "tests" / "a.txt", "x\n").has_value());
  const auto packed = pack_skill(places_.path() / "mine");
  ASSERT_TRUE(packed.has_value()) << packed.error().message;
  EXPECT_EQ(packed->name, "double_all");
  EXPECT_EQ(packed->licence, "Apache-2.0");
  EXPECT_EQ(packed->files.size(), 4U);
  EXPECT_EQ(packed->files.at("skill.toml"), kToml);
  EXPECT_EQ(packed->files.at("tests/a.cu"), "x\n");
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
