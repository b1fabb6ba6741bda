#pragma once
/// \file
/// Where on this machine a job can have control groups of its own, version 1 or 2.

#include "base/result.h"
#include "profilers/process/job_group.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::profilers {

struct GroupLimits {
  std::uint64_t memory_bytes = 0;
  std::uint64_t processes = 0;  ///< threads count
};

/// Groups are made below the daemon's own, where the system lets it: as root, in a delegated unit,
/// in a user's session. Nothing above is changed.
class ControlGroups {
 public:
  /// Tries it out with an empty group. Never fails: what cannot be bounded is not bounded.
  [[nodiscard]] static ControlGroups probe();
  /// As probe(), on the given texts of /proc/self/mountinfo and /proc/self/cgroup.
  [[nodiscard]] static ControlGroups probe(std::string_view mounts, std::string_view own);

  [[nodiscard]] bool bounds_memory() const;
  [[nodiscard]] bool bounds_processes() const;
  /// "cgroup v1 /sys/fs/cgroup/memory", or why there is none.
  [[nodiscard]] std::string describe(std::string_view controller) const;

  /// A group with the bounds that this machine can keep. Errors: external_failure.
  [[nodiscard]] Result<JobGroup> make(const GroupLimits& limits) const;

 private:
  struct Place {
    std::filesystem::path parent;
    int version = 2;
    bool memory = false;
    bool processes = false;
  };

  std::vector<Place> places_;
};

/// A bound for a job that holds as much as it likes: three quarters of the machine's memory.
[[nodiscard]] std::uint64_t most_memory_bytes();

}  // namespace warpmind::profilers
