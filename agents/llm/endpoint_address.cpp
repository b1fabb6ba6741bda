#include "agents/llm/endpoint_address.h"

#include <arpa/inet.h>
#include <cstdint>
#include <memory>

#include <curl/curl.h>

namespace warpmind::agents::llm {
namespace {

constexpr std::size_t kLongestModel = 256;
constexpr std::string_view kVersion = "/v1";

struct FreeUrl {
  void operator()(CURLU* url) const { ::curl_url_cleanup(url); }
};
using UniqueUrl = std::unique_ptr<CURLU, FreeUrl>;

tl::unexpected<Error> refuse_url(const std::string& url, const std::string& why) {
  return fail(Errc::invalid_argument, "llm.url: '" + url + "' " + why);
}

/// Empty where the address has no such part.
std::string part_of(const UniqueUrl& url, CURLUPart which) {
  char* text = nullptr;
  if (::curl_url_get(url.get(), which, &text, 0) != CURLUE_OK) return {};
  std::string copy(text);
  ::curl_free(text);
  return copy;
}

bool is_loopback(const std::string& host) {
  in_addr address{};
  constexpr std::uint32_t kLoopbackNet = 127;
  if (::inet_pton(AF_INET, host.c_str(), &address) == 1) {
    return ntohl(address.s_addr) >> 24U == kLoopbackNet;
  }
  return host == "localhost" || host == "[::1]";
}

/// The whole path, whichever part of it was written down.
std::string whole_path(std::string path, std::string_view dialect_path) {
  const auto cut = [&path](std::string_view end) {
    while (path.ends_with('/')) path.pop_back();
    if (path.ends_with(end)) path.resize(path.size() - end.size());
  };
  cut(dialect_path);
  cut(kVersion);
  cut("");
  return path + std::string(kVersion) + std::string(dialect_path);
}

}  // namespace

Result<EndpointAddress> resolve_endpoint(const EndpointOptions& options, std::string_view path) {
  const std::string& text = options.url;
  const UniqueUrl url(::curl_url());
  if (!url) return fail(Errc::external_failure, "libcurl has no memory for an address");
  if (::curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) {
    return fail(Errc::invalid_argument,
                "llm.url is not an address; write it like http://127.0.0.1:8080");
  }
  if (!part_of(url, CURLUPART_USER).empty() || !part_of(url, CURLUPART_PASSWORD).empty()) {
    return fail(Errc::invalid_argument,
                "llm.url must not hold a user or password; put the key into a file and name it in "
                "llm.key_file");
  }
  if (!part_of(url, CURLUPART_QUERY).empty() || !part_of(url, CURLUPART_FRAGMENT).empty()) {
    return fail(Errc::invalid_argument, "llm.url must end before '?' and '#'");
  }
  const std::string scheme = part_of(url, CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") {
    return refuse_url(text, "must start with http:// or https://");
  }
  if (options.model.empty() || options.model.size() > kLongestModel) {
    return fail(Errc::invalid_argument, "llm.model must name the model, in at most " +
                                            std::to_string(kLongestModel) +
                                            " bytes, when llm.url is set");
  }
  EndpointAddress address;
  address.host = part_of(url, CURLUPART_HOST);
  if (!options.key.empty() && scheme == "http" && !is_loopback(address.host)) {
    return refuse_url(text, "would send the key in the clear; use https://");
  }
  const std::string whole = whole_path(part_of(url, CURLUPART_PATH), path);
  if (::curl_url_set(url.get(), CURLUPART_PATH, whole.c_str(), 0) != CURLUE_OK) {
    return refuse_url(text, "is not an address; write it like http://127.0.0.1:8080");
  }
  address.url = part_of(url, CURLUPART_URL);
  return address;
}

}  // namespace warpmind::agents::llm
