#pragma once
/// \file
/// What must never be exported: tasks that are held out, and every kernel that was tried on them.

#include "agents/export/export_source.h"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace warpmind::agents {

/// The id that `task` would have, were it held out: the split is part of what an id hashes, so the
/// same task handed in once as held out and once for training has two ids.
[[nodiscard]] TaskId heldout_twin(Task task);

class HeldOut {
 public:
  /// Remembers task and kernels when the episode is held out; else nothing happens.
  void add(const SourceEpisode& source);

  [[nodiscard]] bool is_task(const std::string& task_id) const { return tasks_.contains(task_id); }
  /// By split, id, or twin.
  [[nodiscard]] bool covers(const SourceEpisode& source) const;
  /// True for a source that differs from one tried there in comments and layout alone.
  [[nodiscard]] bool has_source(std::string_view source) const;

 private:
  std::set<std::string, std::less<>> tasks_;
  std::set<std::string, std::less<>> sources_;  // normalised hashes
};

}  // namespace warpmind::agents
