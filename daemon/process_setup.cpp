#include "daemon/process_setup.h"

#include "base/container.h"

#include <algorithm>
#include <csignal>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace warpmind::daemon {

Result<void> check_user(bool is_root, const std::string& allow_root, const std::string& sign) {
  if (!is_root || allow_root == "true") return {};
  if (allow_root == "auto" && !sign.empty()) return {};
  return fail(Errc::invalid_argument,
              std::string("refuses to run as root") +
                  (sign.empty() ? " outside of a container" : " (daemon.allow_root = false)") +
                  ", because it runs code written by models: work as an ordinary user, or add "
                  "`--set daemon.allow_root=true`");
}

Result<void> check_user(const std::string& allow_root) {
  return check_user(::geteuid() == 0, allow_root, container_sign());
}

void harden_process() {
  (void)::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  const rlimit none{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &none);
  (void)std::signal(SIGPIPE, SIG_IGN);
}

void raise_file_limit(std::int64_t connections) {
  constexpr rlim_t kOwnFiles = 1024;  // base, logs, pipes of sandboxes
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  const rlim_t wanted = std::min(static_cast<rlim_t>(connections) + kOwnFiles, files.rlim_max);
  if (files.rlim_cur >= wanted) return;
  files.rlim_cur = wanted;
  (void)::setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace warpmind::daemon
