#pragma once
/// \file
/// Hands out program labs: one for the GPU, one for each simulated device, made when first asked.

#include "base/model/device.h"
#include "base/result.h"
#include "config/device_table.h"
#include "config/settings.h"
#include "profilers/program/program_lab.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace warpmind::profilers {

/// Threads: any.
class ProgramDesk {
 public:
  /// What `identify` answers is what the GPU's lab builds for. May block.
  using Identify = std::function<Result<DeviceIdentity>()>;

  /// The references must outlive the desk and its labs. `gpu_turn` is held while a program runs on
  /// the GPU, alone only for the run that is measured.
  ProgramDesk(const config::Settings& settings, const config::DeviceTable& devices,
              Identify identify, std::shared_ptr<DeviceTurn> gpu_turn)
      : settings_(settings),
        devices_(devices),
        identify_(std::move(identify)),
        gpu_turn_(std::move(gpu_turn)) {}

  /// `device`: key of the table, for the simulator. Errors: invalid_argument for the provider
  /// fixture; as ProgramLab::create() and the places.
  [[nodiscard]] Result<std::shared_ptr<const ProgramLab>> lab(Provider provider,
                                                              const std::string& device);

 private:
  const config::Settings& settings_;
  const config::DeviceTable& devices_;
  Identify identify_;
  std::shared_ptr<DeviceTurn> gpu_turn_;
  std::mutex mutex_;  // of the labs
  std::map<std::string, std::shared_ptr<const ProgramLab>> simulated_;
  std::shared_ptr<const ProgramLab> gpu_;
};

}  // namespace warpmind::profilers
