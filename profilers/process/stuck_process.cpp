#include "profilers/process/stuck_process.h"

#include <cerrno>
#include <poll.h>
#include <sys/wait.h>
#include <utility>

namespace warpmind::profilers {

bool has_ended(const UniqueFd& pidfd, int timeout_ms) {
  if (!pidfd) return true;
  pollfd wait{pidfd.get(), POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&wait, 1, timeout_ms);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

StuckProcess::StuckProcess(pid_t child, UniqueFd child_fd, UniqueFd init, JobGroup group)
    : child_(child),
      child_fd_(std::move(child_fd)),
      init_(std::move(init)),
      group_(std::move(group)) {}

StuckProcess::~StuckProcess() { (void)gone(); }

bool StuckProcess::gone() {
  if (child_ > 0 && has_ended(child_fd_, 0)) {
    int status = 0;
    if (::waitpid(child_, &status, WNOHANG) != 0) child_ = -1;
  }
  if (child_ > 0 || !has_ended(init_, 0)) return false;
  group_.remove();
  return true;
}

}  // namespace warpmind::profilers
