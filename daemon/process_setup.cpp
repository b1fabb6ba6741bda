#include "daemon/process_setup.h"

#include <algorithm>
#include <csignal>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace warpmind::daemon {

Result<void> check_user(RootUse root) {
  if (::geteuid() != 0 || root == RootUse::allow) return {};
  return fail(Errc::invalid_argument,
              "warpmindd refuses to run as root: it runs code written by models. Start it as an "
              "ordinary user, or pass --allow-root (daemon.allow_root = true) in a container");
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
