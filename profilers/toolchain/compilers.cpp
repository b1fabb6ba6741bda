#include "profilers/toolchain/compilers.h"

#include "profilers/process/child_process.h"
#include "profilers/sandbox/sandbox.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

namespace warpmind::profilers {
namespace fs = std::filesystem;
namespace {

constexpr auto kVersionTime = std::chrono::seconds(20);
constexpr const char* kRuntimeHeader = "include/cuda_runtime.h";  ///< below a toolkit's root

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Result<ProcessOutcome> answer_of(const fs::path& program,
                                 const std::vector<std::string>& arguments) {
  ProcessOrder order;
  order.command = {program.string()};
  order.command.insert(order.command.end(), arguments.begin(), arguments.end());
  order.environment = {"PATH=/usr/bin:/bin", "LANG=C"};
  RunLimits limits;
  limits.deadline = std::chrono::steady_clock::now() + kVersionTime;
  return run_process(std::move(order), limits, {});
}

Result<std::string> version_text(const fs::path& program) {
  WARPMIND_TRY(auto outcome, answer_of(program, {"--version"}));
  if (!outcome.end.success()) {
    return fail(Errc::unavailable,
                program.string() + " --version " + describe(outcome.end) + "; reinstall it");
  }
  return std::move(outcome.output);
}

/// First "digits.digits…" in `text` after `prefix`, or empty.
std::string release_in(std::string_view text, std::string_view prefix) {
  const std::size_t at = text.find(prefix);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + prefix.size());
  constexpr std::string_view kDigits = "0123456789";
  for (std::size_t i = text.find_first_of(kDigits); i != std::string_view::npos;
       i = text.find_first_of(kDigits, i)) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789.", i), text.size());
    const std::string_view number = text.substr(i, end - i);
    const std::size_t dot = number.find('.');
    if (dot != std::string_view::npos && dot + 1 < number.size()) return std::string(number);
    i = end;
  }
  return {};
}

Result<Compiler> describe_compiler(const fs::path& program, std::string_view prefix) {
  WARPMIND_TRY(auto version, version_text(program));
  std::string release = release_in(version, prefix);
  if (release.empty()) {
    return fail(Errc::unavailable, program.string() + " --version names no release");
  }
  std::error_code ec;
  fs::path resolved = fs::canonical(program, ec);
  if (ec) resolved = program;
  return Compiler{program, resolved.parent_path().parent_path(), std::move(release),
                  std::move(version)};
}

/// The nvcc that `program` starts when it is a script of that name outside its toolkit (what module
/// systems and packagers put on PATH): nvcc tells its own folder in a dry run. Empty if it does
/// not.
fs::path nvcc_behind(const fs::path& program) {
  const auto outcome = answer_of(program, {"--dryrun", "-x", "cu", "-E", "/dev/null"});
  if (!outcome || !outcome->end.success()) return {};
  constexpr std::string_view kTop = "#$ TOP=";
  const std::string& text = outcome->diagnostics;
  const std::size_t at = text.find(kTop);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + kTop.size();
  std::error_code ec;
  const fs::path root = fs::canonical(text.substr(begin, text.find('\n', begin) - begin), ec);
  if (ec || !fs::is_regular_file(root / kRuntimeHeader, ec)) return {};
  return fs::is_regular_file(root / "bin/nvcc", ec) ? root / "bin/nvcc" : fs::path();
}

}  // namespace

Result<Compiler> find_nvcc(const config::ToolchainSettings& settings) {
  fs::path program = settings.nvcc;
  if (program.empty()) {
    const std::string home = variable("CUDA_HOME");
    program = find_program("nvcc", variable("PATH") + (home.empty() ? "" : ":" + home + "/bin") +
                                       ":/usr/local/cuda/bin");
  }
  std::error_code ec;
  if (program.empty() || !fs::is_regular_file(program, ec)) {
    return fail(Errc::unavailable,
                (program.empty()
                     ? std::string("nvcc is not on PATH, in $CUDA_HOME/bin or /usr/local/cuda/bin")
                     : "nvcc is not at " + program.string()) +
                    ": install the CUDA toolkit 13, or set toolchain.nvcc");
  }
  // The link's target: nvcc looks for its parts beside its own path, and only the toolkit's folder
  // is mounted in the sandbox.
  fs::path resolved = fs::canonical(program, ec);
  if (ec) resolved = program;
  if (!fs::is_regular_file(resolved.parent_path().parent_path() / kRuntimeHeader, ec)) {
    if (fs::path behind = nvcc_behind(resolved); !behind.empty()) resolved = std::move(behind);
  }
  return describe_compiler(resolved, "release ");
}

Result<Compiler> find_host_compiler(const config::ToolchainSettings& settings) {
  const fs::path program = settings.host_compiler.empty() ? find_program("g++", variable("PATH"))
                                                          : settings.host_compiler;
  std::error_code ec;
  if (program.empty() || !fs::is_regular_file(program, ec)) {
    return fail(Errc::unavailable,
                (program.empty() ? std::string("g++ is not on PATH")
                                 : "the host compiler is not at " + program.string()) +
                    ": install it (apt-get install g++), or set toolchain.host_compiler");
  }
  return describe_compiler(fs::absolute(program, ec), "");
}

}  // namespace warpmind::profilers
