#pragma once
/// \file
/// Writes down what another lab says, for FixtureKernelLab to say again.

#include "base/result.h"
#include "profilers/kernel_lab.h"

#include <filesystem>
#include <memory>

namespace warpmind::profilers {

/// Files of a recording, all JSON: `device.json`; `<kernel id>.json` (baseline) and
/// `<kernel id>-over-<incumbent id>.json` with {"verdict": …};
/// `compare-<candidate id>-<incumbent id>.json` with {"comparison": …}; `code-<kernel id>.json`
/// with {"build": …}, for the machine code.
class RecordingKernelLab final : public KernelLab {
 public:
  /// Errors: external_failure if `directory` cannot be made.
  [[nodiscard]] static Result<std::unique_ptr<RecordingKernelLab>> create(
      std::unique_ptr<KernelLab> lab, std::filesystem::path directory);

  [[nodiscard]] Provider provider() const override { return lab_->provider(); }
  [[nodiscard]] Result<DeviceIdentity> device() override;
  /// A recording that cannot be written is logged, and the verdict still given.
  [[nodiscard]] Result<Verdict> judge(const JudgeOrder& order, std::stop_token stop) override;
  [[nodiscard]] Result<std::string> machine_code(const JudgeOrder& order,
                                                 std::stop_token stop) override;
  [[nodiscard]] Result<Comparison> compare(const JudgeOrder& order, std::stop_token stop) override;

 private:
  RecordingKernelLab(std::unique_ptr<KernelLab> lab, std::filesystem::path directory)
      : lab_(std::move(lab)), directory_(std::move(directory)) {}

  std::unique_ptr<KernelLab> lab_;
  std::filesystem::path directory_;
};

}  // namespace warpmind::profilers
