#pragma once
/// \file
/// The rows that the short reports of jobs and of whole programs share.

#include "base/model/job.h"
#include "clients/cli/report/job_report.h"

#include <optional>
#include <string>
#include <string_view>

namespace warpmind::clients {

/// "  time     221 µs → 7.06 µs": a row of a short report; what does not fit goes below its text.
[[nodiscard]] std::string summary_row(std::string_view label, const std::string& text,
                                      std::size_t columns);

/// "31×" where it is predicted, "31.4×" where it was measured.
[[nodiscard]] std::string gain_words(const Episode& episode, double ratio);

/// "predicted for H200", "measured on H200"; empty without a measurement.
[[nodiscard]] std::string evidence_words(const Episode& episode);

/// "31× faster (predicted for H200; likely 20× to 50×)", or how the given kernel
/// failed and why. Ends with a line break.
[[nodiscard]] std::string outcome_line(const Episode& episode, const Paint& paint);

/// What follows evidence_words(): "; likely 20× to 50×" (80 %), "; 99 %: 2.25× to 2.38×", or ", low
/// confidence" where the simulator knows too little of either time for an interval.
[[nodiscard]] std::string interval_words(const Episode& episode, const Comparison& comparison);

/// "99 % of the limit (7.00 µs, memory bandwidth)" of the fastest kernel, or why nobody can say;
/// empty when it was not timed.
[[nodiscard]] std::string share_words(const Episode& episode);

/// "221 µs → 7.06 µs, 99 % of the limit (7.00 µs, memory bandwidth)".
[[nodiscard]] std::string time_words(const Episode& episode);

/// "7.06 µs, 99 % of the limit (…)" of one kernel; empty when it was not timed.
[[nodiscard]] std::string time_words(const Verdict& verdict);

/// Rows "slow" and "changed"; empty where nothing is known.
[[nodiscard]] std::string reason_rows(const Episode& episode, const SourceFile& source,
                                      std::size_t columns);

/// "7" of j-0000000007: every command takes it.
[[nodiscard]] std::string short_number(std::string_view id);

}  // namespace warpmind::clients
