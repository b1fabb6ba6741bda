#pragma once
/// \file
/// Counts of one file: PTX, machine code, or CUDA source, which is built first.

#include "base/model/device.h"
#include "base/model/kernel.h"
#include "base/result.h"
#include "config/settings.h"
#include "profilers/flops/static_count.h"

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::profilers {

struct CodeCount {
  std::string architecture;  ///< "sm_90"; for PTX its target
  std::vector<StaticKernel> kernels;
  std::string ptx;  ///< for walks; empty for a cubin
  std::string note;
};

inline constexpr std::size_t kMostCodeBytes = std::size_t{64} << 20U;

/// A .ptx, .cubin or .fatbin file, by its content. Errors: as read_file(); invalid_argument for
/// what is none of them.
[[nodiscard]] Result<CodeCount> count_code_file(const std::filesystem::path& file);

/// Builds `kernel` for `device` in the sandbox and counts what came out, PTX and machine code.
/// Errors: invalid_argument with the compiler's first complaint; unavailable without compiler.
[[nodiscard]] Result<CodeCount> count_kernel(const Kernel& kernel, const DeviceSpec& device,
                                             const config::Settings& settings,
                                             const std::stop_token& stop);

}  // namespace warpmind::profilers
