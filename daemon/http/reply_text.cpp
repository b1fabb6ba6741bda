#include "daemon/http/reply_text.h"

#include <algorithm>
#include <ostream>  // what Boost.Core of its status names needs

#include <boost/beast/http/status.hpp>

namespace warpmind::daemon::http {
namespace {

std::string status_line(int status) {
  const auto reason =
      boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
  std::string line = "HTTP/1.1 " + std::to_string(status) + " ";
  line.append(reason.data(), reason.size());
  return line + "\r\n";
}

}  // namespace

std::string head_of(int status, std::string_view content_type,
                    const std::vector<HttpHeader>& headers) {
  std::string head = status_line(status);
  if (!content_type.empty()) head += "Content-Type: " + std::string(content_type) + "\r\n";
  for (const auto& header : headers) head += header.name + ": " + header.value + "\r\n";
  const bool may_be_kept = std::any_of(headers.begin(), headers.end(), [](const auto& header) {
    return header.name == "Cache-Control";
  });
  if (!may_be_kept) head += "Cache-Control: no-store\r\n";
  return head + "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n";
}

std::string chunk(std::string_view text) {
  std::string size;
  for (std::size_t left = text.size(); left > 0; left /= 16) {
    size.insert(size.begin(), "0123456789abcdef"[left % 16]);
  }
  return size + "\r\n" + std::string(text) + "\r\n";
}

}  // namespace warpmind::daemon::http
