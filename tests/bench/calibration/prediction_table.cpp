#include "tests/bench/calibration/prediction_table.h"

#include "base/file.h"

#include <cmath>
#include <cstdlib>
#include <functional>
#include <sstream>

namespace warpmind::calibration {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 20U;

using Cells = std::vector<std::string>;

/// 0 where it is no number.
double number(const std::string& cell) { return std::strtod(cell.c_str(), nullptr); }

Result<std::vector<Cells>> read_cells(const std::filesystem::path& file, std::size_t columns) {
  WARPMIND_TRY(const std::string text, read_file(file, kMostBytes));
  std::vector<Cells> rows;
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    ++count;
    if (line.empty() || line.starts_with('#')) continue;
    Cells cells;
    std::istringstream words(line);
    for (std::string cell; std::getline(words, cell, '\t');) cells.push_back(cell);
    if (cells.size() != columns) {
      return fail(Errc::corrupt_data, file.string() + ":" + std::to_string(count) + " has " +
                                          std::to_string(cells.size()) + " columns, not " +
                                          std::to_string(columns));
    }
    rows.push_back(std::move(cells));
  }
  return rows;
}

Result<void> check(bool is_good, const std::filesystem::path& file, const std::string& what) {
  if (is_good) return {};
  return fail(Errc::corrupt_data, file.string() + ": " + what + " has no positive times or gains");
}

}  // namespace

double PredictedTime::miss() const { return std::log(measured_us / predicted_us); }

Result<std::vector<PredictedTime>> read_times(const std::filesystem::path& file) {
  WARPMIND_TRY(const auto rows, read_cells(file, 8));
  std::vector<PredictedTime> times;
  for (const Cells& row : rows) {
    times.push_back(
        {row[0], row[1], row[2], row[3], number(row[4]), number(row[5]), row[6], row[7]});
    const PredictedTime& one = times.back();
    WARPMIND_CHECK(check(one.measured_us > 0 && one.predicted_us > 0, file, one.task));
  }
  return times;
}

Result<std::vector<ExpectedGain>> read_gains(const std::filesystem::path& file) {
  WARPMIND_TRY(const auto rows, read_cells(file, 6));
  std::vector<ExpectedGain> gains;
  for (const Cells& row : rows) {
    gains.push_back({row[0], row[1], row[2], number(row[3]), number(row[4]), number(row[5])});
    const ExpectedGain& one = gains.back();
    WARPMIND_CHECK(check(one.expected > 0 && one.spread > 0 && one.measured > 0, file, one.task));
  }
  return gains;
}

}  // namespace warpmind::calibration
