#pragma once
/// \file
/// Names and contents of recording files (see RecordingKernelLab).

#include "base/model/device.h"
#include "base/model/kernel.h"
#include "base/model/verdict.h"
#include "base/result.h"

#include <filesystem>
#include <optional>

namespace warpmind::profilers {

/// A verdict is about a kernel over an incumbent; null for a baseline.
[[nodiscard]] std::filesystem::path verdict_file(const std::filesystem::path& directory,
                                                 const Kernel& kernel,
                                                 const Kernel* incumbent = nullptr);
[[nodiscard]] std::filesystem::path comparison_file(const std::filesystem::path& directory,
                                                    const Kernel& candidate,
                                                    const Kernel& incumbent);
/// Of the build whose machine code tells a kernel from the others.
[[nodiscard]] std::filesystem::path code_file(const std::filesystem::path& directory,
                                              const Kernel& kernel);
[[nodiscard]] std::filesystem::path device_file(const std::filesystem::path& directory);

/// Errors: as write_output_file.
[[nodiscard]] Result<void> write_recording(const std::filesystem::path& file,
                                           const Verdict& verdict);
[[nodiscard]] Result<void> write_recording(const std::filesystem::path& file,
                                           const Comparison& comparison);
[[nodiscard]] Result<void> write_recording(const std::filesystem::path& file,
                                           const DeviceIdentity& device);
[[nodiscard]] Result<void> write_recording(const std::filesystem::path& file,
                                           const BuildReport& build);

/// nullopt = no such file. Errors: corrupt_data naming the file.
[[nodiscard]] Result<std::optional<Verdict>> read_verdict(const std::filesystem::path& file);
[[nodiscard]] Result<std::optional<Comparison>> read_comparison(const std::filesystem::path& file);
[[nodiscard]] Result<std::optional<DeviceIdentity>> read_device(const std::filesystem::path& file);
[[nodiscard]] Result<std::optional<BuildReport>> read_build(const std::filesystem::path& file);

}  // namespace warpmind::profilers
