#include "base/http/service_address.h"

#include <arpa/inet.h>
#include <cstdint>
#include <memory>

#include <curl/curl.h>

namespace warpmind {
namespace {

constexpr std::string_view kVersion = "/v1";
constexpr const char* kNoAddress = " is not an address; write it like http://127.0.0.1:8080";

struct FreeUrl {
  void operator()(CURLU* url) const { ::curl_url_cleanup(url); }
};
using UniqueUrl = std::unique_ptr<CURLU, FreeUrl>;

tl::unexpected<Error> refuse(std::string_view setting, const std::string& why) {
  return fail(Errc::invalid_argument, std::string(setting) + why);
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
std::string whole_path(std::string path, std::string_view service_path) {
  const auto cut = [&path](std::string_view end) {
    while (path.ends_with('/')) path.pop_back();
    if (path.ends_with(end)) path.resize(path.size() - end.size());
  };
  cut(service_path);
  cut(kVersion);
  cut("");
  return path + std::string(kVersion) + std::string(service_path);
}

}  // namespace

Result<ServiceAddress> resolve_service(const std::string& text, std::string_view path,
                                       bool sends_key, const AddressSettings& settings) {
  const UniqueUrl url(::curl_url());
  if (!url) return fail(Errc::external_failure, "libcurl has no memory for an address");
  if (::curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) {
    return refuse(settings.url, kNoAddress);  // what cannot be read may hold a password
  }
  if (!part_of(url, CURLUPART_USER).empty() || !part_of(url, CURLUPART_PASSWORD).empty()) {
    return refuse(settings.url,
                  " must not hold a user or password; put the key into a file and "
                  "name it in " +
                      std::string(settings.key_file));
  }
  if (!part_of(url, CURLUPART_QUERY).empty() || !part_of(url, CURLUPART_FRAGMENT).empty()) {
    return refuse(settings.url, " must end before '?' and '#'");
  }
  const std::string shown = ": '" + text + "'";
  const std::string scheme = part_of(url, CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") {
    return refuse(settings.url, shown + " must start with http:// or https://");
  }
  ServiceAddress address;
  address.host = part_of(url, CURLUPART_HOST);
  if (sends_key && scheme == "http" && !is_loopback(address.host)) {
    return refuse(settings.url, shown + " would send the key in the clear; use https://");
  }
  const std::string whole = whole_path(part_of(url, CURLUPART_PATH), path);
  if (::curl_url_set(url.get(), CURLUPART_PATH, whole.c_str(), 0) != CURLUE_OK) {
    return refuse(settings.url, shown + kNoAddress);
  }
  address.url = part_of(url, CURLUPART_URL);
  return address;
}

}  // namespace warpmind
