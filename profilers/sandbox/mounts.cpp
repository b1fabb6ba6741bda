#include "profilers/sandbox/mounts.h"

#include "base/sequence.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

namespace warpmind::profilers {
namespace fs = std::filesystem;
namespace {

const fs::path kSystem = "/usr";
/// Below the prefix of an installation, where packages put libraries (cmake/packaging).
const fs::path kOwnLibraries = "lib/warpmind";

void add(BubblewrapArguments& arguments, std::initializer_list<std::string> more) {
  arguments.insert(arguments.end(), more);
}

/// Already there through add_system(), which binds with every mount below it. A second mount would
/// have to be made through the symbolic links on the way (/usr/local/cuda), which bubblewrap
/// refuses.
bool is_in_system(const fs::path& folder) {
  const auto [system_end, rest] =
      std::mismatch(kSystem.begin(), kSystem.end(), folder.begin(), folder.end());
  (void)rest;
  return system_end == kSystem.end();
}

bool is_too_wide(const fs::path& folder) {
  static constexpr std::array kWide = {"/",    "/home", "/root", "/tmp",  "/var",
                                       "/etc", "/run",  "/dev",  "/proc", "/sys"};
  if (std::any_of(kWide.begin(), kWide.end(), [&](const char* wide) { return folder == wide; })) {
    return true;
  }
  const char* home = std::getenv("HOME");
  return home != nullptr && folder == fs::path(home).lexically_normal();
}

}  // namespace

void add_isolation(BubblewrapArguments& arguments, bool recent) {
  // The uid is set even for root: without a user namespace of its own, a root daemon's child would
  // keep every capability.
  add(arguments,
      {"--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--hostname",
       "warpmind", "--cap-drop", "ALL", "--die-with-parent", "--new-session", "--clearenv"});
  if (recent) add(arguments, {"--disable-userns"});
}

void add_read_only(BubblewrapArguments& arguments, const fs::path& path) {
  add(arguments, {"--ro-bind", path.string(), path.string()});
}

void add_extra(BubblewrapArguments& arguments, const fs::path& path) {
  if (!is_in_system(path)) add_read_only(arguments, path);
}

void add_system(BubblewrapArguments& arguments, bool recent) {
  add_read_only(arguments, "/usr");
  std::error_code ec;
  for (const char* name : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
    if (fs::is_symlink(name, ec)) {
      add(arguments, {"--symlink", fs::read_symlink(name, ec).string(), name});
    } else if (fs::is_directory(name, ec)) {
      add_read_only(arguments, name);
    }
  }
  for (const char* name :
       {"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"}) {
    if (fs::exists(name, ec)) add_read_only(arguments, name);
  }
  add(arguments, {"--proc", "/proc", "--dev", "/dev"});
  for (const char* folder : {"/dev/shm", "/tmp"}) {
    if (recent) add(arguments, {"--size", std::to_string(kTemporaryBytes)});
    add(arguments, {"--tmpfs", folder});
  }
}

void add_seal(BubblewrapArguments& arguments) {
  // What root owns below /proc would be writable for the children of a root daemon: in their
  // namespace they are somebody else, to the files they are still root. Processes are their own.
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator("/proc", ec)) {
    const std::string name = entry.path().filename().string();
    const auto status = entry.symlink_status(ec);
    if (ec || std::isdigit(static_cast<unsigned char>(name.front())) != 0) continue;
    constexpr auto kWrite =
        fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
    const bool writable =
        fs::is_regular_file(status) && (status.permissions() & kWrite) != fs::perms::none;
    if (writable || fs::is_directory(status)) add_read_only(arguments, entry.path());
  }
  add(arguments, {"--remount-ro", "/dev", "--remount-ro", "/"});
}

void add_devices(BubblewrapArguments& arguments) {
  std::error_code ec;
  std::vector<std::string> nodes;
  for (const auto& entry : fs::directory_iterator("/dev", ec)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("nvidia") || name == "dxg") nodes.push_back(entry.path().string());
  }
  std::sort(nodes.begin(), nodes.end());
  // --bind would mount them nodev.
  for (const auto& node : nodes) add(arguments, {"--dev-bind", node, node});
  if (fs::is_directory("/sys", ec)) add_read_only(arguments, "/sys");
  for (const char* folder : {"/opt/nvidia", "/run/opengl-driver", "/run/nvidia/driver"}) {
    if (fs::is_directory(folder, ec)) add_read_only(arguments, folder);
  }
}

std::vector<fs::path> own_mounts(const fs::path& own) {
  const fs::path folder = own.parent_path();
  const bool among_libraries = folder.filename() == kOwnLibraries.filename() &&
                               folder.parent_path().filename() == kOwnLibraries.parent_path();
  const fs::path libraries = among_libraries ? folder : folder.parent_path() / kOwnLibraries;
  std::error_code ec;
  if (!fs::is_directory(libraries, ec)) return {own};
  return {own, libraries};
}

std::vector<fs::path> library_folders(std::string_view search_path) {
  std::vector<fs::path> folders;
  while (!search_path.empty()) {
    const std::size_t colon = search_path.find(':');
    const fs::path folder = fs::path(search_path.substr(0, colon)).lexically_normal();
    search_path = colon == std::string_view::npos ? "" : search_path.substr(colon + 1);
    std::error_code ec;
    if (!folder.is_absolute() || is_too_wide(folder) || !fs::is_directory(folder, ec)) continue;
    if (!contains(folders, folder)) {
      folders.push_back(folder);
    }
  }
  return folders;
}

}  // namespace warpmind::profilers
