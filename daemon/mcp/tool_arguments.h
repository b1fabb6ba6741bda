#pragma once
/// \file
/// Small readers of tool arguments and of answers, and guards for what arguments name. For the .cpp
/// files of this folder.

#include "base/result.h"
#include "daemon/protocol/document.h"

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>

namespace warpmind::daemon::mcp {

/// A member of `arguments`, or null.
[[nodiscard]] const nlohmann::json& member(const nlohmann::json& arguments, const char* name);
/// Empty when it is absent.
[[nodiscard]] std::string text_of(const nlohmann::json& arguments, const char* name);

/// A task folder: absolute, no "..", holds a task.toml. Errors: invalid_argument, not_found.
[[nodiscard]] Result<void> check_task_folder(const std::string& directory);
/// CUDA source alone is read for agents: absolute, no "..", and what it leads to ends in .cu, .cuh
/// or .cuda. Errors: invalid_argument, not_found.
[[nodiscard]] Result<void> check_source_file(const std::string& path);

/// Members of `from` named in `names`, those that are there.
[[nodiscard]] nlohmann::json picked(const nlohmann::json& from,
                                    std::initializer_list<const char*> names);
[[nodiscard]] nlohmann::json picked(const nlohmann::json& from, std::span<const char* const> names);
/// The factor of time that a `utility` stands for; null where nothing was measured.
[[nodiscard]] nlohmann::json gain_of(const nlohmann::json& utility);
/// Four significant digits.
[[nodiscard]] double rounded(double value);
/// At most `bytes`, with a mark where it was cut.
[[nodiscard]] std::string cut_text(std::string text, std::size_t bytes);

}  // namespace warpmind::daemon::mcp
