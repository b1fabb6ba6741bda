#include "base/prediction_interval.h"

#include <cmath>

namespace warpmind {
namespace {

// As calibration_bench prints them. High and medium cannot be told apart on left-out families.
constexpr double kTimeFactor = 1.412;
constexpr double kGainFactor = 1.325;
constexpr double kMissPerGain = 1.8;

bool is_enough(std::string_view confidence) {
  return confidence == "high" || confidence == "medium";
}

}  // namespace

std::optional<double> time_factor(std::string_view confidence) {
  return is_enough(confidence) ? std::optional(kTimeFactor) : std::nullopt;
}

std::optional<double> gain_factor(std::string_view one, std::string_view other) {
  return is_enough(one) && is_enough(other) ? std::optional(kGainFactor) : std::nullopt;
}

double move_reach(double log_gain, double deviation) {
  return kEightyPercent * deviation * std::hypot(1, kMissPerGain * log_gain);
}

}  // namespace warpmind
