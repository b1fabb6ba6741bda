#pragma once
/// \file
/// What a GPU needs at least, timed once: a kernel that does nothing, and cold reads of growing
/// size. By the same worker and the same rules as every verdict.

#include "base/limit.h"
#include "base/result.h"
#include "profilers/job/runner_job.h"
#include "profilers/lab/lab_parts.h"

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// One kernel to time.
struct FloorProbe {
  double bytes = 0;  ///< that it reads; 0 = the kernel that does nothing
  RunCase run_case;
  bool in_fresh_process = false;  ///< that has run nothing else, as a kernel is timed
};

/// The empty kernel, and each size read in two ways: which one is faster depends on the size.
[[nodiscard]] std::vector<FloorProbe> floor_probes(const std::string& binary);

/// Of `probes` and what each took: the faster way of each size. Times never fall with the size.
/// Errors: external_failure when a time is not a positive number.
[[nodiscard]] Result<DeviceFloors> floors_from(const std::vector<FloorProbe>& probes,
                                               const std::vector<double>& times_ns);

/// Kept for a device with this uuid and driver. Errors: as read_file(), corrupt_data, not_found.
[[nodiscard]] Result<DeviceFloors> read_floors(const std::filesystem::path& file,
                                               const DeviceIdentity& device);
/// Beside those of other devices. Errors: as write_file_atomic().
[[nodiscard]] Result<void> keep_floors(const std::filesystem::path& file,
                                       const DeviceIdentity& device, const DeviceFloors& floors);

/// Some seconds in a runner of the pool. Errors: cancelled, unavailable; external_failure with what
/// the runner said.
[[nodiscard]] Result<DeviceFloors> measure_floors(LabParts& parts, const DeviceIdentity& device,
                                                  const std::stop_token& stop);

/// Puts the floors of `device` into parts.floors: those kept in the daemon's state, else, where
/// `may_measure`, new ones. A device that cannot be measured has none, and the log says why.
/// Errors: cancelled.
[[nodiscard]] Result<void> know_floors(LabParts& parts, const DeviceIdentity& device,
                                       bool may_measure, const std::stop_token& stop);

}  // namespace warpmind::profilers
