#pragma once
/// \file
/// Simulated points on disk, so that the model can be tried again without simulating again.

#include "tests/bench/validation/simulate_point.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace warpmind::validation {

/// One line a point: its id, then its launch report and sum. Appended to as points come.
class RecordFile {
 public:
  /// Nothing is kept when `file` is empty. Errors: corrupt_data naming the line; external_failure
  /// when it cannot be written.
  [[nodiscard]] static Result<RecordFile> open(const std::filesystem::path& file);

  [[nodiscard]] const SimulatedPoint* find(const std::string& id) const;
  void add(const std::string& id, const SimulatedPoint& point);

 private:
  std::ofstream out_;
  std::map<std::string, SimulatedPoint> points_;
};

}  // namespace warpmind::validation
