#pragma once
/// \file
/// Simulated timing noise of GPUs, to see how often the verdict rule errs.

#include "profilers/statistics.h"

#include <array>
#include <ostream>
#include <random>
#include <string_view>
#include <vector>

namespace warpmind::bench {

/// Fractions of the kernel's time, where no unit is named.
struct NoiseRegime {
  std::string_view name;
  double drift = 0;        ///< clocks and temperature wander, forgotten over 20 s
  double process = 0;      ///< a level of its own per process: addresses, page colours
  double launch = 0;       ///< per launch, normal
  double step = 0;         ///< size of a clock step; one comes every 200 blocks
  double bimodal = 0;      ///< distance of two clock levels; a block leaves its level 1 time in 10
  double spikes = 0.02;    ///< share of launches that something else delays, by 5 % in the mean
  double correlation = 0;  ///< of a launch's noise with the one before
  double kernel_us = 1000;
  double tick_us = 0;  ///< resolution of the clock that times a block; 0 = exact
};

std::ostream& operator<<(std::ostream& out, const NoiseRegime& regime);

/// What a machine whose clocks are locked, one whose are not, and a busy one look like (reliability
/// 4.2), and six that have one vice each.
inline constexpr NoiseRegime kQuiet{
    .name = "quiet", .drift = 0.002, .process = 0.0005, .launch = 0.005};
inline constexpr NoiseRegime kOrdinary{
    .name = "ordinary", .drift = 0.01, .process = 0.002, .launch = 0.01};
inline constexpr NoiseRegime kNoisy{
    .name = "noisy", .drift = 0.03, .process = 0.005, .launch = 0.03};
inline constexpr std::array kVices{
    NoiseRegime{.name = "drift", .drift = 0.05, .process = 0.002, .launch = 0.01},
    NoiseRegime{.name = "steps", .drift = 0.005, .process = 0.002, .launch = 0.01, .step = 0.04},
    NoiseRegime{
        .name = "bimodal", .drift = 0.005, .process = 0.002, .launch = 0.01, .bimodal = 0.03},
    NoiseRegime{.name = "spikes", .drift = 0.005, .process = 0.002, .launch = 0.01, .spikes = 0.25},
    NoiseRegime{.name = "correlated",
                .drift = 0.005,
                .process = 0.002,
                .launch = 0.03,
                .correlation = 0.95},
    NoiseRegime{.name = "coarse_clock",
                .drift = 0.005,
                .process = 0.002,
                .launch = 0.01,
                .kernel_us = 100,
                .tick_us = 0.5},
};

/// Pairs of processes that time two kernels, the second one `gain` faster.
class NoisyMachine {
 public:
  NoisyMachine(const NoiseRegime& regime, unsigned seed) : regime_(regime), random_(seed) {}

  /// One process pair: ABBA quads of blocks of launches, each block timed as a whole.
  [[nodiscard]] std::vector<profilers::QuadSample> process(double gain, int quads);
  /// The whole confirmation rule.
  [[nodiscard]] profilers::Decision confirmed(double gain, int processes = 7, int quads = 10);

 private:
  [[nodiscard]] double block(double level);
  [[nodiscard]] double level_of_clock();

  NoiseRegime regime_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  std::exponential_distribution<double> delay_{20.0};
  double drift_ = 0;
  double step_ = 0;
  double launch_noise_ = 0;
  bool is_slow_ = false;
};

/// Share of `trials` confirmations that end so.
[[nodiscard]] double share_of(const NoiseRegime& regime, double gain, Outcome outcome, int trials);
/// Share of `trials` confirmations whose two-sided interval at `level` holds the truth; 0.98 is
/// between the two bounds that decide.
[[nodiscard]] double coverage(const NoiseRegime& regime, double gain, int trials,
                              double level = 0.98);

}  // namespace warpmind::bench
