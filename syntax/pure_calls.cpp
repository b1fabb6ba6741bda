#include "syntax/pure_calls.h"

#include <algorithm>
#include <array>

namespace warpmind::syntax {
namespace {

/// Conversions and arithmetic of 16-bit and other types: every function of CUDA's headers that
/// starts so.
constexpr std::array<std::string_view, 10> kPrefixes{"__half",  "__float",   "__int", "__uint",
                                                     "__ll",    "__ull",     "__h",   "__ushort",
                                                     "__short", "__bfloat16"};

/// Of the math API, in double and, with an f, in float.
constexpr std::array<std::string_view, 47> kStems{
    "fmax",     "fmin",      "fabs",  "exp",      "exp2",   "exp10",   "expm1", "log",
    "log2",     "log10",     "log1p", "pow",      "sqrt",   "rsqrt",   "cbrt",  "sin",
    "cos",      "tan",       "sinh",  "cosh",     "tanh",   "asin",    "acos",  "atan",
    "atan2",    "erf",       "erfc",  "fma",      "fmod",   "floor",   "ceil",  "round",
    "rint",     "trunc",     "hypot", "copysign", "lgamma", "tgamma",  "isnan", "isinf",
    "isfinite", "nearbyint", "asinh", "acosh",    "atanh",  "normcdf", "fdim"};

/// Intrinsics, loads of memory that nobody writes, casts, constructors of vectors, hints.
constexpr std::array<std::string_view, 85> kNames{"__assume",
                                                  "__brev",
                                                  "__builtin_assume",
                                                  "__builtin_expect",
                                                  "__byte_perm",
                                                  "__clz",
                                                  "__cosf",
                                                  "__double2float_rn",
                                                  "__exp10f",
                                                  "__expf",
                                                  "__fadd_rn",
                                                  "__fdiv_rn",
                                                  "__fdividef",
                                                  "__ffs",
                                                  "__fmaf_rn",
                                                  "__fmul_rn",
                                                  "__frcp_rn",
                                                  "__frsqrt_rn",
                                                  "__fsqrt_rn",
                                                  "__fsub_rn",
                                                  "__ldca",
                                                  "__ldcg",
                                                  "__ldcs",
                                                  "__ldcv",
                                                  "__ldg",
                                                  "__ldlu",
                                                  "__log10f",
                                                  "__log2f",
                                                  "__logf",
                                                  "__low2float",
                                                  "__lows2half2",
                                                  "__mul24",
                                                  "__mulhi",
                                                  "__nv_bfloat16",
                                                  "__popc",
                                                  "__powf",
                                                  "__saturatef",
                                                  "__sinf",
                                                  "__tanf",
                                                  "__umulhi",
                                                  "abs",
                                                  "bool",
                                                  "char",
                                                  "const_cast",
                                                  "double",
                                                  "fdividef",
                                                  "float",
                                                  "half",
                                                  "hceil",
                                                  "hcos",
                                                  "hexp",
                                                  "hexp2",
                                                  "hfloor",
                                                  "hlog",
                                                  "hlog2",
                                                  "hrcp",
                                                  "hrint",
                                                  "hrsqrt",
                                                  "hsin",
                                                  "hsqrt",
                                                  "htanh",
                                                  "htrunc",
                                                  "int",
                                                  "int32_t",
                                                  "int64_t",
                                                  "int8_t",
                                                  "long",
                                                  "make_float2",
                                                  "make_float3",
                                                  "make_float4",
                                                  "make_int2",
                                                  "make_int4",
                                                  "make_uint2",
                                                  "make_uint4",
                                                  "max",
                                                  "min",
                                                  "reinterpret_cast",
                                                  "short",
                                                  "signbit",
                                                  "size_t",
                                                  "sizeof",
                                                  "static_cast",
                                                  "uint32_t",
                                                  "uint8_t",
                                                  "unsigned"};

template <std::size_t n>
bool holds(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool is_pure_call(std::string_view name) {
  if (name.starts_with("std::")) name.remove_prefix(5);
  if (name.starts_with("::")) name.remove_prefix(2);
  if (holds(kNames, name) || holds(kStems, name)) return true;
  if (name.ends_with('f') && holds(kStems, name.substr(0, name.size() - 1))) return true;
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](auto prefix) { return name.starts_with(prefix); });
}

}  // namespace warpmind::syntax
