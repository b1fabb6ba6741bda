#pragma once
/// \file
/// Where a Python keeps installed packages. No Python is run.

#include <filesystem>
#include <string_view>
#include <vector>

namespace warpmind::config {

/// Folders in `folder`, sorted by name; empty when there is no such folder.
[[nodiscard]] std::vector<std::filesystem::path> folders_in(const std::filesystem::path& folder);

/// The site-packages and dist-packages that exist below `prefix`, the newest Python first.
[[nodiscard]] std::vector<std::filesystem::path> packages_below(
    const std::filesystem::path& prefix);

/// Of the first python3 on `search_path` (as PATH). The link in a virtual environment is not
/// followed, since it leads out.
[[nodiscard]] std::vector<std::filesystem::path> packages_of_python(std::string_view search_path);

}  // namespace warpmind::config
