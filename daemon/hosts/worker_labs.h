#pragma once
/// \file
/// The labs that a worker judges in, and what it can say of itself.

#include "config/device_table.h"
#include "config/settings.h"
#include "daemon/hosts/evaluation_bus.h"
#include "profilers/kernel_lab.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace warpmind::daemon::hosts {

/// Threads: any.
class WorkerLabs {
 public:
  /// By queue.serve and lab.provider. The settings must outlive it. Errors: invalid_argument for an
  /// architecture that the GPU does not have; as the labs.
  [[nodiscard]] static Result<std::unique_ptr<WorkerLabs>> open(const config::Settings& settings);

  [[nodiscard]] Provider provider() const { return provider_; }
  [[nodiscard]] const DeviceIdentity& device() const { return device_; }
  /// `device`: key of the table to predict for; of no meaning where something is measured.
  [[nodiscard]] Result<std::shared_ptr<profilers::KernelLab>> lab_for(const std::string& device);

 private:
  explicit WorkerLabs(const config::Settings& settings) : settings_(settings) {}

  Result<void> choose();
  Result<void> take(Provider provider);

  const config::Settings& settings_;
  const config::DeviceTable& devices_ = config::device_table();
  Provider provider_ = Provider::gpu;
  DeviceIdentity device_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<profilers::KernelLab>> labs_;  ///< by device predicted for
};

}  // namespace warpmind::daemon::hosts
