#pragma once
/// \file
/// What editors ask for (`episode.list`, `lsp.attach`), as values. Names on the wire are the field
/// names.

#include "base/model/job.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

struct EpisodeListParams {
  std::string file;                   ///< absolute path of a CUDA file; "" = of every task
  std::optional<std::int64_t> limit;  ///< most episodes
};

/// A job, with what its episode says in short.
struct ListedEpisode {
  std::string job_id;
  JobState state = JobState::queued;
  std::string task;
  std::string directory;  ///< of the task
  Provider provider = Provider::gpu;
  std::int64_t submitted = 0;  ///< ms since 1970
  // The rest only where there is an episode.
  std::string episode_id;
  std::string outcome;
  std::string device;   ///< "NVIDIA H200"
  double given_ns = 0;  ///< time of the given kernel; 0 = not measured
  double best_ns = 0;
  double ratio = 1;       ///< given / best, measured directly; 1 = nothing was better
  std::string technique;  ///< of the best step
  std::string summary;
  std::string bottleneck;        ///< of the given kernel
  std::vector<std::string> how;  ///< techniques that led to the best, in their order
  std::vector<double> curve;     ///< best ratio after each candidate
  double limit_ns = 0;           ///< base/limit.h; 0 = not known
  std::string limited_by;        ///< "memory bandwidth", "FP32 arithmetic", "one kernel launch"
  bool operator==(const ListedEpisode&) const = default;
};

struct EpisodeListResult {
  std::string directory;                ///< task folder whose kernel is `file`; "" = none
  std::string task;                     ///< its name
  std::string note;                     ///< why there is no task, and the way out
  std::vector<ListedEpisode> episodes;  ///< newest first
};

struct LspAttachResult {
  std::string protocol = "3.17";
};

}  // namespace warpmind::daemon::protocol
