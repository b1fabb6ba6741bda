#include "tests/bench/statistics/noise_regimes.h"

#include <algorithm>
#include <cmath>

namespace warpmind::bench {
namespace {

// As profilers/worker/block_timer.h: one pair of clock readings around a block.
constexpr int kLeastLaunches = 20;
constexpr double kBlockUs = 2000;
constexpr double kMemory = 20.0;       // seconds after which a drift is forgotten
constexpr double kLeastBlock = 0.022;  // seconds, with its pauses

unsigned seed_of(int trial) { return static_cast<unsigned>(trial) * 7919U + 13U; }

}  // namespace

std::ostream& operator<<(std::ostream& out, const NoiseRegime& regime) {
  return out << regime.name;
}

double NoisyMachine::level_of_clock() {
  const double keep = std::exp(-kLeastBlock / kMemory);
  drift_ = keep * drift_ + regime_.drift * std::sqrt(1 - keep * keep) * normal_(random_);
  if (regime_.step > 0 && uniform_(random_) < 0.005)
    step_ = regime_.step * (uniform_(random_) - 0.5);
  if (regime_.bimodal > 0 && uniform_(random_) < 0.1) is_slow_ = !is_slow_;
  return std::exp(drift_ + step_ + (is_slow_ ? regime_.bimodal : 0));
}

double NoisyMachine::block(double level) {
  const double clock = level_of_clock();
  const double fresh = std::sqrt(1 - regime_.correlation * regime_.correlation);
  const int launches = std::max(kLeastLaunches, static_cast<int>(kBlockUs / regime_.kernel_us));
  double us = 0;
  for (int i = 0; i < launches; ++i) {
    launch_noise_ = regime_.correlation * launch_noise_ + fresh * regime_.launch * normal_(random_);
    double noise = launch_noise_;
    if (uniform_(random_) < regime_.spikes) noise += delay_(random_);
    us += regime_.kernel_us * clock * level * (1 + noise);
  }
  // A clock that ticks starts somewhere between two ticks.
  if (regime_.tick_us > 0) {
    const double start = uniform_(random_) * regime_.tick_us;
    us = std::floor((start + us) / regime_.tick_us) * regime_.tick_us;
  }
  return us * 1e3 / launches;
}

std::vector<profilers::QuadSample> NoisyMachine::process(double gain, int quads) {
  drift_ = regime_.drift * normal_(random_);
  const double incumbent = std::exp(regime_.process * normal_(random_));
  const double candidate = std::exp(regime_.process * normal_(random_)) * (1 - gain);
  std::vector<profilers::QuadSample> samples;
  for (int i = 0; i < quads; ++i) {
    const double a1 = block(incumbent);
    const double b1 = block(candidate);
    const double b2 = block(candidate);
    const double a2 = block(incumbent);
    samples.push_back({{b1, b2}, {a1, a2}});
  }
  return samples;
}

profilers::Decision NoisyMachine::confirmed(double gain, int processes, int quads) {
  std::vector<double> ratios;
  for (int i = 0; i < processes; ++i) {
    ratios.push_back(profilers::process_log_ratio(process(gain, quads)));
  }
  return profilers::decide(ratios, 0, std::int64_t{processes} * quads);
}

double share_of(const NoiseRegime& regime, double gain, Outcome outcome, int trials) {
  int hits = 0;
  for (int i = 0; i < trials; ++i) {
    hits += NoisyMachine(regime, seed_of(i)).confirmed(gain).outcome == outcome ? 1 : 0;
  }
  return static_cast<double>(hits) / trials;
}

double coverage(const NoiseRegime& regime, double gain, int trials, double level) {
  const double truth = -std::log1p(-gain);
  int covered = 0;
  for (int i = 0; i < trials; ++i) {
    const auto comparison = NoisyMachine(regime, seed_of(i)).confirmed(gain).comparison;
    const auto freedom = static_cast<double>(comparison.processes - 1);
    const double error = std::log(comparison.high / comparison.low) / 2 /
                         profilers::student_t_quantile(comparison.confidence, freedom);
    const double reach = profilers::student_t_quantile((1 + level) / 2, freedom) * error;
    covered += std::abs(std::log(comparison.ratio) - truth) <= reach ? 1 : 0;
  }
  return static_cast<double>(covered) / trials;
}

}  // namespace warpmind::bench
