#include "tests/diagnosis/labelled_cases.h"

#include "base/file.h"
#include "config/task_file.h"
#include "config/toml_table_reader.h"

namespace warpmind::diagnosis {
namespace {

constexpr std::size_t kLongestLabels = 1U << 20U;

Result<LabelledCase> read_case(const config::TableReader& table,
                               const std::filesystem::path& directory) {
  LabelledCase one;
  WARPMIND_TRY(one.name, table.text("name", "name = \"transpose_direct\""));
  WARPMIND_TRY(one.verdict, table.text("verdict", "verdict = \"…\""));
  WARPMIND_TRY(one.advice, table.texts_or_empty("advice"));
  WARPMIND_TRY(const auto causes, table.texts_or_empty("causes"));
  for (const auto& name : causes) {
    const auto which =
        name == "none" ? BottleneckClass::at_limit : parse_enum<BottleneckClass>(name);
    if (!which) return table.error_at_key("causes", "'" + name + "' is no bottleneck class");
    one.causes.push_back(*which);
  }
  WARPMIND_TRY(auto loaded, config::load_task(directory / "cases" / one.name));
  one.task = std::move(loaded.task);
  return one;
}

}  // namespace

Result<std::vector<LabelledCase>> load_labelled_cases(const std::filesystem::path& directory) {
  const auto file = directory / "labels.toml";
  WARPMIND_TRY(const auto text, read_file(file, kLongestLabels));
  WARPMIND_TRY(const auto document, config::parse_toml(text, file.string()));
  WARPMIND_TRY(const auto root, config::TableReader::open(file.string(), "labels", document));
  WARPMIND_TRY(const auto tables, root.tables("case", "[[case]]"));
  std::vector<LabelledCase> cases;
  for (const auto& table : tables) {
    WARPMIND_TRY(auto one, read_case(table, directory));
    cases.push_back(std::move(one));
  }
  return cases;
}

}  // namespace warpmind::diagnosis
