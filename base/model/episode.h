#pragma once
/// \file
/// Steps and episodes: what was tried on one task, and what came of it.

#include "base/clock.h"
#include "base/ids.h"
#include "base/model/bottleneck.h"
#include "base/model/gradient.h"
#include "base/model/kernel.h"
#include "base/model/task.h"
#include "base/model/token_counts.h"
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
  /// What the writer expected without memory; memory learns from what was measured over it. 0 = it
  /// is not known.
  double prior_gain = 0;
  std::string model = {};  ///< language model that wrote it, as its server names it; empty = none
  bool operator==(const Candidate&) const = default;
};

/// What language models were paid for one step, or in all.
struct ModelSpending : TokenCounts {
  std::int64_t calls = 0;
  std::int64_t reasoning_tokens = 0;  ///< of the output
  std::int64_t micro_usd = 0;         ///< 0 also when the price is unknown
  double seconds = 0;                 ///< waited
  ModelSpending& operator+=(const ModelSpending& other) {
    add(other);
    calls += other.calls;
    reasoning_tokens += other.reasoning_tokens;
    micro_usd += other.micro_usd;
    seconds += other.seconds;
    return *this;
  }
  bool operator==(const ModelSpending&) const = default;
};

/// One request to a language model and its answer, as stored.
struct Exchange {
  std::string purpose;      ///< "proposal", "repair", "critique"
  std::string model;        ///< as the server named it
  std::string prompt_hash;  ///< of the request
  std::string prompt;       ///< what changes from step to step: the stable prefix is left out
  std::string reasoning;    ///< empty where the server returns none
  std::string answer;
  bool operator==(const Exchange&) const = default;
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
  /// Position of the step whose kernel was edited; -1 = in a record of an older build: see
  /// knowledge_base::edited_step.
  std::int64_t edited = -1;
  /// Against the incumbent, where that is not the edited kernel.
  std::optional<Comparison> promotion = {};
  std::optional<Gradient> gradient = {};
  double score = 0;        ///< agents/search/reward.h: turn_score
  double turn_return = 0;  ///< discounted return of the turns from here on
  ModelSpending spending = {};
  std::vector<Exchange> exchanges = {};
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
  std::string summary;                     ///< one sentence
  std::string policy = {};                 ///< of the search: "mcgs"
  std::string proposer = {};               ///< "builtin"
  std::uint64_t seed = 0;                  ///< of every random choice of the search
  std::string ended = {};                  ///< why it ended: "24 candidates judged, the budget"
  std::string critic = {};                 ///< who made `claims` and `deltas`
  std::vector<CritiqueClaim> claims = {};  ///< refused ones too
  std::vector<Delta> deltas = {};
  ModelSpending spending = {};  ///< of all steps and critiques
  std::vector<Exchange> critique = {};
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
