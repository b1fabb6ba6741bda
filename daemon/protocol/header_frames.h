#pragma once
/// \file
/// Frames of the Language Server Protocol: `Content-Length: N`, an empty line, N bytes.

#include "base/result.h"
#include "daemon/protocol/frame_codec.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace warpmind::daemon::protocol {

/// Cuts a byte stream into bodies. Each byte is looked at once, however it is split.
class HeaderFrames {
 public:
  explicit HeaderFrames(std::size_t limit_bytes = kDefaultMessageBytes) : limit_(limit_bytes) {}

  void append(std::string_view bytes);
  /// The next body; nullopt when none is complete. The view dies with the next call of append() or
  /// next(). Errors: invalid_argument for headers without a length, or a body over the limit; the
  /// stream cannot be read further.
  [[nodiscard]] Result<std::optional<std::string_view>> next();

 private:
  [[nodiscard]] Result<bool> read_headers();

  std::size_t limit_;
  std::string bytes_;
  std::size_t begin_ = 0;              // of the headers, or of the body once its length is known
  std::size_t scanned_ = 0;            // no end of the headers before it
  std::optional<std::size_t> length_;  // of the body that begins at begin_
};

[[nodiscard]] std::string header_frame(std::string_view body);

/// `body` on one line: in JSON, ends of lines stand between values only.
[[nodiscard]] std::string on_one_line(std::string_view body);

}  // namespace warpmind::daemon::protocol
