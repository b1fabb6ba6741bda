#include "base/container.h"

#include "base/file.h"

#include <array>
#include <string_view>
#include <sys/stat.h>
#include <system_error>

namespace warpmind {
namespace fs = std::filesystem;
namespace {

/// The kernel gives its first namespaces these inode numbers (PROC_PID_INIT_INO,
/// PROC_USER_INIT_INO).
constexpr std::string_view kFirstPidNamespace = "pid:[4026531836]";
constexpr std::string_view kFirstUserNamespace = "user:[4026531837]";
constexpr std::size_t kMostBytes = std::size_t{1} << 20U;

/// Files of /proc say that they are empty; one that cannot be read is.
std::string content_of(const fs::path& file) { return read_file(file, kMostBytes).value_or(""); }

bool is_other_namespace(const fs::path& link, std::string_view first) {
  std::error_code ec;
  const std::string target = fs::read_symlink(link, ec).string();
  return !ec && !target.empty() && target != first;
}

/// The root folder of process 1 is another one than ours.
bool is_changed_root(const fs::path& root) {
  struct stat first {};
  struct stat ours {};
  if (::stat((root / "proc/1/root/.").c_str(), &first) != 0) return false;
  if (::stat(root.c_str(), &ours) != 0) return false;
  return first.st_dev != ours.st_dev || first.st_ino != ours.st_ino;
}

}  // namespace

std::string container_sign(const fs::path& root) {
  std::error_code ec;
  for (const char* file : {".dockerenv", "run/.containerenv", "run/systemd/container"}) {
    if (fs::exists(root / file, ec)) return "/" + std::string(file);
  }
  const std::string environment = content_of(root / "proc/1/environ");
  const bool is_first = environment.starts_with("container=");
  if (is_first || environment.find(std::string("\0container=", 11)) != std::string::npos) {
    return "the variable container of process 1";
  }
  const std::string groups = content_of(root / "proc/1/cgroup");
  for (const char* name : {"docker", "kubepods", "containerd", "libpod", "lxc"}) {
    if (groups.find(name) != std::string::npos) return "the control group " + std::string(name);
  }
  if (is_other_namespace(root / "proc/self/ns/user", kFirstUserNamespace)) {
    return "a user namespace of its own";
  }
  // WSL starts every distribution in one; there it is the user's whole system.
  const bool is_wsl = content_of(root / "proc/version").find("icrosoft") != std::string::npos;
  if (!is_wsl && is_other_namespace(root / "proc/self/ns/pid", kFirstPidNamespace)) {
    return "a PID namespace of its own";
  }
  return is_changed_root(root) ? "a changed root folder (chroot)" : "";
}

}  // namespace warpmind
