#pragma once
/// \file
/// When a job that recurs is due again.

#include "base/clock.h"
#include "base/result.h"

#include <chrono>
#include <optional>
#include <string_view>

namespace warpmind::daemon {

/// Every so often, or every day at a minute of the local day.
struct Recurrence {
  std::chrono::minutes interval{0};  ///< 0 = daily
  int minute = 0;                    ///< of the local day, when daily
};

/// "90m", "24h", "7d", "daily@22:00". Errors: invalid_argument, with the forms that there are.
[[nodiscard]] Result<Recurrence> parse_recurrence(std::string_view text);

/// The first time of a series that is accepted at `now`: at once, or the next time of the day.
[[nodiscard]] UnixMillis first_due(const Recurrence& recurrence, UnixMillis now);

/// The time after `due`. Where several have passed by `now`, the last of them: what was missed
/// comes once. Always later than `due`.
[[nodiscard]] UnixMillis next_due(const Recurrence& recurrence, UnixMillis due, UnixMillis now);

}  // namespace warpmind::daemon
