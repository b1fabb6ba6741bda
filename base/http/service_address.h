#pragma once
/// \file
/// Where requests go, as a setting has it, checked before the first one is sent.

#include "base/result.h"

#include <string>
#include <string_view>

namespace warpmind {

/// The setting that holds the address, and the one for a key: for messages.
struct AddressSettings {
  std::string_view url;       ///< "llm.url"
  std::string_view key_file;  ///< "llm.key_file"
};

struct ServiceAddress {
  std::string url;   ///< with the path of the service
  std::string host;  ///< for messages
};

/// `text` may end with any part of "/v1" + `path` already. `sends_key`: a key goes with the
/// requests. Errors: invalid_argument for another scheme than http and https, for a user, query or
/// fragment in the address, and for a key that would travel in the clear; never with a password.
[[nodiscard]] Result<ServiceAddress> resolve_service(const std::string& text, std::string_view path,
                                                     bool sends_key,
                                                     const AddressSettings& settings);

}  // namespace warpmind
