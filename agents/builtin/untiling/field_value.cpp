#include "agents/builtin/untiling/field_value.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace warpmind::agents::builtin {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr int kPrimeBits = 61;
constexpr FieldValue kPrime = (FieldValue{1} << kPrimeBits) - 1;
constexpr std::int64_t kMostExponent = 400;

FieldValue power(FieldValue base, std::uint64_t exponent) {
  FieldValue result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = field_product(result, base);
    base = field_product(base, base);
  }
  return result;
}

/// The finaliser of splitmix64.
std::uint64_t mixed(std::uint64_t bits) {
  bits += 0x9e3779b97f4a7c15ULL;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
  return bits ^ (bits >> 31);
}

}  // namespace

FieldValue field_sum(FieldValue a, FieldValue b) {
  const FieldValue sum = a + b;
  return sum >= kPrime ? sum - kPrime : sum;
}

FieldValue field_negative(FieldValue a) { return a == 0 ? 0 : kPrime - a; }

FieldValue field_product(FieldValue a, FieldValue b) {
  const Wide product = static_cast<Wide>(a) * b;
  const FieldValue sum =
      static_cast<FieldValue>(product & kPrime) + static_cast<FieldValue>(product >> kPrimeBits);
  return sum >= kPrime ? sum - kPrime : sum;
}

FieldValue field_inverse(FieldValue a) { return power(a, kPrime - 2); }

FieldValue field_of(std::int64_t number) {
  const bool negative = number < 0;
  const std::uint64_t size =
      negative ? ~static_cast<std::uint64_t>(number) + 1 : static_cast<std::uint64_t>(number);
  return negative ? field_negative(size % kPrime) : size % kPrime;
}

std::optional<FieldValue> field_literal(std::string_view text) {
  while (!text.empty() && std::string_view("fFlL").find(text.back()) != std::string_view::npos) {
    text.remove_suffix(1);
  }
  FieldValue digits = 0;
  std::int64_t exponent = 0;
  bool behind_point = false;
  bool any = false;
  std::size_t i = 0;
  for (; i < text.size() && text[i] != 'e' && text[i] != 'E'; ++i) {
    if (text[i] == '\'') continue;
    if (text[i] == '.' && !behind_point) {
      behind_point = true;
      continue;
    }
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    digits = field_sum(field_product(digits, 10), static_cast<FieldValue>(text[i] - '0'));
    any = true;
    if (behind_point) --exponent;
  }
  if (!any) return std::nullopt;
  if (i < text.size()) {
    std::string_view tail = text.substr(i + 1);
    if (tail.starts_with('+')) tail.remove_prefix(1);
    std::int64_t written = 0;
    const auto [end, error] = std::from_chars(tail.data(), tail.data() + tail.size(), written);
    if (error != std::errc() || end != tail.data() + tail.size()) return std::nullopt;
    if (written > kMostExponent || written < -kMostExponent) return std::nullopt;
    exponent += written;
  }
  if (exponent > kMostExponent || exponent < -kMostExponent) return std::nullopt;
  const FieldValue scale = power(10, static_cast<std::uint64_t>(std::max(exponent, -exponent)));
  return field_product(digits, exponent < 0 ? field_inverse(scale) : scale);
}

FieldValue field_image(std::string_view function, std::initializer_list<FieldValue> arguments) {
  std::uint64_t state = mixed(function.size());
  for (const char c : function) state = mixed(state ^ static_cast<unsigned char>(c));
  for (const FieldValue argument : arguments) state = mixed(state ^ argument);
  return state % kPrime;
}

}  // namespace warpmind::agents::builtin
