#include "tests/unit/judge/runner_process.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace warpmind::profilers::testing {

PipedProcess::PipedProcess(const std::vector<std::string>& arguments,
                           const std::filesystem::path& directory, int reply_fd) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("no pipe");
  }
  (void)std::signal(SIGPIPE, SIG_IGN);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    // High numbers first: the pipes themselves may be 0 … 3.
    const int read_end = ::fcntl(in[0], F_DUPFD, 100);
    const int write_end = ::fcntl(out[1], F_DUPFD, 100);
    ::dup2(read_end, 0);
    ::dup2(write_end, reply_fd);
    // ctest leaves descriptors of its own open; the child must see only what it was given.
    if (reply_fd != 3) ::close(3);
    ::close_range(4, ~0U, 0);
    if (::chdir(directory.c_str()) == 0) ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  input_.reset(in[1]);
  output_.reset(out[0]);
}

PipedProcess::~PipedProcess() {
  if (pid_ > 0) {
    (void)::kill(pid_, SIGKILL);
    (void)::waitpid(pid_, nullptr, 0);
  }
}

void PipedProcess::send(const std::string& line) {
  std::string text = line + "\n";
  while (!text.empty()) {
    const ssize_t n = ::write(input_.get(), text.data(), text.size());
    if (n <= 0) return;
    text.erase(0, static_cast<std::size_t>(n));
  }
}

std::optional<std::string> PipedProcess::receive() {
  while (true) {
    const std::size_t end = pending_.find('\n');
    if (end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    std::array<char, 65536> chunk{};
    const ssize_t n = ::read(output_.get(), chunk.data(), chunk.size());
    if (n <= 0) return std::nullopt;
    pending_.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

int PipedProcess::finish() {
  input_.reset();
  int status = 0;
  (void)::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace warpmind::profilers::testing
