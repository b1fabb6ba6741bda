#pragma once
/// \file
/// Where requests go, checked before the first one is sent.

#include "agents/llm/endpoint_options.h"
#include "base/result.h"

#include <string>
#include <string_view>

namespace warpmind::agents::llm {

struct EndpointAddress {
  std::string url;   ///< with the path of the dialect
  std::string host;  ///< for messages
};

/// `path` is the dialect's, below "/v1". Errors: invalid_argument for another scheme than http and
/// https, for a user, query or fragment in the address, for a missing model, and for a key that
/// would travel in the clear.
[[nodiscard]] Result<EndpointAddress> resolve_endpoint(const EndpointOptions& options,
                                                       std::string_view path);

}  // namespace warpmind::agents::llm
