#pragma once
/// \file
/// Writers that come at the same time share one sync: the first leads, the others wait.

#include "base/result.h"
#include "knowledge_base/change_set.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace warpmind::knowledge_base {

/// A write that waits for its turn.
struct PendingWrite {
  std::function<Result<void>(ChangeSet&)> make;  ///< called by the leader, once
  std::int64_t bytes = 0;                        ///< about what it will write
  Result<void> result;
  bool finished = false;
};

/// Threads: write_in_group() may be called by any number of them.
class CommitQueue {
 public:
  /// Writes a group and sets every `result`. Never called by two threads at once.
  using Leader = std::function<void(const std::vector<PendingWrite*>&)>;

  /// Returns the write's result when it, and whoever shares its batch, is done.
  [[nodiscard]] Result<void> write_in_group(PendingWrite& write, const Leader& leader);

 private:
  std::mutex mutex_;
  std::condition_variable finished_;
  std::vector<PendingWrite*> waiting_;
  bool led_ = false;
};

}  // namespace warpmind::knowledge_base
