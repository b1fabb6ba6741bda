#include "profilers/sandbox/seccomp_filter.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <sched.h>
#include <seccomp.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

namespace warpmind::profilers {
namespace {

struct FilterRelease {
  void operator()(void* context) const noexcept { seccomp_release(context); }
};
using UniqueFilter = std::unique_ptr<void, FilterRelease>;

constexpr std::array kRefused = {
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(process_madvise),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(kcmp),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register),
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(keyctl),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(move_mount),
    SCMP_SYS(open_tree),
    SCMP_SYS(fsopen),
    SCMP_SYS(fsconfig),
    SCMP_SYS(fsmount),
    SCMP_SYS(fspick),
    SCMP_SYS(mount_setattr),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(setns),
    SCMP_SYS(unshare),
    SCMP_SYS(swapon),
    SCMP_SYS(swapoff),
    SCMP_SYS(reboot),
    SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load),
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(delete_module),
    SCMP_SYS(acct),
    SCMP_SYS(quotactl),
    SCMP_SYS(settimeofday),
    SCMP_SYS(clock_settime),
    SCMP_SYS(clock_adjtime),
    SCMP_SYS(adjtimex),
    SCMP_SYS(syslog),
    SCMP_SYS(vhangup),
    SCMP_SYS(nfsservctl),
    SCMP_SYS(name_to_handle_at),
    SCMP_SYS(fanotify_init),
    SCMP_SYS(lookup_dcookie),
    SCMP_SYS(iopl),
    SCMP_SYS(ioperm),
    SCMP_SYS(quotactl_fd),
};

/// Calls of ioctl that write into a terminal what its other side takes for typed.
constexpr std::array<unsigned, 2> kRefusedControls = {TIOCSTI, TIOCLINUX};

/// But CLONE_NEWTIME, whose bit means a signal to clone.
constexpr std::array<unsigned long, 7> kNewNamespaces = {CLONE_NEWNS,    CLONE_NEWUTS, CLONE_NEWIPC,
                                                         CLONE_NEWUSER,  CLONE_NEWPID, CLONE_NEWNET,
                                                         CLONE_NEWCGROUP};

/// A rule for a call that this architecture does not have is no error.
bool added(int result) { return result == 0 || result == -EDOM || result == -EEXIST; }

/// A condition a rule: AF_UNIX is 1, AF_INET 2, AF_INET6 10, and what lies between is refused too.
bool refuse_all_but_internet(scmp_filter_ctx filter) {
  bool complete = true;
  for (const int call : {SCMP_SYS(socket), SCMP_SYS(socketpair)}) {
    complete = complete && added(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), call, 1,
                                                  SCMP_A0(SCMP_CMP_GT, AF_INET6, 0)));
    for (int family = AF_INET + 1; family < AF_INET6; ++family) {
      complete = complete && added(seccomp_rule_add(
                                 filter, SCMP_ACT_ERRNO(EACCES), call, 1,
                                 SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(family), 0)));
    }
  }
  return complete;
}

bool refuse_sockets(scmp_filter_ctx filter) {
  return added(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(socket), 1,
                                SCMP_A0(SCMP_CMP_NE, AF_UNIX, 0))) &&
         added(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(socketpair), 1,
                                SCMP_A0(SCMP_CMP_NE, AF_UNIX, 0)));
}

bool refuse_terminal_input(scmp_filter_ctx filter) {
  return std::all_of(kRefusedControls.begin(), kRefusedControls.end(), [filter](unsigned control) {
    return added(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
                                  SCMP_A1(SCMP_CMP_MASKED_EQ, 0xFFFFFFFFU, control)));
  });
}

/// clone3 hides its flags from the filter: ENOSYS makes the C library fall back to clone.
bool refuse_namespaces(scmp_filter_ctx filter) {
  return added(seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0)) &&
         std::all_of(kNewNamespaces.begin(), kNewNamespaces.end(), [filter](unsigned long flag) {
           return added(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                                         SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag)));
         });
}

/// Threads stay possible.
bool refuse_processes(scmp_filter_ctx filter) {
  return added(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(fork), 0)) &&
         added(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(vfork), 0)) &&
         added(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                                SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)));
}

}  // namespace

Result<UniqueFd> make_seccomp_filter(NewProcesses processes, Sockets sockets) {
  const UniqueFilter filter(seccomp_init(SCMP_ACT_ALLOW));
  bool complete = filter != nullptr &&
                  (sockets == Sockets::local ? refuse_sockets(filter.get())
                                             : refuse_all_but_internet(filter.get())) &&
                  refuse_terminal_input(filter.get()) && refuse_namespaces(filter.get());
  for (const int call : kRefused) {
    complete = complete && added(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), call, 0));
  }
  if (processes == NewProcesses::refused) complete = complete && refuse_processes(filter.get());
  if (!complete) {
    return fail(Errc::external_failure, "libseccomp refused a rule of the sandbox's filter");
  }
  UniqueFd file(::memfd_create("warpmind-seccomp", MFD_CLOEXEC));
  if (!file || seccomp_export_bpf(filter.get(), file.get()) != 0 ||
      ::lseek(file.get(), 0, SEEK_SET) != 0) {
    return fail(Errc::external_failure,
                std::string("cannot write the sandbox's filter: ") + std::strerror(errno));
  }
  return file;
}

}  // namespace warpmind::profilers
