#include "agents/builtin/probe/integer_value.h"

#include "base/sequence.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace warpmind::agents::builtin {
namespace {

__extension__ using Wide = __int128;
using Kind = ValueType::Kind;

constexpr ValueType kInt{Kind::integer, true, 4};
constexpr ValueType kUnsigned{Kind::integer, false, 4};
constexpr ValueType kLong{Kind::integer, true, 8};
constexpr ValueType kUnsignedLong{Kind::integer, false, 8};
constexpr ValueType kBool{Kind::boolean, false, 1};

struct NamedType {
  std::string_view name;
  ValueType type;
};

constexpr std::array<NamedType, 37> kNamedTypes{{
    {"bool", kBool},
    {"char", {Kind::integer, true, 1}},
    {"signed char", {Kind::integer, true, 1}},
    {"unsigned char", {Kind::integer, false, 1}},
    {"uchar", {Kind::integer, false, 1}},
    {"int8_t", {Kind::integer, true, 1}},
    {"uint8_t", {Kind::integer, false, 1}},
    {"short", {Kind::integer, true, 2}},
    {"unsigned short", {Kind::integer, false, 2}},
    {"ushort", {Kind::integer, false, 2}},
    {"int16_t", {Kind::integer, true, 2}},
    {"uint16_t", {Kind::integer, false, 2}},
    {"int", kInt},
    {"signed", kInt},
    {"signed int", kInt},
    {"int32_t", kInt},
    {"unsigned", kUnsigned},
    {"unsigned int", kUnsigned},
    {"uint", kUnsigned},
    {"uint32_t", kUnsigned},
    {"long", kLong},
    {"long int", kLong},
    {"long long", kLong},
    {"long long int", kLong},
    {"int64_t", kLong},
    {"ptrdiff_t", kLong},
    {"intptr_t", kLong},
    {"ssize_t", kLong},
    {"unsigned long", kUnsignedLong},
    {"unsigned long int", kUnsignedLong},
    {"unsigned long long", kUnsignedLong},
    {"unsigned long long int", kUnsignedLong},
    {"uint64_t", kUnsignedLong},
    {"size_t", kUnsignedLong},
    {"uintptr_t", kUnsignedLong},
    {"ulong", kUnsignedLong},
    {"ulonglong", kUnsignedLong},
}};

struct SizedName {
  std::string_view name;
  std::uint32_t bytes;
};

constexpr std::array<SizedName, 6> kFloatingTypes{{{"half", 2},
                                                   {"__half", 2},
                                                   {"__nv_bfloat16", 2},
                                                   {"nv_bfloat16", 2},
                                                   {"float", 4},
                                                   {"double", 8}}};

constexpr std::array<SizedName, 27> kOtherTypes{{
    {"half2", 4},         {"__half2", 4},     {"__nv_bfloat162", 4}, {"nv_bfloat162", 4},
    {"void", 1},          {"char2", 2},       {"char4", 4},          {"uchar4", 4},
    {"short2", 4},        {"short4", 8},      {"ushort4", 8},        {"int2", 8},
    {"uint2", 8},         {"float2", 8},      {"int3", 12},          {"float3", 12},
    {"int4", 16},         {"uint4", 16},      {"float4", 16},        {"double2", 16},
    {"longlong2", 16},    {"ulonglong2", 16}, {"double4", 32},       {"__nv_fp8_e4m3", 1},
    {"__nv_fp8_e5m2", 1}, {"int1", 4},        {"float1", 4},
}};

/// Without qualifiers, `std::` and doubled spaces; the number of `*` goes to `stars`.
std::string core_of(std::string_view text, int& stars) {
  std::string core;
  std::string word;
  const auto flush = [&] {
    if (word.rfind("std::", 0) == 0) word.erase(0, 5);
    static constexpr std::array<std::string_view, 8> kDropped{
        "const",        "volatile",   "constexpr", "static",
        "__restrict__", "__restrict", "inline",    "register"};
    if (!word.empty() && !contains(kDropped, word)) {
      core += (core.empty() ? "" : " ") + word;
    }
    word.clear();
  };
  for (const char c : text) {
    if (c == '*') ++stars;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '*' || c == '&') {
      flush();
    } else {
      word += c;
    }
  }
  flush();
  return core;
}

std::string resolved(std::string_view text, const TypeAliases& aliases, int& stars) {
  std::string core = core_of(text, stars);
  for (int depth = 0; depth < 8; ++depth) {
    const auto alias = aliases.find(core);
    if (alias == aliases.end()) break;
    core = core_of(alias->second, stars);
  }
  return core;
}

std::uint32_t bytes_of_scalar_core(std::string_view core) {
  for (const auto& known : kNamedTypes) {
    if (known.name == core) return known.type.bytes;
  }
  for (const auto& known : kFloatingTypes) {
    if (known.name == core) return known.bytes;
  }
  return 0;
}

std::uint32_t bytes_of_core(std::string_view core) {
  if (const auto bytes = bytes_of_scalar_core(core); bytes > 0) return bytes;
  for (const auto& known : kOtherTypes) {
    if (known.name == core) return known.bytes;
  }
  return 0;
}

Wide lowest(ValueType type) {
  return type.is_signed ? -(Wide{1} << (type.bytes * 8U - 1U)) : Wide{0};
}

Wide highest(ValueType type) {
  return (Wide{1} << (type.bytes * 8U - (type.is_signed ? 1U : 0U))) - 1;
}

/// The number as `type` reads its 64 bits.
Wide widened(const Value& value) {
  if (value.type.kind == Kind::integer && value.type.bytes == 8 && !value.type.is_signed) {
    return static_cast<Wide>(static_cast<std::uint64_t>(value.number));
  }
  return value.number;
}

/// Wraps when unsigned; a signed overflow is unknown.
Value fitted(Wide number, ValueType type) {
  if (type.is_signed) {
    if (number < lowest(type) || number > highest(type)) return Value::unknown(type);
    return Value::exactly(static_cast<std::int64_t>(number), type);
  }
  const Wide size = Wide{1} << (type.bytes * 8U);
  Wide wrapped = number % size;
  if (wrapped < 0) wrapped += size;
  return Value::exactly(static_cast<std::int64_t>(static_cast<std::uint64_t>(wrapped)), type);
}

ValueType promoted(ValueType type) {
  return type.kind == Kind::boolean || type.bytes < 4 ? kInt : type;
}

ValueType common(ValueType left, ValueType right) {
  left = promoted(left);
  right = promoted(right);
  if (left.bytes != right.bytes) return left.bytes > right.bytes ? left : right;
  return left.is_signed ? right : left;
}

bool is_number(ValueType type) { return type.kind == Kind::integer || type.kind == Kind::boolean; }

std::optional<bool> compared(std::string_view op, Wide left, Wide right) {
  if (op == "<") return left < right;
  if (op == ">") return left > right;
  if (op == "<=") return left <= right;
  if (op == ">=") return left >= right;
  if (op == "==") return left == right;
  if (op == "!=") return left != right;
  return std::nullopt;
}

Value shifted(std::string_view op, const Value& left, const Value& right) {
  const ValueType type = promoted(left.type);
  if (right.number < 0 || right.number >= static_cast<std::int64_t>(type.bytes) * 8) {
    return Value::unknown(type);
  }
  const Wide number = widened(left);
  return fitted(op == "<<" ? number * (Wide{1} << right.number) : number >> right.number, type);
}

Value computed(std::string_view op, const Value& left, const Value& right) {
  const ValueType type = common(left.type, right.type);
  const Value l = converted(left, type);
  const Value r = converted(right, type);
  if (!l.known || !r.known) return Value::unknown(type);
  const Wide a = widened(l);
  const Wide b = widened(r);
  if (const auto truth = compared(op, a, b)) return Value::exactly(*truth ? 1 : 0, kBool);
  if (op == "+") return fitted(a + b, type);
  if (op == "-") return fitted(a - b, type);
  if (op == "*") return fitted(a * b, type);
  if ((op == "/" || op == "%") && b == 0) return Value::unknown(type);
  if (op == "/") return fitted(a / b, type);
  if (op == "%") return fitted(a % b, type);
  if (op == "&") return fitted(a & b, type);
  if (op == "|") return fitted(a | b, type);
  if (op == "^") return fitted(a ^ b, type);
  return Value::unknown(type);
}

Value with_pointers(std::string_view op, const Value& left, const Value& right) {
  if (left.type.is_pointer() && right.type.is_pointer()) {
    if (const auto truth = compared(op, left.number, right.number)) {
      return Value::exactly(*truth ? 1 : 0, kBool);
    }
    if (op != "-" || left.type != right.type || left.buffer_number() != right.buffer_number()) {
      return Value::unknown(kLong);
    }
    return Value::exactly(left.elements() - right.elements(), kLong);
  }
  const Value& pointer = left.type.is_pointer() ? left : right;
  const Value& number = left.type.is_pointer() ? right : left;
  if (const auto truth = compared(op, left.number, right.number); truth && number.number == 0) {
    return Value::exactly(*truth ? 1 : 0, kBool);
  }
  const bool fits = op == "+" || (op == "-" && left.type.is_pointer());
  const Wide moved = widened(number) * std::max(pointer.type.bytes, 1U);
  const Wide limit = Wide{1} << (Value::kBufferShift - 2);
  if (!fits || !is_number(number.type) || moved > limit || moved < -limit) {
    return Value::unknown(pointer.type);
  }
  const auto bytes = static_cast<std::int64_t>(moved);
  return Value::exactly(pointer.number + (op == "+" ? bytes : -bytes), pointer.type);
}

}  // namespace

ValueType value_type(std::string_view text, const TypeAliases& aliases) {
  int stars = 0;
  const std::string core = resolved(text, aliases, stars);
  if (stars > 1) return {Kind::pointer, false, 8};
  if (stars == 1) return {Kind::pointer, false, bytes_of_core(core)};
  for (const auto& known : kNamedTypes) {
    if (known.name == core) return known.type;
  }
  return {};
}

std::uint32_t bytes_of_type(std::string_view text, const TypeAliases& aliases) {
  int stars = 0;
  const std::string core = resolved(text, aliases, stars);
  return stars > 0 ? 8 : bytes_of_core(core);
}

std::uint32_t bytes_of_scalar(std::string_view text) {
  if (text.find_first_of("*&[") != std::string_view::npos) return 0;
  int stars = 0;
  return bytes_of_scalar_core(core_of(text, stars));
}

Value Value::of_int(std::int64_t number) { return exactly(number, kInt); }
Value Value::of_unsigned(std::int64_t number) { return exactly(number, kUnsigned); }

Value Value::buffer(std::int64_t number, std::uint32_t element_bytes) {
  return exactly(number << kBufferShift, {Kind::pointer, false, element_bytes});
}

std::int64_t Value::buffer_number() const {
  return (number + (std::int64_t{1} << (kBufferShift - 1))) >> kBufferShift;
}

std::int64_t Value::elements() const {
  const std::int64_t bytes = number - (buffer_number() << kBufferShift);
  const std::int64_t size = std::max(type.bytes, 1U);
  const std::int64_t quotient = bytes / size;
  return quotient - (bytes % size < 0 ? 1 : 0);
}

Value converted(Value value, ValueType type) {
  if (!value.known || type.kind == Kind::other) return Value::unknown(type);
  if (type.kind == Kind::boolean) return Value::exactly(value.number != 0 ? 1 : 0, type);
  if (type.is_pointer()) {
    // An element of unknown size has no bytes to be counted anew.
    const bool countable = value.type.is_pointer() ? value.type.bytes == type.bytes ||
                                                         (value.type.bytes != 0 && type.bytes != 0)
                                                   : is_number(value.type);
    return countable ? Value::exactly(value.number, type) : Value::unknown(type);
  }
  if (value.type.is_pointer()) {
    if (type.bytes != 8 || value.type.bytes == 0) return Value::unknown(type);
    return Value::exactly(value.number, type);
  }
  return fitted(widened(value), type);
}

Value combined(std::string_view op, Value left, Value right) {
  if (!left.known || !right.known) {
    if (left.type.is_pointer() || right.type.is_pointer()) return Value::unknown();
    return is_number(left.type) && is_number(right.type)
               ? Value::unknown(common(left.type, right.type))
               : Value::unknown();
  }
  if (left.type.is_pointer() || right.type.is_pointer()) return with_pointers(op, left, right);
  if (!is_number(left.type) || !is_number(right.type)) return Value::unknown();
  if (op == "<<" || op == ">>") return shifted(op, left, right);
  return computed(op, left, right);
}

Value applied(std::string_view op, Value value) {
  if (!value.known) return Value::unknown(value.type);
  if (op == "!") return Value::exactly(value.number == 0 ? 1 : 0, kBool);
  if (!is_number(value.type)) return Value::unknown();
  const ValueType type = promoted(value.type);
  if (op == "-") return fitted(-widened(value), type);
  if (op == "+") return fitted(widened(value), type);
  if (op == "~") return fitted(~widened(value), type);
  return Value::unknown(type);
}

Value literal_value(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != '\'' && c != ' ') digits += c;
  }
  if (text.size() == 3 && text.front() == '\'')
    return Value::exactly(text[1], {Kind::integer, true, 1});
  const bool negative = !digits.empty() && digits.front() == '-';
  if (negative) digits.erase(0, 1);
  bool is_unsigned = false;
  int longs = 0;
  const bool hex = digits.rfind("0x", 0) == 0 || digits.rfind("0X", 0) == 0;
  while (!digits.empty()) {
    const char last = digits.back();
    if (last == 'u' || last == 'U') {
      is_unsigned = true;
    } else if (last == 'l' || last == 'L') {
      ++longs;
    } else {
      break;
    }
    digits.pop_back();
  }
  int base = 10;
  std::size_t begin = 0;
  if (hex) {
    base = 16;
    begin = 2;
  } else if (digits.rfind("0b", 0) == 0 || digits.rfind("0B", 0) == 0) {
    base = 2;
    begin = 2;
  } else if (digits.size() > 1 && digits.front() == '0') {
    base = 8;
    begin = 1;
  }
  std::uint64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data() + begin, end, number, base);
  if (error != std::errc() || at != end || digits.size() == begin) return Value::unknown();
  ValueType type =
      longs > 0 ? (is_unsigned ? kUnsignedLong : kLong) : (is_unsigned ? kUnsigned : kInt);
  if (type.bytes == 4 && number > static_cast<std::uint64_t>(highest(type))) {
    type = base != 10 && number <= static_cast<std::uint64_t>(highest(kUnsigned))
               ? kUnsigned
               : (is_unsigned ? kUnsignedLong : kLong);
  }
  const Value value = fitted(static_cast<Wide>(number), type);
  return negative ? applied("-", value) : value;
}

}  // namespace warpmind::agents::builtin
