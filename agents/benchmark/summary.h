#pragma once
/// \file
/// From runs to the figures of the experiment. Formulas: docs/bench_memory.md.

#include "agents/benchmark/bootstrap.h"
#include "agents/benchmark/experiment.h"

#include <string>
#include <vector>

namespace warpmind::agents::benchmark {

/// What there was to be found on one task.
struct TaskOutcome {
  std::string name;
  std::string family;
  double best = 0;           ///< ln(gain), over all arms
  double best_recorded = 0;  ///< ln(gain), in the table
  /// At 95 % of the best there is a gain left: the task counts for evaluations-to-target.
  bool counted = false;
};

/// Means count every task the same; intervals are 95 %, over tasks and runs.
struct ArmOutcome {
  std::string name;
  std::string what;
  std::int64_t episodes = 0;
  Interval evaluations;  ///< to 95 % of the best; budget + 1 where it was never reached
  double reached = 0;    ///< share of the runs that reached it
  Interval log_ratio;    ///< ln(evaluations / the control's), paired
  Interval area;         ///< mean ln(gain) over the evaluations
  Interval regret;       ///< ln(best recorded / what was found)
  Interval harm;         ///< share of the episodes that ended below the control, beyond noise
  double failed = 0;     ///< share of the candidates
  double repeated = 0;   ///< share of the candidates that failed in a known way
  std::vector<double> by_task;  ///< mean evaluations of each task; 0 where it is not counted
  std::vector<double> curve;    ///< mean ln(gain) after 0, 1, … evaluations
  double seconds = 0;           ///< mean wall time of an episode
};

struct ComparisonOutcome {
  std::string arm;
  std::string against;
  Interval log_ratio;      ///< of evaluations, paired
  double corrected_p = 1;  ///< Holm, over the planned comparisons
};

/// How good expectations of moves are; means over tasks with five moves or more, families left out.
struct ForecastFigures {
  std::int64_t moves = 0;
  std::int64_t tasks = 0;
  double rank_by_guess = 0;   ///< Spearman's rank correlation of guess and measured gain
  double rank_by_memory = 0;  ///< of what is expected with memory
  double rank_of_order = 0;   ///< of the order in which moves are tried
  double error_of_guess = 0;  ///< root mean square of ln(measured / guessed)
  double error_with_memory = 0;
  double covered = 0;  ///< share of measured gains inside their 80 % interval
};

struct Summary {
  std::vector<TaskOutcome> tasks;
  std::vector<ArmOutcome> arms;  ///< the control first
  std::vector<ComparisonOutcome> planned;
  std::int64_t evaluations = 0;  ///< budget
  ForecastFigures forecasts;

  [[nodiscard]] const ArmOutcome* find(std::string_view arm) const;
};

/// `runs` as run_experiment gives them. Pure.
[[nodiscard]] Summary summarise(const EvaluationTable& table, const ExperimentPlan& plan,
                                const std::vector<Run>& runs, const Resampling& resampling = {});

}  // namespace warpmind::agents::benchmark
