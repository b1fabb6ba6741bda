#include "knowledge_base/embedding/endpoint_address.h"

#include "base/file.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include <curl/curl.h>

namespace warpmind::knowledge_base {
namespace {

constexpr std::size_t kLongestKey = 4096;
constexpr std::size_t kLongestModel = 256;
constexpr std::string_view kPath = "/v1/embeddings";

struct FreeUrl {
  void operator()(CURLU* url) const { ::curl_url_cleanup(url); }
};
using UniqueUrl = std::unique_ptr<CURLU, FreeUrl>;

tl::unexpected<Error> refuse_url(const std::string& url, const std::string& why) {
  return fail(Errc::invalid_argument, "knowledge.embeddings_url: '" + url + "' " + why);
}

/// Empty where the address has no such part.
std::string part(const UniqueUrl& url, CURLUPart which) {
  char* text = nullptr;
  if (::curl_url_get(url.get(), which, &text, 0) != CURLUE_OK) return {};
  std::string copy(text);
  ::curl_free(text);
  return copy;
}

Result<UniqueUrl> parsed(const std::string& text) {
  UniqueUrl url(::curl_url());
  if (!url) return fail(Errc::external_failure, "libcurl has no memory for an address");
  if (::curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) {
    return refuse_url(text, "is not an address; write it like http://127.0.0.1:8080");
  }
  return url;
}

bool is_this_machine(const std::string& host) {
  in_addr address{};
  constexpr std::uint32_t kLoopbackNet = 127;
  if (::inet_pton(AF_INET, host.c_str(), &address) == 1) {
    return ntohl(address.s_addr) >> 24U == kLoopbackNet;
  }
  return host == "localhost" || host == "[::1]";
}

/// The path with which the endpoint is found, whichever part of it was written down.
std::string whole_path(std::string path) {
  const auto cut = [&path](std::string_view end) {
    while (path.ends_with('/')) path.pop_back();
    if (path.ends_with(end)) path.resize(path.size() - end.size());
  };
  cut("/embeddings");
  cut("/v1");
  cut("");
  return path + std::string(kPath);
}

Result<std::string> read_key(const std::filesystem::path& path) {
  const std::string name = "knowledge.embeddings_key_file: " + path.string();
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return fail(Errc::invalid_argument, name + ": " + std::strerror(errno));
  }
  constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
  if (S_ISREG(status.st_mode) && (status.st_mode & kOthers) != 0) {
    return fail(Errc::invalid_argument, name + " can be read by others; run chmod 600 on it");
  }
  auto content = read_file(path, kLongestKey);
  if (!content) return fail(Errc::invalid_argument, name + ": " + content.error().message);
  std::string key = std::move(*content);
  while (!key.empty() && (key.back() == '\n' || key.back() == '\r')) key.pop_back();
  const bool printable =
      std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (key.empty() || !printable) {
    return fail(Errc::invalid_argument, name + " must hold the key and nothing else, on one line");
  }
  return key;
}

}  // namespace

Result<EndpointAddress> resolve_endpoint(const EmbeddingOptions& options) {
  const std::string& text = options.url;
  WARPMIND_TRY(const auto url, parsed(text));
  const std::string scheme = part(url, CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") {
    return refuse_url(text, "must start with http:// or https://");
  }
  if (!part(url, CURLUPART_USER).empty() || !part(url, CURLUPART_PASSWORD).empty()) {
    return fail(Errc::invalid_argument,
                "knowledge.embeddings_url must not hold a user or password; put the key into a "
                "file and name it in knowledge.embeddings_key_file");
  }
  if (!part(url, CURLUPART_QUERY).empty() || !part(url, CURLUPART_FRAGMENT).empty()) {
    return refuse_url(text, "must end before '?' and '#'");
  }
  if (options.model.empty() || options.model.size() > kLongestModel) {
    return fail(Errc::invalid_argument,
                "knowledge.embeddings_model must name the model, in at most " +
                    std::to_string(kLongestModel) + " bytes, when knowledge.embeddings_url is set");
  }
  EndpointAddress address;
  address.host = part(url, CURLUPART_HOST);
  if (!options.key_file.empty()) {
    WARPMIND_TRY(address.key, read_key(options.key_file));
    if (scheme == "http" && !is_this_machine(address.host)) {
      return refuse_url(text, "would send the key in the clear; use https://");
    }
  }
  const std::string path = whole_path(part(url, CURLUPART_PATH));
  if (::curl_url_set(url.get(), CURLUPART_PATH, path.c_str(), 0) != CURLUE_OK) {
    return refuse_url(text, "is not an address; write it like http://127.0.0.1:8080");
  }
  address.url = part(url, CURLUPART_URL);
  return address;
}

}  // namespace warpmind::knowledge_base
