#include "daemon/scheduler/local_time.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>

namespace warpmind::daemon {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kJump = std::chrono::minutes(1);
constexpr std::chrono::minutes kBelieved{10};
constexpr int kNoon = 12;

std::tm local(UnixMillis wall) {
  const auto seconds = static_cast<std::time_t>(wall.value / 1000);
  std::tm time{};
  ::localtime_r(&seconds, &time);
  return time;
}

}  // namespace

std::optional<int> minutes_of_day(std::string_view text) {
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  int hour = 0;
  int minute = 0;
  const char* begin = text.data();
  if (std::from_chars(begin, begin + 2, hour).ptr != begin + 2) return std::nullopt;
  if (std::from_chars(begin + 3, begin + 5, minute).ptr != begin + 5) return std::nullopt;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59) return std::nullopt;
  return hour * 60 + minute;
}

Moment moment_at(std::chrono::steady_clock::time_point steady, UnixMillis wall) {
  const std::tm now = local(wall);
  // Half a day back, so that the morning belongs to the evening before.
  const std::tm evening = local({wall.value - kNoon * 3'600'000LL});
  std::array<char, 16> night{};
  std::strftime(night.data(), night.size(), "%Y-%m-%d", &evening);
  return {steady, wall, now.tm_hour * 60 + now.tm_min, night.data()};
}

std::string local_clock(UnixMillis time, UnixMillis now) {
  const std::tm then = local(time);
  const std::tm today = local(now);
  const bool same_day = then.tm_year == today.tm_year && then.tm_yday == today.tm_yday;
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), same_day ? "%H:%M" : "%Y-%m-%d %H:%M", &then);
  return text.data();
}

UnixMillis SteadyWall::at(std::chrono::steady_clock::time_point steady, UnixMillis wall) {
  const auto passed = std::chrono::duration_cast<milliseconds>(steady.time_since_epoch());
  const milliseconds seen = milliseconds(wall.value) - passed;
  const auto near = [&](milliseconds other) {
    return seen - other < kJump && other - seen < kJump;
  };
  const bool stood_long =
      pending_ && near(*pending_) && steady - since_ >= kBelieved;  // where it jumped to
  if (!offset_ || near(*offset_) || stood_long) {
    offset_ = seen;
    pending_.reset();
  } else if (!pending_ || !near(*pending_)) {
    pending_ = seen;
    since_ = steady;
  }
  return {(passed + *offset_).count()};
}

Result<std::optional<DayHours>> parse_hours(std::string_view text) {
  if (text.empty()) return std::optional<DayHours>();
  const auto dash = text.find('-');
  if (dash != std::string_view::npos) {
    const auto from = minutes_of_day(text.substr(0, dash));
    const auto until = minutes_of_day(text.substr(dash + 1));
    if (from && until && *from != *until) return std::optional<DayHours>({*from, *until});
  }
  return fail(Errc::invalid_argument,
              "'" + std::string(text.substr(0, 32)) + "' are no hours; write them as 08:00-19:00");
}

}  // namespace warpmind::daemon
