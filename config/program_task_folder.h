#pragma once
/// \file
/// A program's folder as a bounded tree of regular files.

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace warpmind::config {

struct ProgramFolderLimits {
  std::size_t files = 4000;
  std::uintmax_t bytes = std::uintmax_t{512} << 20U;
};

/// Relative paths of the regular files, sorted. Hidden folders (.git) and files are left out, as
/// are links that leave the folder. Errors: not_found; invalid_argument beyond the limits.
[[nodiscard]] Result<std::vector<std::string>> list_program_folder(
    const std::filesystem::path& folder, ProgramFolderLimits limits = {});

/// Copies those files; `to` is made and must not lie in `from`. Errors: as
/// list_program_folder(); external_failure.
[[nodiscard]] Result<void> copy_program_folder(const std::filesystem::path& from,
                                               const std::filesystem::path& to,
                                               ProgramFolderLimits limits = {});

}  // namespace warpmind::config
