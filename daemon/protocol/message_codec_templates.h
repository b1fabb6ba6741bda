#pragma once
/// \file
/// Bodies of message_codec.h's templates, for the .cpp files that instantiate them.

#include "base/codec/described_json.h"
#include "base/codec/json_guard.h"
#include "base/codec/json_types.h"
#include "daemon/protocol/message_codec.h"

#include <nlohmann/json.hpp>

namespace warpmind::daemon::protocol {

template <class T>
std::string encode(const T& value) {
  return codec::dump_json(nlohmann::json(value));
}

template <class T>
Result<T> decode(const Document& document) {
  if (document.is_null()) return T{};
  return codec::from_json<T>(document.json(), "message");
}

#define WARPMIND_INSTANTIATE(T)          \
  template std::string encode(const T&); \
  template Result<T> decode(const Document&)

}  // namespace warpmind::daemon::protocol
