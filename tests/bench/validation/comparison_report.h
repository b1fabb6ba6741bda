#pragma once
/// \file
/// The comparison as text and as JSON.

#include "tests/bench/validation/counter_check.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warpmind::validation {

/// What the last line of the program says.
struct Summary {
  std::size_t points = 0;
  double tau = 0;            ///< of all pairs within a task
  double pairs10 = 0;        ///< share of the pairs more than 10 % apart that are in order
  double regret = 0;         ///< mean over tasks: time of the point predicted best over the best's
  double factor_dram = 0;    ///< median predicted / measured of the points bound by DRAM
  double factor_all = 0;     ///< exp of the mean |log(predicted / measured)|
  double sectors_exact = 0;  ///< share of requests and sectors of whole runs that are equal
  std::size_t checksums = 0;
  std::size_t checksums_right = 0;
};
[[nodiscard]] Summary summarise(const std::vector<ComparedPoint>& points,
                                const std::vector<CounterCheck>& counters);

/// One line a family, bound and confidence.
void print_times(const std::vector<ComparedPoint>& points);
void print_counters(const std::vector<CounterCheck>& counters);
void print_sums(const std::vector<ComparedPoint>& points);
void print_dram(const std::vector<ComparedPoint>& points, const MeasuredTable& measured);
void print_result(const Summary& summary);

/// Everything about each point. Errors: external_failure when the file cannot be written.
[[nodiscard]] Result<void> write_json(const std::vector<ComparedPoint>& points,
                                      const std::filesystem::path& file);

}  // namespace warpmind::validation
