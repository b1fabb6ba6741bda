#pragma once
/// \file
/// What validation_measure wrote: times and hardware counters of the points on one GPU.

#include "base/result.h"
#include "tests/bench/validation/buffer_data.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::validation {

struct MeasuredPoint {
  double us = 0;  ///< median from a cold L2 cache, without what two empty events take
  int registers = 0;
  int blocks_per_sm = 0;
  Checksum sum;
  std::vector<std::optional<double>> counters;  ///< in the order of MeasuredTable::counter_names
};

struct MeasuredTable {
  std::string device;
  std::string date;
  std::vector<std::string> counter_names;
  std::map<std::string, MeasuredPoint> points;  ///< by id

  /// Nothing where the point or the counter is not there.
  [[nodiscard]] std::optional<double> counter(const std::string& id, const std::string& name) const;
};

/// Errors: not_found; corrupt_data naming the file.
[[nodiscard]] Result<MeasuredTable> read_measured(const std::filesystem::path& file);

}  // namespace warpmind::validation
