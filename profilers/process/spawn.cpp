#include "profilers/process/spawn.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace warpmind::profilers {
namespace {

constexpr int kFirstInherited = 4;

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
      channels_(std::move(other.channels_)),
      end_(std::exchange(other.end_, std::nullopt)) {}

Child& Child::operator=(Child&& other) noexcept {
  if (this != &other) {
    kill();
    pid_ = std::exchange(other.pid_, -1);
    pidfd_ = std::move(other.pidfd_);
    channels_ = std::move(other.channels_);
    end_ = std::exchange(other.end_, std::nullopt);
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
  if (const int code = read_failure(failure.read); code != 0) {
    child.kill();
    return fail(code == ENOENT ? Errc::not_found : Errc::external_failure,
                "cannot start " + order.command.front() + ": " + std::strerror(code));
  }
  if (!child.pidfd_) {
    return fail(Errc::external_failure, "this kernel has no pidfd_open (Linux 5.3 or later)");
  }
  return child;
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

ProcessEnd Child::kill() {
  if (end_ || pid_ < 0) return end_.value_or(ProcessEnd{});
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  int status = 0;
  pid_t waited = 0;
  do {
    waited = ::waitpid(pid_, &status, 0);
  } while (waited < 0 && errno == EINTR);
  if (waited == pid_) {
    record(status);
  } else {
    end_ = ProcessEnd{EndKind::signalled, SIGKILL};
  }
  return *end_;
}

}  // namespace warpmind::profilers
