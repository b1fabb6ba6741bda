#include "profilers/toolchain/compilers.h"

#include "base/environment.h"
#include "config/toolkit_search.h"
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

int major_of(const Compiler& compiler) { return std::atoi(compiler.release.c_str()); }

/// g++ of C++20; the references of tasks are written in it.
constexpr int kOldestGcc = 10;

/// The newest g++-N on PATH that nvcc accepts. Errors: unavailable when there is none.
Result<Compiler> older_host_compiler(const Compiler& newer, int newest_gcc) {
  for (int version = newest_gcc; version >= kOldestGcc; --version) {
    const fs::path program =
        find_program("g++-" + std::to_string(version), environment_variable("PATH"));
    if (!program.empty()) return describe_compiler(program, "");
  }
  const std::string wanted = std::to_string(newest_gcc);
  return fail(Errc::unavailable, newer.program.string() + " is " + newer.release +
                                     ", and this CUDA toolkit accepts g++ up to " + wanted +
                                     ": install g++-" + wanted +
                                     ", or a newer CUDA toolkit, or set toolchain.host_compiler");
}

/// nvcc of one major release does not compile against the headers of another.
Result<void> check_headers(const CudaCompiler& nvcc) {
  if (major_of(nvcc) == nvcc.toolkit.version.major) return {};
  return fail(Errc::unavailable, nvcc.program.string() + " is " + nvcc.release +
                                     ", and its headers in " + nvcc.toolkit.headers.string() +
                                     " are of CUDA " + config::text_of(nvcc.toolkit.version) +
                                     ": install both from one release, or set toolchain.nvcc to "
                                     "the nvcc of another toolkit");
}

}  // namespace

Result<CudaCompiler> find_nvcc(const config::ToolchainSettings& settings) {
  const auto search = config::toolkit_search(settings);
  WARPMIND_TRY(auto toolkit, config::choose_toolkit(config::find_toolkits(search), search));
  WARPMIND_TRY(auto compiler, describe_compiler(toolkit.nvcc, "release "));
  CudaCompiler nvcc{std::move(compiler), std::move(toolkit)};
  WARPMIND_CHECK(check_headers(nvcc));
  return nvcc;
}

Result<Compiler> find_host_compiler(const config::ToolchainSettings& settings, int newest_gcc) {
  const fs::path program = settings.host_compiler.empty()
                               ? find_program("g++", environment_variable("PATH"))
                               : settings.host_compiler;
  std::error_code ec;
  if (program.empty() || !fs::is_regular_file(program, ec)) {
    return fail(Errc::unavailable,
                (program.empty() ? std::string("g++ is not on PATH")
                                 : "the host compiler is not at " + program.string()) +
                    ": install it (apt-get install g++, dnf install gcc-c++), or set "
                    "toolchain.host_compiler");
  }
  WARPMIND_TRY(auto compiler, describe_compiler(fs::absolute(program, ec), ""));
  const bool is_gcc = compiler.version.find("Free Software Foundation") != std::string::npos;
  if (!is_gcc || newest_gcc == 0 || major_of(compiler) <= newest_gcc) return compiler;
  return older_host_compiler(compiler, newest_gcc);
}

}  // namespace warpmind::profilers
