#pragma once
/// \file
/// Provider `fixture`: says what was recorded before, by content of the kernel.

#include "base/result.h"
#include "profilers/kernel_lab.h"

#include <filesystem>
#include <memory>

namespace warpmind::profilers {

/// Reads the files that RecordingKernelLab wrote, at each call. A kernel without recording is
/// `blocked` with a sentence. Measurements say provider fixture: they never count as a GPU's.
/// Threads: any.
class FixtureKernelLab final : public KernelLab {
 public:
  /// Errors: not_found if `directory` does not exist; corrupt_data for a damaged device.json.
  [[nodiscard]] static Result<std::unique_ptr<FixtureKernelLab>> create(
      std::filesystem::path directory);

  [[nodiscard]] Provider provider() const override { return Provider::fixture; }
  /// Errors: unavailable when no device was recorded.
  [[nodiscard]] Result<DeviceIdentity> device() override;
  /// Errors: also corrupt_data for a damaged recording.
  [[nodiscard]] Result<Verdict> judge(const JudgeOrder& order, std::stop_token stop) override;
  [[nodiscard]] Result<std::string> machine_code(const JudgeOrder& order,
                                                 std::stop_token stop) override;
  /// Errors: also unavailable when this pair was not recorded.
  [[nodiscard]] Result<Comparison> compare(const JudgeOrder& order, std::stop_token stop) override;

 private:
  explicit FixtureKernelLab(std::filesystem::path directory) : directory_(std::move(directory)) {}

  std::filesystem::path directory_;
};

}  // namespace warpmind::profilers
