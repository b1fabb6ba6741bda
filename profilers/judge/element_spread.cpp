#include "profilers/judge/element_spread.h"

#include "profilers/judge/elements.h"
#include "profilers/judge/output_file.h"
#include "profilers/judge/tolerance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace warpmind::profilers {
namespace {

/// Runs moved the inputs by their own last bit, that of the accumulation: every addition of the
/// given order was rounded anew as well. Sixteen times that is what a contraction has at least.
constexpr double kReordered = 16;
/// The inputs are coarser than the accumulation: only the size of the terms was seen. A sequential
/// sum of 8192 terms is off by 37 roundoffs of that size (one standard deviation).
constexpr double kUnseenSums = 256;
/// The accumulation is coarser than the inputs: terms are rounded, each once.
constexpr double kRoundedTerms = 4;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The larger of an element's own spread and the median of its tile: of three runs one element in
/// ten thousand shows next to nothing.
void settle(std::vector<double>& spread) {
  std::vector<double> tile;
  for (std::size_t begin = 0; begin < spread.size(); begin += kTileElements) {
    const std::size_t end = std::min(begin + kTileElements, spread.size());
    tile.assign(spread.begin() + static_cast<std::ptrdiff_t>(begin),
                spread.begin() + static_cast<std::ptrdiff_t>(end));
    const auto middle = tile.begin() + static_cast<std::ptrdiff_t>(tile.size() / 2);
    std::nth_element(tile.begin(), middle, tile.end());
    if (!std::isfinite(*middle)) continue;
    for (std::size_t i = begin; i < end; ++i) spread[i] = std::max(spread[i], *middle);
  }
}

/// Adds what `other` differs by.
void widen(std::vector<double>& spread, const std::vector<double>& values,
           const std::vector<double>& other) {
  for (std::size_t i = 0; i < spread.size(); ++i) {
    const bool same = values[i] == other[i] || (std::isnan(values[i]) && std::isnan(other[i]));
    if (same) continue;
    const double distance = std::fabs(values[i] - other[i]);
    if (std::isnan(distance)) {
      spread[i] = kInfinity;
    } else {
      spread[i] = std::max(spread[i], distance);
    }
  }
}

/// What a spread of inputs that moved by a step of `moved` is multiplied by.
double sum_factor(Dtype moved, double accumulate_roundoff) {
  const double step = unit_roundoff(moved);
  if (step > accumulate_roundoff) return kUnseenSums * accumulate_roundoff / step;
  if (step < accumulate_roundoff) return kRoundedTerms * accumulate_roundoff / step;
  return kReordered;
}

}  // namespace

Result<ElementSpread> read_spread(const SpreadSource& source, const std::vector<double>& values) {
  const std::size_t count = values.size();
  std::map<std::pair<PerturbedPart, Dtype>, std::vector<double>> spreads;
  for (const PerturbedRun& run : source.runs) {
    if (run.part == PerturbedPart::inputs && source.integers) continue;
    if (run.part == PerturbedPart::nothing && !source.repetitions) continue;
    WARPMIND_TRY(const std::string bytes, read_output(source.given.string() + run.suffix,
                                                      count * size_in_bytes(source.dtype)));
    auto& spread = spreads[{run.part, run.dtype}];
    spread.resize(count);
    widen(spread, values, decode_elements(bytes, source.dtype));
  }
  ElementSpread all;
  all.rounding.resize(count);
  all.sums.resize(count);
  for (auto& [key, spread] : spreads) {
    const auto [part, dtype] = key;
    const bool floating = is_floating(source.dtype);
    if (part == PerturbedPart::strained) {
      if (floating) settle(spread);
      all.strained = std::move(spread);
      continue;
    }
    // Integers do not get nearer by degrees: what was seen is what may be.
    if (!floating && part == PerturbedPart::nothing) continue;
    if (floating) settle(spread);
    const bool of_sums = part == PerturbedPart::inputs;
    const double factor = !floating ? 1
                          : of_sums ? sum_factor(dtype, source.accumulate_roundoff)
                                    : kRoundingFactor;
    std::vector<double>& to = of_sums ? all.sums : all.rounding;
    for (std::size_t i = 0; i < count; ++i) to[i] += factor * spread[i];
    if (part == PerturbedPart::between) all.coarsest = unit_roundoff(dtype);
  }
  return all;
}

}  // namespace warpmind::profilers
