#include "profilers/exclusive_kernel_lab.h"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <string>
#include <sys/file.h>
#include <system_error>

namespace warpmind::profilers {
namespace {

constexpr mode_t kForAll = 0666;
/// Short beside a judging, long beside a system call.
constexpr std::chrono::milliseconds kNextTry{20};

/// Another user's file in a sticky folder may be opened, but not with O_CREAT.
UniqueFd open_lock(const std::filesystem::path& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kForAll));
  if (!file) file = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return file;
}

void rest(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, kNextTry, [] { return false; });
}

}  // namespace

Result<UniqueFd> ExclusiveKernelLab::claim(const std::stop_token& stop) {
  const auto device = lab_->device();
  // Nothing is measured without a device: the lab says so itself.
  if (!device) return UniqueFd();
  std::error_code ignored;
  const std::string name = "warpmind-" + (device->uuid.empty() ? "gpu" : device->uuid) + ".lock";
  const auto path = std::filesystem::temp_directory_path(ignored) / name;
  UniqueFd file = open_lock(path);
  if (!file) return fail(Errc::external_failure, path.string() + ": " + std::strerror(errno));
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return fail(Errc::external_failure, path.string() + ": " + std::strerror(errno));
    }
    if (stop.stop_requested()) {
      return fail(Errc::cancelled, "stopped while another process measured on the device");
    }
    rest(stop);
  }
  return file;
}

Result<Verdict> ExclusiveKernelLab::judge(const JudgeOrder& order, std::stop_token stop) {
  WARPMIND_TRY(const auto turn, claim(stop));
  return lab_->judge(order, std::move(stop));
}

Result<Comparison> ExclusiveKernelLab::compare(const JudgeOrder& order, std::stop_token stop) {
  WARPMIND_TRY(const auto turn, claim(stop));
  return lab_->compare(order, std::move(stop));
}

}  // namespace warpmind::profilers
