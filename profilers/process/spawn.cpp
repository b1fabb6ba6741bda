#include "profilers/process/spawn.h"

#include "profilers/process/channel.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace warpmind::profilers {
namespace {

constexpr int kFirstInherited = 4;
/// bubblewrap says which process is the first of the namespace some milliseconds after its start.
constexpr auto kNamespaceReport = std::chrono::seconds(10);

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(Errc::external_failure, std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void set_nonblocking(const UniqueFd& fd) {
  const int flags = ::fcntl(fd.get(), F_GETFL);
  ::fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK);
}

std::vector<char*> pointers_of(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (auto& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Everything that the child touches between fork and exec, made before the fork: other threads may
/// hold the allocator's lock at that moment.
struct ChildPlan {
  std::vector<char*> arguments;
  std::vector<char*> environment;
  const char* directory = nullptr;
  std::vector<int> sources;  ///< descriptor that becomes 0, 1, 2, 3, 4, …
  std::vector<int> doors;    ///< of the control groups
  ProcessLimits limits;
  pid_t parent = 0;
  int failure_fd = -1;
};

void limit(int resource, std::optional<std::uint64_t> value) {
  if (!value) return;
  const rlimit bound{*value, *value};
  ::setrlimit(static_cast<__rlimit_resource_t>(resource), &bound);
}

[[noreturn]] void give_up(int failure_fd) {
  const int code = errno;
  [[maybe_unused]] const ssize_t n = ::write(failure_fd, &code, sizeof code);
  ::_exit(127);
}

/// Only async-signal-safe calls.
[[noreturn]] void become(ChildPlan& plan) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);
  for (int number = 1; number < NSIG; ++number) {
    if (number != SIGKILL && number != SIGSTOP) std::signal(number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // Before any descriptor is put into another's place.
  for (const int door : plan.doors) {
    if (::write(door, "0", 1) != 1) give_up(plan.failure_fd);
  }

  // First out of the way of the targets, then into place (dup2 clears close-on-exec).
  const int room = kFirstInherited + static_cast<int>(plan.sources.size()) + 1;
  for (int& source : plan.sources) {
    source = ::fcntl(source, F_DUPFD_CLOEXEC, room);
    if (source < 0) give_up(plan.failure_fd);
  }
  const int failure = ::fcntl(plan.failure_fd, F_DUPFD_CLOEXEC, room);
  if (failure < 0) give_up(plan.failure_fd);
  int target = 0;
  for (const int source : plan.sources) {
    if (::dup2(source, target++) < 0) give_up(failure);
  }
  // Everything else closes at exec, also what another thread opened without O_CLOEXEC.
  ::close_range(static_cast<unsigned>(target), ~0U, CLOSE_RANGE_CLOEXEC);

  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_AS, plan.limits.address_space_bytes);
  limit(RLIMIT_FSIZE, plan.limits.file_bytes);
  limit(RLIMIT_NPROC, plan.limits.processes);
  limit(RLIMIT_NOFILE, plan.limits.open_files);
  if (plan.limits.niceness > 0) ::setpriority(PRIO_PROCESS, 0, plan.limits.niceness);
  if (plan.directory[0] != '\0' && ::chdir(plan.directory) != 0) give_up(failure);
  ::execve(plan.arguments[0], plan.arguments.data(), plan.environment.data());
  give_up(failure);
}

/// Returns errno of the failed exec, or 0. The pipe closes when exec succeeds.
int read_failure(const UniqueFd& fd) {
  int code = 0;
  ssize_t n = 0;
  do {
    n = ::read(fd.get(), &code, sizeof code);
  } while (n < 0 && errno == EINTR);
  return n == static_cast<ssize_t>(sizeof code) ? code : 0;
}

/// The number behind "child-pid" once the text is complete; -1 before and without.
pid_t read_first_process(const UniqueFd& report) {
  const Deadline deadline = std::chrono::steady_clock::now() + kNamespaceReport;
  std::string text;
  std::array<char, 512> chunk{};
  while (text.find('}') == std::string::npos && text.size() < 4096) {
    pollfd wait{report.get(), POLLIN, 0};
    const int ready = ::poll(&wait, 1, poll_timeout(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return -1;
    const ssize_t n = ::read(report.get(), chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return -1;
    text.append(chunk.data(), static_cast<std::size_t>(n));
  }
  constexpr std::string_view kName = "\"child-pid\":";
  const std::size_t at = text.find(kName);
  if (at == std::string::npos) return -1;
  const std::size_t digits = text.find_first_of("0123456789", at + kName.size());
  pid_t pid = -1;
  if (digits != std::string::npos) {
    std::from_chars(text.data() + digits, text.data() + text.size(), pid);
  }
  return pid;
}

/// Whether `parent` is the parent of `pid`: the number may belong to somebody else by now.
bool is_child_of(pid_t pid, pid_t parent) {
  const auto status = read_file("/proc/" + std::to_string(pid) + "/status", 1U << 16U);
  return status && status->find("\nPPid:\t" + std::to_string(parent) + "\n") != std::string::npos;
}

}  // namespace

int ProcessEnd::signal() const {
  if (kind == EndKind::signalled) return code;
  if (kind == EndKind::exited && code > 128 && code < 128 + NSIG) return code - 128;
  return 0;
}

std::string describe(const ProcessEnd& end) {
  switch (end.kind) {
    case EndKind::deadline: return "ran out of time";
    case EndKind::cancelled: return "was cancelled";
    case EndKind::output_limit: return "wrote more than the limit";
    case EndKind::exited:
    case EndKind::signalled: break;
  }
  if (const int number = end.signal(); number != 0) {
    const char* name = ::sigdescr_np(number);
    return "was killed by signal " + std::to_string(number) + " (" +
           (name == nullptr ? "?" : name) + ")";
  }
  return "exited with code " + std::to_string(end.code);
}

Child::Child(pid_t pid, UniqueFd pidfd, Channels channels)
    : pid_(pid), pidfd_(std::move(pidfd)), channels_(std::move(channels)) {}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::move(other.pidfd_)),
      namespace_(std::move(other.namespace_)),
      group_(std::move(other.group_)),
      grace_(other.grace_),
      channels_(std::move(other.channels_)),
      end_(std::exchange(other.end_, std::nullopt)),
      stuck_(std::move(other.stuck_)) {}

Child& Child::operator=(Child&& other) noexcept {
  if (this != &other) {
    kill();
    pid_ = std::exchange(other.pid_, -1);
    pidfd_ = std::move(other.pidfd_);
    namespace_ = std::move(other.namespace_);
    group_ = std::move(other.group_);
    grace_ = other.grace_;
    channels_ = std::move(other.channels_);
    end_ = std::exchange(other.end_, std::nullopt);
    stuck_ = std::move(other.stuck_);
  }
  return *this;
}

Child::~Child() { kill(); }

Result<Child> Child::start(ProcessOrder order) {
  if (order.command.empty() || order.command.front().front() != '/') {
    return fail(Errc::invalid_argument, "a command to start must be an absolute path");
  }
  WARPMIND_TRY(auto input, make_pipe());
  WARPMIND_TRY(auto output, make_pipe());
  WARPMIND_TRY(auto diagnostics, make_pipe());
  WARPMIND_TRY(auto report, make_pipe());
  WARPMIND_TRY(auto failure, make_pipe());

  const std::string directory = order.working_directory.string();
  ChildPlan plan;
  plan.arguments = pointers_of(order.command);
  plan.environment = pointers_of(order.environment);
  plan.directory = directory.c_str();
  plan.sources = {input.read.get(), output.write.get(), diagnostics.write.get(),
                  report.write.get()};
  for (const auto& fd : order.inherited) plan.sources.push_back(fd.get());
  for (const auto& door : order.group.doors()) plan.doors.push_back(door.get());
  plan.limits = order.limits;
  plan.parent = ::getpid();
  plan.failure_fd = failure.write.get();

  const pid_t pid = ::fork();
  if (pid < 0) {
    return fail(Errc::external_failure,
                "cannot start " + order.command.front() + ": " + std::strerror(errno));
  }
  if (pid == 0) become(plan);
  ::setpgid(pid, pid);  // both sides do it: whoever comes first, the group exists before kill()
  failure.write.reset();
  UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  Channels channels{std::move(input.write), std::move(output.read), std::move(diagnostics.read),
                    std::move(report.read)};
  for (const UniqueFd* fd :
       {&channels.input, &channels.output, &channels.diagnostics, &channels.report}) {
    set_nonblocking(*fd);
  }
  Child child(pid, std::move(pidfd), std::move(channels));
  child.group_ = std::move(order.group);
  child.grace_ = order.kill_grace;
  order.inherited.clear();  // the child has them: a report that nobody writes shall end
  if (const int code = read_failure(failure.read); code != 0) {
    child.kill();
    return fail(code == ENOENT ? Errc::not_found : Errc::external_failure,
                "cannot start " + order.command.front() + ": " + std::strerror(code));
  }
  if (!child.pidfd_) {
    return fail(Errc::external_failure, "this kernel has no pidfd_open (Linux 5.3 or later)");
  }
  if (order.namespace_report) child.adopt_namespace(std::move(order.namespace_report));
  return child;
}

void Child::adopt_namespace(UniqueFd report) {
  const pid_t first = read_first_process(report);
  if (first <= 0) return;  // bubblewrap failed before: its diagnostics say why
  UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, first, 0)));
  if (pidfd && is_child_of(first, pid_)) namespace_ = std::move(pidfd);
}

void Child::record(int status) {
  end_ = WIFSIGNALED(status) ? ProcessEnd{EndKind::signalled, WTERMSIG(status)}
                             : ProcessEnd{EndKind::exited, WEXITSTATUS(status)};
}

std::optional<ProcessEnd> Child::poll_end() {
  if (end_ || pid_ < 0) return end_;
  // Looks without reaping: while the zombie exists its group id cannot be reused, so that what the
  // child left behind in its group can be killed safely.
  siginfo_t state{};
  if (::waitid(P_PID, static_cast<id_t>(pid_), &state, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      state.si_pid != pid_) {
    return std::nullopt;
  }
  kill();
  return end_;
}

bool Child::wait_for_end() {
  const Deadline deadline = std::chrono::steady_clock::now() + grace_;
  int status = 0;
  pid_t waited = 0;
  if (!pidfd_ || has_ended(pidfd_, poll_timeout(deadline))) {
    do {
      waited = ::waitpid(pid_, &status, 0);
    } while (waited < 0 && errno == EINTR);
    if (waited == pid_) record(status);
  }
  if (!end_) end_ = ProcessEnd{EndKind::signalled, SIGKILL};
  // A namespace's first process ends after all others in it.
  const bool empty = has_ended(namespace_, poll_timeout(deadline));
  if (waited != 0 && empty) return true;
  stuck_ = std::make_shared<StuckProcess>(waited == 0 ? pid_ : -1, std::move(pidfd_),
                                          std::move(namespace_), std::move(group_));
  return false;
}

ProcessEnd Child::kill() {
  if (end_ || pid_ < 0) return end_.value_or(ProcessEnd{});
  if (namespace_) {
    ::syscall(SYS_pidfd_send_signal, namespace_.get(), SIGKILL, nullptr, 0);
  }
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  if (wait_for_end()) group_.remove();
  return *end_;
}

}  // namespace warpmind::profilers
