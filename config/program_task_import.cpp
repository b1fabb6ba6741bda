#include "config/program_task_import.h"

#include "base/file.h"
#include "base/sequence.h"
#include "base/text.h"
#include "config/program_task_file.h"
#include "config/program_task_folder.h"
#include "config/program_task_makefile.h"
#include "config/program_task_proposal.h"
#include "config/program_task_validator.h"
#include "config/torch_layout.h"
#include "syntax/global_functions.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <system_error>

namespace warpmind::config {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHecbenchSuffix = "-cuda";
constexpr std::size_t kMostTextBytes = std::size_t{4} << 20U;

bool is_suite_folder(ProgramSuite suite, const fs::path& folder) {
  std::error_code ec;
  const auto has = [&](const char* name) { return fs::is_regular_file(folder / name, ec); };
  if (suite == ProgramSuite::kernelblaster) return has("driver.cpp") && has("init.cu");
  return folder.filename().string().ends_with(kHecbenchSuffix) && has("Makefile") && has("main.cu");
}

/// A file beside the program's own folder that its text names; nullopt when there is none.
std::optional<std::string> names_other_folder(const fs::path& folder,
                                              const std::vector<std::string>& files) {
  for (const auto& file : files) {
    const std::string suffix = fs::path(file).extension().string();
    const bool is_text = file == "Makefile" || suffix == ".cu" || suffix == ".h" ||
                         suffix == ".cpp" || suffix == ".cuh" || suffix == ".hpp";
    if (!is_text) continue;
    const std::string text = read_file(folder / file, kMostTextBytes).value_or(std::string());
    if (text.find("../") != std::string::npos) return file;
  }
  return std::nullopt;
}

/// The command that runs the program, with other arguments where they are given.
std::string run_line(const std::string& usual, const std::string& program,
                     const std::string* arguments) {
  if (arguments == nullptr) return usual.empty() ? "./" + program : usual;
  return "./" + program + (arguments->empty() ? "" : " " + *arguments);
}

Result<ProgramTask> hecbench_task(const fs::path& folder, const std::vector<std::string>& files,
                                  const std::string* arguments) {
  if (const auto file = names_other_folder(folder, files)) {
    return fail(Errc::invalid_argument,
                *file + " names files beside the program's folder (../), which a task cannot have");
  }
  WARPMIND_TRY(const auto text, read_file(folder / "Makefile", kMostTextBytes));
  const MakefileRun make = read_makefile(text);
  const auto program = make.variables.find("program");
  ProgramTask task;
  task.build = "make ARCH={arch}";
  task.run =
      run_line(make.command,
               program == make.variables.end() ? std::string("main") : program->second, arguments);
  task.pass = {0, "PASS", "FAIL"};
  task.editable = files_with_kernels(folder, files);
  return task;
}

/// The driver takes the kernel's header, which this suite makes for every candidate anew.
constexpr const char* kKernelHeader = "cuda_model.cuh";
constexpr const char* kPrecompiledHeader = "precompiled_torch.h";

/// One pattern for the program's own kernels: libtorch launches others beside them.
std::string own_kernels(const fs::path& folder) {
  const std::string text = read_file(folder / "init.cu", kMostTextBytes).value_or(std::string());
  std::vector<std::string> names;
  for (auto& kernel : syntax::find_global_functions(text)) {
    if (!contains(names, kernel.name)) {
      names.push_back(std::move(kernel.name));
    }
  }
  const std::string pattern = join_text(names, "|");
  return pattern.empty() ? ".*" : pattern;
}

/// The flag that takes the compiled header, which g++ reads in a tenth of the time.
Result<std::string> precompiled_flag(const fs::path& folder, const TorchLayout& torch) {
  if (folder.empty()) return std::string();
  std::error_code ec;
  const std::string header = (folder / kPrecompiledHeader).string();
  if (!fs::is_regular_file(header, ec) || !fs::is_regular_file(header + ".gch", ec)) {
    return fail(Errc::invalid_argument,
                "there is no " + header + ".gch; make it: echo '#include <torch/torch.h>' > " +
                    header + " && CUDA_HOME=… g++" + torch_compile_flags(torch) +
                    " -x c++-header " + header);
  }
  return " -I" + fs::canonical(folder, ec).string() + " -include " + kPrecompiledHeader;
}

Result<ProgramTask> kernelblaster_task(const fs::path& folder, const ImportOptions& options) {
  WARPMIND_TRY(const auto torch, find_torch(options.libtorch, options.search_path));
  WARPMIND_TRY(const auto header, precompiled_flag(options.precompiled, torch));
  ProgramTask task;
  // A kernel's file uses what libtorch's headers would have brought.
  task.build =
      "nvcc -O3 -std=c++17 -w -include cstdio -include cstdint -arch={arch} -I. -c init.cu -o "
      "init.o && "
      "${CXX:-g++}" +
      header + torch_compile_flags(torch) +
      " -I. -c driver.cpp -o driver.o && nvcc init.o driver.o -o program" + torch_link_flags(torch);
  task.run = "./program";
  task.pass = {0, "passed", "failed"};
  task.kernels = {own_kernels(folder)};
  task.editable = {"init.cu"};
  task.needs = torch.needs;
  if (!header.empty()) task.needs.push_back(fs::canonical(options.precompiled).string());
  task.build_seconds = options.build_seconds.value_or(600);
  return task;
}

}  // namespace

Result<std::vector<fs::path>> find_suite_folders(ProgramSuite suite, const fs::path& path) {
  std::error_code ec;
  const fs::path root = fs::absolute(path, ec).lexically_normal();
  if (!fs::is_directory(root, ec)) {
    return fail(Errc::not_found, path.string() + " is no folder");
  }
  std::vector<fs::path> folders;
  if (is_suite_folder(suite, root.has_filename() ? root : root.parent_path())) {
    return std::vector<fs::path>{root.has_filename() ? root : root.parent_path()};
  }
  for (auto at = fs::directory_iterator(root, ec); !ec && at != fs::directory_iterator();
       at.increment(ec)) {
    if (at->is_directory(ec) && is_suite_folder(suite, at->path())) folders.push_back(at->path());
  }
  if (folders.empty()) {
    return fail(Errc::not_found,
                path.string() +
                    (suite == ProgramSuite::hecbench
                         ? " has no folder NAME-cuda with a Makefile and main.cu; give the suite's "
                           "src folder, or one program's"
                         : " has no folder with driver.cpp and init.cu; give a level's folder, or "
                           "one problem's"));
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::string suite_task_name(ProgramSuite suite, const fs::path& folder) {
  std::string name = program_task_name(folder);
  if (suite == ProgramSuite::hecbench && name.ends_with(kHecbenchSuffix)) {
    name.resize(name.size() - kHecbenchSuffix.size());
  }
  return name;
}

Result<ProgramTask> import_program(ProgramSuite suite, const fs::path& folder, const fs::path& into,
                                   const ImportOptions& options) {
  std::error_code ec;
  if (fs::exists(into, ec)) {
    return fail(Errc::conflict,
                into.string() + " is there already; remove it, or import elsewhere");
  }
  WARPMIND_TRY(const auto files, list_program_folder(folder));
  const std::string name = suite_task_name(suite, folder);
  const auto found = options.arguments.find(name);
  const std::string* const arguments = found == options.arguments.end() ? nullptr : &found->second;
  WARPMIND_TRY(ProgramTask task, suite == ProgramSuite::hecbench
                                     ? hecbench_task(folder, files, arguments)
                                     : kernelblaster_task(folder, options));
  task.name = name;
  if (task.kernels.empty()) task.kernels = {".*"};
  task.origin = std::string(name_of(suite));
  task.restricted = find_restricting_licence(folder, files).value_or("");
  if (task.editable.empty()) {
    return fail(Errc::invalid_argument, "it has no file with a kernel (__global__)");
  }
  WARPMIND_CHECK(validate_program_task(task));
  WARPMIND_CHECK(copy_program_folder(folder, into));
  if (suite == ProgramSuite::kernelblaster && !fs::exists(into / kKernelHeader, ec)) {
    WARPMIND_CHECK(write_output_file(into / kKernelHeader, "#pragma once\n"));
  }
  fs::remove(into / kProgramTaskFile, ec);
  WARPMIND_CHECK(write_program_task(into, task));
  return task;
}

}  // namespace warpmind::config
