#include "daemon/http/request_gate.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>

namespace warpmind::daemon::http {
namespace {

constexpr std::size_t kTargetBytes = 1024;
constexpr std::array<std::string_view, 3> kOwnNames{"127.0.0.1", "localhost", "[::1]"};

/// `text` is one of our names with our port.
bool names_us(std::string_view text, std::uint16_t port) {
  const std::string suffix = ":" + std::to_string(port);
  return std::any_of(kOwnNames.begin(), kOwnNames.end(), [&](std::string_view name) {
    return equals_ignoring_case(text, std::string(name) + suffix);
  });
}

bool is_own_origin(std::string_view origin, std::uint16_t port) {
  constexpr std::string_view kScheme = "http://";
  return origin.starts_with(kScheme) && names_us(origin.substr(kScheme.size()), port);
}

/// A path of our own has no escapes, dots or doubled slashes; a query may hold anything visible.
bool is_plain_target(const HttpRequest& request) {
  const std::string_view target = request.target;
  if (target.empty() || target.front() != '/' || target.size() > kTargetBytes) return false;
  const bool visible =
      std::all_of(target.begin(), target.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  const std::string_view path = request.path();
  return visible && path.find("..") == std::string_view::npos &&
         path.find("//") == std::string_view::npos &&
         path.find_first_of("%\\") == std::string_view::npos;
}

bool may_pass(const HttpRequest& request, const Pass& pass) {
  if (!pass.is_good) return true;
  constexpr std::string_view kScheme = "Bearer ";
  const std::string* shown = request.find("authorization");
  if (shown == nullptr || request.count("authorization") != 1) return false;
  const std::string_view text = *shown;
  return text.size() > kScheme.size() &&
         equals_ignoring_case(text.substr(0, kScheme.size()), kScheme) &&
         pass.is_good(text.substr(kScheme.size()));
}

bool is_json(const HttpRequest& request) {
  const std::string* type = request.find("content-type");
  if (type == nullptr || request.count("content-type") != 1) return false;
  std::string_view media = *type;
  media = media.substr(0, media.find(';'));
  while (media.ends_with(' ')) media.remove_suffix(1);
  return equals_ignoring_case(media, "application/json");
}

std::optional<HttpReply> judge_body(const HttpRequest& request, const GateRules& rules) {
  const std::string* length = request.find("content-length");
  const std::string* coding = request.find("transfer-encoding");
  if ((length != nullptr && coding != nullptr) || request.count("content-length") > 1 ||
      request.count("transfer-encoding") > 1) {
    return plain_reply(400, "The length of the body is said twice.");
  }
  if (coding != nullptr && !equals_ignoring_case(*coding, "chunked")) {
    return plain_reply(501, "Of transfer codings only chunked is understood.");
  }
  if (request.method == "POST") {
    if (!is_json(request)) return plain_reply(415, "Send a body of type application/json.");
    if (length == nullptr && coding == nullptr) return plain_reply(411, "Send Content-Length.");
  }
  std::uint64_t bytes = 0;
  if (length != nullptr) {
    const char* const end = length->data() + length->size();
    const auto read = std::from_chars(length->data(), end, bytes);
    if (read.ec != std::errc{} || read.ptr != end) {
      return plain_reply(400, "Content-Length is no number.");
    }
  }
  if (bytes <= rules.body_bytes) return std::nullopt;
  return plain_reply(413, "The body is longer than " + std::to_string(rules.body_bytes) +
                              " bytes (daemon.request_mib).");
}

}  // namespace

std::optional<HttpReply> turn_away(const HttpRequest& request, const GateRules& rules,
                                   const Pass& pass) {
  if (request.version != 11) return plain_reply(505, "Speak HTTP/1.1.");
  if (!is_plain_target(request)) return plain_reply(400, "That is no path of this server.");
  const std::string* host = request.find("host");
  if (host == nullptr || request.count("host") != 1 || !names_us(*host, rules.port)) {
    return plain_reply(403, "Host must be 127.0.0.1 or localhost, with the port.");
  }
  const std::string* origin = request.find("origin");
  const bool foreign =
      origin != nullptr && (request.count("origin") != 1 || !is_own_origin(*origin, rules.port));
  if (foreign) return plain_reply(403, "Pages of other sites are not served.");
  for (const auto& header : request.headers) {
    if (header.name == "sec-fetch-site" && header.value != "same-origin" && header.value != "none")
      return plain_reply(403, "Pages of other sites are not served.");
  }
  if (!may_pass(request, pass)) {
    return plain_reply(401, pass.way_in, {{"WWW-Authenticate", "Bearer realm=\"warpmind\""}});
  }
  return judge_body(request, rules);
}

Pass pass_of(const AccessToken& token) {
  return {[&token](std::string_view shown) { return token.matches(shown); },
          "Send the header \"Authorization: Bearer TOKEN\"; `warpmind mcp --print-http` prints the "
          "token."};
}

std::optional<HttpReply> turn_away(const HttpRequest& request, const GateRules& rules,
                                   const AccessToken& token) {
  return turn_away(request, rules, pass_of(token));
}

}  // namespace warpmind::daemon::http
