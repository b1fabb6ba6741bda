#pragma once
/// \file
/// A control group of one job: what bounds memory and the number of processes of a whole tree.

#include "base/file.h"

#include <filesystem>
#include <vector>

namespace warpmind::profilers {

/// Folders of one job in the control group hierarchies, removed by the destructor once their
/// processes are gone.
class JobGroup {
 public:
  JobGroup() = default;
  JobGroup(JobGroup&&) noexcept = default;
  JobGroup& operator=(JobGroup&& other) noexcept;
  JobGroup(const JobGroup&) = delete;
  JobGroup& operator=(const JobGroup&) = delete;
  ~JobGroup() { remove(); }

  /// Takes over `folder`; `members` is its cgroup.procs, open for writing.
  void add(std::filesystem::path folder, UniqueFd members);

  /// Descriptors to which a child writes "0" to join.
  [[nodiscard]] const std::vector<UniqueFd>& doors() const { return doors_; }
  /// A group with a process in it cannot be removed: false = try again later.
  bool remove() noexcept;

 private:
  std::vector<std::filesystem::path> folders_;
  std::vector<UniqueFd> doors_;
};

}  // namespace warpmind::profilers
