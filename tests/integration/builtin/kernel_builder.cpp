#include "tests/integration/builtin/kernel_builder.h"

#include "base/compiler_complaint.h"
#include "base/file.h"
#include "base/hash.h"
#include "profilers/process/child_process.h"
#include "profilers/toolchain/build_flags.h"
#include "profilers/toolchain/ptxas_report.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <unistd.h>

namespace warpmind::rewrites {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kTextLimit = std::size_t{64} << 20U;
constexpr std::chrono::seconds kPatience{300};

/// Standard error of a program that must end well.
Result<std::string> said_by(std::vector<std::string> command, const fs::path& folder) {
  profilers::ProcessOrder order;
  order.command = std::move(command);
  const char* const path = std::getenv("PATH");
  order.environment = {std::string("PATH=") + (path == nullptr ? "/usr/bin:/bin" : path)};
  order.working_directory = folder;
  profilers::RunLimits limits;
  limits.deadline = std::chrono::steady_clock::now() + kPatience;
  limits.output_bytes = std::size_t{1} << 20U;
  WARPMIND_TRY(auto outcome, run_process(std::move(order), limits, {}));
  const std::string text = outcome.diagnostics + outcome.output;
  if (!outcome.end.success()) {
    return fail(Errc::invalid_argument, describe(outcome.end) + ": " + first_complaint(text));
  }
  return text;
}

/// What of nvcc's options ptxas must know, too.
std::vector<std::string> ptxas_flags(const std::vector<std::string>& build_flags) {
  constexpr std::string_view kForPtxas = "-Xptxas=";
  std::vector<std::string> flags;
  for (const auto& flag : build_flags) {
    if (flag.find("maxrregcount") != std::string::npos) flags.push_back(flag);
    if (flag.starts_with(kForPtxas)) flags.push_back(flag.substr(kForPtxas.size()));
  }
  return flags;
}

bool starts_with_level(const std::string& flag) { return flag.starts_with("-O"); }

}  // namespace

KernelBuilder::KernelBuilder(std::string architecture, profilers::Compiler nvcc, fs::path cache)
    : architecture_(std::move(architecture)), nvcc_(std::move(nvcc)), cache_(std::move(cache)) {}

Result<KernelBuilder> KernelBuilder::create(std::string architecture) {
  WARPMIND_TRY(auto nvcc, profilers::find_nvcc({}));
  std::error_code none;
  auto cache = fs::temp_directory_path(none) / ("warpmind_rewrites_" + std::to_string(::getuid()));
  WARPMIND_CHECK(make_private_directory(cache));
  return KernelBuilder(std::move(architecture), std::move(nvcc), std::move(cache));
}

Result<std::string> KernelBuilder::architecture_for(const Kernel& kernel) const {
  const std::string number = architecture_.substr(architecture_.find('_') + 1);
  if (number.ends_with('a')) return architecture_;
  WARPMIND_TRY(const auto real, profilers::build_architecture(kernel, "sm_" + number));
  return "compute_" + real.substr(real.find('_') + 1);
}

Result<std::string> KernelBuilder::ptx(const Kernel& kernel) const {
  WARPMIND_TRY(auto flags, profilers::compiler_flags(kernel));
  WARPMIND_TRY(const auto architecture, architecture_for(kernel));
  if (std::none_of(flags.begin(), flags.end(), starts_with_level)) flags.emplace_back("-O3");
  std::string all;
  for (const auto& flag : flags) all += flag + "\n";
  const auto kept =
      cache_ /
      (short_hash(hash_input({architecture, nvcc_.version, all, kernel.source}), 32) + ".ptx");
  if (auto text = read_file(kept, kTextLimit)) return text;
  WARPMIND_TRY(const auto scratch, ScratchDirectory::create(cache_, "build"));
  WARPMIND_CHECK(write_file_atomic(scratch.path() / "kernel.cu", kernel.source, FileSync::later));
  std::vector<std::string> command{nvcc_.program.string(), "-ptx", "-lineinfo",
                                   "-arch=" + architecture};
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-o", "kernel.ptx", "kernel.cu"});
  WARPMIND_CHECK(said_by(std::move(command), scratch.path()));
  WARPMIND_TRY(auto text, read_file(scratch.path() / "kernel.ptx", kTextLimit));
  WARPMIND_CHECK(write_file_atomic(kept, text, FileSync::later));
  return text;
}

Result<std::vector<KernelResources>> KernelBuilder::resources(const Kernel& kernel) const {
  WARPMIND_TRY(const auto text, ptx(kernel));
  const auto flags = ptxas_flags(kernel.build_flags);
  std::string all;
  for (const auto& flag : flags) all += flag + "\n";
  const auto kept = cache_ / (short_hash(hash_input({nvcc_.version, all, text}), 32) + ".ptxas");
  if (const auto report = read_file(kept, kTextLimit)) {
    return profilers::parse_ptxas_report(*report);
  }
  WARPMIND_TRY(const auto scratch, ScratchDirectory::create(cache_, "ptxas"));
  WARPMIND_CHECK(write_file_atomic(scratch.path() / "kernel.ptx", text, FileSync::later));
  WARPMIND_TRY(const auto architecture, architecture_for(kernel));
  const auto real = "sm_" + architecture.substr(architecture.find('_') + 1);
  std::vector<std::string> command{(nvcc_.root / "bin" / "ptxas").string(), "-v", "-arch=" + real};
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-o", "kernel.cubin", "kernel.ptx"});
  WARPMIND_TRY(const auto report, said_by(std::move(command), scratch.path()));
  WARPMIND_CHECK(write_file_atomic(kept, report, FileSync::later));
  return profilers::parse_ptxas_report(report);
}

}  // namespace warpmind::rewrites
