#include "clients/spawn_plan.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char** environ;  // NOLINT(readability-identifier-naming): POSIX's name

namespace warpmind::clients {

SpawnPlan::SpawnPlan() {
  note(::posix_spawn_file_actions_init(&actions_));
  note(::posix_spawnattr_init(&attributes_));
  note(::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0));
}

SpawnPlan::~SpawnPlan() {
  ::posix_spawn_file_actions_destroy(&actions_);
  ::posix_spawnattr_destroy(&attributes_);
}

void SpawnPlan::give(int fd, int target) {
  note(::posix_spawn_file_actions_adddup2(&actions_, fd, target));
}

void SpawnPlan::discard(int target) {
  note(::posix_spawn_file_actions_addopen(&actions_, target, "/dev/null", O_WRONLY, 0));
}

Result<pid_t> SpawnPlan::spawn(const std::vector<std::string>& words, ChildSession session) {
  sigset_t none;
  sigset_t usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT}) sigaddset(&usual, number);
  note(::posix_spawnattr_setsigmask(&attributes_, &none));
  note(::posix_spawnattr_setsigdefault(&attributes_, &usual));
  const int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                    (session == ChildSession::own ? POSIX_SPAWN_SETSID : 0);
  note(::posix_spawnattr_setflags(&attributes_, static_cast<short>(flags)));

  std::vector<std::string> copies = words;  // argv is not const in C
  std::vector<char*> argv;
  argv.reserve(copies.size() + 1);
  for (auto& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = -1;
  if (problem_ == 0) {
    note(::posix_spawn(&pid, argv.front(), &actions_, &attributes_, argv.data(), environ));
  }
  if (problem_ == 0) return pid;
  return fail(Errc::unavailable, "cannot start " + words.front() + ": " + std::strerror(problem_));
}

Result<int> open_pidfd(pid_t pid) {
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (fd >= 0) return fd;
  const int code = errno;
  return fail(code == ESRCH ? Errc::not_found : Errc::external_failure,
              std::string("pidfd_open: ") + std::strerror(code));
}

}  // namespace warpmind::clients
