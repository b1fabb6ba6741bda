#pragma once
/// \file
/// How good expectations of moves are: what guess and memory said of every recorded move, beside
/// what was measured.

#include "agents/benchmark/experiment.h"
#include "agents/benchmark/summary.h"
#include "agents/benchmark/table_proposer.h"
#include "knowledge_base/knowledge_store.h"

#include <cstdint>
#include <vector>

namespace warpmind::agents::benchmark {

/// The moves of every recorded kernel of task `task` that led to a right kernel, kernels by their
/// ids, as an episode would expect them with what `base` knows. Errors: as recall.
[[nodiscard]] Result<std::vector<MoveForecast>> forecasts_of(
    std::size_t task, const ExperimentParts& parts, MoveResults& results,
    const knowledge_base::KnowledgeStore& base);

[[nodiscard]] ForecastFigures figures_of(const std::vector<MoveForecast>& forecasts);

/// Spearman's rank correlation; equal values share their rank. 0 where either does not vary.
[[nodiscard]] double rank_correlation(const std::vector<double>& one,
                                      const std::vector<double>& other);

}  // namespace warpmind::agents::benchmark
