#pragma once
/// \file
/// Jobs that the queue makes by itself: those that recur, and those that it proposes.

#include "base/model/job.h"
#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

class OpenBase;

/// A job that recurs. Of its jobs one at a time waits or runs.
struct JobSeries {
  JobId first;         ///< its number is the name of the series
  std::string every;   ///< "24h", "daily@22:00"
  JobRequest request;  ///< of each of its jobs; when they may start is apart
  JobId current;       ///< the newest
  bool operator==(const JobSeries&) const = default;
};

/// Why the queue thought of a job.
struct JobProposal {
  std::string subject;  ///< what it is about; each is proposed once
  std::string why;      ///< for a person
  JobId job = {};
  bool operator==(const JobProposal&) const = default;
};

/// Durable:  when a writing function returns a value, its change survives kill -9 and power loss.
/// Threads:  any. `base` must outlive it.
class QueueAgenda {
 public:
  explicit QueueAgenda(OpenBase& base) : base_(base) {}

  /// Adds the first job of a series, with the series, in one change. Errors: as add_job().
  [[nodiscard]] Result<Job> begin_series(const JobRequest& request, const std::string& every,
                                         UnixMillis now);
  /// Adds the next job of `series`, not to start before `due`, in one change. Errors: not_found for
  /// a series that was ended; conflict when it has gone on already; as add_job().
  [[nodiscard]] Result<Job> continue_series(const JobSeries& series, UnixMillis due,
                                            UnixMillis now);
  /// Its jobs stay; no more follow. Ending what has ended changes nothing.
  [[nodiscard]] Result<void> end_series(const JobId& first);
  /// In the order of their numbers.
  [[nodiscard]] Result<std::vector<JobSeries>> series() const;

  /// Adds a proposed job, paused when `held`, in one change. Errors: conflict when its subject was
  /// proposed before; as add_job().
  [[nodiscard]] Result<Job> propose(const JobRequest& request, const JobProposal& proposal,
                                    bool held, UnixMillis now);
  /// All that were ever proposed, by subject.
  [[nodiscard]] Result<std::vector<JobProposal>> proposals() const;

 private:
  OpenBase& base_;
};

[[nodiscard]] Result<std::string> encode_series(const JobSeries& series);
/// Errors: corrupt_data.
[[nodiscard]] Result<JobSeries> decode_series(std::string_view bytes);
[[nodiscard]] Result<std::string> encode_proposal(const JobProposal& proposal);
/// Errors: corrupt_data.
[[nodiscard]] Result<JobProposal> decode_proposal(std::string_view bytes);

}  // namespace warpmind::knowledge_base
