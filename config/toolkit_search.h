#pragma once
/// \file
/// Where CUDA toolkits are looked for, and which one is taken.

#include "base/result.h"
#include "config/settings_loader.h"
#include "config/toolkit.h"

#include <filesystem>
#include <vector>

namespace warpmind::config {

/// All that decides where is looked, so that a made tree can stand in for the machine.
struct ToolkitSearch {
  std::filesystem::path nvcc;          ///< setting toolchain.nvcc: then no other place counts
  Environment environment;             ///< PATH, CUDA_HOME, CUDA_PATH, VIRTUAL_ENV, HOME, …
  std::filesystem::path own_program;   ///< this program: pip may have put it beside a toolkit
  std::filesystem::path system = "/";  ///< the root folder
};

/// Of this process.
[[nodiscard]] ToolkitSearch toolkit_search(const ToolchainSettings& settings);

/// Those that are there, each once, in the order in which they count: toolchain.nvcc alone where it
/// is set; else PATH; $CUDA_HOME, $CUDA_PATH; /usr/local/cuda, /usr/local/cuda-* from the newest,
/// /opt/cuda; Debian's folders; site-packages of $VIRTUAL_ENV, of the Python on PATH, of the user,
/// of this program; conda.
[[nodiscard]] std::vector<Toolkit> find_toolkits(const ToolkitSearch& search);

/// The first that can be used. Errors: unavailable, with what is wrong with the first, or where was
/// looked when there is none.
[[nodiscard]] Result<Toolkit> choose_toolkit(const std::vector<Toolkit>& toolkits,
                                             const ToolkitSearch& search);

}  // namespace warpmind::config
