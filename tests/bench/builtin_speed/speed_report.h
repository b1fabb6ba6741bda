#pragma once
/// \file
/// What came of each task: lines for people, a table for programs, totals.

#include "base/model/episode.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace warpmind::speed {

struct TaskResult {
  std::string name;
  std::string outcome;  ///< improved, same, regressed, …; or unjudged
  std::string reason;   ///< unjudged: why; else what the episode says
  double given_us = 0;
  double best_us = 0;
  double ratio = 1;  ///< given / best; 1 where nothing better was confirmed
  double low = 1;
  double high = 1;
  std::string chain = "-";  ///< "warp_per_output lanes=32 > unroll factor=4"
  std::int64_t evaluations = 0;
  std::vector<std::string> faults;  ///< candidates that did not build, crashed or were wrong
  double seconds = 0;
};

/// An episode whose baseline was not right is unjudged.
[[nodiscard]] TaskResult result_of(const std::string& name, const Episode& episode);
[[nodiscard]] TaskResult unjudged(const std::string& name, const std::string& reason);

/// A line on standard output, and one more for every fault.
void print(const TaskResult& result);

/// `RESULT tasks= improved= geomean= slower= wrong= evaluations= seconds= unjudged= share_ge_5=`.
/// The mean and the share are over the tasks that were judged.
void print_totals(const std::vector<TaskResult>& results, double seconds);

/// {"tasks": [{"name": …, "given_us": …, …}]}. Errors: external_failure.
[[nodiscard]] Result<void> write_json(const std::filesystem::path& file,
                                      const std::vector<TaskResult>& results);

}  // namespace warpmind::speed
