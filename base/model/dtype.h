#pragma once
/// \file
/// Element types that a kernel argument can have.

#include "base/enum_names.h"

#include <cstddef>

namespace warpmind {

/// `tf32` is no storage type here: it is an accuracy that a contract may allow for f32.
enum class Dtype { f16, bf16, f32, f64, i8, u8, i32, u32, i64 };
WARPMIND_ENUM_NAMES(Dtype, {Dtype::f16, "f16"}, {Dtype::bf16, "bf16"}, {Dtype::f32, "f32"},
                    {Dtype::f64, "f64"}, {Dtype::i8, "i8"}, {Dtype::u8, "u8"}, {Dtype::i32, "i32"},
                    {Dtype::u32, "u32"}, {Dtype::i64, "i64"});

[[nodiscard]] constexpr std::size_t size_in_bytes(Dtype type) {
  switch (type) {
    case Dtype::i8:
    case Dtype::u8: return 1;
    case Dtype::f16:
    case Dtype::bf16: return 2;
    case Dtype::f32:
    case Dtype::i32:
    case Dtype::u32: return 4;
    case Dtype::f64:
    case Dtype::i64: return 8;
  }
  return 0;
}

[[nodiscard]] constexpr bool is_floating(Dtype type) {
  return type == Dtype::f16 || type == Dtype::bf16 || type == Dtype::f32 || type == Dtype::f64;
}

/// Unit roundoff u (half the spacing at 1): f64 2^-53, f32 2^-24, f16 2^-11, bf16 2^-8; 0 for
/// integers.
[[nodiscard]] constexpr double unit_roundoff(Dtype type) {
  switch (type) {
    case Dtype::f16: return 0x1p-11;
    case Dtype::bf16: return 0x1p-8;
    case Dtype::f32: return 0x1p-24;
    case Dtype::f64: return 0x1p-53;
    default: return 0.0;
  }
}

}  // namespace warpmind
