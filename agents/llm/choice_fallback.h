#pragma once
/// \file
/// What to leave out when a server refuses a request: servers differ in what they can take.

#include "agents/llm/endpoint_options.h"
#include "agents/llm/wire_dialect.h"

#include <optional>
#include <string_view>

namespace warpmind::agents::llm {

struct RefusedRequest {
  WireChoices choices;  ///< as it was sent
  Dialect dialect = Dialect::chat;
  bool has_schema = false;
  bool limit_name_is_open = false;  ///< nobody configured it, and it was not swapped yet
  long status = 0;
  std::string_view said;  ///< the server's reason
};

/// The next thing to try, or nullopt when the request itself must be wrong. Each leaves out more
/// than the one before, so that the tries end.
[[nodiscard]] std::optional<WireChoices> easier_choices(const RefusedRequest& refused);

}  // namespace warpmind::agents::llm
