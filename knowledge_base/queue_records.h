#pragma once
/// \file
/// What the base keeps of the queue beside its jobs: the rules, and which jobs ran in which night.

#include "base/model/job.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

class OpenBase;

/// For work in the background, night by night. In the limits 0 means none.
struct QueueRules {
  std::string quiet_hours = {};  ///< "08:00-19:00", local time: none of it runs then; empty = never
  Spent night = {};              ///< most that all jobs of one night may spend
  Spent user = {};               ///< most that the jobs of one user may spend in one night
  bool operator==(const QueueRules&) const = default;
};

/// Threads: any. `base` must outlive it.
class QueueRecords {
 public:
  explicit QueueRecords(OpenBase& base) : base_(base) {}

  /// As they were set last. Errors: what the base refuses.
  [[nodiscard]] Result<QueueRules> rules() const;
  /// Durable when it returns. Errors: unavailable when the base is read-only or the disk is full.
  [[nodiscard]] Result<void> set_rules(const QueueRules& rules);

  /// The newest first, at most `limit`.
  [[nodiscard]] Result<std::vector<std::string>> nights(std::size_t limit) const;
  /// The jobs whose last start was in `night`, in the order of their numbers, without episodes.
  [[nodiscard]] Result<std::vector<Job>> jobs_of(std::string_view night) const;

 private:
  OpenBase& base_;
};

[[nodiscard]] Result<std::string> encode_queue_rules(const QueueRules& rules);
/// Errors: corrupt_data.
[[nodiscard]] Result<QueueRules> decode_queue_rules(std::string_view bytes);

}  // namespace warpmind::knowledge_base
