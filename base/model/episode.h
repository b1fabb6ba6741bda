#pragma once
/// \file
/// Steps and episodes: what was tried on one task, and what came of it.

#include "base/clock.h"
#include "base/ids.h"
#include "base/model/bottleneck.h"
#include "base/model/kernel.h"
#include "base/model/task.h"
#include "base/model/verdict.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind {

/// Who wrote a candidate.
struct Candidate {
  Kernel kernel;
  KernelId parent;         ///< the kernel that was edited
  std::string proposer;    ///< "builtin", "replay", "memory"
  std::string technique;   ///< "block_size", …; one edit, one technique
  std::string parameters;  ///< "block_x=512"
  std::string rationale;   ///< one sentence
  double predicted_gain = 1;
  double predicted_low = 1;
  double predicted_high = 1;
  bool operator==(const Candidate&) const = default;
};

/// An insight that retrieval had ready when the step's move was chosen.
struct Exposure {
  InsightId insight;
  double propensity = 1;  ///< probability that it was shown
  bool shown = true;
  bool operator==(const Exposure&) const = default;
};

struct Step {
  std::int64_t index = 0;  ///< 0 = baseline
  Candidate candidate;
  Bottleneck before;  ///< state of the kernel that was edited
  Verdict verdict;
  bool accepted = false;  ///< became the incumbent
  std::vector<Exposure> exposures = {};
  bool operator==(const Step&) const = default;
};

struct Episode {
  EpisodeId id;
  TaskId task;
  std::string task_name;
  std::string operator_family;
  Split split = Split::train;
  Provider provider = Provider::gpu;
  UnixMillis started;
  UnixMillis finished;
  std::vector<Step> steps;     ///< [0] is the baseline
  std::int64_t best_step = 0;  ///< index into steps
  /// Confirmed ratio of best against baseline, measured directly; absent when nothing was better.
  std::optional<Comparison> best_against_baseline;
  Outcome outcome = Outcome::inconclusive;
  std::string summary;  ///< one sentence
  bool operator==(const Episode&) const = default;
};

/// What one commit wrote, for "what was written to the base".
struct WriteBackReceipt {
  std::int64_t sequence = 0;  ///< position in the log; 0 = nothing was written
  std::int64_t steps = 0;
  std::int64_t kernels = 0;
  std::int64_t measurements = 0;
  std::vector<std::string>
      lessons;  ///< "block_size at low_occupancy on NVIDIA H200: 1.21x, 2 measurements"
  bool operator==(const WriteBackReceipt&) const = default;
};

}  // namespace warpmind
