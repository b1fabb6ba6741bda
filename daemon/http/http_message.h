#pragma once
/// \file
/// Requests and answers of HTTP as values.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpmind::daemon::http {

struct HttpHeader {
  std::string name;   ///< of a request: in lower case
  std::string value;  ///< without white space around it
};

struct HttpRequest {
  std::string method;
  std::string target;  ///< as sent: path and query
  int version = 11;    ///< 11 is HTTP/1.1
  std::vector<HttpHeader> headers = {};
  std::string body = {};

  /// The first of that name (lower case), null when there is none.
  [[nodiscard]] const std::string* find(std::string_view name) const {
    for (const auto& header : headers) {
      if (header.name == name) return &header.value;
    }
    return nullptr;
  }
  [[nodiscard]] std::size_t count(std::string_view name) const {
    std::size_t n = 0;
    for (const auto& header : headers) n += header.name == name ? 1 : 0;
    return n;
  }
  [[nodiscard]] std::string_view path() const {
    const std::string_view all = target;
    return all.substr(0, all.find('?'));
  }
};

/// Headers and body are ours: nothing of a request may stand in a header.
struct HttpReply {
  int status = 200;
  std::string content_type = "application/json";  ///< empty = there is no body
  std::vector<HttpHeader> headers = {};
  std::string body = {};
};

/// An answer of one sentence.
[[nodiscard]] inline HttpReply plain_reply(int status, std::string_view sentence,
                                           std::vector<HttpHeader> headers = {}) {
  return {status, "text/plain; charset=utf-8", std::move(headers), std::string(sentence) + "\n"};
}

}  // namespace warpmind::daemon::http
