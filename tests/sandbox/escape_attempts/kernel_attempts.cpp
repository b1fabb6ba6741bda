#include "tests/sandbox/escape_attempts/attempt.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/mount.h>
#include <linux/perf_event.h>
#include <memory>
#include <sched.h>
#include <sys/fanotify.h>
#include <sys/io.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

namespace escape {
namespace {

/// Mounts of this process alone, so that none of them stays.
bool own_mounts() {
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

bool become_root(const Targets&) { return ::setresuid(0, 0, 0) == 0; }

bool become_roots_group(const Targets&) { return ::setresgid(0, 0, 0) == 0; }

bool set_groups(const Targets&) {
  const gid_t group = 0;
  return ::setgroups(1, &group) == 0;
}

bool keep_capabilities(const Targets&) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  if (::syscall(SYS_capget, &header, data.data()) != 0) return false;
  errno = EPERM;
  return (data[0].effective & (1U << CAP_SYS_ADMIN)) != 0;
}

bool mount_memory(const Targets&) {
  const std::string folder = writable_folder();
  (void)own_mounts();
  return ::mount("none", folder.c_str(), "tmpfs", 0, nullptr) == 0;
}

bool remount_writable(const Targets&) {
  (void)own_mounts();
  return ::mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND, nullptr) == 0;
}

bool unmount_cover(const Targets&) {
  (void)own_mounts();
  return ::umount2("/proc", MNT_DETACH) == 0;
}

bool open_mount_context(const Targets&) { return worked(::syscall(SYS_fsopen, "tmpfs", 0)); }

bool clone_mount_tree(const Targets&) {
  return worked(::syscall(SYS_open_tree, AT_FDCWD, "/", OPEN_TREE_CLONE));
}

bool change_root(const Targets&) { return ::chroot("/proc") == 0; }

bool make_user_namespace(const Targets&) { return ::unshare(CLONE_NEWUSER) == 0; }

bool make_mount_namespace(const Targets&) { return ::unshare(CLONE_NEWNS) == 0; }

bool clone_user_namespace(const Targets&) {
  const long pid = ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, 0);
  if (pid == 0) ::_exit(0);
  return worked(pid);
}

bool clone_by_version_3(const Targets&) {
  std::array<std::uint64_t, 8> arguments{};  // flags, pidfd, child_tid, parent_tid, exit_signal, …
  arguments[0] = CLONE_NEWUSER;
  arguments[4] = SIGCHLD;
  const long pid = ::syscall(SYS_clone3, arguments.data(), sizeof arguments);
  if (pid == 0) ::_exit(0);
  return worked(pid);
}

bool make_device(const Targets&) {
  const std::string file = writable_folder() + "/null";
  if (::mknod(file.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0) return false;
  return ::unlink(file.c_str()) == 0;
}

bool open_kernel_log(const Targets&) { return opens("/dev/kmsg", O_RDONLY | O_NONBLOCK); }

bool read_kernel_log(const Targets&) {
  constexpr int kSizeUnread = 9;
  return worked(::klogctl(kSizeUnread, nullptr, 0));
}

bool open_core_pattern(const Targets&) { return opens("/proc/sys/kernel/core_pattern", O_WRONLY); }

bool open_system_request(const Targets&) { return opens("/proc/sysrq-trigger", O_WRONLY); }

bool open_cache_dropper(const Targets&) { return opens("/proc/sys/vm/drop_caches", O_WRONLY); }

/// A file below `folder` that can be opened for writing, but for what belongs to processes.
bool opens_something_in(const std::string& folder, int depth) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), ::closedir);
  if (entries == nullptr) return false;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name[0] == '.' || (name[0] >= '0' && name[0] <= '9')) continue;
    const std::string path = folder + "/" + name;
    if (entry->d_type == DT_REG && opens(path, O_WRONLY | O_NONBLOCK)) return true;
    if (entry->d_type == DT_DIR && depth > 0 && opens_something_in(path, depth - 1)) return true;
  }
  errno = EROFS;
  return false;
}

bool open_anything_of_proc(const Targets&) { return opens_something_in("/proc", 3); }

bool open_anything_of_sys(const Targets&) { return opens_something_in("/sys", 3); }

bool open_first_process(const Targets&) {
  // Inside, process 1 is the sandbox's own and as naked as we are: only a folder of /proc that the
  // test's machine has too counts.
  return opens("/proc/1/root/etc/shadow", O_RDONLY);
}

bool open_control_group(const Targets& targets) {
  return opens(targets.text("control_group") + "/cgroup.procs", O_WRONLY);
}

bool type_into_terminal(const Targets&) {
  const int master = ::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0) return false;
  std::array<char, 64> name{};
  if (::grantpt(master) != 0 || ::unlockpt(master) != 0 ||
      ::ptsname_r(master, name.data(), name.size()) != 0) {
    return false;
  }
  ::setsid();
  const int terminal = ::open(name.data(), O_RDWR | O_CLOEXEC);
  ::ioctl(terminal, TIOCSCTTY, 0);
  return terminal >= 0 && ::ioctl(terminal, TIOCSTI, "x") == 0;
}

bool set_up_io_uring(const Targets&) {
  io_uring_params parameters{};
  return worked(::syscall(SYS_io_uring_setup, 1, &parameters));
}

bool make_bpf_map(const Targets&) {
  bpf_attr attributes{};
  attributes.map_type = BPF_MAP_TYPE_ARRAY;
  attributes.key_size = 4;
  attributes.value_size = 4;
  attributes.max_entries = 1;
  return worked(::syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes));
}

bool watch_performance(const Targets& targets) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  return worked(::syscall(SYS_perf_event_open, &attributes, targets.victim(), -1, -1, 0));
}

bool add_key(const Targets&) {
  return worked(::syscall(SYS_add_key, "user", "warpmind-test", "x", 1, KEY_SPEC_PROCESS_KEYRING));
}

bool find_keyring(const Targets&) {
  return worked(::syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_PROCESS_KEYRING, 1));
}

bool handle_page_faults(const Targets&) { return worked(::syscall(SYS_userfaultfd, O_CLOEXEC)); }

bool watch_file_system(const Targets&) {
  return worked(::fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC, O_RDONLY));
}

bool reach_ports(const Targets&) { return ::ioperm(0x80, 1, 1) == 0; }

/// Asks for nothing but the state; the same call can set the clock.
bool adjust_clock(const Targets&) {
  timex state{};
  return worked(::syscall(SYS_clock_adjtime, CLOCK_REALTIME, &state));
}

bool gain_by_exec(const Targets&) {
  const bool forbidden = holds("/proc/self/status", "NoNewPrivs:\t1");
  errno = EPERM;
  return !forbidden;
}

}  // namespace

const std::vector<Attempt>& kernel_attempts() {
  static const std::vector<Attempt> list = {
      {"become_root", Needs::root, become_root},
      {"become_roots_group", Needs::root, become_roots_group},
      {"set_groups", Needs::root, set_groups},
      {"keep_capabilities", Needs::root, keep_capabilities},
      {"gain_by_exec", Needs::nothing, gain_by_exec},
      {"mount_memory", Needs::root, mount_memory},
      {"remount_writable", Needs::root, remount_writable},
      {"unmount_cover", Needs::root, unmount_cover},
      {"open_mount_context", Needs::root, open_mount_context},
      {"clone_mount_tree", Needs::root, clone_mount_tree},
      {"change_root", Needs::root, change_root},
      {"make_user_namespace", Needs::nothing, make_user_namespace},
      {"make_mount_namespace", Needs::root, make_mount_namespace},
      {"clone_user_namespace", Needs::nothing, clone_user_namespace},
      {"clone_by_version_3", Needs::nothing, clone_by_version_3},
      {"make_device", Needs::root, make_device},
      {"open_kernel_log", Needs::root, open_kernel_log},
      {"read_kernel_log", Needs::root, read_kernel_log},
      {"open_core_pattern", Needs::root, open_core_pattern},
      {"open_system_request", Needs::root, open_system_request},
      {"open_cache_dropper", Needs::root, open_cache_dropper},
      {"open_anything_of_proc", Needs::root, open_anything_of_proc},
      {"open_anything_of_sys", Needs::root, open_anything_of_sys},
      {"open_first_process", Needs::root, open_first_process},
      {"open_control_group", Needs::root, open_control_group},
      {"type_into_terminal", Needs::root, type_into_terminal},
      {"set_up_io_uring", Needs::nothing, set_up_io_uring},
      {"make_bpf_map", Needs::root, make_bpf_map},
      {"watch_performance", Needs::root, watch_performance},
      {"add_key", Needs::nothing, add_key},
      {"find_keyring", Needs::nothing, find_keyring},
      {"handle_page_faults", Needs::root, handle_page_faults},
      {"watch_file_system", Needs::root, watch_file_system},
      {"reach_ports", Needs::root, reach_ports},
      {"adjust_clock", Needs::nothing, adjust_clock}};
  return list;
}

}  // namespace escape
