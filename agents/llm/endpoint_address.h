#pragma once
/// \file
/// Where requests to a model go, checked before the first one is sent.

#include "agents/llm/endpoint_options.h"
#include "base/http/service_address.h"

#include <string_view>

namespace warpmind::agents::llm {

/// `path` is the dialect's, below "/v1". Errors: as resolve_service(); also invalid_argument for a
/// missing model.
[[nodiscard]] Result<ServiceAddress> resolve_endpoint(const EndpointOptions& options,
                                                      std::string_view path);

}  // namespace warpmind::agents::llm
