#include "agents/builtin/skills/skill_test.h"

#include "agents/builtin/loops/plain_spelling.h"
#include "agents/builtin/skills/skill_choice.h"
#include "agents/builtin/untiling/untiled.h"
#include "base/text.h"
#include "config/task_parser.h"
#include "config/task_validator.h"
#include "config/toml_table_reader.h"

#include <filesystem>

namespace warpmind::agents::builtin {
namespace {

/// Head and tables of the first comment, padded with line feeds to keep line numbers.
struct TestComment {
  std::string head;
  std::string tables;
};

std::optional<TestComment> first_comment(std::string_view text) {
  const auto begin = text.find("/*");
  if (begin == std::string_view::npos) return std::nullopt;
  if (!trim_text(text.substr(0, begin)).empty()) return std::nullopt;
  const auto end = text.find("*/", begin);
  if (end == std::string_view::npos) return std::nullopt;
  std::string head(begin + 2, ' ');
  head += text.substr(begin + 2, end - begin - 2);
  const auto tables = head.find("\n[");
  if (tables == std::string::npos) return std::nullopt;
  std::string rest(head, tables + 1);
  head.resize(tables + 1);
  return TestComment{std::move(head), std::move(rest)};
}

Result<void> read_expectation(const TestComment& comment, std::string_view file, SkillTest& test) {
  WARPMIND_TRY(const auto document, config::parse_toml(comment.head, file));
  WARPMIND_TRY(const auto table, config::TableReader::open(file, "the first comment", document));
  WARPMIND_CHECK(table.allow_only({"expect", "refusal"}));
  WARPMIND_TRY(const auto expected, table.text("expect", "expect = \"applies\""));
  if (expected != "applies" && expected != "refuses") {
    return table.error_at_key("expect", "expect must be \"applies\" or \"refuses\"");
  }
  test.applies = expected == "applies";
  WARPMIND_TRY(test.refusal, table.text_or("refusal", ""));
  if (!test.applies && test.refusal.empty()) {
    return table.error_at_key("expect",
                              "a refusal needs a part of its reason: refusal = \"rows are short\"");
  }
  return {};
}

/// The scene as given or, where that has no such form, in plain spelling.
struct TestScene {
  explicit TestScene(const Task& task, const DeviceSpec& device)
      : given(task.kernel), context{task, given, bottleneck, advice, device} {}

  Kernel given;
  Bottleneck bottleneck;
  Advice advice;
  ProposalContext context;
};

void try_scene(const Scene& scene, const Skill& skill, SkillTestRun& run, std::string& refusal) {
  const SkillChoices choices = choices_of(scene, skill);
  refusal = choices.refusal;
  for (const SkillChoice& choice : choices.all) {
    if (auto kernel = apply_skill(scene, skill, choice)) {
      run.kernels.emplace_back(choice.parameters(), std::move(*kernel));
    }
  }
  if (run.kernels.empty() && !choices.all.empty()) {
    refusal = "its launches do not fit the device or the plan";
  }
}

/// As SceneRewrites asks again.
void try_untiled(const SkillTest& test, const DeviceSpec& device, const Scene& scene,
                 const Skill& skill, SkillTestRun& run) {
  const Untiling& untiling = untiling_of(scene);
  if (!untiling.untiled) return;
  TestScene other(test.task, device);
  other.given = untiling.untiled->kernel;
  const auto untiled = Scene::read(other.context);
  if (!untiled) return;
  TestScene last(test.task, device);
  last.given = plain_spelling(*untiled).value_or(other.given);
  const auto plain = Scene::read(last.context);
  std::string unused;
  if (plain) try_scene(*plain, skill, run, unused);
}

}  // namespace

Result<SkillTest> read_skill_test(std::string_view text, std::string_view file) {
  const auto comment = first_comment(text);
  if (!comment) {
    return fail(Errc::invalid_argument,
                std::string(file) +
                    ":1:1: a test begins with a comment that holds `expect = \"applies\"` and the "
                    "tables of a task.toml");
  }
  SkillTest test;
  test.name = std::filesystem::path(file).filename().string();
  WARPMIND_CHECK(read_expectation(*comment, file, test));
  // One line above the tables is free: the head's last, which the tables do not need.
  const auto lines = std::count(comment->head.begin(), comment->head.end(), '\n');
  std::string toml = "name = \"skill_test\"\noperator_family = \"other\"\n[kernel]\nfile = \"" +
                     test.name + "\"\n";
  const auto added = std::count(toml.begin(), toml.end(), '\n');
  if (lines > added) toml.insert(0, static_cast<std::size_t>(lines - added), '\n');
  WARPMIND_TRY(auto parsed, config::parse_task(toml + comment->tables, file));
  test.task = std::move(parsed.task);
  test.task.kernel.source = text;
  test.task.id = id_of(test.task);
  WARPMIND_CHECK(config::validate_task(test.task));
  return test;
}

SkillTestRun try_skill(const Skill& skill, const SkillTest& test, const DeviceSpec& device) {
  SkillTestRun run;
  std::string refusal;
  TestScene given(test.task, device);
  const auto scene = Scene::read(given.context);
  if (!scene) {
    run.complaint = test.name + ": " + scene.error().message;
    return run;
  }
  try_scene(*scene, skill, run, refusal);
  if (run.kernels.empty()) {
    if (auto plain = plain_spelling(*scene)) {
      TestScene other(test.task, device);
      other.given = std::move(*plain);
      if (const auto second = Scene::read(other.context)) {
        std::string unused;
        try_scene(*second, skill, run, unused);
      }
    }
  }
  if (run.kernels.empty()) try_untiled(test, device, *scene, skill, run);
  if (test.applies && run.kernels.empty()) {
    run.complaint = test.name + ": the skill does not apply: " + refusal;
  } else if (!test.applies && !run.kernels.empty()) {
    run.complaint = test.name + ": the skill applies with " + run.kernels.front().first +
                    "; it should refuse with '" + test.refusal + "'";
  } else if (!test.applies && refusal.find(test.refusal) == std::string::npos) {
    run.complaint = test.name + ": the skill refuses with '" + refusal + "'; '" + test.refusal +
                    "' is expected";
  }
  return run;
}

}  // namespace warpmind::agents::builtin
