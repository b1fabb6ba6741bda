#include "profilers/judge/recorded_figures.h"

#include "profilers/judge/elements.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace warpmind::profilers {
namespace {

constexpr std::size_t kRanges = 32;

std::vector<double> shares_of(const std::vector<double>& values, double low, double high,
                              bool is_integer) {
  const double width = high - low + (is_integer ? 1 : 0);
  const std::size_t ranges =
      is_integer ? static_cast<std::size_t>(std::min<double>(kRanges, width)) : kRanges;
  std::vector<double> shares(ranges, 0.0);
  double counted = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    const double place = width > 0 ? (value - low) / width * static_cast<double>(ranges) : 0;
    shares[std::min(static_cast<std::size_t>(place), ranges - 1)] += 1;
    counted += 1;
  }
  for (double& share : shares) share /= std::max(counted, 1.0);
  return shares;
}

}  // namespace

RecordedInput figures_of(std::string_view bytes, Dtype dtype) {
  RecordedInput figures;
  const std::vector<double> values = decode_elements(bytes, dtype);
  double finite = 0;
  double sum = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      figures.not_finite += 1;
      continue;
    }
    figures.low = finite == 0 ? value : std::min(figures.low, value);
    figures.high = finite == 0 ? value : std::max(figures.high, value);
    figures.zeros += value == 0 ? 1 : 0;
    const bool is_denormal =
        is_floating(dtype) && value != 0 && std::fabs(value) < smallest_normal(dtype);
    figures.denormals += is_denormal ? 1 : 0;
    sum += value;
    finite += 1;
  }
  const double count = std::max<double>(static_cast<double>(values.size()), 1);
  figures.not_finite /= count;
  if (finite == 0) return figures;
  figures.mean = sum / finite;
  double squares = 0;
  for (const double value : values) {
    if (std::isfinite(value)) squares += (value - figures.mean) * (value - figures.mean);
  }
  figures.deviation = std::sqrt(squares / finite);
  figures.zeros /= count;
  figures.denormals /= count;
  // One value is in order, too, and says nothing of one.
  figures.sorted = figures.not_finite == 0 && figures.low < figures.high &&
                   std::is_sorted(values.begin(), values.end());
  if (std::isfinite(figures.high - figures.low)) {
    figures.shares = shares_of(values, figures.low, figures.high, !is_floating(dtype));
  }
  return figures;
}

}  // namespace warpmind::profilers
