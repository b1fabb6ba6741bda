#include "daemon/protocol/frame_codec.h"

namespace warpmind::daemon::protocol {

void LineBuffer::append(std::string_view bytes) {
  if (begin_ == bytes_.size()) {
    bytes_.clear();
    begin_ = scanned_ = 0;
    // One huge request must not pin its memory for the life of the connection.
    if (bytes_.capacity() > std::size_t{1024} * 1024) bytes_.shrink_to_fit();
  } else if (begin_ > std::size_t{64} * 1024) {
    bytes_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
  }
  bytes_.append(bytes);
}

Result<std::optional<std::string_view>> LineBuffer::next() {
  const std::size_t end = bytes_.find('\n', scanned_);
  const std::size_t length = (end == std::string::npos ? bytes_.size() : end) - begin_;
  if (length > limit_) {
    return fail(Errc::invalid_argument, "a message may have at most " + std::to_string(limit_) +
                                            " bytes; this one has more");
  }
  if (end == std::string::npos) {
    scanned_ = bytes_.size();
    return std::nullopt;
  }
  std::string_view line(bytes_.data() + begin_, length);
  if (line.ends_with('\r')) line.remove_suffix(1);
  begin_ = scanned_ = end + 1;
  return line;
}

}  // namespace warpmind::daemon::protocol
