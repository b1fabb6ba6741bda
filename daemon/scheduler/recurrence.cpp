#include "daemon/scheduler/recurrence.h"

#include "daemon/scheduler/local_time.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <string>

namespace warpmind::daemon {
namespace {

constexpr std::int64_t kMinute = 60'000;  // ms
constexpr std::int64_t kShortest = 10;    // min
constexpr std::int64_t kLongest = 366LL * 24 * 60;
constexpr std::string_view kDaily = "daily@";

/// "90m" in minutes.
std::optional<std::int64_t> minutes_in(std::string_view text) {
  std::int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, count);
  if (read.ec != std::errc() || read.ptr + 1 != end || count < 0) return std::nullopt;
  if (count > kLongest) return kLongest + 1;
  switch (*read.ptr) {
    case 'm': return count;
    case 'h': return count * 60;
    case 'd': return count * 60 * 24;
    default: return std::nullopt;
  }
}

/// That minute of the local day of `wall`, `days` later.
UnixMillis at_minute(UnixMillis wall, int days, int minute) {
  const auto seconds = static_cast<std::time_t>(wall.value / 1000);
  std::tm time{};
  ::localtime_r(&seconds, &time);
  time.tm_mday += days;
  time.tm_hour = minute / 60;
  time.tm_min = minute % 60;
  time.tm_sec = 0;
  time.tm_isdst = -1;  // as the clock of that day has it
  return {static_cast<std::int64_t>(::mktime(&time)) * 1000};
}

/// The first time of the day after `wall`.
UnixMillis next_daily(int minute, UnixMillis wall) {
  for (int days = 0;; ++days) {
    const UnixMillis due = at_minute(wall, days, minute);
    if (wall < due) return due;
  }
}

/// The last time of the day at or before `wall`.
UnixMillis last_daily(int minute, UnixMillis wall) {
  for (int days = 0;; --days) {
    const UnixMillis due = at_minute(wall, days, minute);
    if (due <= wall) return due;
  }
}

}  // namespace

Result<Recurrence> parse_recurrence(std::string_view text) {
  if (text.starts_with(kDaily)) {
    if (const auto minute = minutes_of_day(text.substr(kDaily.size()))) {
      return Recurrence{std::chrono::minutes(0), *minute};
    }
  } else if (const auto minutes = minutes_in(text)) {
    if (*minutes >= kShortest && *minutes <= kLongest) {
      return Recurrence{std::chrono::minutes(*minutes), 0};
    }
  }
  return fail(Errc::invalid_argument,
              "'every' wants 90m, 24h or 7d (10 minutes to 366 days), or daily@22:00, not '" +
                  std::string(text.substr(0, 32)) + "'");
}

UnixMillis first_due(const Recurrence& recurrence, UnixMillis now) {
  return recurrence.interval.count() > 0 ? now : next_daily(recurrence.minute, now);
}

UnixMillis next_due(const Recurrence& recurrence, UnixMillis due, UnixMillis now) {
  if (recurrence.interval.count() == 0) {
    const UnixMillis last = last_daily(recurrence.minute, now);
    return due < last ? last : next_daily(recurrence.minute, due);
  }
  const std::int64_t step = recurrence.interval.count() * kMinute;
  const std::int64_t missed = std::max<std::int64_t>(now.value - due.value, 0) / step;
  return {due.value + std::max<std::int64_t>(missed, 1) * step};
}

}  // namespace warpmind::daemon
