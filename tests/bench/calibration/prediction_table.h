#pragma once
/// \file
/// What was predicted and what a GPU measured: the tables of tests/data/validation.

#include "base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warpmind::calibration {

/// One kernel on one workload, in the simulator and on an H200.
struct PredictedTime {
  std::string family;  ///< what is left out together
  std::string task;    ///< kernels of one task compute the same on the same sizes
  std::string kernel;
  std::string source;  ///< where it was measured
  double measured_us = 0;
  double predicted_us = 0;
  std::string bound;
  std::string confidence;

  /// ln(measured / predicted): above 0 = slower than predicted.
  [[nodiscard]] double miss() const;
};

/// What the built-in agent expected of a move, and what came of it on an H200.
struct ExpectedGain {
  std::string family;
  std::string task;
  std::string move;
  double expected = 1;
  double spread = 0;  ///< deviation of ln(gain) that the search assumed
  double measured = 1;
};

/// Tab-separated, comments begin with '#'. Errors: corrupt_data naming file and line.
[[nodiscard]] Result<std::vector<PredictedTime>> read_times(const std::filesystem::path& file);
[[nodiscard]] Result<std::vector<ExpectedGain>> read_gains(const std::filesystem::path& file);

}  // namespace warpmind::calibration
