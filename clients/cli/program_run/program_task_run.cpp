#include "clients/cli/program_run/program_task_run.h"

#include "base/file.h"
#include "base/text.h"
#include "clients/shell_command.h"
#include "config/program_task_file.h"
#include "config/program_task_pattern.h"
#include "syntax/code_text.h"

#include <string_view>
#include <system_error>
#include <vector>

namespace warpmind::clients {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTaskSource = std::size_t{4} << 20U;  // bytes; as of a program's file

/// The one editable file with kernels.
Result<std::string> source_of(const fs::path& folder, const ProgramTask& task) {
  std::vector<std::string> found;
  for (const auto& file : task.editable) {
    const auto text = read_file(folder / file, kMostTaskSource);
    if (text && syntax::contains_word(syntax::without_comments(*text), "__global__")) {
      found.push_back(file);
    }
  }
  if (found.size() == 1) return found.front();
  const std::string names = join_text(found, ", ");
  return fail(Errc::invalid_argument,
              found.empty() ? task.name + ": no file of `editable` defines a kernel (__global__)"
                            : task.name + ": `editable` names several files with kernels (" +
                                  names + "), and one can be optimised: leave one in");
}

/// "sm_90" of the simulated device; nvcc knows that of a GPU.
std::string architecture_for(const ProgramRuntime& runtime) {
  constexpr std::string_view kName = "arch=compute_";
  const auto at = runtime.target.find(kName);
  if (at == std::string::npos) return "native";
  const auto begin = at + kName.size();
  return "sm_" + runtime.target.substr(begin, runtime.target.find(',', begin) - begin);
}

std::string build_command(const fs::path& folder, const fs::path& copy, const std::string& source,
                          const ProgramTask& task, const ProgramRuntime& runtime) {
  const std::string arch = architecture_for(runtime);
  std::string build = replace_text(task.build, "{arch}", arch);
  if (arch != "native") build = replace_text(std::move(build), "{capability}", arch.substr(3));
  const std::string root = fs::path(runtime.nvcc).parent_path().parent_path().string();
  const std::string there = shell_word(copy.string());
  return "rm -rf " + there + " && cp -r " + shell_word(folder.string()) + " " + there +
         " && cp {source} " + shell_word((copy / source).string()) + " && cd " + there +
         " && top=" + shell_word(root) +
         " && export NVCC_APPEND_FLAGS='-cudart shared' CUDA_HOME=\"$top\" CUDA_PATH=\"$top\"" +
         " NVCC_PREPEND_FLAGS=" + shell_word(runtime.nvcc_prepended) +
         " CUDACXX=" + shell_word(runtime.nvcc) + " PATH=\"$top/bin:$PATH\" && { " +
         (build.empty() ? "true" : build) + "; } && : > {program}";
}

}  // namespace

bool is_program_task(const fs::path& path) {
  std::error_code ec;
  return fs::is_regular_file(path / config::kProgramTaskFile, ec) &&
         !fs::exists(path / "task.toml", ec);
}

Result<OptimizeOptions> program_task_options(const OptimizeOptions& given, const ProgramTask& task,
                                             const ProgramRuntime& runtime) {
  std::error_code ec;
  const fs::path folder = fs::canonical(given.directory, ec);
  if (ec) return fail(Errc::not_found, given.directory + ": " + ec.message());
  WARPMIND_TRY(const auto source, source_of(folder, task));
  if (task.pass.exit_code != 0) {
    return fail(Errc::invalid_argument, task.name + ": a right run ends with exit code " +
                                            std::to_string(task.pass.exit_code) +
                                            "; what is optimised must end with 0");
  }
  if (runtime.nvcc.empty()) {
    return fail(Errc::unavailable, runtime.nvcc_problem);
  }
  if (!runtime.is_simulated && task.build.find("{capability}") != std::string::npos) {
    return fail(Errc::invalid_argument,
                task.name +
                    ": its build command has {capability}; write {arch}, which is `native` where "
                    "a program is optimised on a GPU");
  }
  OptimizeOptions options = given;
  options.directory = (folder / source).string();
  options.work = folder.string() + ".warpmind";
  if (options.output_file.empty()) options.output_file = folder.string() + ".optimized.cu";
  const fs::path copy = fs::path(options.work) / "built";
  options.build = build_command(folder, copy, source, task, runtime);
  // Tensors of their own allocations show how large they are.
  options.run =
      "test -e {program} && cd " + shell_word(copy.string()) + " && " +
      (task.origin == "kernelblaster" ? "export PYTORCH_NO_CUDA_MEMORY_CACHING=1 && " : "") +
      task.run;
  options.run_seconds = task.run_seconds;
  options.pass = task.pass;
  return options;
}

bool passes(const ProgramPassRule& rule, const std::string& output) {
  const auto matches = [&output](const std::string& text) {
    const auto pattern = config::ProgramPattern::compile(text);
    return pattern && pattern->matches_a_line(output);
  };
  return (rule.output.empty() || matches(rule.output)) &&
         (rule.never.empty() || !matches(rule.never));
}

}  // namespace warpmind::clients
