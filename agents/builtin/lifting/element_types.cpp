#include "agents/builtin/lifting/element_types.h"

#include "base/half.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

namespace warpmind::agents::builtin {
namespace {

struct TypeName {
  std::string_view name;
  Dtype dtype;
};

constexpr std::array<TypeName, 58> kTypes{{
    {"half", Dtype::f16},
    {"__half", Dtype::f16},
    {"half2", Dtype::f16},
    {"__half2", Dtype::f16},
    {"__nv_bfloat16", Dtype::bf16},
    {"nv_bfloat16", Dtype::bf16},
    {"__nv_bfloat162", Dtype::bf16},
    {"nv_bfloat162", Dtype::bf16},
    {"float", Dtype::f32},
    {"float2", Dtype::f32},
    {"float3", Dtype::f32},
    {"float4", Dtype::f32},
    {"double", Dtype::f64},
    {"double2", Dtype::f64},
    {"signed char", Dtype::i8},
    {"int8_t", Dtype::i8},
    {"std::int8_t", Dtype::i8},
    {"char", Dtype::i8},
    {"char4", Dtype::i8},
    {"bool", Dtype::u8},
    {"unsigned char", Dtype::u8},
    {"uint8_t", Dtype::u8},
    {"std::uint8_t", Dtype::u8},
    {"uchar4", Dtype::u8},
    {"int", Dtype::i32},
    {"signed", Dtype::i32},
    {"signed int", Dtype::i32},
    {"int32_t", Dtype::i32},
    {"std::int32_t", Dtype::i32},
    {"int2", Dtype::i32},
    {"int4", Dtype::i32},
    {"unsigned", Dtype::u32},
    {"unsigned int", Dtype::u32},
    {"uint", Dtype::u32},
    {"uint32_t", Dtype::u32},
    {"std::uint32_t", Dtype::u32},
    {"uint2", Dtype::u32},
    {"uint4", Dtype::u32},
    {"long", Dtype::i64},
    {"long int", Dtype::i64},
    {"long long", Dtype::i64},
    {"long long int", Dtype::i64},
    {"signed long", Dtype::i64},
    {"signed long long", Dtype::i64},
    {"int64_t", Dtype::i64},
    {"std::int64_t", Dtype::i64},
    {"ptrdiff_t", Dtype::i64},
    {"std::ptrdiff_t", Dtype::i64},
    {"unsigned long", Dtype::i64},
    {"unsigned long int", Dtype::i64},
    {"unsigned long long", Dtype::i64},
    {"unsigned long long int", Dtype::i64},
    {"uint64_t", Dtype::i64},
    {"std::uint64_t", Dtype::i64},
    {"size_t", Dtype::i64},
    {"std::size_t", Dtype::i64},
    {"longlong2", Dtype::i64},
    {"ulonglong2", Dtype::i64},
}};

/// What `name` is another name of; empty when nothing.
std::string aliased(const CudaSource& source, std::string_view name) {
  const SyntaxTree& tree = source.tree;
  for (const NodeId alias : tree.descendants(tree.root(), "alias_declaration")) {
    if (tree.text(tree.field(alias, "name")) == name) {
      return tree.plain_text(tree.field(alias, "type"));
    }
  }
  for (const NodeId alias : tree.descendants(tree.root(), "type_definition")) {
    if (tree.text(tree.field(alias, "declarator")) == name) {
      return tree.plain_text(tree.field(alias, "type"));
    }
  }
  for (const auto& [constant, value] : source.constants()) {
    if (constant == name) return value;
  }
  return {};
}

template <class T>
T read_as(std::string_view bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// Shortest text that reads as the same number.
template <class T>
std::optional<std::string> decimal(T value) {
  if (!std::isfinite(value)) return std::nullopt;
  return shortest_number(value);
}

std::optional<std::string> value_text(Dtype dtype, std::string_view bytes) {
  switch (dtype) {
    case Dtype::f32: return decimal(read_as<float>(bytes));
    case Dtype::f64: return decimal(read_as<double>(bytes));
    case Dtype::f16: return decimal(f16_to_double(read_as<std::uint16_t>(bytes)));
    case Dtype::bf16: return decimal(bf16_to_double(read_as<std::uint16_t>(bytes)));
    case Dtype::i8: return std::to_string(read_as<std::int8_t>(bytes));
    case Dtype::u8: return std::to_string(read_as<std::uint8_t>(bytes));
    case Dtype::i32: return std::to_string(read_as<std::int32_t>(bytes));
    case Dtype::u32: return std::to_string(read_as<std::uint32_t>(bytes));
    case Dtype::i64: return std::to_string(read_as<std::int64_t>(bytes));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Dtype> element_type(const CudaSource& source, std::string_view type) {
  constexpr int kMostAliases = 8;  // one that names itself must end
  std::string name(type);
  for (int i = 0; i < kMostAliases && !name.empty(); ++i) {
    if (name.starts_with("const ")) name.erase(0, 6);
    const auto* const found = std::find_if(kTypes.begin(), kTypes.end(),
                                           [&](const TypeName& one) { return one.name == name; });
    if (found != kTypes.end()) return found->dtype;
    name = aliased(source, name);
  }
  return std::nullopt;
}

std::optional<std::string> scalar_text(const CudaSource& source, std::string_view type,
                                       std::string_view bytes) {
  const auto dtype = element_type(source, type);
  if (!dtype || size_in_bytes(*dtype) != bytes.size()) return std::nullopt;
  const auto value = value_text(*dtype, bytes);
  if (!value) return std::nullopt;
  const bool has_sign = type.find("unsigned") == std::string_view::npos &&
                        type.find("uint") == std::string_view::npos &&
                        type.find("size_t") == std::string_view::npos;
  if (*dtype == Dtype::i64 && !has_sign && value->starts_with("-")) return std::nullopt;
  return std::string(name_of(*dtype)) + ":" + *value;
}

}  // namespace warpmind::agents::builtin
