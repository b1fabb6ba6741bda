#pragma once
/// \file
/// This machine's GPUs: their lanes, and a lab for each lane.

#include "base/result.h"
#include "config/device_table.h"
#include "config/settings.h"
#include "daemon/scheduler/lane.h"
#include "profilers/device_turn.h"
#include "profilers/kernel_lab.h"
#include "profilers/machine_turn.h"
#include "profilers/toolchain/build_slots.h"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace warpmind::daemon {

using SharedLab = std::shared_ptr<profilers::KernelLab>;

/// queue.jobs_per_gpu lanes for each GPU and one for the simulator; a single one for everything
/// where there is no GPU, or none is wanted.
[[nodiscard]] std::vector<LaneSpec> survey_lanes(const config::Settings& settings);

/// `lab` for its lane and for external episodes at the same time; recorded below `directory` unless
/// that is empty. Errors: as RecordingKernelLab::create().
[[nodiscard]] Result<SharedLab> shared_lab(std::unique_ptr<profilers::KernelLab> lab,
                                           const std::filesystem::path& directory);

/// Lanes of one GPU have a lab each, with its own runners, health and noise: they build and check
/// beside each other, and measure one after the other. Threads: any.
class GpuLabs {
 public:
  /// References outlive the labs.
  GpuLabs(const config::Settings& settings, const config::DeviceTable& devices,
          const std::vector<LaneSpec>& lanes, std::shared_ptr<profilers::BuildSlots> builds)
      : settings_(settings), devices_(devices), lanes_(lanes), builds_(std::move(builds)) {}

  /// Of a lane; of the first one where the lane has no GPU of its own. Made when first needed, so
  /// that a daemon starts without nvcc and without a GPU. Errors: as WorkerKernelLab::create().
  [[nodiscard]] Result<SharedLab> lab(std::size_t lane = 0);

  /// On the first lane's GPU: users of programs take turns with its jobs.
  [[nodiscard]] std::shared_ptr<profilers::DeviceTurn> first_turn();

 private:
  /// What the labs of one GPU share.
  struct Turns {
    std::shared_ptr<profilers::DeviceTurn> here = std::make_shared<profilers::DeviceTurn>();
    std::shared_ptr<profilers::MachineTurn> machine = std::make_shared<profilers::MachineTurn>();
  };

  const config::Settings& settings_;
  const config::DeviceTable& devices_;
  const std::vector<LaneSpec>& lanes_;
  std::shared_ptr<profilers::BuildSlots> builds_;
  std::mutex mutex_;
  std::map<std::size_t, SharedLab> labs_;  ///< by lane
  std::map<std::string, Turns> turns_;     ///< by device, as its lanes name it
};

}  // namespace warpmind::daemon
