/// \file
/// How well the 80 % intervals of predictions hold on operator families that they were not fitted
/// to, and the constants of base/prediction_interval.cpp that fit all of them.
///   calibration_bench [--worst N]

#include "base/prediction_interval.h"
#include "tests/bench/calibration/interval_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace warpmind::calibration {
namespace {

const std::filesystem::path kTables = WARPMIND_VALIDATION_TABLES;

void print(const char* what, bool printed, const std::vector<Miss>& misses) {
  const Coverage coverage = left_out_coverage(misses, kPredictionCoverage);
  std::printf(
      "%s, %-16s %5zu rows of %2zu families: factor %.3f holds %4.1f %% of a left-out family on "
      "average, %4.1f %% of the rows\n",
      what, printed ? "with interval:" : "low confidence:", coverage.rows, coverage.families,
      std::exp(fitted_width(misses, kPredictionCoverage)), 100 * coverage.of_families,
      100 * coverage.share());
}

void print_worst(std::vector<PredictedTime> times, std::size_t count) {
  std::sort(times.begin(), times.end(),
            [](const auto& a, const auto& b) { return std::abs(a.miss()) > std::abs(b.miss()); });
  times.resize(std::min(count, times.size()));
  for (const auto& one : times) {
    std::printf("  %s %s: measured %.2f us, predicted %.2f, bound by %s, %s\n", one.task.c_str(),
                one.kernel.c_str(), one.measured_us, one.predicted_us, one.bound.c_str(),
                one.confidence.c_str());
  }
}

Result<void> run(std::size_t worst) {
  WARPMIND_TRY(const auto times, read_times(kTables / "predicted_times_h200.tsv"));
  WARPMIND_TRY(const auto gains, read_gains(kTables / "move_gains_h200.tsv"));
  const auto of_times = time_misses(times);
  const auto of_pairs = gain_misses(times);
  for (const bool printed : {true, false}) {
    print("times", printed, with_interval(of_times, printed));
    print("gains", printed, with_interval(of_pairs, printed));
  }
  const Coverage moves = left_out_coverage(gains, kPredictionCoverage);
  std::printf("moves          %5zu rows of %2zu families: %.1f per ln(gain) holds %4.1f %%\n",
              moves.rows, moves.families, fitted_miss_per_gain(gains, kPredictionCoverage),
              100 * moves.share());
  print_worst(times, worst);
  const auto share = [](const std::vector<Miss>& misses) {
    return left_out_coverage(with_interval(misses, true), kPredictionCoverage).of_families;
  };
  std::printf(
      "RESULT times=%zu pairs=%zu moves=%zu times_inside=%.3f gains_inside=%.3f "
      "moves_inside=%.3f\n",
      times.size(), of_pairs.size(), gains.size(), share(of_times), share(of_pairs), moves.share());
  return {};
}

}  // namespace
}  // namespace warpmind::calibration

int main(int count, char** words) {
  std::size_t worst = 0;
  if (count == 3 && std::string_view(words[1]) == "--worst") {
    worst = static_cast<std::size_t>(std::max(0L, std::strtol(words[2], nullptr, 10)));
  } else if (count != 1) {
    std::fprintf(stderr, "calibration_bench [--worst N]\n");
    return 2;
  }
  const auto ran = warpmind::calibration::run(worst);
  if (ran) return 0;
  std::fprintf(stderr, "calibration_bench: %s\n", ran.error().message.c_str());
  return 1;
}
