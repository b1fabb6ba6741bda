#include "agents/builtin/untiling/lane_vector.h"

#include "agents/builtin/untiling/field_value.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace warpmind::agents::builtin {
namespace {

const LaneType kBool{LaneKind::number, false, false, 1, 1, {}, true};
constexpr std::uint32_t kWordBytes = 4;
constexpr std::uint32_t kLongBytes = 8;
constexpr std::uint32_t kByteBits = 8;

std::string without_marks(std::string_view text) {
  std::string core;
  std::string word;
  const auto flush = [&] {
    if (word.starts_with("std::")) word.erase(0, 5);
    for (const std::string_view mark :
         {"const", "volatile", "constexpr", "static", "__restrict__", "__restrict", "register"}) {
      if (word == mark) word.clear();
    }
    if (!word.empty()) core += (core.empty() ? "" : " ") + word;
    word.clear();
  };
  for (const char c : text) {
    if (c == '*' || c == '&') break;
    if (c == ' ' || c == '\n' || c == '\t') {
      flush();
    } else {
      word += c;
    }
  }
  flush();
  return core;
}

LaneType floating(std::uint32_t bytes, std::uint32_t pack) {
  return {LaneKind::data, true, true, bytes, pack};
}

LaneType scalar_type(std::string text, const TypeAliases& aliases) {
  for (int depth = 0; depth < 8; ++depth) {
    const auto alias = aliases.find(text);
    if (alias == aliases.end()) break;
    text = without_marks(alias->second);
  }
  if (text == "float") return floating(4, 1);
  if (text == "double") return floating(8, 1);
  if (text == "half" || text == "__half" || text == "__nv_bfloat16" || text == "nv_bfloat16") {
    return floating(2, 1);
  }
  if (text == "float2") return floating(4, 2);
  if (text == "float4") return floating(4, 4);
  if (text == "double2") return floating(8, 2);
  if (text == "half2" || text == "__half2") return floating(2, 2);
  const ValueType known = value_type(text, aliases);
  if (known.kind == ValueType::Kind::integer) {
    return {LaneKind::number, known.is_signed, false, known.bytes};
  }
  if (known.kind == ValueType::Kind::boolean) return kBool;
  return {};
}

/// Makes the number one that `type` keeps; false: a signed overflow.
inline bool fit(std::int64_t& number, const LaneType& type) {
  if (type.bytes == kWordBytes) {
    if (type.is_signed) return number == static_cast<std::int32_t>(number);
    number = static_cast<std::int64_t>(static_cast<std::uint32_t>(number));
    return true;
  }
  if (type.bytes >= kLongBytes) return true;
  const std::uint32_t bits = type.bytes * kByteBits;
  if (type.is_signed) {
    const std::int64_t half = std::int64_t{1} << (bits - 1);
    return number >= -half && number < half;
  }
  number = static_cast<std::int64_t>(static_cast<std::uint64_t>(number) &
                                     ((std::uint64_t{1} << bits) - 1));
  return true;
}

/// As a conversion keeps it, signed or not.
std::int64_t wrapped(std::int64_t number, const LaneType& type) {
  if (type.bytes >= kLongBytes) return number;
  const std::uint32_t bits = type.bytes * kByteBits;
  const auto low = static_cast<std::uint64_t>(number) & ((std::uint64_t{1} << bits) - 1);
  const bool negative = type.is_signed && (low >> (bits - 1)) != 0;
  return static_cast<std::int64_t>(negative ? low | ~((std::uint64_t{1} << bits) - 1) : low);
}

LaneType promoted(LaneType type) {
  if (type.bytes < kWordBytes) return {LaneKind::number, true, false, kWordBytes};
  return type;
}

LaneType common(const LaneType& left, const LaneType& right) {
  const LaneType a = promoted(left);
  const LaneType b = promoted(right);
  if (a.bytes != b.bytes) return a.bytes > b.bytes ? a : b;
  return a.is_signed ? b : a;
}

bool is_comparison(LaneOperator op) { return op >= LaneOperator::less; }

bool compared(LaneOperator op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case LaneOperator::less: return a < b;
    case LaneOperator::less_equal: return a <= b;
    case LaneOperator::greater: return a > b;
    case LaneOperator::greater_equal: return a >= b;
    case LaneOperator::equal: return a == b;
    default: return a != b;
  }
}

/// Of operands that `type` holds already; false: there is no result.
inline bool computed(LaneOperator op, const LaneType& type, std::int64_t a, std::int64_t b,
                     std::int64_t& result) {
  const bool wide = type.bytes >= kLongBytes;
  bool overflow = false;
  switch (op) {
    case LaneOperator::add: overflow = __builtin_add_overflow(a, b, &result); break;
    case LaneOperator::subtract: overflow = __builtin_sub_overflow(a, b, &result); break;
    case LaneOperator::multiply: overflow = __builtin_mul_overflow(a, b, &result); break;
    case LaneOperator::divide:
    case LaneOperator::remainder:
      if (b == 0 || (wide && (a < 0 || b < 0))) return false;
      result = op == LaneOperator::divide ? a / b : a % b;
      break;
    case LaneOperator::bit_and: result = a & b; break;
    case LaneOperator::bit_or: result = a | b; break;
    case LaneOperator::bit_xor: result = a ^ b; break;
    default: return false;
  }
  if (overflow && wide && type.is_signed) return false;
  return fit(result, type);
}

bool shifted(LaneOperator op, const LaneType& type, std::int64_t a, std::int64_t by,
             std::int64_t& result) {
  if (by < 0 || by >= static_cast<std::int64_t>(type.bytes) * kByteBits) return false;
  if (op == LaneOperator::shift_right) {
    result =
        type.is_signed ? a >> by : static_cast<std::int64_t>(static_cast<std::uint64_t>(a) >> by);
    return true;
  }
  if (type.is_signed && a < 0) return false;
  constexpr std::int64_t kMostShift = 62;
  if (__builtin_mul_overflow(a, std::int64_t{1} << std::min(by, kMostShift), &result) &&
      type.is_signed) {
    return false;
  }
  return fit(result, type);
}

bool holds_alike(const LaneType& from, const LaneType& to) {
  return from.bytes == to.bytes && from.is_signed == to.is_signed;
}

LaneVector of_numbers(LaneOperator op, const LaneVector& left, const LaneVector& right) {
  const bool shifts = op == LaneOperator::shift_left || op == LaneOperator::shift_right;
  const LaneType type = shifts ? promoted(left.type) : common(left.type, right.type);
  LaneVector result(is_comparison(op) ? kBool : type, left.lanes());
  const bool wide_unsigned = type.bytes >= kLongBytes && !type.is_signed;
  const bool fits_left = holds_alike(left.type, type);
  const bool fits_right = shifts || holds_alike(right.type, type);
  for (std::size_t i = 0; i < left.lanes(); ++i) {
    if (left.known[i] == 0 || right.known[i] == 0) continue;
    std::int64_t a = left.at[i];
    std::int64_t b = right.at[i];
    if ((!fits_left && !fit(a, type)) || (!fits_right && !fit(b, type))) continue;
    if (is_comparison(op)) {
      if (wide_unsigned && (a < 0 || b < 0)) continue;
      result.set(i, compared(op, a, b) ? 1 : 0);
      continue;
    }
    std::int64_t number = 0;
    if (shifts ? shifted(op, type, a, b, number) : computed(op, type, a, b, number)) {
      result.set(i, number);
    }
  }
  return result;
}

LaneVector of_pointers(LaneOperator op, const LaneVector& left, const LaneVector& right) {
  const bool is_left = left.type.kind == LaneKind::pointer;
  const bool both = is_left && right.type.kind == LaneKind::pointer;
  const LaneType type = is_left ? left.type : right.type;
  if (both) {
    const bool distance = op == LaneOperator::subtract;
    if (!distance && !is_comparison(op)) return {{}, left.lanes()};
    LaneVector result(distance ? LaneType{LaneKind::number, true, false, kLongBytes} : kBool,
                      left.lanes());
    for (std::size_t i = 0; i < left.lanes(); ++i) {
      if (left.known[i] == 0 || right.known[i] == 0) continue;
      if ((left.at[i] >> Value::kBufferShift) != (right.at[i] >> Value::kBufferShift)) continue;
      result.set(i, distance ? (left.at[i] - right.at[i]) / type.stride()
                             : static_cast<std::int64_t>(compared(op, left.at[i], right.at[i])));
    }
    return result;
  }
  LaneVector result(type, left.lanes());
  const LaneVector& pointer = is_left ? left : right;
  const LaneVector& number = is_left ? right : left;
  const bool fits = op == LaneOperator::add || (op == LaneOperator::subtract && is_left);
  if (!fits || number.type.kind != LaneKind::number) return {{}, left.lanes()};
  for (std::size_t i = 0; i < left.lanes(); ++i) {
    if (pointer.known[i] == 0 || number.known[i] == 0) continue;
    std::int64_t moved = 0;
    if (__builtin_mul_overflow(number.at[i], type.stride(), &moved)) continue;
    if (moved > (std::int64_t{1} << 42) || moved < -(std::int64_t{1} << 42)) continue;
    result.set(i, pointer.at[i] + (op == LaneOperator::add ? moved : -moved));
  }
  return result;
}

/// Half precision is rounded at each step; zeros change nothing.
FieldValue half_of(LaneOperator op, FieldValue a, FieldValue b) {
  if (op == LaneOperator::multiply && (a == 0 || b == 0)) return 0;
  if (op == LaneOperator::add && (a == 0 || b == 0)) return a == 0 ? b : a;
  return field_image("half " + std::to_string(static_cast<int>(op)), {a, b});
}

FieldValue data_of(LaneOperator op, FieldValue a, FieldValue b, bool is_floating) {
  switch (op) {
    case LaneOperator::add: return field_sum(a, b);
    case LaneOperator::subtract: return field_sum(a, field_negative(b));
    case LaneOperator::multiply: return field_product(a, b);
    case LaneOperator::divide:
      if (is_floating && b != 0) return field_product(a, field_inverse(b));
      return field_image("/", {a, b});
    default: return field_image(std::to_string(static_cast<int>(op)), {a, b});
  }
}

LaneVector of_data(LaneOperator op, const LaneVector& left, const LaneVector& right) {
  const LaneVector a = as_data(left);
  const LaneVector b = as_data(right);
  if (a.type.pack != b.type.pack) return {{}, left.lanes()};
  LaneType type = a.type;
  type.is_floating |= b.type.is_floating;
  type.bytes = std::max(a.type.is_floating == type.is_floating ? a.type.bytes : 0,
                        b.type.is_floating == type.is_floating ? b.type.bytes : 0);
  if (is_comparison(op)) type.kind = LaneKind::truth;
  LaneVector result(type, left.lanes());
  for (std::size_t i = 0; i < left.lanes(); ++i) {
    if (a.known[i] == 0 || b.known[i] == 0) continue;
    for (std::size_t p = i * type.pack; p < (i + 1) * type.pack; ++p) {
      const auto x = static_cast<FieldValue>(a.at[p]);
      const auto y = static_cast<FieldValue>(b.at[p]);
      const bool rounds = type.is_floating && type.bytes == 2;
      result.at[p] = static_cast<std::int64_t>(rounds ? half_of(op, x, y)
                                                      : data_of(op, x, y, type.is_floating));
    }
    result.known[i] = 1;
  }
  return result;
}

/// Of data to another type of data.
FieldValue as_type(FieldValue value, const LaneType& from, const LaneType& to) {
  if (value == 0) return 0;  // every type has it
  if (from.is_floating == to.is_floating && from.bytes <= to.bytes &&
      (from.is_floating || from.is_signed == to.is_signed)) {
    return value;
  }
  return field_image((to.is_floating ? "float"
                      : to.is_signed ? "int"
                                     : "unsigned") +
                         std::to_string(to.bytes),
                     {value});
}

}  // namespace

std::int64_t LaneType::stride() const {
  std::int64_t bytes_each = static_cast<std::int64_t>(bytes) * pack;
  for (const std::int64_t extent : shape) bytes_each *= extent;
  return std::max<std::int64_t>(bytes_each, 1);
}

LaneType LaneType::element() const {
  LaneType type = *this;
  type.kind = is_floating ? LaneKind::data : LaneKind::number;
  return type;
}

LaneType LaneType::pointer() const {
  LaneType type = *this;
  type.kind = LaneKind::pointer;
  return type;
}

LaneType lane_type(std::string_view text, const TypeAliases& aliases) {
  const auto stars = std::count(text.begin(), text.end(), '*');
  const LaneType type = scalar_type(without_marks(text), aliases);
  if (stars == 0 || type.kind == LaneKind::nothing) return stars == 0 ? type : LaneType{};
  return stars == 1 ? type.pointer() : LaneType{};
}

LaneVector::LaneVector(LaneType of, std::size_t lanes)
    : type(std::move(of)), at(lanes * type.pack, 0), known(lanes, 0) {}

std::optional<LaneOperator> lane_operator(std::string_view text) {
  static constexpr std::array<std::string_view, 16> kOperatorTexts{
      "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "<=", ">", ">=", "==", "!="};
  const auto* const found = std::find(kOperatorTexts.begin(), kOperatorTexts.end(), text);
  if (found == kOperatorTexts.end()) return std::nullopt;
  return static_cast<LaneOperator>(found - kOperatorTexts.begin());
}

LaneVector as_data(const LaneVector& value) {
  if (value.type.kind == LaneKind::data) return value;
  if (value.type.kind != LaneKind::number) return {{}, value.lanes()};
  LaneVector result = value;
  result.type.kind = LaneKind::data;
  for (auto& number : result.at) number = static_cast<std::int64_t>(field_of(number));
  return result;
}

LaneVector combined(LaneOperator op, const LaneVector& left, const LaneVector& right) {
  const auto is = [&](LaneKind kind) { return left.type.kind == kind || right.type.kind == kind; };
  if (is(LaneKind::nothing) || is(LaneKind::truth)) return {{}, left.lanes()};
  if (is(LaneKind::pointer)) return of_pointers(op, left, right);
  if (is(LaneKind::data)) return of_data(op, left, right);
  return of_numbers(op, left, right);
}

LaneVector converted(const LaneVector& value, const LaneType& type) {
  const LaneKind from = value.type.kind;
  if (type.kind == LaneKind::nothing || from == LaneKind::nothing) return {{}, value.lanes()};
  if (type.kind == LaneKind::pointer || from == LaneKind::pointer) {
    if (type.kind != from) return {{}, value.lanes()};
    LaneVector result = value;
    result.type = type;
    return result;
  }
  if (type.pack != value.type.pack) return {{}, value.lanes()};
  if (from == LaneKind::truth) return value;
  if (from == LaneKind::number && type.kind == LaneKind::number) {
    LaneVector result(type, value.lanes());
    for (std::size_t i = 0; i < value.lanes(); ++i) {
      if (value.known[i] == 0) continue;
      const std::int64_t number = value.at[i];
      result.set(i, type.is_bool ? static_cast<std::int64_t>(number != 0) : wrapped(number, type));
    }
    return result;
  }
  LaneVector result = as_data(value);
  if (from == LaneKind::data) {
    for (auto& number : result.at) {
      number =
          static_cast<std::int64_t>(as_type(static_cast<FieldValue>(number), value.type, type));
    }
  }
  result.type = type;
  result.type.kind = LaneKind::data;
  return result;
}

}  // namespace warpmind::agents::builtin
