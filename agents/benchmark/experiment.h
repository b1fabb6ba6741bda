#pragma once
/// \file
/// Runs the streams of every arm over an evaluation table.

#include "agents/benchmark/arms.h"
#include "agents/benchmark/episode_score.h"
#include "agents/proposer.h"
#include "base/clock.h"
#include "config/device_table.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::agents::benchmark {

struct ExperimentTerms {
  std::string policy = "auto";    ///< of the search
  std::int64_t evaluations = 24;  ///< an episode
  std::int64_t orders = 3;        ///< of the tasks, in training and in streams
  std::int64_t seeds = 5;         ///< of the search, for each order
  std::uint64_t seed = 1;         ///< of everything random
  std::int64_t threads = 0;       ///< 0 = as many as the machine has
};

struct ExperimentPlan : ExperimentTerms {
  std::vector<Arm> arms;  ///< the first is the control
};

/// The references must outlive the call.
struct ExperimentParts {
  const EvaluationTable& table;
  Proposer& proposer;
  const config::DeviceTable& devices;
  const Clock& clock;
  std::filesystem::path scratch = {};  ///< for bases; empty = /dev/shm, else the temporary folder
  std::function<void(std::int64_t done, std::int64_t all)> progress = {};  ///< any thread
};

/// One scored episode: which arm on which task, in which order, with which seed of the search.
struct Run {
  std::size_t arm = 0;   ///< position in the plan
  std::size_t task = 0;  ///< position in the table
  std::int64_t order = 0;
  std::int64_t seed = 0;
  EpisodeScore score;
};

/// A recorded move, as it is expected with a base that learned on the other families; all in
/// ln(gain).
struct MoveForecast {
  std::size_t task = 0;  ///< position in the table
  double guess = 0;      ///< the proposer's, without memory
  double expected = 0;
  double low = 0;  ///< 80 % interval
  double high = 0;
  double order = 0;  ///< by which moves are tried, the largest first
  double measured = 0;
};

struct ExperimentResult {
  std::vector<Run> runs;
  std::vector<MoveForecast> forecasts;  ///< of one order; none without an arm that learned before
};

/// Every arm has one run for each task, order and seed, sorted in that order: paired by position.
/// Errors: invalid_argument for a table with fewer than two families, or whose kernels the
/// proposer's moves do not lead to; cancelled; as EpisodeLoop and the base.
[[nodiscard]] Result<ExperimentResult> run_experiment(const ExperimentParts& parts,
                                                      const ExperimentPlan& plan,
                                                      const std::stop_token& stop = {});

/// Share of the recorded kernels that the proposer's moves still lead to from the given ones.
[[nodiscard]] double reachable_share(const ExperimentParts& parts);

/// For `shuffled`: what a search would ask about the recorded kernels of tasks of other families
/// than `family`.
[[nodiscard]] std::vector<Situation> situations_elsewhere(const ExperimentParts& parts,
                                                          const std::string& family);

}  // namespace warpmind::agents::benchmark
