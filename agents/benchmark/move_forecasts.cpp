#include "agents/benchmark/move_forecasts.h"

#include "agents/benchmark/recorded_sources.h"
#include "agents/diagnosis.h"
#include "agents/search/move_scoring.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace warpmind::agents::benchmark {
namespace {

/// With fewer moves an order says nothing.
constexpr std::size_t kLeastMoves = 5;

std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double shared = static_cast<double>(first + end - 1) / 2;
    for (; first < end; ++first) ranks[order[first]] = shared;
  }
  return ranks;
}

/// What an episode asks the base when it comes to `kernel`.
Result<Advice> advice_for(const ProposalContext& context, const RecordedKernel& recorded,
                          const ExperimentParts& parts, const std::vector<Move>& moves,
                          const knowledge_base::KnowledgeStore& base) {
  const auto techniques = parts.proposer.techniques();
  const TableOrigin& origin = parts.table.origin();
  knowledge_base::RecallQuery query{context.task, context.bottleneck.primary, origin.device,
                                    origin.provider, techniques};
  query.previous_technique = recorded.technique;
  for (const auto& move : moves) {
    if (!move.parameters.empty()) query.moves.emplace_back(move.technique, move.parameters);
  }
  if (recorded.verdict.measurement) query.toolkit = recorded.verdict.measurement->toolkit;
  return base.recall(query);
}

MoveForecast forecast_of(std::size_t task, const Move& move, const Advice& advice,
                         double measured) {
  const ScoredMove expected = scored(move, advice);
  const Prediction prediction = prediction_of(expected);
  return {task,
          std::log(move.prior_gain),
          expected.log_gain,
          std::log(prediction.low),
          std::log(prediction.high),
          expected_value(expected, expected.log_gain + expected.order_shift),
          measured};
}

double root_mean_square(const std::vector<double>& expected, const std::vector<double>& measured) {
  double sum = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    sum += (measured[i] - expected[i]) * (measured[i] - expected[i]);
  }
  return std::sqrt(sum / static_cast<double>(expected.size()));
}

struct Columns {
  std::vector<double> guess, expected, order, measured;
  double covered = 0;
};

Columns columns_of(const std::vector<MoveForecast>& forecasts) {
  Columns columns;
  for (const auto& one : forecasts) {
    columns.guess.push_back(one.guess);
    columns.expected.push_back(one.expected);
    columns.order.push_back(one.order);
    columns.measured.push_back(one.measured);
    if (one.measured >= one.low && one.measured <= one.high) ++columns.covered;
  }
  columns.covered /= static_cast<double>(forecasts.size());
  return columns;
}

}  // namespace

double rank_correlation(const std::vector<double>& one, const std::vector<double>& other) {
  const auto a = ranks_of(one);
  const auto b = ranks_of(other);
  const double mean = (static_cast<double>(a.size()) - 1) / 2;
  double both = 0;
  double of_a = 0;
  double of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - mean) * (b[i] - mean);
    of_a += (a[i] - mean) * (a[i] - mean);
    of_b += (b[i] - mean) * (b[i] - mean);
  }
  return of_a > 0 && of_b > 0 ? both / std::sqrt(of_a * of_b) : 0;
}

Result<std::vector<MoveForecast>> forecasts_of(std::size_t task, const ExperimentParts& parts,
                                               MoveResults& results,
                                               const knowledge_base::KnowledgeStore& base) {
  const TaskRecording& recording = parts.table.tasks()[task];
  const DeviceSpec device = parts.devices.match(parts.table.origin().device).value_or(DeviceSpec{});
  const TableProposer proposer(parts.proposer, parts.table, results);
  std::vector<MoveForecast> forecasts;
  for (const auto& [id, kernel] : recorded_sources(recording, parts.proposer, device)) {
    const RecordedKernel& recorded = *recording.find(id);
    const auto before = recording.log_gain(id);
    if (!before) continue;
    const Bottleneck bottleneck = diagnose({recording.task(), kernel, recorded.verdict, device});
    const Advice nothing;
    const ProposalContext context{recording.task(), kernel, bottleneck, nothing, device};
    const auto moves = proposer.moves(context);
    WARPMIND_TRY(const Advice advice, advice_for(context, recorded, parts, moves, base));
    for (const auto& move : moves) {
      const auto result = proposer.result_of(move, context);
      const auto after = result ? recording.log_gain(*result) : std::nullopt;
      if (after) forecasts.push_back(forecast_of(task, move, advice, *after - *before));
    }
  }
  return forecasts;
}

ForecastFigures figures_of(const std::vector<MoveForecast>& forecasts) {
  std::map<std::size_t, std::vector<MoveForecast>> by_task;
  for (const auto& one : forecasts) by_task[one.task].push_back(one);
  ForecastFigures sum;
  for (const auto& [task, of_task] : by_task) {
    if (of_task.size() < kLeastMoves) continue;
    const Columns columns = columns_of(of_task);
    ++sum.tasks;
    sum.moves += static_cast<std::int64_t>(of_task.size());
    sum.rank_by_guess += rank_correlation(columns.guess, columns.measured);
    sum.rank_by_memory += rank_correlation(columns.expected, columns.measured);
    sum.rank_of_order += rank_correlation(columns.order, columns.measured);
    sum.error_of_guess += root_mean_square(columns.guess, columns.measured);
    sum.error_with_memory += root_mean_square(columns.expected, columns.measured);
    sum.covered += columns.covered;
  }
  if (sum.tasks == 0) return sum;
  const auto tasks = static_cast<double>(sum.tasks);
  for (double* figure : {&sum.rank_by_guess, &sum.rank_by_memory, &sum.rank_of_order,
                         &sum.error_of_guess, &sum.error_with_memory, &sum.covered}) {
    *figure /= tasks;
  }
  return sum;
}

}  // namespace warpmind::agents::benchmark
