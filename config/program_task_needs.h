#pragma once
/// \file
/// What a user's program may see of the machine besides its own folder. program.toml comes from
/// strangers: `needs` is what they ask for, and who runs the check decides.

#include "base/model/program_task.h"
#include "base/result.h"
#include "config/settings_loader.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::config {

/// All canonical.
struct PrivateFolders {
  std::vector<std::filesystem::path> closed;   ///< to every program: kernel interfaces, our files
  std::vector<std::filesystem::path> asked;    ///< to programs, but for what the user lists
  std::vector<std::filesystem::path> allowed;  ///< by the user
};

/// `allowed`: absolute folders, separated by colons (lab.program_folders).
[[nodiscard]] PrivateFolders private_folders(const Settings& settings,
                                             const Environment& environment,
                                             std::string_view allowed);

/// Whether the task may have its `needs`, wherever links lead. `folder` is its own: what lies below
/// is its own as well, unless `folder` is a whole home. Errors: invalid_argument, one sentence.
[[nodiscard]] Result<void> check_needs(const ProgramTask& task, const std::filesystem::path& folder,
                                       const PrivateFolders& places);

}  // namespace warpmind::config
