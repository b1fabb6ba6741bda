#include "agents/llm/secret_key.h"

#include "base/file.h"
#include "base/log_redaction.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/crypto.h>

namespace warpmind::agents::llm {
namespace {

constexpr std::size_t kLongestKey = 4096;
/// Shorter pieces occur in ordinary text by chance.
constexpr std::size_t kTellingPiece = 8;

/// At most `kLongestKey + 2` bytes of `fd`; one more than a key and its line end may have.
Result<std::string> read_all(int fd, const std::string& name) {
  std::string content(kLongestKey + 2, '\0');
  std::size_t count = 0;
  while (count < content.size()) {
    const ssize_t n = ::read(fd, content.data() + count, content.size() - count);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(Errc::invalid_argument, name + ": " + std::strerror(errno));
    if (n == 0) break;
    count += static_cast<std::size_t>(n);
  }
  content.resize(count);
  return content;
}

}  // namespace

std::string take_key_from_environment() {
  char* const value = std::getenv(kKeyVariable);  // NOLINT(concurrency-mt-unsafe): see the header
  if (value == nullptr) return {};
  std::string key(value);
  log::hide(key);
  ::OPENSSL_cleanse(value, key.size());  // what /proc/self/environ would show
  (void)::unsetenv(kKeyVariable);        // NOLINT(concurrency-mt-unsafe)
  return key;
}

Result<std::string> checked_key(std::string key, std::string_view where) {
  while (!key.empty() && (key.back() == '\n' || key.back() == '\r')) key.pop_back();
  const bool printable =
      std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (key.empty() || !printable || key.size() > kLongestKey) {
    return fail(Errc::invalid_argument,
                std::string(where) + " must hold the key and nothing else, on one line");
  }
  log::hide(key);
  return key;
}

Result<std::string> read_key_file(const std::filesystem::path& path, std::string_view setting) {
  const std::string name = std::string(setting) + ": " + path.string();
  // The mode is asked of what was opened: the name may mean another file a moment later.
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) {
    return fail(Errc::invalid_argument, name + ": " + std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) return fail(Errc::invalid_argument, name + " is not a file");
  constexpr mode_t kRefused = S_IRWXG | S_IRWXO | S_IXUSR;
  if ((status.st_mode & kRefused) != 0) {
    return fail(Errc::invalid_argument,
                name +
                    " has a mode other than 0600; run chmod 600 on it, and change the key if "
                    "others have read it");
  }
  WARPMIND_TRY(auto content, read_all(fd.get(), name));
  return checked_key(std::move(content), name);
}

std::string redacted(std::string_view text, std::string_view key) {
  const std::size_t least = std::min(kTellingPiece, key.size());
  std::string out;
  if (least == 0) return std::string(text);
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 0;
    for (std::size_t from = 0; from + least <= key.size(); ++from) {
      std::size_t same = 0;
      while (from + same < key.size() && at + same < text.size() &&
             key[from + same] == text[at + same]) {
        ++same;
      }
      length = std::max(length, same);
    }
    if (length < least) {
      out += text[at++];
    } else {
      out += "[key]";
      at += length;
    }
  }
  return out;
}

}  // namespace warpmind::agents::llm
