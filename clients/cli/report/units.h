#pragma once
/// \file
/// Numbers for people: every one with its unit. Times and ratios have three significant digits,
/// metrics four; SI time units, IEC bytes.

#include <cstdint>
#include <string>
#include <string_view>

namespace warpmind::clients {

/// "833 ns", "533 µs", "1.20 ms", "2.50 s".
[[nodiscard]] std::string format_time(double nanoseconds);
/// "0.42 s", "12.0 s", "3 min 20 s", "2 h 05 min".
[[nodiscard]] std::string format_duration(double seconds);
/// "31.4×", "2.31×", "1315×"; three decimals below 1.1, where half a percent is a finding.
[[nodiscard]] std::string format_ratio(double ratio);
/// "31×", "2.3×": two significant digits, for what is predicted.
[[nodiscard]] std::string format_rough(double ratio);
/// "19.2× … 48.5×", each end by `format`; "low confidence" where both are 0.
[[nodiscard]] std::string format_interval(double low, double high, std::string (*format)(double));
/// `fraction` 0.99 gives "99 %".
[[nodiscard]] std::string format_percent_of(double fraction);
/// "512 B", "12.0 KiB", "3.50 MiB".
[[nodiscard]] std::string format_bytes(double bytes);
/// "31.4", "4.00", "32": three significant digits, whole numbers without decimals.
[[nodiscard]] std::string format_short(double value);
/// Groups of three: "12 345".
[[nodiscard]] std::string format_count(std::int64_t count);
/// "1 candidate", "12 345 candidates".
[[nodiscard]] std::string format_count_noun(std::int64_t count, std::string_view noun);
/// "2026-11-21 10:56:04 UTC"; "never" for 0.
[[nodiscard]] std::string format_moment(std::int64_t unix_milliseconds);

/// A metric by its own unit: "ns" and "bytes" are scaled, "percent" becomes "%", every other unit
/// is written out ("32.00 sectors/request", "40 registers").
[[nodiscard]] std::string format_metric(double value, std::string_view unit);

}  // namespace warpmind::clients
