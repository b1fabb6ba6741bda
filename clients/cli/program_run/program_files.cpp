#include "clients/cli/program_run/program_files.h"

#include "base/file.h"
#include "clients/cli/job_delivery.h"
#include "syntax/code_text.h"

#include <algorithm>

namespace warpmind::clients {
namespace {

constexpr std::size_t kMostSourceText = std::size_t{4} << 20U;  // bytes; what the daemon parses

std::string task_name(const std::filesystem::path& file) {
  std::string name = file.stem().string();
  for (char& letter : name) {
    const bool fits = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') ||
                      (letter >= 'A' && letter <= 'Z');
    if (!fits) letter = '_';
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  const bool begins = !name.empty() && name.front() >= 'a' && name.front() <= 'z';
  return (begins ? name : "program_" + name).substr(0, 40);
}

}  // namespace

Result<ProgramFiles> program_files(const OptimizeOptions& options) {
  std::error_code ec;
  ProgramFiles files;
  files.given = std::filesystem::absolute(options.directory, ec).lexically_normal();
  if (std::filesystem::is_directory(files.given, ec)) {
    return fail(Errc::invalid_argument,
                options.directory +
                    " is a folder; with --run name the CUDA file of the program, "
                    "without --run a task folder");
  }
  if (!std::filesystem::is_regular_file(files.given, ec)) {
    return fail(Errc::not_found, options.directory + ": there is no such file");
  }
  if (std::filesystem::file_size(files.given, ec) > kMostSourceText) {
    return fail(Errc::invalid_argument, options.directory + " is larger than 4 MiB");
  }
  WARPMIND_TRY(files.text, read_file(files.given, kMostSourceText));
  if (!syntax::contains_word(syntax::without_comments(files.text), "__global__")) {
    return fail(Errc::invalid_argument,
                options.directory +
                    " defines no kernel (__global__); kernels in headers and in "
                    "other files are not looked at: name the file that has them");
  }
  files.folder = options.work.empty() ? std::filesystem::path(files.given.string() + ".warpmind")
                                      : std::filesystem::absolute(options.work, ec);
  files.output = options.output_file.empty()
                     ? files.given.parent_path() / (files.given.stem().string() + ".optimized.cu")
                     : std::filesystem::absolute(options.output_file, ec).lexically_normal();
  WARPMIND_CHECK(check_output_file(options.output_file));
  if (std::filesystem::equivalent(files.output, files.given, ec)) {
    return fail(Errc::invalid_argument,
                "--output " + options.output_file + " is the program itself; it is never changed");
  }
  files.name = task_name(files.given);
  return files;
}

Result<void> prepare(const ProgramFiles& files) {
  std::error_code ec;
  if (std::filesystem::exists(files.folder, ec) && !std::filesystem::is_empty(files.folder, ec) &&
      !std::filesystem::exists(files.copy(), ec)) {
    return fail(Errc::conflict,
                files.folder.string() + " holds something else; name another folder with --work");
  }
  std::filesystem::remove_all(files.folder / "tasks", ec);
  std::filesystem::create_directories(files.folder / "tasks", ec);
  if (ec) {
    return fail(Errc::invalid_argument,
                "cannot make " + files.folder.string() + ": " + ec.message());
  }
  return write_output_file(files.copy(), files.text);
}

}  // namespace warpmind::clients
