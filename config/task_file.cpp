#include "config/task_file.h"

#include "base/file.h"
#include "base/sequence.h"
#include "config/task_parser.h"
#include "config/task_validator.h"
#include "config/toml_document.h"
#include "syntax/lexer.h"

#include <algorithm>
#include <system_error>

namespace warpmind::config {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTaskFileLimitBytes = std::size_t{1} << 20U;
constexpr std::size_t kRecordedValuesBytesLimit = std::size_t{1} << 20U;

tl::unexpected<Error> refused(std::string message) {
  return fail(Errc::invalid_argument, std::move(message));
}

/// Reads `name`, which must be a regular file below `folder` (canonical) after every link.
Result<std::string> read_inside(const fs::path& folder, const std::string& name,
                                std::size_t limit_bytes) {
  const fs::path relative(name);
  const bool climbs = contains(relative, "..");
  if (name.empty() || relative.is_absolute() || climbs || name.find('\0') != std::string::npos) {
    return refused("'" + name + "' leaves the task folder; name a file inside it");
  }
  std::error_code ec;
  const fs::path path = fs::canonical(folder / relative, ec);
  if (ec) return refused("'" + name + "' does not exist; create it, or correct the name");
  if (!begins_with(path, folder)) {
    return refused("'" + name + "' is a link that leaves the task folder; copy the file into it");
  }
  // Reading a FIFO or a device could block for ever.
  if (!fs::is_regular_file(path, ec)) return refused("'" + name + "' is no regular file");
  return read_file(path, limit_bytes);
}

Result<std::string> read_task_toml(const fs::path& directory) {
  std::error_code ec;
  const fs::path folder = fs::canonical(directory, ec);
  if (ec || !fs::is_directory(folder, ec)) {
    return fail(Errc::not_found,
                directory.string() + " is no folder; give the folder that contains task.toml");
  }
  if (!fs::exists(folder / "task.toml", ec)) {
    return fail(Errc::not_found,
                (directory / "task.toml").string() +
                    " does not exist; write one that names the arguments, workloads, contract, "
                    "cost, reference and kernel of the task (docs/tasks.md has a full example)");
  }
  auto text = read_inside(folder, "task.toml", kTaskFileLimitBytes);
  if (!text) return fail(std::move(text).error().while_doing(directory.string()));
  return text;
}

std::vector<std::string> find_warnings(const Task& task) {
  std::vector<std::string> warnings;
  const auto timed = [](const Workload& workload) { return workload.timed; };
  if (std::none_of(task.workloads.begin(), task.workloads.end(), timed)) {
    warnings.emplace_back(
        "no workload is marked timed = true; the kernel is checked but never measured");
  }
  if (task.workloads.size() == 1 && task.hidden.empty()) {
    warnings.emplace_back(
        "there is one workload and no [[hidden]] range: kernels may be made for its sizes alone, "
        "and end with an error at any other; add a workload or a range if they must be general");
  }
  const auto lexemes = syntax::code_lexemes(task.kernel.source);
  if (std::any_of(lexemes.begin(), lexemes.end(), [](const syntax::Lexeme& lexeme) {
        return lexeme.kind == syntax::LexemeKind::header && lexeme.text.front() == '"';
      })) {
    warnings.emplace_back(
        "the kernel includes a file by \"…\"; only the one source file is compiled, so paste it "
        "in");
  }
  return warnings;
}

}  // namespace

Result<LoadedTask> load_task(const fs::path& directory) {
  WARPMIND_TRY(const std::string text, read_task_toml(directory));
  const std::string file = (directory / "task.toml").string();
  WARPMIND_TRY(ParsedTask parsed, parse_task(text, file));
  const auto problem_at = [&](std::string_view where, std::string_view message) {
    return refused(at_place(file, parsed.place_of(where), message));
  };

  std::error_code ec;
  const fs::path folder = fs::canonical(directory, ec);
  Result<std::string> reference;
  if (parsed.places.contains("reference")) {
    reference = read_inside(folder, parsed.reference_file, kSourceBytesLimit);
    if (!reference) return problem_at("reference.file", reference.error().message);
    if (reference->empty()) {
      return problem_at("reference.file",
                        "the file is empty; write the reference, or remove "
                        "[reference] where the given kernel is to be it");
    }
  }
  auto source = read_inside(folder, parsed.kernel_file, kSourceBytesLimit);
  if (!source) return problem_at("kernel.file", source.error().message);

  Task& task = parsed.task;
  task.reference = *std::move(reference);
  task.kernel.source = *std::move(source);
  task.directory = folder.string();
  auto problem = find_task_problem(task);
  if (!problem) problem = find_kernel_problem(task.kernel, task);
  if (problem) return problem_at(problem->where, problem->message);

  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    const auto& recorded = task.arguments[i].recorded;
    if (!recorded || recorded->values.empty()) continue;
    const auto values = read_inside(folder, kRecordedValuesFolder + ("/" + recorded->values),
                                    kRecordedValuesBytesLimit);
    if (!values) {
      return problem_at("argument[" + std::to_string(i) + "].recorded.values",
                        values.error().message);
    }
  }

  task.id = id_of(task);
  LoadedTask out{std::move(task), {}};
  out.warnings = find_warnings(out.task);
  return out;
}

}  // namespace warpmind::config
