#pragma once
/// \file
/// How far predictions can be believed. Pure statistics.

#include "knowledge_base/graph/reasoning_graph.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace warpmind::knowledge_base {

/// A prediction and what came of it, as ln(gain).
struct Forecast {
  double predicted = 0;
  double low = 0;
  double high = 0;
  double measured = 0;
};

/// That of a step with a usable prediction (an interval of positive, finite gains) and a confirmed
/// comparison of a kernel that works. A remembered kernel predicts its own past: nullopt.
[[nodiscard]] std::optional<Forecast> forecast_of(const Step& step, Provider provider);

[[nodiscard]] Calibration calibrate(const std::vector<Forecast>& forecasts);

/// 95 % interval of a share by Wilson's score; 0 … 1 for no trials.
[[nodiscard]] std::pair<double, double> wilson_interval(std::int64_t hits, std::int64_t trials);

/// Rank correlation, equal values sharing their mean rank; 0 where one side does not vary.
[[nodiscard]] double spearman(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace warpmind::knowledge_base
