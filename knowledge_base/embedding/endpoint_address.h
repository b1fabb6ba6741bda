#pragma once
/// \file
/// Where requests for vectors go and what they show there, checked before the first one is sent.

#include "base/result.h"
#include "knowledge_base/embedding/embedding_options.h"

#include <string>

namespace warpmind::knowledge_base {

struct EndpointAddress {
  std::string url;   ///< with the path: "http://127.0.0.1:8080/v1/embeddings"
  std::string host;  ///< for messages
  std::string key;   ///< empty = none; never in a message or a log line
};

/// The base address may end with "/v1" or "/v1/embeddings" already. Errors: invalid_argument for
/// another scheme than http and https, for a user, query or fragment in the address, for a missing
/// model, for a key file that others can read, and for a key that would travel in the clear.
[[nodiscard]] Result<EndpointAddress> resolve_endpoint(const EmbeddingOptions& options);

}  // namespace warpmind::knowledge_base
