#include "profilers/toolchain/kernel_toolchain.h"

#include "base/compiler_complaint.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "config/reference_header.h"
#include "profilers/process/child_process.h"
#include "profilers/simulator/sass/cubin.h"
#include "profilers/simulator/sass/fatbin.h"
#include "profilers/toolchain/build_flags.h"
#include "profilers/toolchain/ptxas_report.h"
#include "profilers/toolchain/rounded_ptx.h"
#include "profilers/toolchain/strained_ptx.h"

#include <charconv>
#include <chrono>
#include <optional>

namespace warpmind::profilers {
namespace fs = std::filesystem;
namespace {

/// Raised when the commands below or the cache's content change.
constexpr const char* kCacheFormat = "3";
constexpr std::size_t kProductLimit = std::size_t{64} * 1024 * 1024;
constexpr std::uint64_t kMib = std::uint64_t{1024} * 1024;

BuildOutcome refused(const std::string& architecture, std::string sentence) {
  BuildOutcome outcome;
  outcome.report.architecture = architecture;
  outcome.report.diagnostics = std::move(sentence);
  return outcome;
}

std::string length_prefixed(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += std::to_string(word.size()) + ":" + word;
  return text;
}

/// Of a fat binary; empty for anything else.
std::string machine_code_of(const std::string& product, const std::string& architecture) {
  std::uint32_t number = 0;  // of "sm_90a", 90
  const char* const digits = architecture.data() + std::min<std::size_t>(3, architecture.size());
  std::from_chars(digits, architecture.data() + architecture.size(), number);
  const auto cubin = simulator::cubin_of_fatbin(std::as_bytes(std::span(product)), number);
  if (!cubin) return {};
  const auto content = simulator::machine_code_content(*cubin);
  return content ? to_hex(sha256(*content)) : "";
}

/// The PTX of a fat binary of ours; empty for anything else.
std::string ptx_of(const std::string& product) {
  const auto entries = simulator::fatbin_entries(std::as_bytes(std::span(product)));
  if (!entries) return {};
  for (const auto& entry : *entries) {
    if (entry.kind != simulator::FatbinEntry::kPtx || entry.plain_bytes != 0) continue;
    std::string text(reinterpret_cast<const char*>(entry.payload.data()), entry.payload.size());
    return text.substr(0, text.find('\0'));
  }
  return {};
}

/// Vector instructions for the double-precision reference, as far as this machine has them.
std::vector<std::string> vector_flags() {
  std::vector<std::string> flags;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0) {
    flags = {"-mavx2", "-mfma"};
  }
#endif
  return flags;
}

}  // namespace

KernelToolchain::KernelToolchain(config::ToolchainSettings settings, const Sandbox& sandbox,
                                 CudaCompiler nvcc, Compiler host, BuildCache cache)
    : settings_(std::move(settings)),
      sandbox_(&sandbox),
      nvcc_(std::move(nvcc)),
      host_(std::move(host)),
      cache_(std::move(cache)) {}

Result<KernelToolchain> KernelToolchain::create(const config::ToolchainSettings& settings,
                                                const Sandbox& sandbox) {
  WARPMIND_TRY(auto nvcc, find_nvcc(settings));
  WARPMIND_TRY(auto host, find_host_compiler(settings, nvcc.toolkit.newest_gcc));
  WARPMIND_TRY(auto cache, BuildCache::open(settings.cache_directory,
                                            static_cast<std::uint64_t>(settings.cache_mib) * kMib));
  return KernelToolchain(settings, sandbox, std::move(nvcc), std::move(host), std::move(cache));
}

Result<KernelToolchain::Compilation> KernelToolchain::kernel_compilation(
    const Kernel& kernel, const std::string& architecture,
    const std::vector<std::string>& flags) const {
  WARPMIND_TRY(auto use, config::use_toolkit(nvcc_.toolkit, settings_.cache_directory));
  Compilation compilation;
  compilation.sources = {{"kernel.cu", kernel.source}};
  compilation.architecture = architecture;
  compilation.product = kernel.tier == Tier::a ? "kernel.fatbin" : "kernel.so";
  auto& command = compilation.command;
  // SASS for the GPU and, uncompressed, the PTX it was made of: the simulator runs that.
  const std::string virtual_architecture = "compute_" + architecture.substr(3);
  command = {
      nvcc_.program.string(),
      "-gencode",
      "arch=" + virtual_architecture + ",code=[" + virtual_architecture + "," + architecture + "]",
      "-Xfatbin",
      "-compress=false",
      "-lineinfo",
      "-Xptxas",
      "-v",
      "-ccbin",
      host_.program.string()};
  command.insert(command.end(), use.flags.begin(), use.flags.end());
  compilation.read_only = std::move(use.folders);
  if (kernel.tier == Tier::a) {
    command.emplace_back("-fatbin");
  } else {
    command.insert(command.end(), {"-shared", "-Xcompiler", "-fPIC", "-cudart", "shared"});
  }
  bool own_level = false;  // nvcc refuses -O twice
  for (const auto& flag : flags) own_level = own_level || flag.starts_with("-O");
  if (!own_level) command.emplace_back("-O3");
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-o", compilation.product, "kernel.cu"});
  compilation.key =
      to_hex(sha256(hash_input({kCacheFormat, "kernel", name_of(kernel.tier), kernel.source,
                                length_prefixed(command), nvcc_.version, host_.version})));
  return compilation;
}

Result<BuildOutcome> KernelToolchain::build_kernel(const Kernel& kernel,
                                                   const std::string& architecture,
                                                   const std::stop_token& stop) const {
  if (kernel.tier == Tier::c) {
    return refused(architecture, "a whole program (tier C) has no kernel to build here");
  }
  if (kernel.source.size() > kSourceLimit) {
    return refused(architecture, "the source has " + std::to_string(kernel.source.size()) +
                                     " bytes; the limit is " + std::to_string(kSourceLimit));
  }
  const auto flags = compiler_flags(kernel);
  if (!flags) return refused(architecture, flags.error().message);
  const auto own = build_architecture(kernel, architecture);
  if (!own) return refused(architecture, own.error().message);
  WARPMIND_TRY(const auto compilation, kernel_compilation(kernel, *own, *flags));
  return compile(compilation, stop);
}

Result<BuildOutcome> KernelToolchain::build_linked(const Kernel& kernel,
                                                   const LinkedLibraries& libraries,
                                                   const std::string& architecture,
                                                   const std::stop_token& stop) const {
  std::vector<std::string> flags;
  for (const auto& folder : libraries.headers) flags.push_back("-I" + folder.string());
  for (const auto& folder : libraries.folders) flags.push_back("-L" + folder.string());
  for (const auto& file : libraries.files) flags.push_back("-l:" + file);
  WARPMIND_TRY(auto compilation, kernel_compilation(kernel, architecture, flags));
  auto& shown = compilation.read_only;
  shown.insert(shown.end(), libraries.headers.begin(), libraries.headers.end());
  shown.insert(shown.end(), libraries.folders.begin(), libraries.folders.end());
  return compile(compilation, stop);
}

Result<BuildOutcome> KernelToolchain::build_perturbed(const fs::path& binary,
                                                      const std::string& architecture,
                                                      const PtxChange& change,
                                                      const std::stop_token& stop) const {
  const auto product = read_file(binary, kProductLimit);  // the cache may have dropped it
  const std::string ptx = product ? ptx_of(*product) : "";
  if (ptx.empty()) return refused(architecture, "the binary holds no PTX");
  const std::optional<std::string> changed =
      change.strains ? strain(ptx, change.seed) : round_at_random(ptx, change.seed);
  if (!changed) return refused(architecture, "its arithmetic cannot be strained");
  WARPMIND_TRY(auto use, config::use_toolkit(nvcc_.toolkit, settings_.cache_directory));
  Compilation compilation;
  compilation.sources = {{"kernel.ptx", *changed}};
  compilation.architecture = architecture;
  compilation.product = "kernel.fatbin";
  compilation.read_only = std::move(use.folders);
  const std::string virtual_architecture = "compute_" + architecture.substr(3);
  auto& command = compilation.command;
  command = {
      nvcc_.program.string(),
      "-gencode",
      "arch=" + virtual_architecture + ",code=[" + virtual_architecture + "," + architecture + "]",
      "-Xfatbin",
      "-compress=false",
      "-ccbin",
      host_.program.string()};
  command.insert(command.end(), use.flags.begin(), use.flags.end());
  command.insert(command.end(), {"-fatbin", "-o", compilation.product, "kernel.ptx"});
  compilation.key =
      to_hex(sha256(hash_input({kCacheFormat, "rounded", *changed, length_prefixed(command),
                                nvcc_.version, host_.version})));
  return compile(compilation, stop);
}

Result<fs::path> KernelToolchain::build_reference(const Task& task,
                                                  const std::stop_token& stop) const {
  if (task.reference.size() > kSourceLimit) {
    return fail(Errc::invalid_argument,
                "the reference of task '" + task.name + "' is larger than 4 MiB; make it smaller");
  }
  Compilation compilation;
  compilation.sources = {{"reference.cpp", task.reference},
                         {std::string(config::kReferenceHeaderName), config::reference_header()}};
  compilation.product = "reference.so";
  auto& command = compilation.command;
  command = {host_.program.string(), "-std=c++20", "-O3", "-shared", "-fPIC", "-I."};
  const auto vectors = vector_flags();
  command.insert(command.end(), vectors.begin(), vectors.end());
  command.insert(command.end(), {"-o", compilation.product, "reference.cpp"});
  compilation.key = to_hex(
      sha256(hash_input({kCacheFormat, "reference", task.reference, config::reference_header(),
                         length_prefixed(command), host_.version})));
  WARPMIND_TRY(auto outcome, compile(compilation, stop));
  if (!outcome.report.succeeded) {
    return fail(Errc::invalid_argument,
                "the reference of task '" + task.name +
                    "' does not build: " + first_complaint(outcome.report.diagnostics));
  }
  return outcome.binary;
}

Result<BuildOutcome> KernelToolchain::compile(const Compilation& compilation,
                                              const std::stop_token& stop) const {
  if (stop.stop_requested()) return fail(Errc::cancelled, "the build was cancelled");
  if (auto cached = cache_.find(compilation.key)) {
    return BuildOutcome{std::move(cached->report), std::move(cached->binary)};
  }
  WARPMIND_TRY(auto job, ScratchDirectory::create(settings_.cache_directory, ".job"));
  for (const auto& source : compilation.sources) {
    WARPMIND_CHECK(write_file_atomic(job.path() / source.name, source.text));
  }
  SandboxedCommand command;
  command.command = compilation.command;
  command.job_directory = job.path();
  command.read_only = compilation.read_only;
  if (!host_.root.string().starts_with("/usr")) command.read_only.push_back(host_.root);
  command.environment = {"PATH=" + nvcc_.program.parent_path().string() + ":/usr/bin:/bin"};
  command.limits.address_space_bytes = static_cast<std::uint64_t>(settings_.memory_mib) * kMib;
  command.limits.file_bytes = 8 * kProductLimit;  // intermediate files are larger
  command.limits.niceness = kBackgroundNiceness;
  WARPMIND_TRY(auto order, sandbox_->wrap(SandboxRole::compiler, std::move(command)));
  std::optional<BuildSlots::Held> slot;  // the time of a compilation starts when it has one
  if (slots_) {
    WARPMIND_TRY(auto held, slots_->take(stop));
    slot.emplace(std::move(held));
  }
  RunLimits limits;
  limits.deadline = std::chrono::steady_clock::now() +
                    std::chrono::milliseconds(static_cast<std::int64_t>(settings_.timeout_s * 1e3));
  limits.output_bytes = static_cast<std::size_t>(settings_.diagnostics_kib) * 1024;
  WARPMIND_TRY(auto run, run_process(std::move(order), limits, stop));
  slot.reset();
  if (run.end.kind == EndKind::cancelled) return fail(Errc::cancelled, "the build was cancelled");
  if (sandbox_->enabled() && !run.end.success() && run.diagnostics.starts_with("bwrap: ")) {
    return fail(Errc::external_failure, "the compiler's sandbox failed: " +
                                            run.diagnostics.substr(0, run.diagnostics.find('\n')));
  }
  BuildOutcome outcome;
  outcome.report.architecture = compilation.architecture;
  outcome.report.kernels = parse_ptxas_report(run.diagnostics);
  // Without the folder of the job: names stay as the author knows them.
  outcome.report.diagnostics =
      replace_text(replace_text(run.output + run.diagnostics, job.path().string() + "/", ""),
                   std::string(kJobMount) + "/", "")
          .substr(0, limits.output_bytes);
  const auto product = read_file(job.path() / compilation.product, kProductLimit);
  if (!run.end.success() || !product) {
    outcome.report.kernels.clear();
    if (run.end.kind == EndKind::deadline || run.end.signal() != 0) {
      outcome.report.diagnostics += "\nthe compiler " + describe(run.end) + "\n";
    } else if (run.end.success()) {
      outcome.report.diagnostics += "\nno usable binary: " + product.error().message + "\n";
    }
    return outcome;
  }
  outcome.report.succeeded = true;
  if (!compilation.architecture.empty()) {
    outcome.report.machine_code = machine_code_of(*product, compilation.architecture);
  }
  WARPMIND_TRY(const auto cached, cache_.insert(compilation.key, *product, outcome.report));
  outcome.binary = cached.binary;
  return outcome;
}

}  // namespace warpmind::profilers
