#pragma once
/// \file
/// One request to one address and its answer, piece by piece. libcurl stays behind this header.

#include "base/result.h"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind {

/// Status and the headers that matter; empty = the server sent none.
struct HttpHead {
  long status = 0;
  std::string content_type;
  std::string request_id;
  std::string should_retry;
  std::string retry_after;
  std::string retry_after_ms;
  std::chrono::seconds retry_wait{0};  ///< retry_after as a time from now, however it was written
};

/// Takes an answer in.
class HttpBody {
 public:
  virtual ~HttpBody() = default;
  /// An error ends the transfer.
  [[nodiscard]] virtual Result<void> take(const HttpHead& head, std::string_view bytes) = 0;
  /// Whether all that matters has come.
  [[nodiscard]] virtual bool finished() const = 0;
};

struct HttpFailure {
  Error error;
  bool may_pass = false;     ///< another attempt may go better
  bool of_body = false;      ///< `error` came from HttpBody::take
  bool late = false;         ///< the time was over
  bool stood_still = false;  ///< nothing came for HttpLimits::stall
  bool too_long = false;     ///< more came than HttpLimits::answer_bytes
};

struct HttpChannelOptions {
  std::string url;
  std::vector<std::string> headers;
  std::filesystem::path ca_file;  ///< empty = the system's
};

/// Of one request; a time of 0 is no limit.
struct HttpLimits {
  std::chrono::milliseconds connect{0};
  std::chrono::milliseconds total{0};
  std::chrono::milliseconds stall{0};  ///< without a byte in either direction
  std::size_t answer_bytes = 0;
};

/// Sends JSON. Follows no redirect, uses no proxy, checks certificates, speaks http and https only;
/// keeps connections open between requests. The process must ignore SIGPIPE: TLS writes to sockets
/// that the server may have closed. Threads: post() from any number of threads at the same time.
class HttpExchange {
 public:
  explicit HttpExchange(HttpChannelOptions options);
  ~HttpExchange();
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;

  /// An answer of any status is an answer. `head` is filled in as far as it came, also on failure.
  /// Errors: cancelled as soon as `stop` says so; unavailable without an answer; external_failure
  /// for one that is too long.
  [[nodiscard]] tl::expected<void, HttpFailure> post(const std::string& body,
                                                     const HttpLimits& limits, HttpBody& into,
                                                     HttpHead& head,
                                                     const std::stop_token& stop) const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace warpmind
