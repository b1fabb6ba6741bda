#pragma once
/// \file
/// The queue's idea of time: durations by the steady clock, the hour of the day by the wall clock,
/// and what to think when the wall clock jumps.

#include "base/clock.h"
#include "base/result.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace warpmind::daemon {

/// One moment, as the queue sees it.
struct Moment {
  std::chrono::steady_clock::time_point steady;
  UnixMillis wall;
  int minute = 0;     ///< of the local day
  std::string night;  ///< date of its evening, "2026-11-24"; a night ends at noon
};

/// Local time, by the time zone of the process.
[[nodiscard]] Moment moment_at(std::chrono::steady_clock::time_point steady, UnixMillis wall);

/// "22:00" on the local day of `now`, "2026-11-27 22:00" on any other. A moment for a person, in
/// place of a time span, stays true on a page that is not asked for again.
[[nodiscard]] std::string local_clock(UnixMillis time, UnixMillis now);

/// Wall time that follows small corrections at once, and a jump of more than a minute only after it
/// has stood for ten: a clock that is set wrong and right again moves no job. Threads: one.
class SteadyWall {
 public:
  [[nodiscard]] UnixMillis at(std::chrono::steady_clock::time_point steady, UnixMillis wall);

 private:
  std::optional<std::chrono::milliseconds> offset_;   // wall - steady
  std::optional<std::chrono::milliseconds> pending_;  // that a jump went to
  std::chrono::steady_clock::time_point since_;
};

/// "22:00-06:00": minutes of the day, from the first up to and without the last.
struct DayHours {
  int from = 0;
  int until = 0;
  [[nodiscard]] bool contain(int minute) const {
    return from <= until ? from <= minute && minute < until : minute >= from || minute < until;
  }
};

/// "08:30" as minutes of the day; nullopt for another shape.
[[nodiscard]] std::optional<int> minutes_of_day(std::string_view text);

/// Empty text = none. Errors: invalid_argument.
[[nodiscard]] Result<std::optional<DayHours>> parse_hours(std::string_view text);

}  // namespace warpmind::daemon
