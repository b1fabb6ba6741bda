/// \file
/// What expressions of a skill may name, and what is said of those that are wrong.

#include "agents/builtin/skills/skill_names.h"

#include "agents/builtin/loops/plain_spelling.h"
#include "agents/builtin/skills/skill_library.h"
#include "agents/builtin/skills/skill_test.h"
#include "config/device_table.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAreArray;

struct Found {
  std::set<std::string> facts, types;
};

void look_at(const Scene& scene, std::map<FormKind, Found>& found) {
  for (const FormFinding& finding : find_forms(scene)) {
    for (const NormalForm& form : finding.forms) {
      auto& names = found[form.kind];
      for (const FormFact& fact : form.facts) names.facts.insert(fact.name);
      for (const auto& [name, type] : form.types) names.types.insert(name);
    }
  }
}

/// Of every kernel that a test of a shipped skill brings.
std::map<FormKind, Found> names_of_all_forms() {
  std::map<FormKind, Found> found;
  const DeviceSpec device = config::device_table().need("h200").value();
  for (const EmbeddedFile& file : shipped_skill_tests()) {
    const auto test = read_skill_test(file.content, file.name);
    if (!test) continue;
    const Bottleneck bottleneck;
    const Advice advice;
    const ProposalContext context{test->task, test->task.kernel, bottleneck, advice, device};
    const auto scene = Scene::read(context);
    if (!scene) continue;
    look_at(*scene, found);
    const auto plain = plain_spelling(*scene);
    if (!plain) continue;
    const ProposalContext other{test->task, *plain, bottleneck, advice, device};
    if (const auto spelled = Scene::read(other)) look_at(*spelled, found);
  }
  return found;
}

TEST(SkillNames, AreThoseThatFormsBring) {
  const auto found = names_of_all_forms();
  for (const auto& [kind, name] : EnumNames<FormKind>::table) {
    const auto names = found.find(kind);
    ASSERT_NE(names, found.end()) << name << " has no test in tests/skills";
    const auto facts = facts_of(kind);
    const auto types = types_of(kind);
    EXPECT_THAT(names->second.facts, UnorderedElementsAreArray(facts.begin(), facts.end())) << name;
    EXPECT_THAT(names->second.types, UnorderedElementsAreArray(types.begin(), types.end())) << name;
  }
}

TEST(SkillNames, AMistakeIsNamedBeforeAnyKernelIsThere) {
  const std::vector<std::string> known{"length", "rows", "threads"};
  EXPECT_EQ(mistake_in("ceil_div(rows * length, threads) - 1", known), "");
  EXPECT_EQ(mistake_in("rows / (length - length)", known), "");
  EXPECT_THAT(mistake_in("lenght + 1", known),
              HasSubstr("unknown name 'lenght'; did you mean 'length'?"));
  EXPECT_THAT(mistake_in("(rows + 1", known), HasSubstr("')' is missing"));
  EXPECT_THAT(mistake_in("1.5 * rows", known), HasSubstr("numbers are integers"));
  EXPECT_THAT(mistake_in("ceil_div(rows)", known), HasSubstr("no function ceil_div with 1"));
  EXPECT_THAT(mistake_in("rows rows", known), HasSubstr("unexpected 'r'"));
}

TEST(SkillNames, PlacesInAWrittenKernelAreThoseOfTheTemplate) {
  Skill skill;
  skill.device_code = "\n// what\n__device__ int wm_a() { return 1 }\n";
  const std::string source =
      "#include <cuda_fp16.h>\n\n// what\n__device__ int wm_a() { return 1 }\nint b;\n";
  EXPECT_EQ(with_template_lines("kernel.cu(4): error: expected a \";\"", source, skill),
            "template.cuh(3): error: expected a \";\"");
  EXPECT_EQ(with_template_lines("out of bounds in k line 4", source, skill),
            "out of bounds in k line 3 of template.cuh");
  EXPECT_EQ(with_template_lines("kernel.cu(40): error", source, skill), "kernel.cu(40): error");
}

TEST(SkillNames, PlacesInATestAreThoseOfItsFile) {
  for (const char* const expected :
       {"expect = \"applies\"\n", "expect = \"refuses\"\nrefusal = \"x\"\n"}) {
    const std::string head = std::string("/*\n") + expected;
    const auto line = std::count(head.begin(), head.end(), '\n') + 3;
    const auto test = read_skill_test(
        head + "[[argument]]\nname = \"x\"\ndtyp = \"i32\"\n*/\n__global__ void k(int* x) {}\n",
        "tests/a.cu");
    ASSERT_FALSE(test.has_value());
    EXPECT_THAT(test.error().message, HasSubstr("tests/a.cu:" + std::to_string(line) + ":1"));
  }
}

}  // namespace
}  // namespace warpmind::agents::builtin
