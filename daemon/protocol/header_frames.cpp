#include "daemon/protocol/header_frames.h"

#include "base/text.h"

#include <algorithm>
#include <charconv>

namespace warpmind::daemon::protocol {
namespace {

constexpr std::size_t kMostHeaderBytes = std::size_t{8} * 1024;
constexpr std::string_view kEndOfHeaders = "\r\n\r\n";
constexpr std::string_view kLengthName = "content-length:";

/// The value of Content-Length, or nullopt.
std::optional<std::size_t> length_in(std::string_view headers) {
  while (!headers.empty()) {
    const std::size_t end = std::min(headers.find("\r\n"), headers.size());
    std::string_view line = headers.substr(0, end);
    headers.remove_prefix(std::min(end + 2, headers.size()));
    if (!equals_ignoring_case(line.substr(0, kLengthName.size()), kLengthName)) continue;
    line.remove_prefix(kLengthName.size());
    line = trim_left(line, " \t");
    std::size_t length = 0;
    const auto read = std::from_chars(line.data(), line.data() + line.size(), length);
    if (read.ec != std::errc{}) return std::nullopt;
    return length;
  }
  return std::nullopt;
}

}  // namespace

void HeaderFrames::append(std::string_view bytes) {
  if (begin_ > std::size_t{64} * 1024 || begin_ == bytes_.size()) {
    bytes_.erase(0, begin_);
    scanned_ -= std::min(scanned_, begin_);
    begin_ = 0;
  }
  bytes_.append(bytes);
}

Result<bool> HeaderFrames::read_headers() {
  const std::size_t end = bytes_.find(kEndOfHeaders, std::max(begin_, scanned_));
  const std::size_t size = (end == std::string::npos ? bytes_.size() : end) - begin_;
  if (size > kMostHeaderBytes) {
    return fail(Errc::invalid_argument,
                "expected the header Content-Length of the Language Server Protocol, and got " +
                    std::to_string(size) + " bytes without the empty line that ends headers");
  }
  if (end == std::string::npos) {
    // The end may be split: look again at its last bytes.
    scanned_ = std::max(begin_, bytes_.size() - std::min(bytes_.size(), kEndOfHeaders.size() - 1));
    return false;
  }
  const auto length = length_in(std::string_view(bytes_).substr(begin_, size));
  if (!length) {
    return fail(Errc::invalid_argument,
                "a message of the Language Server Protocol needs the header Content-Length");
  }
  if (*length > limit_) {
    return fail(Errc::invalid_argument, "a message may have at most " + std::to_string(limit_) +
                                            " bytes; this one has " + std::to_string(*length));
  }
  length_ = *length;
  begin_ = scanned_ = end + kEndOfHeaders.size();
  return true;
}

Result<std::optional<std::string_view>> HeaderFrames::next() {
  if (!length_) {
    WARPMIND_TRY(const bool known, read_headers());
    if (!known) return std::nullopt;
  }
  if (bytes_.size() - begin_ < *length_) return std::nullopt;
  const std::string_view body(bytes_.data() + begin_, *length_);
  begin_ += *length_;
  scanned_ = begin_;
  length_.reset();
  return body;
}

std::string header_frame(std::string_view body) {
  std::string frame = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  frame += body;
  return frame;
}

std::string on_one_line(std::string_view body) {
  std::string line(body);
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::replace(line.begin(), line.end(), '\r', ' ');
  return line;
}

}  // namespace warpmind::daemon::protocol
