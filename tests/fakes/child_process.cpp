#include "tests/fakes/child_process.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace warpmind::fakes {
namespace {

constexpr int kAckFd = 3;
constexpr std::size_t kMostErrors = 64UL * 1024;

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

std::vector<std::string> with_ours(const std::vector<std::string>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  all.insert(all.end(), added.begin(), added.end());
  return all;
}

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> words,
                           const std::vector<std::string>& environment)
    : errors_(::memfd_create("errors", MFD_CLOEXEC)) {
  std::array<int, 2> ends{};
  if (!errors_ || ::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  acks_.reset(ends[0]);
  const UniqueFd write_end(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, errors_.get(), STDERR_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, write_end.get(), kAckFd);
  words.front() = std::string(WARPMIND_BINARY_DIR) + "/" + words.front();
  auto variables = with_ours(environment);
  const int failed = ::posix_spawn(&pid_, words.front().c_str(), &actions, nullptr,
                                   pointers(words).data(), pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " + words.front());
}

ChildProcess::~ChildProcess() { kill(); }

bool ChildProcess::read(void* into, std::size_t bytes) {
  return ::read(acks_.get(), into, bytes) == static_cast<ssize_t>(bytes);
}

void ChildProcess::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

Ending ChildProcess::wait() {
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  Ending ending;
  ending.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ending.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  ending.errors.resize(kMostErrors);
  const ssize_t n = ::pread(errors_.get(), ending.errors.data(), ending.errors.size(), 0);
  ending.errors.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  return ending;
}

Ending run(std::vector<std::string> words, const std::vector<std::string>& environment) {
  return ChildProcess(std::move(words), environment).wait();
}

int number_from_environment(const char* name, int usual) {
  const char* text = std::getenv(name);
  return text == nullptr ? usual : std::max(1, std::atoi(text));
}

}  // namespace warpmind::fakes
