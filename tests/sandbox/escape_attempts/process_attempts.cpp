#include "tests/sandbox/escape_attempts/attempt.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

namespace escape {
namespace {

std::string process_file(const Targets& targets, const char* name) {
  return "/proc/" + std::to_string(targets.victim()) + "/" + name;
}

void* victims_memory(const Targets& targets) {
  return reinterpret_cast<void*>(targets.number("address"));
}

int open_process(const Targets& targets) {
  return static_cast<int>(::syscall(SYS_pidfd_open, targets.victim(), 0));
}

/// Signal 0 asks whether one may.
bool signal_process(const Targets& targets) { return ::kill(targets.victim(), 0) == 0; }

bool signal_by_descriptor(const Targets& targets) {
  const int fd = open_process(targets);
  return fd >= 0 && ::syscall(SYS_pidfd_send_signal, fd, 0, nullptr, 0) == 0;
}

bool trace_process(const Targets& targets) {
  if (::ptrace(PTRACE_SEIZE, targets.victim(), nullptr, nullptr) != 0) return false;
  ::ptrace(PTRACE_INTERRUPT, targets.victim(), nullptr, nullptr);
  int status = 0;
  ::waitpid(targets.victim(), &status, __WALL);
  return ::ptrace(PTRACE_DETACH, targets.victim(), nullptr, nullptr) == 0;
}

bool read_memory(const Targets& targets) {
  std::array<char, 64> own{};
  const iovec to{own.data(), targets.text("secret").size()};
  const iovec from{victims_memory(targets), targets.text("secret").size()};
  return worked(::process_vm_readv(targets.victim(), &to, 1, &from, 1, 0)) &&
         targets.text("secret") == own.data();
}

/// Writes the zero at the end of the victim's memory once more.
bool write_memory(const Targets& targets) {
  char zero = 0;
  const iovec from{&zero, 1};
  const iovec to{static_cast<char*>(victims_memory(targets)) + 255, 1};
  return ::process_vm_writev(targets.victim(), &from, 1, &to, 1, 0) == 1;
}

bool read_memory_file(const Targets& targets) {
  const int fd = ::open(process_file(targets, "mem").c_str(), O_RDONLY | O_CLOEXEC);
  std::array<char, 64> own{};
  return fd >= 0 && worked(::pread(fd, own.data(), targets.text("secret").size(),
                                   static_cast<off_t>(targets.number("address"))));
}

bool advise_memory(const Targets& targets) {
  const int fd = open_process(targets);
  const auto address = targets.number("address") & ~4095L;
  const iovec range{reinterpret_cast<void*>(address), 4096};
  return fd >= 0 && worked(::syscall(SYS_process_madvise, fd, &range, 1, MADV_WILLNEED, 0));
}

bool take_descriptor(const Targets& targets) {
  const int fd = open_process(targets);
  return fd >= 0 && worked(::syscall(SYS_pidfd_getfd, fd, 0, 0));
}

bool compare_processes(const Targets& targets) {
  return worked(::syscall(SYS_kcmp, ::getpid(), targets.victim(), KCMP_VM, 0, 0));
}

bool read_environment_of(const Targets& targets) {
  return holds(process_file(targets, "environ"), targets.text("secret"));
}

bool read_command_of(const Targets& targets) {
  return holds(process_file(targets, "cmdline"), "victim");
}

bool open_working_folder_of(const Targets& targets) {
  return opens(process_file(targets, "cwd"), O_RDONLY | O_DIRECTORY);
}

bool open_descriptor_of(const Targets& targets) {
  return opens(process_file(targets, "fd/1"), O_WRONLY | O_NONBLOCK);
}

bool raise_kill_score(const Targets& targets) {
  return opens(process_file(targets, "oom_score_adj"), O_WRONLY);
}

bool set_priority(const Targets& targets) {
  return ::setpriority(PRIO_PROCESS, static_cast<id_t>(targets.victim()), 1) == 0;
}

bool set_processors(const Targets& targets) {
  cpu_set_t set;
  return ::sched_getaffinity(targets.victim(), sizeof set, &set) == 0 &&
         ::sched_setaffinity(targets.victim(), sizeof set, &set) == 0;
}

bool set_limit(const Targets& targets) {
  rlimit bound{};
  return ::prlimit(targets.victim(), RLIMIT_CORE, nullptr, &bound) == 0 &&
         ::prlimit(targets.victim(), RLIMIT_CORE, &bound, nullptr) == 0;
}

bool join_namespace(const Targets& targets) {
  const int fd = ::open(process_file(targets, "ns/net").c_str(), O_RDONLY | O_CLOEXEC);
  return fd >= 0 && ::setns(fd, CLONE_NEWNET) == 0;
}

bool read_lock_list(const Targets& targets) {
  void* head = nullptr;
  std::size_t size = 0;
  return worked(::syscall(SYS_get_robust_list, targets.victim(), &head, &size));
}

bool queue_signal(const Targets& targets) {
  siginfo_t information{};
  information.si_code = SI_QUEUE;
  information.si_signo = SIGCONT;  // for a process that is not stopped: nothing
  return ::syscall(SYS_rt_sigqueueinfo, targets.victim(), SIGCONT, &information) == 0;
}

}  // namespace

const std::vector<Attempt>& process_attempts() {
  static const std::vector<Attempt> list = {
      {"signal_process", Needs::nothing, signal_process},
      {"signal_by_descriptor", Needs::nothing, signal_by_descriptor},
      {"queue_signal", Needs::nothing, queue_signal},
      {"trace_process", Needs::root, trace_process},
      {"read_memory", Needs::root, read_memory},
      {"write_memory", Needs::root, write_memory},
      {"read_memory_file", Needs::root, read_memory_file},
      {"advise_memory", Needs::root, advise_memory},
      {"take_descriptor", Needs::root, take_descriptor},
      {"compare_processes", Needs::root, compare_processes},
      {"read_environment_of", Needs::nothing, read_environment_of},
      {"read_command_of", Needs::nothing, read_command_of},
      {"open_working_folder_of", Needs::nothing, open_working_folder_of},
      {"open_descriptor_of", Needs::nothing, open_descriptor_of},
      {"raise_kill_score", Needs::nothing, raise_kill_score},
      {"set_priority", Needs::nothing, set_priority},
      {"set_processors", Needs::nothing, set_processors},
      {"set_limit", Needs::nothing, set_limit},
      {"join_namespace", Needs::root, join_namespace},
      {"read_lock_list", Needs::root, read_lock_list}};
  return list;
}

}  // namespace escape
