#pragma once
/// \file
/// Frames of the wire: one message a line, ended by `\n`, with a size limit.

#include "base/result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace warpmind::daemon::protocol {

inline constexpr std::size_t kDefaultMessageBytes = std::size_t{16} * 1024 * 1024;

/// Cuts a byte stream into lines. Each byte is looked at once, however it is split.
class LineBuffer {
 public:
  explicit LineBuffer(std::size_t limit_bytes = kDefaultMessageBytes) : limit_(limit_bytes) {}

  void append(std::string_view bytes);
  /// The next line without its `\n` (and `\r`); nullopt when none is complete. The view dies with
  /// the next call of append() or next(). Errors: invalid_argument once a line, complete or not,
  /// is over the limit; the stream cannot be read further.
  [[nodiscard]] Result<std::optional<std::string_view>> next();
  /// Bytes of an incomplete line at hand.
  [[nodiscard]] std::size_t pending() const { return bytes_.size() - begin_; }

 private:
  std::size_t limit_;
  std::string bytes_;
  std::size_t begin_ = 0;    // start of the first line not handed out
  std::size_t scanned_ = 0;  // no '\n' in [begin_, scanned_)
};

}  // namespace warpmind::daemon::protocol
