#pragma once
/// \file
/// Launch records as lines of JSON: what the drop-in runtime reports to another process.

#include "base/result.h"
#include "profilers/simulator/profile/launch_record.h"

#include <optional>
#include <string>
#include <string_view>

namespace warpmind::simulator {

/// One line of a report.
struct LaunchReport {
  LaunchRecord launch;
  std::optional<LaunchRecord> wave;
  double predicted_ns = 0;  ///< device time that the runtime's clock counted for the launch
  bool finished = false;    ///< the launch ran to its end; false after a fault or a limit
};

/// Most bytes of a line that decode_launch_report() reads.
inline constexpr std::size_t kMostReportBytes = std::size_t{64} << 20U;

/// One line without its end.
[[nodiscard]] std::string encode(const LaunchReport& report);

/// `line` is what a user's process wrote: any bytes. Missing members keep their defaults.
/// Errors: corrupt_data naming what does not fit.
[[nodiscard]] Result<LaunchReport> decode_launch_report(std::string_view line);

}  // namespace warpmind::simulator
