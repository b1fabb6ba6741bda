#pragma once
/// \file
/// The lab on the simulator: verified kernels and predicted times, on any machine.

#include "config/device_table.h"
#include "config/settings.h"
#include "profilers/kernel_lab.h"
#include "profilers/lab_share.h"

#include <memory>
#include <string>

namespace warpmind::profilers {

class Sandbox;
struct LabParts;
struct SimulatedLabState;

/// Judges with the same stages as the lab on a GPU. Results are computed by the compiled kernel's
/// own PTX; times are predictions for one device model and never stored or compared as measured.
class SimulatedKernelLab final : public KernelLab {
 public:
  /// `device`: key of the table; empty = settings.lab.target. Errors: invalid_argument for a device
  /// that the table does not know or has no time model for; unavailable when nvcc, the sandbox, the
  /// worker, the judge or the simulator's runtime is missing.
  [[nodiscard]] static Result<std::unique_ptr<SimulatedKernelLab>> create(
      const config::Settings& settings, const config::DeviceTable& devices,
      const std::string& device, const LabShare& share = {});
  ~SimulatedKernelLab() override;
  SimulatedKernelLab(const SimulatedKernelLab&) = delete;
  SimulatedKernelLab& operator=(const SimulatedKernelLab&) = delete;

  [[nodiscard]] Provider provider() const override { return Provider::sim; }
  [[nodiscard]] Result<DeviceIdentity> device() override;
  [[nodiscard]] Result<Verdict> judge(const JudgeOrder& order, std::stop_token stop) override;
  [[nodiscard]] Result<std::string> machine_code(const JudgeOrder& order,
                                                 std::stop_token stop) override;
  [[nodiscard]] Result<Comparison> compare(const JudgeOrder& order, std::stop_token stop) override;

 private:
  SimulatedKernelLab(std::unique_ptr<Sandbox> sandbox, std::unique_ptr<LabParts> parts);

  std::unique_ptr<Sandbox> sandbox_;
  std::unique_ptr<LabParts> parts_;  // after the sandbox, which it uses
  std::unique_ptr<SimulatedLabState> state_;
};

}  // namespace warpmind::profilers
