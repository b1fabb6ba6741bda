#include "config/python_packages.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace warpmind::config {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kPython = "python3";

/// 12 of "python3.12"; of Debian's "python3" more than any.
int minor_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name == kPython ? 1000
                         : std::atoi(name.c_str() + std::min(kPython.size() + 1, name.size()));
}

}  // namespace

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ec;
  for (auto at = fs::directory_iterator(folder, ec); !ec && at != fs::directory_iterator();
       at.increment(ec)) {
    if (at->is_directory(ec)) found.push_back(at->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<fs::path> packages_below(const fs::path& prefix) {
  std::vector<fs::path> found;
  std::error_code ec;
  for (const char* const lib : {"lib", "lib64", "local/lib"}) {
    auto pythons = folders_in(prefix / lib);
    std::erase_if(pythons, [](const fs::path& folder) {
      return !folder.filename().string().starts_with(kPython);
    });
    std::stable_sort(pythons.begin(), pythons.end(), [](const fs::path& a, const fs::path& b) {
      return minor_of(a) > minor_of(b);
    });
    for (const auto& python : pythons) {
      for (const char* const packages : {"site-packages", "dist-packages"}) {
        if (fs::is_directory(python / packages, ec)) found.push_back(python / packages);
      }
    }
  }
  return found;
}

std::vector<fs::path> packages_of_python(std::string_view search_path) {
  while (!search_path.empty()) {
    const auto colon = std::min(search_path.find(':'), search_path.size());
    const fs::path folder(search_path.substr(0, colon));
    search_path.remove_prefix(std::min(colon + 1, search_path.size()));
    std::error_code ec;
    if (!folder.is_absolute() || !fs::exists(folder / kPython, ec)) continue;
    return packages_below(folder.parent_path());
  }
  return {};
}

}  // namespace warpmind::config
