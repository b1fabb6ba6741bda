#pragma once
/// \file
/// Owns what posix_spawn needs: the descriptors, session and signals of a child.

#include "base/result.h"

#include <spawn.h>
#include <string>
#include <vector>

namespace warpmind::clients {

enum class ChildSession { shared, own };

/// A child with empty standard input. Not movable: the C objects point into themselves.
class SpawnPlan {
 public:
  SpawnPlan();
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan();

  /// `fd` of this process becomes `target` of the child.
  void give(int fd, int target);
  /// `target` of the child is /dev/null for writing.
  void discard(int target);

  /// Starts `words[0]` with signals at their defaults. Errors: unavailable.
  [[nodiscard]] Result<pid_t> spawn(const std::vector<std::string>& words, ChildSession session);

 private:
  void note(int rc) { problem_ = problem_ == 0 ? rc : problem_; }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
  int problem_ = 0;  // first errno of the preparation
};

/// Readable once the process has ended. Errors: not_found when there is none; external_failure.
[[nodiscard]] Result<int> open_pidfd(pid_t pid);

}  // namespace warpmind::clients
