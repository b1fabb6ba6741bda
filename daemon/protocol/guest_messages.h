#pragma once
/// \file
/// Episodes whose candidates come from outside (`episode.open`, `brief`, `submit`, `close`), as
/// values. Names on the wire are the field names. docs/external.md has a session.

#include "base/launch_profile.h"
#include "base/model/advice.h"
#include "base/model/device.h"
#include "base/model/episode.h"
#include "base/model/job.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

struct EpisodeOpenParams {
  std::string directory;                    ///< absolute path of the task folder
  std::optional<std::int64_t> evaluations;  ///< default: episode.evaluations
  std::optional<double> seconds;            ///< default: 7 days; the lease is what ends it
  std::string provider;                     ///< "" = lab.provider
  std::string device;                       ///< for sim; "" = lab.target
  std::optional<double> gpu_seconds;        ///< default: no limit
  std::string effort = {};                  ///< "" = lab.effort
};

struct EpisodeParams {  ///< episode.brief
  std::string job_id;
};

/// What to know before the next candidate is written; answer of open and brief.
struct EpisodeBriefResult {
  std::string job_id;
  std::string episode_id;
  std::int64_t step = 0;  ///< whose kernel is the one to edit: the best so far
  Kernel kernel;
  double best_ratio = 1;
  Bottleneck bottleneck;
  std::vector<Metric> metrics;
  Advice advice;
  DeviceSpec device;
  std::string gradient;  ///< of the newest step; empty before the first
  std::string contract;
  std::vector<std::string> forbidden;
  std::int64_t evaluations_left = 0;
  double lease_s = 0;                    ///< from now
  std::vector<LaunchRow> launches = {};  ///< of that kernel, in launch order
};

struct EpisodeSubmitParams {
  std::string job_id;
  std::optional<std::string> source;
  std::optional<LaunchPlan> plan;
  std::optional<std::vector<std::string>> build_flags;
  std::optional<std::int64_t> edits;  ///< step whose kernel was edited; default the best so far
  std::string technique;              ///< a name of the base; "" = "free_form"
  std::string parameters;
  std::string rationale;
  std::optional<double> predicted_gain;  ///< factor; default 1
  std::string author;
  std::string model;
};

struct EpisodeSubmitResult {
  std::string job_id;
  std::int64_t step = 0;
  Verdict verdict;
  std::optional<Comparison> promotion;
  std::optional<Gradient> gradient;
  bool accepted = false;  ///< it is the best kernel now
  bool known = false;     ///< the same kernel was judged before, as `step`
};

struct EpisodeCloseParams {
  std::string job_id;
  std::string reason;
};

struct EpisodeCloseResult {
  std::string job_id;
  std::string episode_id;
  Outcome outcome = Outcome::same;
  std::string summary;
  std::int64_t candidates = 0;
  std::int64_t best_step = 0;
};

}  // namespace warpmind::daemon::protocol
