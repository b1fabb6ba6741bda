#pragma once
/// \file
/// Reads a file that a candidate's process had in its hands.

#include "base/result.h"

#include <cstddef>
#include <filesystem>
#include <string>

namespace warpmind::profilers {

/// The file must be a regular one of exactly `bytes` bytes: no link, pipe or device is followed or
/// waited for. Errors: not_found; corrupt_data; both as sentences for a verdict.
[[nodiscard]] Result<std::string> read_output(const std::filesystem::path& path, std::size_t bytes);

}  // namespace warpmind::profilers
