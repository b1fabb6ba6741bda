#include "profilers/flops/walk_program.h"

#include <bit>
#include <limits>
#include <optional>

namespace warpmind::profilers {
namespace {

using Rule = WalkStep::Rule;
__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

constexpr std::uint64_t mask_of(unsigned bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

constexpr std::int64_t as_signed(std::uint64_t value, unsigned bits) {
  if (bits >= 64) return static_cast<std::int64_t>(value);
  const unsigned unused = 64 - bits;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

std::uint64_t special_value(int which, const WalkPlace& place) {
  const auto axis = static_cast<std::size_t>(which % 3);
  switch (which / 3) {
    case 0: return place.thread[axis];
    case 1: return place.launch.block[axis];
    case 2: return place.block[axis];
    case 3: return place.launch.grid[axis];
    default: break;
  }
  const auto& extents = place.launch.block;
  const std::uint64_t linear =
      place.thread[0] +
      std::uint64_t{extents[0]} * (place.thread[1] + std::uint64_t{extents[1]} * place.thread[2]);
  return linear % 32;
}

WalkValue read(const WalkSource& source, const WalkPlace& place,
               const std::vector<WalkValue>& registers) {
  WalkValue value = source.value;
  if (source.special >= 0) value = {special_value(source.special, place), true};
  if (source.reg >= 0) value = registers[static_cast<std::size_t>(source.reg)];
  if (source.negated) value.bits = value.bits == 0 ? 1 : 0;
  return value;
}

std::optional<std::uint64_t> divide(std::uint64_t a, std::uint64_t b, const WalkStep& step) {
  const bool rest = step.rule == Rule::remainder;
  if (b == 0) return std::nullopt;
  if (!step.is_signed) return rest ? a % b : a / b;
  const std::int64_t x = as_signed(a, step.bits);
  const std::int64_t y = as_signed(b, step.bits);
  if (y == -1) return rest ? 0 : 0 - static_cast<std::uint64_t>(x);
  return static_cast<std::uint64_t>(rest ? x % y : x / y);
}

/// The full product of two numbers of `step.bits`.
Wide multiply(std::uint64_t a, std::uint64_t b, const WalkStep& step) {
  if (!step.is_signed) return Wide{a} * b;
  return static_cast<Wide>(SignedWide{as_signed(a, step.bits)} * as_signed(b, step.bits));
}

bool holds(std::uint64_t a, std::uint64_t b, const WalkStep& step) {
  const std::int64_t x = as_signed(a, step.bits);
  const std::int64_t y = as_signed(b, step.bits);
  switch (step.relation) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return step.is_signed ? x < y : a < b;
    case 3: return step.is_signed ? x <= y : a <= b;
    case 4: return step.is_signed ? x > y : a > b;
    default: return step.is_signed ? x >= y : a >= b;
  }
}

std::uint64_t shift_right(std::uint64_t a, std::uint64_t count, const WalkStep& step) {
  if (count >= step.bits) count = step.is_signed ? step.bits - 1U : step.bits;
  if (step.is_signed) return static_cast<std::uint64_t>(as_signed(a, step.bits) >> count);
  return count >= 64 ? 0 : a >> count;
}

/// bfe: `length` bits from `start`.
std::uint64_t extract(std::uint64_t a, std::uint64_t start, std::uint64_t length,
                      const WalkStep& step) {
  start &= 0xff;
  length &= 0xff;
  if (length == 0 || start >= step.bits) return 0;
  if (start + length > step.bits) length = step.bits - start;
  const std::uint64_t part = a >> start & mask_of(static_cast<unsigned>(length));
  if (!step.is_signed) return part;
  return static_cast<std::uint64_t>(as_signed(part, static_cast<unsigned>(length)));
}

/// bfi: the lowest bits of `a` put into `b`.
std::uint64_t insert(std::uint64_t a, std::uint64_t b, std::uint64_t start, std::uint64_t length,
                     const WalkStep& step) {
  start &= 0xff;
  length &= 0xff;
  if (length == 0 || start >= step.bits) return b;
  const std::uint64_t mask = mask_of(static_cast<unsigned>(std::min<std::uint64_t>(length, 64)))
                             << start;
  return (b & ~mask) | (a << start & mask);
}

/// prmt in its default mode.
std::uint64_t permute(std::uint64_t a, std::uint64_t b, std::uint64_t selector) {
  const std::uint64_t bytes = (a & 0xffffffffU) | b << 32U;
  std::uint64_t out = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const auto choice = static_cast<unsigned>(selector >> (4 * i) & 15U);
    std::uint64_t byte = bytes >> (8 * (choice & 7U)) & 0xffU;
    if ((choice & 8U) != 0) byte = (byte & 0x80U) != 0 ? 0xff : 0;
    out |= byte << (8 * i);
  }
  return out;
}

std::uint64_t logic3(std::uint64_t a, std::uint64_t b, std::uint64_t c, unsigned table) {
  std::uint64_t out = 0;
  for (unsigned row = 0; row < 8; ++row) {
    if ((table >> row & 1U) == 0) continue;
    out |= ((row & 4U) != 0 ? a : ~a) & ((row & 2U) != 0 ? b : ~b) & ((row & 1U) != 0 ? c : ~c);
  }
  return out;
}

std::uint64_t funnel(std::uint64_t low, std::uint64_t high, std::uint64_t count,
                     const WalkStep& step) {
  const std::uint64_t both = (low & 0xffffffffU) | high << 32U;
  const std::uint64_t by = step.combine != 0 ? std::min<std::uint64_t>(count, 32) : count & 31U;
  return step.rule == Rule::funnel_left ? both << by >> 32U : both >> by;
}

bool combined(bool holds_itself, std::uint64_t other, unsigned how) {
  switch (how) {
    case 1: return holds_itself && other != 0;
    case 2: return holds_itself || other != 0;
    case 3: return holds_itself != (other != 0);
    default: return holds_itself;
  }
}

/// Nothing where the machine's answer is not defined.
std::optional<std::uint64_t> result_of(const WalkStep& step, std::uint64_t a, std::uint64_t b,
                                       std::uint64_t c, std::uint64_t d) {
  const unsigned bits = step.bits;
  switch (step.rule) {
    case Rule::move: return a;
    case Rule::add: return a + b;
    case Rule::sub: return a - b;
    case Rule::mul_low: return a * b;
    case Rule::mad_low: return a * b + c;
    case Rule::mul_high: return static_cast<std::uint64_t>(multiply(a, b, step) >> bits);
    case Rule::mad_high: return static_cast<std::uint64_t>(multiply(a, b, step) >> bits) + c;
    case Rule::mul_wide: return static_cast<std::uint64_t>(multiply(a, b, step));
    case Rule::mad_wide: return static_cast<std::uint64_t>(multiply(a, b, step)) + c;
    case Rule::divide:
    case Rule::remainder: return divide(a, b, step);
    case Rule::minimum:
    case Rule::maximum: {
      const bool less = step.is_signed ? as_signed(a, bits) < as_signed(b, bits) : a < b;
      return less == (step.rule == Rule::minimum) ? a : b;
    }
    case Rule::absolute: return as_signed(a, bits) < 0 ? 0 - a : a;
    case Rule::negative: return 0 - a;
    case Rule::both: return a & b;
    case Rule::either: return a | b;
    case Rule::differ: return a ^ b;
    case Rule::invert: return ~a;
    case Rule::shift_left: return b >= bits ? 0 : a << b;
    case Rule::shift_right: return shift_right(a, b, step);
    case Rule::choose: return c != 0 ? a : b;
    case Rule::compare: return combined(holds(a, b, step), c, step.combine) ? 1 : 0;
    case Rule::convert:
      return step.from_signed ? static_cast<std::uint64_t>(as_signed(a, step.from_bits)) : a;
    case Rule::extract: return extract(a, b, c, step);
    case Rule::insert: return insert(a, b, c, d, step);
    case Rule::count_bits: return static_cast<std::uint64_t>(std::popcount(a));
    case Rule::leading_zeros: return static_cast<std::uint64_t>(std::countl_zero(a)) - (64 - bits);
    case Rule::permute: return permute(a, b, c);
    case Rule::logic3: return logic3(a, b, c, step.relation);
    case Rule::funnel_left:
    case Rule::funnel_right: return funnel(a, b, c, step);
    case Rule::none:
    case Rule::parameter:
    case Rule::root:
    case Rule::reciprocal:
    case Rule::logarithm:
    case Rule::power: break;
  }
  return std::nullopt;
}

unsigned sources_of(const WalkStep& step) {
  switch (step.rule) {
    case Rule::none:
    case Rule::parameter: return 0;
    case Rule::move:
    case Rule::absolute:
    case Rule::negative:
    case Rule::invert:
    case Rule::convert:
    case Rule::count_bits:
    case Rule::leading_zeros:
    case Rule::root:
    case Rule::reciprocal:
    case Rule::logarithm:
    case Rule::power: return 1;
    case Rule::mad_low:
    case Rule::mad_high:
    case Rule::mad_wide:
    case Rule::choose:
    case Rule::extract:
    case Rule::permute:
    case Rule::logic3:
    case Rule::funnel_left:
    case Rule::funnel_right: return 3;
    case Rule::insert: return 4;
    case Rule::compare: return step.combine != 0 ? 3 : 2;
    default: return 2;
  }
}

/// Bits of the result, and of the sources that are cut to the operation's type.
unsigned result_bits(const WalkStep& step) {
  const bool wide = step.rule == Rule::mul_wide || step.rule == Rule::mad_wide;
  if (step.rule == Rule::compare) return 1;
  if (step.rule == Rule::count_bits || step.rule == Rule::leading_zeros) return 32;
  return wide ? 2U * step.bits : step.bits;
}

unsigned source_bits(const WalkStep& step, unsigned index) {
  if (step.rule == Rule::convert) return step.from_bits;
  if (step.rule == Rule::choose && index == 2) return 1;
  if (step.rule == Rule::compare && index == 2) return 1;
  if (step.rule == Rule::mad_wide && index == 2) return 2U * step.bits;
  const bool is_count =
      index > 0 && (step.rule == Rule::shift_left || step.rule == Rule::shift_right ||
                    step.rule == Rule::extract || (step.rule == Rule::insert && index > 1));
  return is_count ? 32 : step.bits;
}

void read_parameters(const WalkStep& step, const WalkPlace& place,
                     std::vector<WalkValue>& registers) {
  const std::size_t bytes = step.bits / 8U;
  const auto& block = place.launch.parameters;
  std::size_t at = step.offset;
  for (const std::int32_t destination : step.destinations) {
    if (destination < 0) break;
    WalkValue value;
    if (at + bytes <= block.size()) {
      value.known = true;
      for (std::size_t i = 0; i < bytes; ++i) value.bits |= std::uint64_t{block[at + i]} << (8 * i);
    }
    registers[static_cast<std::size_t>(destination)] = value;
    at += bytes;
  }
}

}  // namespace

void compute(const WalkStep& step, const WalkPlace& place, std::vector<WalkValue>& registers) {
  if (step.rule == Rule::parameter) return read_parameters(step, place, registers);
  WalkValue result;
  std::array<std::uint64_t, 4> values{};
  bool known = step.rule != Rule::none;
  const unsigned sources = sources_of(step);
  for (unsigned i = 0; known && i < sources; ++i) {
    const WalkValue value = read(step.sources[i], place, registers);
    known = value.known;
    values[i] = value.bits & mask_of(source_bits(step, i));
  }
  if (known) {
    const bool real = step.is_real || step.from_real;
    const auto bits = real ? real_result(step, values)
                           : result_of(step, values[0], values[1], values[2], values[3]);
    if (bits) result = {*bits & mask_of(result_bits(step)), true};
  }
  bool first = true;
  for (const std::int32_t destination : step.destinations) {
    if (destination < 0) break;
    // The second destination of a comparison is its opposite.
    WalkValue value = first || step.rule == Rule::compare ? result : WalkValue{};
    if (!first) value.bits ^= 1U;
    registers[static_cast<std::size_t>(destination)] = value;
    first = false;
  }
  for (const std::int32_t destination : step.more_destinations) {
    registers[static_cast<std::size_t>(destination)] = WalkValue{};
  }
}

}  // namespace warpmind::profilers
