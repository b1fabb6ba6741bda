#include "profilers/judge/relation_comparison.h"

#include "profilers/judge/elements.h"
#include "profilers/judge/tolerance.h"

#include <algorithm>
#include <cmath>

namespace warpmind::profilers {
namespace {

struct PredictedElement {
  double value = 0;
  double tolerance = 0;
};

PredictedElement predict(const RunPrediction& prediction, const std::vector<RunOutput>& runs,
                         std::size_t index, std::size_t row_elements) {
  std::size_t from = index;
  if (!prediction.order.empty()) {
    const std::size_t row = index / row_elements;
    from = static_cast<std::size_t>(prediction.order[row]) * row_elements + index % row_elements;
  }
  PredictedElement element;
  for (const RunPrediction::Term& term : prediction.terms) {
    const RunOutput& run = runs[term.run];
    element.value += term.factor * run.values[from];
    element.tolerance += std::fabs(term.factor) * run.tolerances[from];
  }
  return element;
}

/// 0 = fits; kHopelessRatio = no tolerance covers it.
double ratio_of(double got, const PredictedElement& predicted, double allowed, Dtype dtype) {
  if (!std::isfinite(predicted.value)) return 0;
  if (!std::isfinite(got)) {
    const bool near_overflow =
        is_floating(dtype) && std::fabs(predicted.value) > largest_finite(dtype) / 2;
    return near_overflow ? 0 : kHopelessRatio;
  }
  const double error = std::fabs(got - predicted.value);
  if (error == 0) return 0;
  return allowed > 0 ? std::min(error / allowed, kHopelessRatio) : kHopelessRatio;
}

}  // namespace

RelationComparison compare_related(const RunPrediction& prediction,
                                   const std::vector<RunOutput>& runs, Dtype dtype,
                                   std::size_t rows) {
  RelationComparison result;
  const RunOutput& target = runs[prediction.run];
  const std::size_t row_elements = std::max<std::size_t>(target.values.size() / rows, 1);
  result.elements = static_cast<std::int64_t>(target.values.size());
  for (std::size_t i = 0; i < target.values.size(); ++i) {
    const PredictedElement predicted = predict(prediction, runs, i, row_elements);
    const double own = std::isfinite(target.tolerances[i]) ? target.tolerances[i] : 0;
    const double allowed = prediction.share * (predicted.tolerance + own);
    const double ratio = ratio_of(target.values[i], predicted, allowed, dtype);
    if (ratio > 1) ++result.wrong;
    if (ratio <= result.worst_ratio) continue;
    result.worst_ratio = ratio;
    result.worst_index = i;
    result.got = target.values[i];
    result.predicted = predicted.value;
    result.allowed = allowed;
  }
  return result;
}

}  // namespace warpmind::profilers
