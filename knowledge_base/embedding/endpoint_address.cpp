#include "knowledge_base/embedding/endpoint_address.h"

#include "base/file.h"
#include "base/log_redaction.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>

namespace warpmind::knowledge_base {
namespace {

constexpr std::size_t kLongestKey = 4096;
constexpr std::size_t kLongestModel = 256;

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
  log::hide(key);
  return key;
}

}  // namespace

Result<EndpointAddress> resolve_endpoint(const EmbeddingOptions& options) {
  EndpointAddress address;
  WARPMIND_TRY(address.service,
               resolve_service(options.url, "/embeddings", !options.key_file.empty(),
                               {"knowledge.embeddings_url", "knowledge.embeddings_key_file"}));
  if (options.model.empty() || options.model.size() > kLongestModel) {
    return fail(Errc::invalid_argument,
                "knowledge.embeddings_model must name the model, in at most " +
                    std::to_string(kLongestModel) + " bytes, when knowledge.embeddings_url is set");
  }
  if (!options.key_file.empty()) {
    WARPMIND_TRY(address.key, read_key(options.key_file));
  }
  return address;
}

}  // namespace warpmind::knowledge_base
