#include "tests/transcript/daemon_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warpmind::tests {
namespace {

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "test daemon: %s\n", why.c_str());
  std::abort();
}

sockaddr_un address_of(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.size() >= sizeof(address.sun_path)) give_up("path too long: " + text);
  std::memcpy(static_cast<char*>(address.sun_path), text.data(), text.size());
  return address;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

bool await_readable(int fd) {
  pollfd wait{fd, POLLIN, 0};
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(kPatience).count();
  int n = 0;
  do {
    n = ::poll(&wait, 1, static_cast<int>(millis));
  } while (n < 0 && errno == EINTR);
  return n > 0;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (auto& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

}  // namespace

std::optional<WireClient> WireClient::connect(const std::filesystem::path& socket) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto address = address_of(socket);
  if (!fd || ::connect(fd.get(), generic(address), sizeof(address)) != 0) return std::nullopt;
  return WireClient(std::move(fd));
}

WireClient WireClient::greeted(const std::filesystem::path& socket) {
  auto client = connect(socket);
  if (!client) give_up("cannot connect to " + socket.string() + ": " + std::strerror(errno));
  const auto line = client->read_line();
  if (!line || line->find("\"greeting\"") == std::string::npos) {
    give_up("no greeting: " + line.value_or("(closed)"));
  }
  return std::move(*client);
}

bool WireClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::optional<std::string> WireClient::read_line() {
  while (true) {
    if (const auto end = buffer_.find('\n'); end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    if (!await_readable(fd_.get())) {
      timed_out_ = true;
      return std::nullopt;
    }
    const ssize_t n = ::recv(fd_.get(), chunk_.data(), chunk_.size(), 0);
    if (n <= 0) return std::nullopt;
    buffer_.append(chunk_, 0, static_cast<std::size_t>(n));
  }
}

std::string WireClient::call(std::string_view method, std::string_view params) {
  const std::string id = std::to_string(++next_id_);
  std::string line = R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")";
  line += method;
  line += R"(","params":)";
  line += params;
  line += "}\n";
  if (!send(line)) return "";
  while (auto reply = read_line()) {
    if (reply->find("\"id\":" + id) != std::string::npos) return *reply;
  }
  return "";
}

bool WireClient::at_end() { return !read_line() && !timed_out_; }

void WireClient::finish_sending() { ::shutdown(fd_.get(), SHUT_WR); }

ScratchDirectory DaemonProcess::make_home() {
  auto home = ScratchDirectory::create(std::filesystem::temp_directory_path(), "wmd");
  if (!home) give_up(home.error().message);
  return std::move(*home);
}

DaemonProcess::DaemonProcess(const std::filesystem::path& home, const Options& options)
    : home_(home), notices_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  const auto notice_path = home_ / "notify.sock";
  ::unlink(notice_path.c_str());
  const auto address = address_of(notice_path);
  if (::bind(notices_.get(), generic(address), sizeof(address)) != 0) give_up("cannot bind");

  std::vector<std::string> arguments{
      options.program, "--socket", options.socket.empty() ? socket().string() : options.socket,
      "--set", "daemon.state_directory=" + (home_ / "state").string()};
  if (options.allow_root) arguments.emplace_back("--allow-root");
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> environment{"HOME=" + home_.string(), "PATH=/usr/bin:/bin",
                                       "NOTIFY_SOCKET=" + notice_path.string()};
  environment.insert(environment.end(), options.environment.begin(), options.environment.end());
  if (options.passed_socket >= 0) environment.emplace_back("LISTEN_FDS=1");
  const auto argv = pointers(arguments);
  auto envp = pointers(environment);
  std::string listen_pid = "LISTEN_PID=" + std::string(20, ' ');
  envp.insert(envp.begin(), listen_pid.data());
  const std::string stderr_file = (home_ / "stderr").string();

  pid_ = ::fork();
  if (pid_ < 0) give_up("cannot fork");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int error = ::open(stderr_file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(error, STDERR_FILENO);
    if (options.passed_socket == 3) {
      ::fcntl(3, F_SETFD, 0);
    } else if (options.passed_socket >= 0) {
      ::dup2(options.passed_socket, 3);
    }
    std::snprintf(listen_pid.data(), listen_pid.size(), "LISTEN_PID=%d", ::getpid());
    ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  pidfd_.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  if (options.wait_until_ready && !await_notice("READY=1")) {
    (void)wait();
    give_up("the daemon did not get ready: " + stderr_text());
  }
}

DaemonProcess::~DaemonProcess() {
  if (status_) return;
  ::kill(pid_, SIGKILL);
  (void)wait();
}

void DaemonProcess::signal(int number) const { ::kill(pid_, number); }

std::int64_t DaemonProcess::memory_kib(const std::string& which) const {
  const auto text =
      read_file("/proc/" + std::to_string(pid_) + "/status", std::size_t{1} << 16U).value_or("");
  const auto at = text.find(which + ":");
  return at == std::string::npos ? -1 : std::stoll(text.substr(at + which.size() + 1));
}

int DaemonProcess::wait() {
  if (status_) return *status_;
  if (!await_readable(pidfd_.get())) return -1;
  int status = 0;
  ::waitpid(pid_, &status, 0);
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return *status_;
}

std::string DaemonProcess::stderr_text() const {
  return read_file(home_ / "stderr", 1U << 20U).value_or("");
}

bool DaemonProcess::await_notice(std::string_view state) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < deadline) {
    std::array<pollfd, 2> wait{pollfd{notices_.get(), POLLIN, 0}, pollfd{pidfd_.get(), POLLIN, 0}};
    if (::poll(wait.data(), wait.size(), 1000) <= 0) continue;
    if ((wait[0].revents & POLLIN) != 0) {
      std::array<char, 256> text{};
      const ssize_t n = ::recv(notices_.get(), text.data(), text.size(), 0);
      if (n > 0 && std::string_view(text.data(), static_cast<std::size_t>(n)) == state) return true;
    } else if ((wait[1].revents & POLLIN) != 0) {
      return false;
    }
  }
  return false;
}

}  // namespace warpmind::tests
