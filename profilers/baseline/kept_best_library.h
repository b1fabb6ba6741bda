#pragma once
/// \file
/// Times of library calls as they are kept: one file for each task, GPU and set of versions.

#include "base/model/best_library.h"
#include "base/model/device.h"
#include "base/model/task.h"
#include "base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// What a time of a library depends on.
struct LibrarySituation {
  const Task& task;
  const DeviceIdentity& device;
  std::string toolkit;                 ///< nvcc's release
  std::vector<std::string> libraries;  ///< with their versions, those that cannot be had as well
};

/// Content address of a situation, and of the lab's own version.
[[nodiscard]] std::string key_of(const LibrarySituation& situation);

/// Errors: as read_file(), corrupt_data; not_found also for an empty folder.
[[nodiscard]] Result<BestLibrary> read_best_library(const std::filesystem::path& state_directory,
                                                    const std::string& key);
/// Errors: as write_file_atomic().
[[nodiscard]] Result<void> keep_best_library(const std::filesystem::path& state_directory,
                                             const LibrarySituation& situation,
                                             const BestLibrary& best);

}  // namespace warpmind::profilers
