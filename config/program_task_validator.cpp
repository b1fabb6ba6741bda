#include "config/program_task_validator.h"

#include "base/sequence.h"
#include "config/problem_checks.h"
#include "config/program_task_pattern.h"
#include "config/source_text.h"

#include <algorithm>
#include <array>

namespace warpmind::config {
namespace {

namespace fs = std::filesystem;
using ProgramProblem = std::optional<ProgramTaskProblem>;

constexpr std::size_t kMostCommandBytes = 4000;
constexpr double kMostBuildSeconds = 3600;
constexpr double kMostRunSeconds = 3600;

ProgramProblem check_program_name(const std::string& name) {
  const bool fits = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
  if (!name.empty() && name.size() <= 100 && fits && name.front() != '.') return std::nullopt;
  return ProgramTaskProblem{"name",
                            "a name is 1 to 100 letters, digits, '_', '-' and '.', and begins with "
                            "no '.'; rename it"};
}

ProgramProblem check_command(std::string where, const std::string& line) {
  const bool printable = std::none_of(line.begin(), line.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  if (!printable) {
    return ProgramTaskProblem{std::move(where), "a command is one line without control characters"};
  }
  if (line.size() > kMostCommandBytes || find_invalid_utf8(line)) {
    return ProgramTaskProblem{std::move(where),
                              "a command is at most 4000 bytes of UTF-8; put more into a script of "
                              "the folder and call that"};
  }
  return std::nullopt;
}

ProgramProblem check_seconds(std::string where, double seconds, double most) {
  if (seconds > 0 && seconds <= most) return std::nullopt;
  return ProgramTaskProblem{std::move(where), "must be above 0 and at most " +
                                                  std::to_string(static_cast<int>(most)) + " s"};
}

template <class Compile>
ProgramProblem check_pattern(std::string where, const std::string& text, const Compile& compile) {
  const auto pattern = compile(text);
  if (pattern) return std::nullopt;
  return ProgramTaskProblem{std::move(where), pattern.error().message};
}

ProgramProblem check_pass_rule(const ProgramPassRule& rule) {
  if (rule.exit_code < 0 || rule.exit_code > 255) {
    return ProgramTaskProblem{"pass.exit_code", "an exit code is 0 to 255"};
  }
  if (!rule.output.empty()) {
    if (auto bad = check_pattern("pass.output", rule.output, ProgramPattern::compile)) return bad;
  }
  if (!rule.never.empty()) {
    if (auto bad = check_pattern("pass.never", rule.never, ProgramPattern::compile)) return bad;
  }
  return std::nullopt;
}

ProgramProblem check_kernel_patterns(const std::vector<std::string>& kernels) {
  if (kernels.empty() || kernels.size() > kListLimit) {
    return ProgramTaskProblem{
        "kernels", "name one to 64 patterns for the kernels to time; [\".*\"] is all of them"};
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    auto bad = check_pattern(indexed("kernels", i), kernels[i], ProgramPattern::compile_whole);
    if (bad) return bad;
  }
  return std::nullopt;
}

bool leaves_folder(const fs::path& path) {
  return path.empty() || path.is_absolute() || !path.has_filename() || contains(path, "..");
}

ProgramProblem check_editable(const std::vector<std::string>& files) {
  if (files.empty() || files.size() > kListLimit) {
    return ProgramTaskProblem{"editable",
                              "name one to 64 files that may be changed, as in [\"main.cu\"]"};
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (leaves_folder(files[i]) || check_command("", files[i])) {
      return ProgramTaskProblem{indexed("editable", i),
                                "must be a file inside the task's folder, by its relative path"};
    }
    if (std::find(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(i), files[i]) !=
        files.begin() + static_cast<std::ptrdiff_t>(i)) {
      return ProgramTaskProblem{indexed("editable", i), "is named twice"};
    }
  }
  return std::nullopt;
}

/// A folder as a whole of people, of the system or of temporary files is too much to show.
bool is_too_wide_a_folder(const fs::path& folder) {
  static constexpr std::array kWide = {"/",    "/home", "/root", "/tmp",  "/var",
                                       "/etc", "/run",  "/dev",  "/proc", "/sys"};
  if (contains(kWide, folder)) return true;
  const auto parts = std::distance(folder.begin(), folder.end());
  return parts <= 3 && *std::next(folder.begin()) == "home";
}

ProgramProblem check_needs(const std::vector<std::string>& folders) {
  if (folders.size() > 8) return ProgramTaskProblem{"needs", "name at most 8 folders"};
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const fs::path folder(folders[i]);
    if (check_command("", folders[i]) || !folder.is_absolute() ||
        folder.lexically_normal() != folder || is_too_wide_a_folder(folder)) {
      return ProgramTaskProblem{
          indexed("needs", i),
          "must be an absolute folder of one library, as in \"/opt/libtorch\", "
          "and neither a home nor a folder of the system as a whole"};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<ProgramTaskProblem> find_program_task_problem(const ProgramTask& task) {
  if (auto bad = check_program_name(task.name)) return bad;
  if (auto bad = check_command("build", task.build)) return bad;
  if (task.run.find_first_not_of(' ') == std::string::npos) {
    return ProgramTaskProblem{"run", "is empty; write the command, as in run = \"./main 1000\""};
  }
  if (auto bad = check_command("run", task.run)) return bad;
  if (auto bad = check_pass_rule(task.pass)) return bad;
  if (auto bad = check_kernel_patterns(task.kernels)) return bad;
  if (auto bad = check_editable(task.editable)) return bad;
  if (auto bad = check_needs(task.needs)) return bad;
  if (auto bad = check_seconds("build_seconds", task.build_seconds, kMostBuildSeconds)) return bad;
  if (auto bad = check_seconds("run_seconds", task.run_seconds, kMostRunSeconds)) return bad;
  if (auto bad = check_command("origin", task.origin)) return bad;
  return check_command("restricted", task.restricted);
}

std::optional<ProgramTaskProblem> find_missing_file(const ProgramTask& task,
                                                    const fs::path& folder) {
  std::error_code ec;
  const fs::path root = fs::canonical(folder, ec);
  for (std::size_t i = 0; i < task.editable.size(); ++i) {
    const fs::path file = fs::canonical(root / task.editable[i], ec);
    if (ec || !fs::is_regular_file(file, ec)) {
      return ProgramTaskProblem{indexed("editable", i),
                                "'" + task.editable[i] + "' is no file of the folder; correct it"};
    }
    if (std::mismatch(root.begin(), root.end(), file.begin(), file.end()).first != root.end()) {
      return ProgramTaskProblem{indexed("editable", i),
                                "'" + task.editable[i] + "' is a link that leaves the folder"};
    }
  }
  for (std::size_t i = 0; i < task.needs.size(); ++i) {
    if (!fs::is_directory(task.needs[i], ec)) {
      return ProgramTaskProblem{indexed("needs", i), task.needs[i] + " is no folder here"};
    }
  }
  return std::nullopt;
}

Result<void> validate_program_task(const ProgramTask& task) {
  const auto problem = find_program_task_problem(task);
  if (!problem) return {};
  return fail(Errc::invalid_argument, problem->where + ": " + problem->message);
}

}  // namespace warpmind::config
