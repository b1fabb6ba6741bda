#include "profilers/process/owner_mark.h"

#include "base/file.h"
#include "base/process_stat.h"
#include "base/text.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

namespace warpmind::profilers {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOwnerVariable = "WARPMIND_OWNER=";
constexpr std::size_t kMostBytes = std::size_t{256} << 10U;

/// "123.456789": a number alone may be another process's by now. Empty when there is none.
std::string identity_of(pid_t pid) {
  const auto stat = process_stat(pid);
  return stat ? std::to_string(pid) + "." + stat->start : "";
}

/// Of the process whose environment this is; empty without a mark.
std::string owner_in(std::string_view environment) {
  while (!environment.empty()) {
    const auto variable = environment.substr(0, environment.find('\0'));
    if (variable.starts_with(kOwnerVariable))
      return std::string(variable.substr(kOwnerVariable.size()));
    environment.remove_prefix(std::min(variable.size() + 1, environment.size()));
  }
  return {};
}

}  // namespace

std::string owner_mark() {
  return std::string(kOwnerVariable) + pid_namespace() + "." + identity_of(::getpid());
}

void end_orphans() {
  const std::string here = pid_namespace() + ".";
  if (here.size() == 1) return;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator("/proc", ec)) {
    const std::string pid = entry.path().filename().string();
    if (!is_all_digits(pid)) continue;
    // Opened before the look: who gets the number later is not meant.
    const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, std::stoi(pid), 0)));
    if (!process) continue;
    const auto environment = read_file(entry.path() / "environ", kMostBytes);
    if (!environment) continue;  // somebody else's
    const std::string mark = owner_in(*environment);
    if (!mark.starts_with(here)) continue;
    const std::string owner = mark.substr(here.size());
    if (identity_of(std::atoi(owner.c_str())) == owner) continue;
    ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
  }
}

}  // namespace warpmind::profilers
