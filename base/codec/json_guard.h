#pragma once
/// \file
/// Every JSON text that did not come from our own memory is parsed here, with limits.
/// nlohmann parses any depth but overflows the stack in dump() and copies at about 100 000 levels.

#include "base/result.h"

#include <cstddef>
#include <string_view>

#include <nlohmann/json.hpp>

namespace warpmind::codec {

struct JsonLimits {
  std::size_t depth = 64;
  std::size_t nodes = 1'000'000;
};

/// Parses `text`. Errors: corrupt_data with the byte offset and what is wrong there.
[[nodiscard]] Result<nlohmann::json> parse_json(std::string_view text, JsonLimits limits = {});

/// One line, no exceptions: bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string dump_json(const nlohmann::json& value);

}  // namespace warpmind::codec
