#include "profilers/simulator/program/decode_context.h"

#include "base/sequence.h"
#include "profilers/simulator/ptx/module_parser.h"

#include <array>

namespace warpmind::simulator {

int type_bytes(std::string_view type) {
  // Opaque types are declared, but no instruction reads them.
  return type.ends_with("ref") ? -1 : ptx::declared_bytes(type);
}

bool is_float_type(std::string_view type) {
  static constexpr std::array<std::string_view, 5> kFloats = {"f16", "bf16", "tf32", "f32", "f64"};
  return contains(kFloats, type);
}

bool is_signed_type(std::string_view type) {
  static constexpr std::array<std::string_view, 4> kSigned = {"s8", "s16", "s32", "s64"};
  return contains(kSigned, type);
}

}  // namespace warpmind::simulator
