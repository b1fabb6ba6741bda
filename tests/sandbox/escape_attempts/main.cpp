/// \file
/// escape_attempts list | victim SECRET | NAME name=value…: tries one way out of wherever it runs.
/// Prints "escaped NAME" (exit 0) or "held NAME: why" (exit 1).

#include "tests/sandbox/escape_attempts/attempt.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace escape {

bool holds(const std::string& file, std::string_view secret) {
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return false;
  std::string text(std::istreambuf_iterator<char>(stream), {});
  errno = ENODATA;
  return text.find(secret) != std::string::npos;
}

bool opens(const std::string& file, int flags) {
  const int fd = ::open(file.c_str(), flags | O_CLOEXEC);
  if (fd < 0) return false;
  ::close(fd);
  return true;
}

std::string writable_folder() {
  std::array<char, 32> name{"/tmp/attempt-XXXXXX"};
  const char* folder = ::mkdtemp(name.data());
  return folder == nullptr ? "." : folder;
}

int be_victim(std::string_view secret) {
  static std::array<char, 256> memory{};
  secret.copy(memory.data(), memory.size() - 1);
  std::array<char, 64> line{};
  if (::read(0, line.data(), line.size()) <= 0) return 1;
  std::printf("%d %p\n", ::getpid(), static_cast<void*>(memory.data()));
  std::fflush(stdout);
  while (::read(0, line.data(), line.size()) > 0) {
  }
  return 0;
}

}  // namespace escape

namespace {

using AttemptList = const std::vector<escape::Attempt>& (*)();
constexpr std::array<AttemptList, 4> kLists = {escape::file_attempts, escape::socket_attempts,
                                               escape::process_attempts, escape::kernel_attempts};

int list_all() {
  for (const auto list : kLists) {
    for (const auto& attempt : list()) {
      std::printf("%s %s\n", attempt.name,
                  attempt.needs == escape::Needs::root ? "root" : "anyone");
    }
  }
  return 0;
}

int try_one(const std::string& name, const escape::Targets& targets) {
  for (const auto list : kLists) {
    for (const auto& attempt : list()) {
      if (name != attempt.name) continue;
      errno = 0;
      const bool escaped = attempt.escapes(targets);
      const int why = errno;
      if (escaped) {
        std::printf("escaped %s\n", attempt.name);
      } else {
        std::printf("held %s: %s\n", attempt.name, std::strerror(why));
      }
      return escaped ? 0 : 1;
    }
  }
  std::fprintf(stderr, "no attempt is called %s\n", name.c_str());
  return 2;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string name = count > 1 ? arguments[1] : "list";
  if (name == "list") return list_all();
  if (name == "victim" && count > 2) return escape::be_victim(arguments[2]);
  std::map<std::string, std::string> values;
  for (int i = 2; i < count; ++i) {
    const std::string pair = arguments[i];
    const std::size_t equals = pair.find('=');
    if (equals != std::string::npos) values[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  return try_one(name, escape::Targets(std::move(values)));
}
