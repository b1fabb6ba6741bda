#include "agents/builtin/skills/skill_test.h"

#include "agents/builtin/scene_spellings.h"
#include "agents/builtin/skills/skill_choice.h"
#include "base/text.h"
#include "config/task_parser.h"
#include "config/task_validator.h"
#include "config/toml_table_reader.h"

#include <algorithm>
#include <charconv>
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

/// Returns why the skill refuses; empty: it does not.
std::string try_scene(const Scene& scene, const Skill& skill, SkillTestRun& run) {
  const SkillChoices choices = choices_of(scene, skill);
  std::string refusal = choices.refusal;
  for (const SkillChoice& choice : choices.all) {
    auto kernel = apply_skill(scene, skill, choice);
    if (kernel) {
      run.kernels.emplace_back(choice.parameters(), std::move(*kernel));
    } else {
      refusal = kernel.error().message;
    }
  }
  return refusal;
}

/// "rows_f32.cu" → "rows_f32".
std::string task_name(const std::string& file) {
  std::string name;
  for (const char c : std::filesystem::path(file).stem().string()) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    name += is_plain ? c : '_';
  }
  return "test_" + name;
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
  // Two lines in place of the head, which has at least as many: places in messages are those of the
  // file.
  const auto lines = std::count(comment->head.begin(), comment->head.end(), '\n');
  std::string toml = "name = \"" + task_name(test.name) + "\"\noperator_family = \"other\"\n";
  const auto added = std::count(toml.begin(), toml.end(), '\n');
  if (lines > added) toml.insert(0, static_cast<std::size_t>(lines - added), '\n');
  toml += comment->tables;
  if (toml.find("\n[cost]") == std::string::npos) {
    toml += "\n[cost]\nbytes = \"1\"\nflops = \"1\"\n";
  }
  toml += "\n[kernel]\nfile = \"" + test.name + "\"\n";
  WARPMIND_TRY(auto parsed, config::parse_task(toml, file));
  test.task = std::move(parsed.task);
  test.task.kernel.source = text;
  test.task.id = id_of(test.task);
  WARPMIND_CHECK(config::validate_task(test.task));
  return test;
}

std::string with_template_lines(const std::string& reason, const std::string& source,
                                const Skill& skill) {
  const std::string_view code = trim_text(skill.device_code);
  const auto begin = source.find(code);
  if (begin == std::string::npos) return reason;
  const auto lines = [](std::string_view text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  const std::int64_t first = lines(std::string_view(source).substr(0, begin)) + 1;
  const std::int64_t own_first =
      lines(std::string_view(skill.device_code).substr(0, skill.device_code.find(code))) + 1;
  const auto own_line = [&](std::string_view digits) -> std::optional<std::string> {
    std::int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (number < first || number > first + lines(code)) return std::nullopt;
    return std::to_string(number - first + own_first);
  };
  std::string text;
  for (std::size_t at = 0; at < reason.size();) {
    bool is_place = false;
    for (const std::string_view before : {"kernel.cu(", "line "}) {
      if (reason.compare(at, before.size(), before) != 0) continue;
      const std::size_t from = at + before.size();
      const std::size_t to = std::min(reason.find_first_not_of("0123456789", from), reason.size());
      const auto own = own_line(std::string_view(reason).substr(from, to - from));
      if (!own) continue;
      is_place = true;
      text += before == "line " ? "line " + *own + " of template.cuh" : "template.cuh(" + *own;
      at = to;
      break;
    }
    if (!is_place) text += reason[at++];
  }
  return text;
}

SkillTestRun try_skill(const Skill& skill, const SkillTest& test, const DeviceSpec& device) {
  SkillTestRun run;
  const Bottleneck bottleneck;
  const Advice advice;
  const ProposalContext context{test.task, test.task.kernel, bottleneck, advice, device};
  const auto spellings = SceneSpellings::read(context);
  if (!spellings) {
    run.complaint = spellings.error().message;
    return run;
  }
  const std::string refusal = try_scene(spellings->given(), skill, run);
  // As SceneRewrites asks again.
  for (const Scene* const other : {spellings->plain(), spellings->plain_untiled()}) {
    if (run.kernels.empty() && other != nullptr) try_scene(*other, skill, run);
  }
  if (test.applies && run.kernels.empty()) {
    run.complaint = "the skill does not apply: " + refusal;
  } else if (!test.applies && !run.kernels.empty()) {
    run.complaint = "the skill applies with " + run.kernels.front().first +
                    "; it should refuse with '" + test.refusal + "'";
  } else if (!test.applies && refusal.find(test.refusal) == std::string::npos) {
    run.complaint = "the skill refuses, since " + refusal + "; the test expects a reason with '" +
                    test.refusal + "'";
  }
  return run;
}

}  // namespace warpmind::agents::builtin
