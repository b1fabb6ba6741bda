/// \file
/// limit_attacks NAME [COUNT]: takes more than a job may have, or stays longer. Prints what came of
/// it, then waits to be killed where that is the point. Only for the inside of a sandbox.

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace {

constexpr int kManyProcesses = 20'000;
constexpr off_t kManyBytes = off_t{10} * 1024 * 1024 * 1024;

[[noreturn]] void wait_for_ever() {
  while (true) ::pause();
}

void say(const std::string& text) {
  std::puts(text.c_str());
  std::fflush(stdout);
}

int fork_bomb(long) {
  for (int i = 0; i < kManyProcesses; ++i) {
    const pid_t pid = ::fork();
    if (pid == 0) wait_for_ever();
    if (pid < 0) {
      say("held after " + std::to_string(i) + ": " + std::strerror(errno));
      wait_for_ever();
    }
  }
  say("unbounded");
  wait_for_ever();
}

/// Reserves without writing: a bound says no before any page is taken.
int write_much(long) {
  std::signal(SIGXFSZ, SIG_IGN);
  for (const char* folder :
       {".", "out", "/tmp", "/dev/shm", "/dev", "/", "/usr", "/var", "/home"}) {
    const std::string file = std::string(folder) + "/much";
    const int fd = ::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 && ::posix_fallocate(fd, 0, kManyBytes) == 0) say("unbounded in " + file);
  }
  say("held");
  return 0;
}

int allocate_much(long) {
  constexpr std::size_t kStep = std::size_t{64} * 1024 * 1024;
  for (std::size_t taken = 0; taken < std::size_t{100} * 1024 * 1024 * 1024; taken += kStep) {
    void* memory =
        ::mmap(nullptr, kStep, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      say("held after " + std::to_string(taken >> 20U) + " MiB");
      return 0;
    }
    std::memset(memory, 1, kStep);
  }
  say("unbounded");
  return 0;
}

int flood(long) {
  const std::string chunk(std::size_t{1} << 20U, 'x');
  for (int i = 0; i < 512; ++i) {
    for (const int fd : {1, 2}) {
      for (std::size_t done = 0; done < chunk.size();) {
        const ssize_t n = ::write(fd, chunk.data() + done, chunk.size() - done);
        if (n <= 0) return 1;
        done += static_cast<std::size_t>(n);
      }
    }
  }
  return 0;
}

int many_files(long count) {
  for (long i = 0; i < count; ++i) {
    const std::string file = "/tmp/" + std::to_string(i);
    const int fd = ::open(file.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0) {
      say("held after " + std::to_string(i) + ": " + std::strerror(errno));
      return 0;
    }
    ::close(fd);
  }
  say("made all");
  return 0;
}

int spin(long) {
  volatile unsigned long turns = 0;
  while (true) turns = turns + 1;
}

int ignore_signals(long) {
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, nullptr);
  wait_for_ever();
}

int fork_twice(long) {
  const pid_t pid = ::fork();
  if (pid < 0) {
    say(std::string("held: ") + std::strerror(errno));
    return 0;
  }
  if (pid == 0) {
    if (::fork() == 0) {
      ::setsid();
      say("orphan");
      wait_for_ever();
    }
    ::_exit(0);
  }
  return 0;
}

int become_daemon(long) {
  const pid_t pid = ::fork();
  if (pid < 0) {
    say(std::string("held: ") + std::strerror(errno));
    return 0;
  }
  if (pid == 0) {
    ::setsid();
    for (int fd = 0; fd < 64; ++fd) ::close(fd);
    if (::fork() != 0) ::_exit(0);
    wait_for_ever();
  }
  say("daemon");
  return 0;
}

int close_pipes(long) {
  for (int fd = 0; fd < 64; ++fd) ::close(fd);
  wait_for_ever();
}

}  // namespace

int main(int count, char** arguments) {
  const std::map<std::string, int (*)(long)> attacks = {
      {"fork_bomb", fork_bomb},           {"write_much", write_much},
      {"allocate_much", allocate_much},   {"flood", flood},
      {"many_files", many_files},         {"spin", spin},
      {"ignore_signals", ignore_signals}, {"fork_twice", fork_twice},
      {"become_daemon", become_daemon},   {"close_pipes", close_pipes}};
  const auto found = attacks.find(count > 1 ? arguments[1] : "");
  if (found == attacks.end()) return 2;
  // A last argument that the test finds in the list of processes is no number.
  return found->second(count > 2 ? std::strtol(arguments[2], nullptr, 10) : 0);
}
