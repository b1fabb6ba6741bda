#pragma once
/// \file
/// A point with what was simulated and what was measured, and the times predicted for all.

#include "profilers/simulator/prediction/model.h"
#include "tests/bench/validation/measured_table.h"
#include "tests/bench/validation/simulate_point.h"
#include "tests/bench/validation/statistics.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::validation {

struct ComparedPoint {
  Point point;
  SimulatedPoint simulated;
  MeasuredPoint measured;
  std::optional<simulator::MachineCode> machine;
  simulator::Prediction prediction;

  [[nodiscard]] TimePair times() const { return {prediction.time_us, measured.us}; }
};

/// Errors: those of predict().
[[nodiscard]] Result<void> predict_all(std::vector<ComparedPoint>& points, const DeviceSpec& device,
                                       const simulator::ModelConstants& constants);

/// Times by "family/size": what is compared.
using Tasks = std::map<std::string, std::vector<TimePair>>;
[[nodiscard]] Tasks tasks_of(const std::vector<ComparedPoint>& points);

}  // namespace warpmind::validation
