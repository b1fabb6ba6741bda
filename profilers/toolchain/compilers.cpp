#include "profilers/toolchain/compilers.h"

#include "profilers/process/child_process.h"
#include "profilers/sandbox/sandbox.h"

#include <chrono>
#include <cstdlib>
#include <regex>
#include <vector>

namespace warpmind::profilers {
namespace fs = std::filesystem;
namespace {

constexpr auto kVersionTime = std::chrono::seconds(20);

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Result<std::string> version_text(const fs::path& program) {
  ProcessOrder order;
  order.command = {program.string(), "--version"};
  order.environment = {"PATH=/usr/bin:/bin", "LANG=C"};
  RunLimits limits;
  limits.deadline = std::chrono::steady_clock::now() + kVersionTime;
  WARPMIND_TRY(auto outcome, run_process(std::move(order), limits, {}));
  if (!outcome.end.success()) {
    return fail(Errc::unavailable,
                program.string() + " --version " + describe(outcome.end) + "; reinstall it");
  }
  return std::move(outcome.output);
}

Result<Compiler> describe_compiler(const fs::path& program, const std::regex& release) {
  WARPMIND_TRY(auto version, version_text(program));
  std::smatch match;
  if (!std::regex_search(version, match, release)) {
    return fail(Errc::unavailable, program.string() + " --version names no release");
  }
  std::error_code ec;
  const fs::path resolved = fs::canonical(program, ec);
  return Compiler{program, (ec ? program : resolved).parent_path().parent_path(), match[1].str(),
                  version};
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
  static const std::regex kRelease(R"(release (\d+\.\d+))");
  return describe_compiler(fs::absolute(program, ec), kRelease);
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
  static const std::regex kRelease(R"((\d+\.\d+(?:\.\d+)?))");
  return describe_compiler(fs::absolute(program, ec), kRelease);
}

}  // namespace warpmind::profilers
