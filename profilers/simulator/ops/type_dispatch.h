#pragma once
/// \file
/// From the name of a type to a handler made for it.

#include "profilers/simulator/program/program.h"

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace warpmind::simulator {

/// make(std::type_identity<T>()) for u16 … s64; null for other names.
template <class Make>
[[nodiscard]] Handler for_integer(std::string_view type, const Make& make) {
  if (type == "u32") return make(std::type_identity<std::uint32_t>());
  if (type == "s32") return make(std::type_identity<std::int32_t>());
  if (type == "u64") return make(std::type_identity<std::uint64_t>());
  if (type == "s64") return make(std::type_identity<std::int64_t>());
  if (type == "u16") return make(std::type_identity<std::uint16_t>());
  if (type == "s16") return make(std::type_identity<std::int16_t>());
  return nullptr;
}

/// The same for types whose sign does not matter, b16 … b64 among them.
template <class Make>
[[nodiscard]] Handler for_bits(std::string_view type, const Make& make) {
  if (type == "b32" || type == "u32" || type == "s32") {
    return make(std::type_identity<std::uint32_t>());
  }
  if (type == "b64" || type == "u64" || type == "s64") {
    return make(std::type_identity<std::uint64_t>());
  }
  if (type == "b16" || type == "u16" || type == "s16") {
    return make(std::type_identity<std::uint16_t>());
  }
  return nullptr;
}

/// u32 s32 u64 s64, and b32 b64 as unsigned.
template <class Make>
[[nodiscard]] Handler for_words(std::string_view type, const Make& make) {
  if (type == "u32" || type == "b32") return make(std::type_identity<std::uint32_t>());
  if (type == "s32") return make(std::type_identity<std::int32_t>());
  if (type == "u64" || type == "b64") return make(std::type_identity<std::uint64_t>());
  if (type == "s64") return make(std::type_identity<std::int64_t>());
  return nullptr;
}

/// f32 and f64.
template <class Make>
[[nodiscard]] Handler for_real(std::string_view type, const Make& make) {
  if (type == "f32") return make(std::type_identity<float>());
  if (type == "f64") return make(std::type_identity<double>());
  return nullptr;
}

}  // namespace warpmind::simulator
