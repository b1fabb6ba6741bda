#pragma once
/// \file
/// Finds nvcc and the host compiler, and says which versions they are.

#include "base/result.h"
#include "config/settings.h"

#include <filesystem>
#include <string>

namespace warpmind::profilers {

struct Compiler {
  std::filesystem::path program;
  std::filesystem::path root;  ///< toolkit or prefix: the folder above bin/, links resolved
  std::string release;         ///< "13.0" or "12.2.0"
  std::string version;         ///< full text, part of cache keys
};

/// Setting, then PATH, then $CUDA_HOME/bin, then /usr/local/cuda/bin. A script that starts an nvcc
/// elsewhere is followed to that one.
/// Errors: unavailable, naming where it was looked for and how to get it.
[[nodiscard]] Result<Compiler> find_nvcc(const config::ToolchainSettings& settings);

/// Setting, then g++ on PATH. Errors: unavailable.
[[nodiscard]] Result<Compiler> find_host_compiler(const config::ToolchainSettings& settings);

}  // namespace warpmind::profilers
