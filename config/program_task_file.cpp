#include "config/program_task_file.h"

#include "base/file.h"
#include "base/text.h"
#include "config/program_task_validator.h"
#include "config/toml_table_reader.h"

#include <charconv>
#include <map>
#include <system_error>

namespace warpmind::config {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kProgramTomlBytes = std::size_t{1} << 18U;

std::string toml_string(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    if (byte < 0x20 || byte == 0x7F) {
      out += "\\u00";
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 15U];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string toml_strings(const std::vector<std::string>& texts) {
  return "[" + join_text(texts, ", ", toml_string) + "]";
}

Result<ProgramPassRule> parse_pass_rule(const TableReader& root) {
  WARPMIND_TRY(const auto* value, root.need("pass", "[pass] with output = \"PASS\""));
  WARPMIND_TRY(const TableReader table, TableReader::open(root.file(), "[pass]", *value));
  WARPMIND_CHECK(table.allow_only({"exit_code", "output", "never"}));
  ProgramPassRule rule;
  if (table.find("exit_code") != nullptr) {
    WARPMIND_TRY(const auto code, table.integer("exit_code", "exit_code = 0"));
    // Checked with its place below; what no int holds must not wrap into the range.
    rule.exit_code = code >= 0 && code <= 255 ? static_cast<int>(code) : -1;
  }
  WARPMIND_TRY(rule.output, table.text_or("output", ""));
  WARPMIND_TRY(rule.never, table.text_or("never", ""));
  return rule;
}

Result<ProgramTask> read_program_table(const TableReader& root) {
  WARPMIND_CHECK(root.allow_only({"name", "build", "run", "pass", "kernels", "editable", "needs",
                                  "build_seconds", "run_seconds", "origin", "restricted"}));
  ProgramTask task;
  WARPMIND_TRY(task.name, root.text("name", "name = \"row_sums\""));
  WARPMIND_TRY(task.build, root.text_or("build", ""));
  WARPMIND_TRY(task.run, root.text("run", "run = \"./main 1000\""));
  WARPMIND_TRY(task.pass, parse_pass_rule(root));
  WARPMIND_TRY(task.kernels, root.texts_or_empty("kernels"));
  WARPMIND_TRY(task.editable, root.texts_or_empty("editable"));
  WARPMIND_TRY(task.needs, root.texts_or_empty("needs"));
  WARPMIND_TRY(task.build_seconds, root.number_or("build_seconds", task.build_seconds));
  WARPMIND_TRY(task.run_seconds, root.number_or("run_seconds", task.run_seconds));
  WARPMIND_TRY(task.origin, root.text_or("origin", ""));
  WARPMIND_TRY(task.restricted, root.text_or("restricted", ""));
  return task;
}

/// Of `where` as a problem names it: "pass.output", "kernels[1]"; else of the table around it.
TomlPlace place_of_key(const TomlValue& document, std::string_view where) {
  const TomlValue* at = &document;
  while (at != nullptr && !where.empty()) {
    const auto end = std::min(where.find_first_of(".["), where.size());
    const TomlValue* const next = at->find(where.substr(0, end));
    if (next == nullptr) return at->place;
    at = next;
    where.remove_prefix(end);
    if (where.starts_with('[')) {
      std::size_t index = 0;
      std::from_chars(where.data() + 1, where.data() + where.size(), index);
      const auto* const list = at->get<TomlValue::Array>();
      return list != nullptr && index < list->size() ? (*list)[index].place : at->place;
    }
    if (!where.empty()) where.remove_prefix(1);
  }
  return at->place;
}

struct PlacedProgramTask {
  TomlValue document;
  ProgramTask task;
};

Result<PlacedProgramTask> parse_placed(std::string_view text, std::string_view file) {
  PlacedProgramTask out;
  WARPMIND_TRY(out.document, parse_toml(text, file));
  WARPMIND_TRY(const TableReader root, TableReader::open(file, "the file", out.document));
  WARPMIND_TRY(out.task, read_program_table(root));
  if (const auto bad = find_program_task_problem(out.task)) {
    return fail(Errc::invalid_argument, at_place(file, place_of_key(out.document, bad->where),
                                                 "'" + bad->where + "': " + bad->message));
  }
  return out;
}

}  // namespace

Result<ProgramTask> parse_program_task(std::string_view text, std::string_view file) {
  WARPMIND_TRY(auto placed, parse_placed(text, file));
  return std::move(placed.task);
}

Result<ProgramTask> load_program_task(const fs::path& folder) {
  std::error_code ec;
  const fs::path file = folder / kProgramTaskFile;
  if (!fs::is_directory(folder, ec)) {
    return fail(Errc::not_found, folder.string() + " is no folder; give the one that contains " +
                                     std::string(kProgramTaskFile));
  }
  if (!fs::is_regular_file(file, ec)) {
    return fail(Errc::not_found, file.string() + " does not exist; `warpmind task new " +
                                     folder.string() + "` makes it (docs/program_tasks.md)");
  }
  WARPMIND_TRY(const auto text, read_file(file, kProgramTomlBytes));
  WARPMIND_TRY(auto placed, parse_placed(text, file.string()));
  if (const auto bad = find_missing_file(placed.task, folder)) {
    return fail(Errc::invalid_argument,
                at_place(file.string(), place_of_key(placed.document, bad->where), bad->message));
  }
  return std::move(placed.task);
}

std::string program_task_toml(const ProgramTask& task) {
  const ProgramTask usual;
  std::string out;
  const auto add = [&out](std::string_view key, const std::string& value) {
    out += std::string(key) + " = " + value + "\n";
  };
  add("name", toml_string(task.name));
  if (!task.origin.empty()) add("origin", toml_string(task.origin));
  if (!task.restricted.empty()) add("restricted", toml_string(task.restricted));
  if (!task.build.empty()) add("build", toml_string(task.build));
  add("run", toml_string(task.run));
  add("kernels", toml_strings(task.kernels));
  add("editable", toml_strings(task.editable));
  if (!task.needs.empty()) add("needs", toml_strings(task.needs));
  if (task.build_seconds != usual.build_seconds) {
    add("build_seconds", shortest_number(task.build_seconds));
  }
  if (task.run_seconds != usual.run_seconds) add("run_seconds", shortest_number(task.run_seconds));
  out += "\n[pass]\n";
  add("exit_code", std::to_string(task.pass.exit_code));
  if (!task.pass.output.empty()) add("output", toml_string(task.pass.output));
  if (!task.pass.never.empty()) add("never", toml_string(task.pass.never));
  return out;
}

Result<void> write_program_task(const fs::path& folder, const ProgramTask& task) {
  WARPMIND_CHECK(validate_program_task(task));
  if (const auto bad = find_missing_file(task, folder)) {
    return fail(Errc::invalid_argument, bad->where + ": " + bad->message);
  }
  const fs::path file = folder / kProgramTaskFile;
  std::error_code ec;
  if (fs::exists(file, ec)) {
    return fail(Errc::conflict, file.string() + " is there already; remove it, or change it");
  }
  return write_output_file(file, program_task_toml(task));
}

}  // namespace warpmind::config
