#pragma once
/// \file
/// Source to binary, in a sandbox, through a content-addressed cache.

#include "base/model/kernel.h"
#include "base/model/task.h"
#include "base/model/verdict.h"
#include "base/result.h"
#include "config/settings.h"
#include "profilers/sandbox/sandbox.h"
#include "profilers/toolchain/build_cache.h"
#include "profilers/toolchain/build_slots.h"
#include "profilers/toolchain/compilers.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// Larger sources are refused before a compiler sees them.
inline constexpr std::size_t kSourceLimit = std::size_t{4} * 1024 * 1024;

/// A source that does not compile is a value: `report.succeeded` is false and `binary` empty.
struct BuildOutcome {
  BuildReport report;
  std::filesystem::path binary;  ///< in the cache; link or copy it at once
};

/// How the PTX of a kernel is written anew.
struct PtxChange {
  bool strains = false;  ///< strained_ptx.h; else rounded_ptx.h
  std::uint32_t seed = 0;
};

/// What a host function of ours is linked to.
struct LinkedLibraries {
  std::vector<std::filesystem::path> headers;  ///< folders for -I
  std::vector<std::filesystem::path> folders;  ///< for -L
  std::vector<std::string> files;              ///< "libcublasLt.so.13"
};

/// Threads: any.
class KernelToolchain {
 public:
  /// `sandbox` must outlive the toolchain. Errors: unavailable without a compiler.
  [[nodiscard]] static Result<KernelToolchain> create(const config::ToolchainSettings& settings,
                                                      const Sandbox& sandbox);

  /// Compilers that it starts take a slot each; null = they are not counted.
  void share(std::shared_ptr<BuildSlots> slots) { slots_ = std::move(slots); }

  /// Tier A: a fat binary with SASS and PTX; tier B: a shared object. Tier C, refused flags, a
  /// source over the limit, a compiler that ran out of time or memory: not succeeded, with a
  /// sentence in `diagnostics`. Errors: cancelled; external_failure when our own files or the
  /// sandbox fail.
  [[nodiscard]] Result<BuildOutcome> build_kernel(const Kernel& kernel,
                                                  const std::string& architecture,
                                                  const std::stop_token& stop) const;

  /// A library call (profilers/baseline/): tier B, linked. Errors: as build_kernel.
  [[nodiscard]] Result<BuildOutcome> build_linked(const Kernel& kernel,
                                                  const LinkedLibraries& libraries,
                                                  const std::string& architecture,
                                                  const std::stop_token& stop) const;

  /// `binary`, of tier A, with other arithmetic. Not succeeded: it holds no PTX, or none that can
  /// be changed so or builds so. Errors: as build_kernel.
  [[nodiscard]] Result<BuildOutcome> build_perturbed(const std::filesystem::path& binary,
                                                     const std::string& architecture,
                                                     const PtxChange& change,
                                                     const std::stop_token& stop) const;

  /// The shared object of the task's reference. Errors: invalid_argument with the compiler's first
  /// complaint; else as build_kernel.
  [[nodiscard]] Result<std::filesystem::path> build_reference(const Task& task,
                                                              const std::stop_token& stop) const;

  /// nvcc's release, "13.0".
  [[nodiscard]] const std::string& release() const { return nvcc_.release; }
  [[nodiscard]] const config::Toolkit& toolkit() const { return nvcc_.toolkit; }
  /// Folder of the toolkit's own libraries; runners may need its runtime.
  [[nodiscard]] const std::filesystem::path& libraries() const { return nvcc_.toolkit.libraries; }
  /// "libcudart.so.13": what kernels of tier B are linked to.
  [[nodiscard]] const std::string& runtime() const { return nvcc_.toolkit.runtime; }
  [[nodiscard]] const std::filesystem::path& root() const { return nvcc_.root; }

 private:
  struct SourceFile {
    std::string name;
    std::string_view text;
  };
  struct Compilation {
    std::vector<SourceFile> sources;
    std::vector<std::string> command;  ///< names relative to the job directory
    std::vector<std::filesystem::path> read_only;
    std::string product;  ///< file that must exist afterwards
    std::string key;
    std::string architecture;
  };

  KernelToolchain(config::ToolchainSettings settings, const Sandbox& sandbox, CudaCompiler nvcc,
                  Compiler host, BuildCache cache);
  [[nodiscard]] Result<BuildOutcome> compile(const Compilation& compilation,
                                             const std::stop_token& stop) const;
  [[nodiscard]] Result<Compilation> kernel_compilation(const Kernel& kernel,
                                                       const std::string& architecture,
                                                       const std::vector<std::string>& flags) const;

  config::ToolchainSettings settings_;
  const Sandbox* sandbox_;
  CudaCompiler nvcc_;
  Compiler host_;
  BuildCache cache_;
  std::shared_ptr<BuildSlots> slots_;
};

}  // namespace warpmind::profilers
