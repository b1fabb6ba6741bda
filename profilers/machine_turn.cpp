#include "profilers/machine_turn.h"

#include "base/sleep.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <system_error>

namespace warpmind::profilers {
namespace {

constexpr mode_t kForAll = 0666;
/// Short beside a judging, long beside a system call.
constexpr std::chrono::milliseconds kNextTry{20};

std::filesystem::path lock_path(const std::string& uuid, const char* which) {
  std::error_code ignored;
  return std::filesystem::temp_directory_path(ignored) /
         ("warpmind-" + (uuid.empty() ? "gpu" : uuid) + which);
}

/// Another user's file in a sticky folder may be opened, but not with O_CREAT.
UniqueFd open_lock(const std::filesystem::path& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kForAll));
  if (!file) file = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return file;
}

Result<UniqueFd> lock_file(const std::filesystem::path& path, const std::stop_token& stop) {
  UniqueFd file = open_lock(path);
  if (!file) return fail(Errc::external_failure, path.string() + ": " + std::strerror(errno));
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return fail(Errc::external_failure, path.string() + ": " + std::strerror(errno));
    }
    if (stop.stop_requested()) {
      return fail(Errc::cancelled, "stopped while another process measured on the device");
    }
    sleep_for(kNextTry, stop);
  }
  return file;
}

}  // namespace

MachineTurn::Held::~Held() {
  if (turn_ != nullptr) turn_->release();
}

Result<MachineTurn::Held> MachineTurn::take(const std::string& uuid, const std::stop_token& stop) {
  WARPMIND_TRY(const auto next, lock_file(lock_path(uuid, ".next.lock"), stop));
  {
    const std::scoped_lock lock(mutex_);
    if (holders_ > 0) {
      ++holders_;
      return Held(this);
    }
  }
  // Nobody of this process comes in between: they wait for `next`.
  WARPMIND_TRY(auto file, lock_file(lock_path(uuid, ".lock"), stop));
  const std::scoped_lock lock(mutex_);
  lock_ = std::move(file);
  holders_ = 1;
  return Held(this);
}

void MachineTurn::release() {
  const std::scoped_lock lock(mutex_);
  if (--holders_ == 0) lock_ = UniqueFd();
}

}  // namespace warpmind::profilers
