#include "profilers/judge/random_numbers.h"

#include <algorithm>
#include <cmath>

namespace warpmind::profilers {
namespace {

double central(double p) {
  const double q = p - 0.5;
  const double r = q * q;
  return q *
         (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r +
            1.383577518672690e+02) *
               r -
           3.066479806614716e+01) *
              r +
          2.506628277459239e+00) /
         (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r +
            6.680131188771972e+01) *
               r -
           1.328068155288572e+01) *
              r +
          1);
}

double lower_tail(double p) {
  const double q = std::sqrt(-2 * std::log(p));
  return (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838e+00) * q -
            2.549732539343734e+00) *
               q +
           4.374664141464968e+00) *
              q +
          2.938163982698783e+00) /
         ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996e+00) * q +
           3.754408661907416e+00) *
              q +
          1);
}

}  // namespace

double normal_quantile(double probability) {
  constexpr double kTail = 0.02425;
  if (probability < kTail) return lower_tail(probability);
  if (probability > 1 - kTail) return -lower_tail(1 - probability);
  return central(probability);
}

NormalQuantiles::NormalQuantiles() {
  for (std::size_t k = 1; k < kCells; ++k) {
    quantiles_[k] = normal_quantile(static_cast<double>(k) / static_cast<double>(kCells));
  }
}

double NormalQuantiles::draw(SplitMix& random) const {
  const std::uint64_t bits = random.next();
  const std::size_t cell = bits >> 52U;
  const double within = static_cast<double>(bits & ((std::uint64_t{1} << 52U) - 1U)) * 0x1p-52;
  if (cell == 0 || cell == kCells - 1) {
    const double tail = lower_tail(std::max(within, 0x1p-52) / static_cast<double>(kCells));
    return cell == 0 ? tail : -tail;
  }
  return quantiles_[cell] + within * (quantiles_[cell + 1] - quantiles_[cell]);
}

}  // namespace warpmind::profilers
