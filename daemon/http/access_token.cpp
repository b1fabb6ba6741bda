#include "daemon/http/access_token.h"

#include "base/file.h"
#include "base/log_redaction.h"
#include "base/text.h"

#include <array>
#include <cerrno>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace warpmind::daemon::http {
namespace {

constexpr std::size_t kTokenBytes = 32;

/// Errors: not_found; invalid_argument when the file is no secret.
Result<void> check_secrecy(const std::filesystem::path& file) {
  const std::string name = file.string();
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0) {
    if (errno == ENOENT) return fail(Errc::not_found, name + " does not exist");
    return fail(Errc::external_failure, "cannot look at " + name);
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(Errc::invalid_argument, name + " is no ordinary file; remove it");
  }
  if (status.st_uid != ::geteuid() || (status.st_mode & 077U) != 0) {
    return fail(Errc::invalid_argument, name +
                                            " could be read or changed by others; remove it, and "
                                            "the next start makes a new token");
  }
  return {};
}

}  // namespace

Result<std::string> random_hex(std::size_t bytes) {
  std::string raw(bytes, '\0');
  std::size_t have = 0;
  while (have < bytes) {
    const ssize_t n = ::getrandom(raw.data() + have, bytes - have, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fail(Errc::external_failure, "the kernel gives no random bytes");
    have += static_cast<std::size_t>(n);
  }
  return encode_hex(raw);
}

Result<AccessToken> AccessToken::open(const std::filesystem::path& file) {
  const auto secret = check_secrecy(file);
  if (!secret && secret.error().code != Errc::not_found) return fail(secret.error());
  if (!secret) {
    WARPMIND_TRY(auto text, random_hex(kTokenBytes));
    log::hide(text);
    WARPMIND_CHECK(write_file_atomic(file, text + "\n"));  // mode 0600
    return AccessToken(std::move(text));
  }
  WARPMIND_TRY(auto text, read_file(file, 4096));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.size() != 2 * kTokenBytes || !is_hex(text)) {
    return fail(Errc::invalid_argument, file.string() +
                                            " holds no token of 64 hexadecimal digits; remove it, "
                                            "and the next start makes one");
  }
  log::hide(text);
  return AccessToken(std::move(text));
}

bool AccessToken::matches(std::string_view shown) const { return same_secret(shown, text_); }

bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned difference = 0;  // the compiler must not stop early
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = difference | static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^
                                                    static_cast<unsigned char>(b[i]));
  }
  return difference == 0;
}

}  // namespace warpmind::daemon::http
