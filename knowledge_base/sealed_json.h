#pragma once
/// \file
/// The frame of every JSON record: `[version byte][payload]`. For the codecs of this module.

#include "base/codec/json_types.h"
#include "base/result.h"
#include "knowledge_base/posterior.h"

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace warpmind::knowledge_base {

/// Errors: invalid_argument for a number that is not finite, which could not be read again.
[[nodiscard]] Result<std::string> seal(const nlohmann::json& payload, std::string_view what);

/// Checks the version byte and returns what follows it. Errors: corrupt_data.
[[nodiscard]] Result<std::string_view> unseal(std::string_view bytes, std::string_view what);

/// The object inside. Errors: corrupt_data.
[[nodiscard]] Result<nlohmann::json> open_json(std::string_view bytes, std::string_view what);

/// Member `name` of `object` as T; `fallback` where it is absent (an older build left it out).
template <class T>
[[nodiscard]] Result<T> member(const nlohmann::json& object, const char* name, const T& fallback) {
  const auto found = object.find(name);
  if (found == object.end()) return fallback;
  return codec::from_json<T>(*found, std::string("stored ") + name);
}

/// Counts as part of a record, and out of `object` again.
[[nodiscard]] nlohmann::json json_of(const PosteriorCounts& counts);
[[nodiscard]] Result<PosteriorCounts> counts_of(const nlohmann::json& object);

}  // namespace warpmind::knowledge_base
