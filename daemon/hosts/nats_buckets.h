#pragma once
/// \file
/// Buckets of keys and values. For nats_*.cpp only.

#include "daemon/hosts/nats_link.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::daemon::hosts {

[[nodiscard]] Result<void> put(NatsLink& link, kvStore* bucket, const std::string& key,
                               const std::string& value);
[[nodiscard]] Result<std::optional<std::string>> get(NatsLink& link, kvStore* bucket,
                                                     const std::string& key);
[[nodiscard]] Result<void> erase(NatsLink& link, kvStore* bucket, const std::string& key);
/// All whose key starts with `prefix`.
[[nodiscard]] Result<std::map<std::string, std::string>> values(NatsLink& link, kvStore* bucket,
                                                                std::string_view prefix);

}  // namespace warpmind::daemon::hosts
