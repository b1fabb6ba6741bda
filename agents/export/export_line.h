#pragma once
/// \file
/// What every exported line carries, as JSON. For the .cpp files of this folder.

#include "agents/export/attempt.h"

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace warpmind::agents {

inline constexpr std::string_view kTrajectorySchema = "warpmind.trajectory.1";
inline constexpr std::string_view kChatSchema = "warpmind.chat.1";
inline constexpr std::string_view kConcurSchema = "warpmind.concur.1";

/// Base, episode, step, task, provider, device, driver, toolkit, harness, licence, split.
[[nodiscard]] nlohmann::json provenance_of(const Attempt& attempt, const std::string& base_id);

/// Puts `code`, `launch` (the kernel without its source) and `kernel_id` into `line`.
void add_kernel(nlohmann::json& line, const Kernel& kernel);

/// Null for an empty text: unknown.
[[nodiscard]] nlohmann::json known(const std::string& text);

/// Hash of `line` without its member `hash`: 16 hex digits.
[[nodiscard]] std::string hash_of_line(nlohmann::json line);
/// The line with its hash and a line feed.
[[nodiscard]] std::string sealed(nlohmann::json line);

}  // namespace warpmind::agents
