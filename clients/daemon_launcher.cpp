#include "clients/daemon_launcher.h"

#include "clients/spawn_plan.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warpmind::clients {
namespace {

/// What a daemon may say before it ends; more is cut.
constexpr off_t kStderrBytes = off_t{64} * 1024;
/// After the child's end a daemon that somebody else started may still be on its way up.
constexpr Milliseconds kGraceAfterExit{1'000};
/// warpmindd's exit code for "another daemon runs": then the other one is waited for in full.
constexpr int kAnotherRuns = 3;
/// warpmindd's exit code for "this machine lacks something", such as disk space.
constexpr int kMachineLacks = 4;

Error errno_error(const char* what) {
  return {Errc::external_failure, std::string(what) + ": " + std::strerror(errno)};
}

/// Memory of fixed size as standard error. A pipe would break under a daemon that writes after
/// this client has ended, a file would need a place; this one goes with its last holder, and what
/// is too much is refused to the writer without a signal.
Result<UniqueFd> make_stderr_memory() {
  UniqueFd fd(::memfd_create("warpmindd-stderr", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return fail(errno_error("memfd_create"));
  if (::ftruncate(fd.get(), kStderrBytes) != 0 ||
      ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) != 0) {
    return fail(errno_error("sealing the daemon's standard error"));
  }
  return fd;
}

std::string read_stderr_memory(int fd) {
  std::string text(static_cast<std::size_t>(kStderrBytes), '\0');
  const ssize_t n = ::pread(fd, text.data(), text.size(), 0);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

struct StartedDaemon {
  pid_t pid = -1;
  UniqueFd exit;  ///< readable once it has ended
  UniqueFd standard_error;
};

Result<StartedDaemon> spawn_daemon(const LaunchOrder& order) {
  StartedDaemon started;
  WARPMIND_TRY(started.standard_error, make_stderr_memory());
  std::vector<std::string> words{order.executable.string()};
  words.insert(words.end(), order.arguments.begin(), order.arguments.end());
  SpawnPlan plan;
  plan.discard(STDOUT_FILENO);
  plan.give(started.standard_error.get(), STDERR_FILENO);
  WARPMIND_TRY(started.pid, plan.spawn(words, ChildSession::own));
  WARPMIND_TRY(const int exit, open_pidfd(started.pid));
  started.exit.reset(exit);
  return started;
}

/// Reaps the child; its wait status.
int reap(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

Error exit_error(const StartedDaemon& started, int status) {
  const std::string sentence = last_sentence(read_stderr_memory(started.standard_error.get()));
  const bool lacks = WIFEXITED(status) && WEXITSTATUS(status) == kMachineLacks;
  if (!sentence.empty()) {
    return {lacks ? Errc::unavailable : Errc::external_failure,
            "the daemon did not start: " + sentence};
  }
  const std::string end = WIFSIGNALED(status)
                              ? "was killed by signal " + std::to_string(WTERMSIG(status))
                              : "ended with exit code " + std::to_string(WEXITSTATUS(status));
  return {Errc::external_failure,
          "warpmindd " + end + " without a word; run it in a terminal to see why"};
}

bool is_executable(const std::filesystem::path& path) {
  std::error_code ec;
  return std::filesystem::is_regular_file(path, ec) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string last_sentence(std::string_view standard_error) {
  static constexpr std::string_view kPrefix = "warpmindd: ";
  std::string_view last;
  std::string_view named;
  while (!standard_error.empty()) {
    const std::size_t end = std::min(standard_error.find('\n'), standard_error.size());
    const std::string_view line = standard_error.substr(0, end);
    standard_error.remove_prefix(std::min(end + 1, standard_error.size()));
    if (!line.empty()) last = line;
    if (line.starts_with(kPrefix)) named = line.substr(kPrefix.size());
  }
  return std::string(named.empty() ? last : named);
}

Result<std::filesystem::path> find_daemon() {
  std::error_code ec;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ec);
  if (!ec) {
    auto beside = self.parent_path() / "warpmindd";
    if (is_executable(beside)) return beside;
  }
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): one thread
  std::string_view folders = path == nullptr ? "" : path;
  while (!folders.empty()) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    auto candidate = std::filesystem::path(folders.substr(0, end)) / "warpmindd";
    folders.remove_prefix(std::min(end + 1, folders.size()));
    if (candidate.is_absolute() && is_executable(candidate)) return candidate;
  }
  return fail(Errc::not_found,
              "warpmindd is neither beside this program nor on PATH; install it, or start it "
              "yourself");
}

Result<DaemonClient> start_daemon(const LaunchOrder& order) {
  using Clock = std::chrono::steady_clock;
  LaunchOrder complete = order;
  if (complete.executable.empty()) {
    WARPMIND_TRY(complete.executable, find_daemon());
  }
  WARPMIND_TRY(const StartedDaemon started, spawn_daemon(complete));
  auto deadline = Clock::now() + complete.patience;
  Milliseconds pause{5};
  std::optional<int> ended;  // wait status
  while (true) {
    auto client = DaemonClient::connect(complete.socket, kGreetingTimeout);
    if (client || client.error().code != Errc::not_found) return client;
    if (Clock::now() >= deadline) {
      if (ended) return fail(exit_error(started, *ended));
      return fail(Errc::timeout, "warpmindd (pid " + std::to_string(started.pid) +
                                     ") runs but did not listen at " + complete.socket.string() +
                                     " within " + std::to_string(complete.patience.count() / 1000) +
                                     " s; its log is in the state directory");
    }
    std::array<pollfd, 2> watched{
        {{.fd = ended ? -1 : started.exit.get(), .events = POLLIN, .revents = 0},
         {.fd = complete.interrupt, .events = POLLIN, .revents = 0}}};
    // Waiting for the child's end is the pause between two attempts.
    const int ready = ::poll(watched.data(), watched.size(), static_cast<int>(pause.count()));
    if (ready > 0 && watched[1].revents != 0) return fail(Errc::cancelled, "interrupted");
    if (ready > 0 && watched[0].revents != 0) {
      ended = reap(started.pid);
      if (!WIFEXITED(*ended) || WEXITSTATUS(*ended) != kAnotherRuns) {
        deadline = std::min(deadline, Clock::now() + kGraceAfterExit);
      }
    }
    pause = std::min(pause * 2, Milliseconds{200});
  }
}

}  // namespace warpmind::clients
