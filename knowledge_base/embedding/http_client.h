#pragma once
/// \file
/// JSON over HTTP to one address. libcurl stays behind this header.

#include "base/result.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>

namespace warpmind::knowledge_base {

struct HttpAnswer {
  long status = 0;
  std::string body;
  std::chrono::seconds retry_after{0};  ///< as the server asked; 0 = it did not
};

struct HttpLimits {
  std::chrono::milliseconds connect{0};
  std::chrono::milliseconds total{0};
  std::size_t body_bytes = 0;  ///< of the answer
};

/// Keeps connections open between requests. Follows no redirect, uses no proxy, whatever the
/// environment says, and speaks http and https only.
/// Threads: post() from any thread at the same time.
class HttpClient {
 public:
  /// `key` is sent as a bearer token; empty = none.
  HttpClient(std::string url, const std::string& key);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// An answer of any status is an answer. Errors: timeout; cancelled as soon as `stop` says so;
  /// unavailable without an answer; corrupt_data for one that is too long.
  [[nodiscard]] Result<HttpAnswer> post(const std::string& body, const HttpLimits& limits,
                                        const std::stop_token& stop) const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace warpmind::knowledge_base
