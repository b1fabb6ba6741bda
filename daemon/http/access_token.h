#pragma once
/// \file
/// The secret that HTTP clients show: whoever can read the file is the daemon's own user.

#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace warpmind::daemon::http {

/// 256 random bits as 64 hexadecimal digits.
class AccessToken {
 public:
  /// Reads `file`, or makes it with mode 0600 when it is not there. Errors: invalid_argument when
  /// others could read or change it, or when it holds something else; external_failure.
  [[nodiscard]] static Result<AccessToken> open(const std::filesystem::path& file);

  /// Takes the same time wherever the first difference is.
  [[nodiscard]] bool matches(std::string_view shown) const;

 private:
  explicit AccessToken(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

/// Takes the same time wherever the first difference is; the length is no secret.
[[nodiscard]] bool same_secret(std::string_view a, std::string_view b);

/// `bytes` from the kernel's generator as hexadecimal digits. Errors: external_failure.
[[nodiscard]] Result<std::string> random_hex(std::size_t bytes);

}  // namespace warpmind::daemon::http
