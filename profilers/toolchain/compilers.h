#pragma once
/// \file
/// nvcc and the host compiler of this machine, and which versions they are.

#include "base/result.h"
#include "config/settings.h"
#include "config/toolkit.h"

#include <filesystem>
#include <string>

namespace warpmind::profilers {

struct Compiler {
  std::filesystem::path program;
  std::filesystem::path root;  ///< toolkit or prefix: the folder above bin/, links resolved
  std::string release;         ///< "13.0" or "12.2.0"
  std::string version;         ///< full text, part of cache keys
};

struct CudaCompiler : Compiler {
  config::Toolkit toolkit;
};

/// Looks where config::find_toolkits() looks, and asks the first that can be used for its version.
/// Errors: unavailable, naming what is wrong and how to fix it.
[[nodiscard]] Result<CudaCompiler> find_nvcc(const config::ToolchainSettings& settings);

/// Setting, then g++ on PATH, then an older g++-N on PATH, down from the newest that nvcc accepts.
/// `newest_gcc`: Toolkit::newest_gcc; 0 = any. Errors: unavailable.
[[nodiscard]] Result<Compiler> find_host_compiler(const config::ToolchainSettings& settings,
                                                  int newest_gcc);

}  // namespace warpmind::profilers
