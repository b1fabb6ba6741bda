#pragma once
/// \file
/// Wire form of what daemon, runner and judge say to each other: one JSON object on one line.
/// The line break is the caller's; a missing member keeps its default.

#include "base/result.h"
#include "profilers/job/judge_job.h"
#include "profilers/job/runner_job.h"

#include <string>
#include <string_view>

namespace warpmind::profilers {

/// One line without its line break. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string encode(const RunnerJob& job);
[[nodiscard]] std::string encode(const RunnerReport& report);
[[nodiscard]] std::string encode(const JudgeJob& job);
[[nodiscard]] std::string encode(const JudgeReply& reply);

/// Errors: corrupt_data, naming the message and the member that does not fit.
[[nodiscard]] Result<RunnerJob> decode_runner_job(std::string_view line);
[[nodiscard]] Result<RunnerReport> decode_runner_report(std::string_view line);
[[nodiscard]] Result<JudgeJob> decode_judge_job(std::string_view line);
[[nodiscard]] Result<JudgeReply> decode_judge_reply(std::string_view line);

}  // namespace warpmind::profilers
