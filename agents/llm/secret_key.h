#pragma once
/// \file
/// The key of the server: where it comes from, and how it stays out of every text.

#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace warpmind::agents::llm {

/// Name of the environment variable.
inline constexpr const char* kKeyVariable = "WARPMIND_LLM_KEY";

/// The variable's value, empty where it is not set. Removes it from the environment, so that no
/// child process inherits it: call once, before there are threads.
[[nodiscard]] std::string take_key_from_environment();

/// The key in `path`, which `setting` names. Errors: invalid_argument for a file that others can
/// read or that holds anything but one key; the message never shows the content.
[[nodiscard]] Result<std::string> read_key_file(const std::filesystem::path& path,
                                                std::string_view setting = "llm.key_file");

/// Checks a key that did not come from a file. Errors: invalid_argument.
[[nodiscard]] Result<std::string> checked_key(std::string key, std::string_view where);

/// `text` without the key: every piece of at least 8 bytes that is also in `key` becomes "[key]",
/// and so does the whole of a shorter key.
[[nodiscard]] std::string redacted(std::string_view text, std::string_view key);

}  // namespace warpmind::agents::llm
