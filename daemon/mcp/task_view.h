#pragma once
/// \file
/// A job as the tasks extension shows it.

#include "base/result.h"
#include "daemon/protocol/document.h"

#include <cstdint>
#include <string>

namespace warpmind::daemon::mcp {

/// CreateTaskResult, JSON text: of a job that was just accepted.
[[nodiscard]] std::string created_task(const std::string& job);
/// `tasks/get` and notifications: a job as `task.result` gives it; once ended, with the result that
/// the tool would have given.
[[nodiscard]] nlohmann::json task_of_job(const nlohmann::json& job);

/// CallToolResult without `resultType`, JSON text.
struct ToolReply;
[[nodiscard]] std::string result_text(const ToolReply& reply);
/// `sentence` is our own, about the call's arguments.
[[nodiscard]] std::string error_result_text(const std::string& sentence);
/// What a method refused, whose reason may quote a compiler or somebody's file: it is data.
[[nodiscard]] std::string refusal_text(const Error& error);

/// "2026-07-28T10:30:00Z".
[[nodiscard]] std::string iso_time(std::int64_t unix_ms);

}  // namespace warpmind::daemon::mcp
