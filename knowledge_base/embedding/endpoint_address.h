#pragma once
/// \file
/// Where requests for vectors go and what they show there, checked before the first one is sent.

#include "base/http/service_address.h"
#include "base/result.h"
#include "knowledge_base/embedding/embedding_options.h"

#include <string>

namespace warpmind::knowledge_base {

struct EndpointAddress {
  ServiceAddress service;
  std::string key;  ///< empty = none; never in a message or a log line
};

/// Errors: as resolve_service(); also invalid_argument for a missing model and for a key file that
/// others can read.
[[nodiscard]] Result<EndpointAddress> resolve_endpoint(const EmbeddingOptions& options);

}  // namespace warpmind::knowledge_base
