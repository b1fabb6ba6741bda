#include "clients/cli/report/units.h"

#include "base/text.h"

#include <array>
#include <cmath>
#include <ctime>

namespace warpmind::clients {
namespace {

/// Three significant digits for 1 <= |value| < 1000.
std::string three_digits(double value) {
  const double size = std::fabs(value);
  if (!std::isfinite(value)) return "not finite";
  return fixed(value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

/// Four significant digits for 1 <= |value| < 1000, never an exponent.
std::string four_digits(double value) {
  const double size = std::fabs(value);
  if (!std::isfinite(value)) return "not finite";
  if (size >= 1e15) return fixed(value / 1e15, 3) + "e15";
  if (size >= 1000) return format_count(std::llround(value));
  if (size >= 100) return fixed(value, 1);
  if (size >= 10) return fixed(value, 2);
  return fixed(value, 3);
}

bool is_whole(double value) { return std::fabs(value) < 1e15 && value == std::nearbyint(value); }

}  // namespace

std::string format_time(double nanoseconds) {
  const double size = std::fabs(nanoseconds);
  if (size < 999.5) return three_digits(nanoseconds) + " ns";
  if (size < 999.5e3) return three_digits(nanoseconds / 1e3) + " µs";
  if (size < 999.5e6) return three_digits(nanoseconds / 1e6) + " ms";
  return three_digits(nanoseconds / 1e9) + " s";
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "unknown time";
  if (seconds < 1) return fixed(seconds, 2) + " s";
  if (seconds < 59.95) return fixed(seconds, 1) + " s";
  const auto whole = std::llround(std::fmin(seconds, 1e12));
  if (whole < 3600) {
    return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  }
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

std::string format_ratio(double ratio) {
  if (!std::isfinite(ratio)) return "?×";
  const double size = std::fabs(ratio);
  return (size < 1.0995 ? fixed(ratio, 3) : three_digits(ratio)) + "×";
}

std::string format_rough(double ratio) {
  const double size = std::fabs(ratio);
  if (!std::isfinite(ratio) || size < 1.0995) return format_ratio(ratio);
  return fixed(ratio, size < 9.95 ? 1 : 0) + "×";
}

std::string format_interval(double low, double high, std::string (*format)(double)) {
  return high > 0 ? format(low) + " … " + format(high) : "low confidence";
}

std::string format_percent_of(double fraction) {
  const double percent = fraction * 100;
  if (!std::isfinite(percent)) return "? %";
  const double rounded = std::nearbyint(percent);
  return fixed(percent, std::fabs(percent - rounded) < 0.05 ? 0 : 1) + " %";
}

std::string format_bytes(double bytes) {
  static constexpr std::array<const char*, 5> kUnits{" B", " KiB", " MiB", " GiB", " TiB"};
  std::size_t unit = 0;
  while (std::fabs(bytes) >= 1023.95 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  const double size = std::fabs(bytes);
  const int decimals = unit == 0 && is_whole(bytes) ? 0 : size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return fixed(bytes, decimals) + kUnits.at(unit);
}

std::string format_short(double value) {
  if (is_whole(value)) return format_count(static_cast<std::int64_t>(value));
  return std::fabs(value) >= 999.5 ? format_count(std::llround(value)) : three_digits(value);
}

std::string format_count(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ' ');
  }
  return digits;
}

std::string format_count_noun(std::int64_t count, std::string_view noun) {
  return format_count(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string format_moment(std::int64_t unix_milliseconds) {
  if (unix_milliseconds == 0) return "never";
  const std::time_t seconds = unix_milliseconds / 1000;
  std::tm parts{};
  std::array<char, 40> text{};
  if (::gmtime_r(&seconds, &parts) == nullptr ||
      std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts) == 0) {
    return "?";
  }
  return text.data();
}

std::string format_metric(double value, std::string_view unit) {
  if (unit == "ns") return format_time(value);
  if (unit == "bytes") return format_bytes(value);
  const std::string number =
      is_whole(value) ? format_count(static_cast<std::int64_t>(value)) : four_digits(value);
  if (unit == "percent") return number + " %";
  return unit.empty() ? number + " (no unit)" : number + " " + std::string(unit);
}

}  // namespace warpmind::clients
