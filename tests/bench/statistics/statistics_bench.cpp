/// \file
/// How often the verdict rule errs under simulated noise: false `improved` among equal kernels, the
/// share of planted gains that are seen, and the smallest gain that is seen 95 times in 100.
/// `statistics_bench [TRIALS]` (2000). RESULT worst_false_improved= worst_false_regressed=
/// worst_power_2pct= worst_coverage= largest_detectable_pct=

#include "tests/bench/statistics/noise_regimes.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>

namespace warpmind::bench {
namespace {

constexpr std::array kGains{0.005, 0.01, 0.015, 0.02, 0.03, 0.05};

/// Percent, of a power curve over kGains; 100 when no gain reaches 95 %.
double detectable(const std::array<double, kGains.size()>& power) {
  for (std::size_t i = 0; i < kGains.size(); ++i) {
    if (power[i] >= 0.95) return 100 * kGains[i];
  }
  return 100;
}

struct Worst {
  double improved = 0;
  double regressed = 0;
  double power = 1;
  double coverage = 1;
  double detectable = 0;
};

void report(const NoiseRegime& regime, int trials, Worst& worst) {
  const double improved = share_of(regime, 0, Outcome::improved, trials);
  const double regressed = share_of(regime, 0, Outcome::regressed, trials);
  std::array<double, kGains.size()> power{};
  for (std::size_t i = 0; i < kGains.size(); ++i) {
    power[i] = share_of(regime, kGains[i], Outcome::improved, trials / 4);
  }
  const double covered = coverage(regime, 0.01, trials / 4);
  std::printf("%-13.*s %8.2f%% %9.2f%%", static_cast<int>(regime.name.size()), regime.name.data(),
              100 * improved, 100 * regressed);
  for (const double one : power) std::printf(" %6.1f%%", 100 * one);
  std::printf(" %8.1f%% %8.1f%%\n", 100 * covered, detectable(power));
  worst.improved = std::max(worst.improved, improved);
  worst.regressed = std::max(worst.regressed, regressed);
  worst.power = std::min(worst.power, power[3]);
  worst.coverage = std::min(worst.coverage, covered);
  worst.detectable = std::max(worst.detectable, detectable(power));
}

int run(int trials) {
  std::printf(
      "%d pairs of equal kernels a regime, %d for each planted gain; 7 process pairs of 10 quads\n",
      trials, trials / 4);
  std::printf("%-13s %9s %10s", "regime", "improved", "regressed");
  for (const double gain : kGains) std::printf(" %5.1f%%+", 100 * gain);
  std::printf(" %9s %9s\n", "coverage", "seen from");
  Worst worst;
  for (const auto* regime : {&kQuiet, &kOrdinary, &kNoisy}) report(*regime, trials, worst);
  for (const auto& regime : kVices) report(regime, trials, worst);
  std::printf(
      "RESULT worst_false_improved=%.4f worst_false_regressed=%.4f worst_power_2pct=%.3f "
      "worst_coverage=%.3f largest_detectable_pct=%.1f\n",
      worst.improved, worst.regressed, worst.power, worst.coverage, worst.detectable);
  return 0;
}

}  // namespace
}  // namespace warpmind::bench

int main(int count, char** words) {
  int trials = 2000;
  if (count > 1) {
    const char* const end = words[1] + std::strlen(words[1]);
    const auto [stopped, error] = std::from_chars(words[1], end, trials);
    if (error != std::errc() || stopped != end || trials < 4) {
      std::fprintf(stderr, "statistics_bench: '%s' is no number of trials from 4 on\n", words[1]);
      return 2;
    }
  }
  return warpmind::bench::run(trials);
}
