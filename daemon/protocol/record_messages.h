#pragma once
/// \file
/// What episodes left behind, explained and exported (`episode.explain`, `export.*`), as values.
/// Names on the wire are the field names. Paths are absolute and the daemon's.

#include "base/model/advice.h"
#include "base/model/episode.h"
#include "base/model/insight.h"
#include "base/model/job.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

struct EpisodeExplainParams {
  std::string id;                    ///< "e-0000000007", "j-0000000007", "7" or "last"
  std::optional<std::int64_t> step;  ///< must be one of the episode; absent = the whole episode
};

/// An insight that retrieval had ready for a step, as it stands today.
struct ExplainedInsight {
  std::string id;
  bool known = false;  ///< false: no longer in the base, nothing below is filled
  InsightKind kind = InsightKind::positive;
  InsightState state = InsightState::proposed;
  std::string claim;
  std::vector<std::string> techniques;
  Utility utility;
  bool operator==(const ExplainedInsight&) const = default;
};

struct EpisodeExplainResult {
  std::string job_id;  ///< empty when the job is no longer there
  JobState state = JobState::done;
  Budget budget;                           ///< that the job was given
  Episode episode;                         ///< as stored, every step
  std::vector<ExplainedInsight> insights;  ///< behind the exposures of all steps, each once
  std::optional<std::int64_t> step;        ///< that was asked for
  /// About the kernel that `step` edited, or the given one; absent where no step was asked for, or
  /// the base holds the episode without its task.
  std::optional<FirstAdvice> advice = {};
  /// Of a recorded task: which inputs are as recorded, which alike, which invented.
  std::string inputs = {};
};

struct ExportWriteParams {
  std::string kind;                   ///< "trajectories" or "concur"
  std::string file;                   ///< must not exist
  std::string format;                 ///< trajectories: "kevin" (default) or "chat"
  std::string provider;               ///< whose results: "gpu" (default), "sim" or "fixture"
  std::optional<std::int64_t> since;  ///< number of the first episode
  std::optional<double> threshold;    ///< concur: speedup that criterion b asks for
  std::optional<double> balance;      ///< concur: most lines of one kind for each of the other
};
struct ExportWriteResult {
  std::string file;
  std::int64_t bytes = 0;
  std::string sha256;               ///< of the file
  std::int64_t lines = 0;           ///< written
  std::int64_t episodes = 0;        ///< with at least one line
  std::int64_t tasks = 0;           ///< with at least one line
  std::int64_t heldout = 0;         ///< attempts left out: held-out task or kernel
  std::int64_t other_provider = 0;  ///< episodes left out: measured by somebody else
  std::int64_t no_reasoning = 0;    ///< concur: attempts without reasoning text
  std::int64_t duplicates = 0;      ///< concur: left out as copies
  std::int64_t unbalanced = 0;      ///< concur: left out to balance single against fused operators
  std::vector<std::string> notes;
};

struct ExportVerifyParams {
  std::string file;
};
struct ExportVerifyResult {
  std::int64_t lines = 0;
  std::int64_t problems = 0;
  std::vector<std::string> notes;  ///< the first twenty problems, each with its line
  std::vector<std::string> kinds;  ///< schemas that were met
  bool operator==(const ExportVerifyResult&) const = default;
};

}  // namespace warpmind::daemon::protocol
