// Real numbers as far as loops and conditions need them: bounds, grid coordinates, powers of two.
#include "profilers/flops/walk_program.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace warpmind::profilers {
namespace {

using simulator::ptx::Function;
using simulator::ptx::Operand;
using simulator::ptx::OperandKind;
using simulator::ptx::Statement;
using Rule = WalkStep::Rule;
using Kind = WalkStep::Kind;

constexpr std::size_t kMostStatements = 200'000;

constexpr std::array<std::string_view, 13> kSpecials = {
    "%tid.x",   "%tid.y",   "%tid.z",    "%ntid.x",   "%ntid.y",   "%ntid.z", "%ctaid.x",
    "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z", "%laneid"};

struct NamedRule {
  std::string_view name;
  Rule rule;
};
constexpr std::array kRules = {
    NamedRule{"mov", Rule::move},          NamedRule{"cvta", Rule::move},
    NamedRule{"add", Rule::add},           NamedRule{"sub", Rule::sub},
    NamedRule{"mul", Rule::mul_low},       NamedRule{"mad", Rule::mad_low},
    NamedRule{"div", Rule::divide},        NamedRule{"rem", Rule::remainder},
    NamedRule{"min", Rule::minimum},       NamedRule{"max", Rule::maximum},
    NamedRule{"abs", Rule::absolute},      NamedRule{"neg", Rule::negative},
    NamedRule{"and", Rule::both},          NamedRule{"or", Rule::either},
    NamedRule{"xor", Rule::differ},        NamedRule{"not", Rule::invert},
    NamedRule{"shl", Rule::shift_left},    NamedRule{"shr", Rule::shift_right},
    NamedRule{"selp", Rule::choose},       NamedRule{"setp", Rule::compare},
    NamedRule{"cvt", Rule::convert},       NamedRule{"bfe", Rule::extract},
    NamedRule{"bfi", Rule::insert},        NamedRule{"popc", Rule::count_bits},
    NamedRule{"clz", Rule::leading_zeros}, NamedRule{"prmt", Rule::permute},
    NamedRule{"lop3", Rule::logic3},       NamedRule{"fma", Rule::mad_low},
    NamedRule{"sqrt", Rule::root},         NamedRule{"rcp", Rule::reciprocal},
    NamedRule{"lg2", Rule::logarithm},     NamedRule{"ex2", Rule::power},
};

/// 0 for what is no integer type. "pred" has one bit.
std::uint8_t bits_of(std::string_view type) {
  if (type == "pred") return 1;
  if (type.size() < 2 || (type[0] != 's' && type[0] != 'u' && type[0] != 'b')) return 0;
  const int bits = parse_number<int>(type.substr(1)).value_or(0);
  const bool exists = bits == 8 || bits == 16 || bits == 32 || bits == 64;
  return exists ? static_cast<std::uint8_t>(bits) : 0;
}

/// 0 for what is no real type that is computed.
std::uint8_t real_bits_of(std::string_view type) {
  return type == "f32" ? 32 : (type == "f64" ? 64 : 0);
}

/// Rules that only move bits.
bool moves_bits(Rule rule) { return rule == Rule::move || rule == Rule::choose; }

bool is_of_reals_alone(Rule rule) {
  return rule == Rule::root || rule == Rule::reciprocal || rule == Rule::logarithm ||
         rule == Rule::power;
}

class Decoder {
 public:
  explicit Decoder(const Function& function) : function_(function) {}

  Result<WalkProgram> decode() {
    WalkProgram program;
    program.steps.reserve(function_.body.size());
    for (const Statement& statement : function_.body) {
      WARPMIND_TRY(auto step, decode_one(statement));
      program.steps.push_back(std::move(step));
    }
    program.registers = registers_.size();
    return program;
  }

 private:
  std::int32_t register_of(const std::string& name) {
    const auto next = static_cast<std::int32_t>(registers_.size());
    return registers_.try_emplace(name, next).first->second;
  }
  static Error refuse(const Statement& statement, const char* what) {
    return {Errc::invalid_argument, "PTX line " + std::to_string(statement.ptx_line) + ": " + what};
  }
  WalkSource source_of(const Operand& operand);
  void add_destinations(const Operand& operand, WalkStep& step);
  Result<WalkStep> decode_one(const Statement& statement);
  void decode_values(const Statement& statement, WalkStep& step);
  bool decode_parameter(const Statement& statement, WalkStep& step);
  static bool read_types(const Statement& statement, WalkStep& step);
  static bool read_conversion(const Statement& statement, WalkStep& step);
  static bool read_relation(const Statement& statement, WalkStep& step);

  const Function& function_;
  std::map<std::string, std::int32_t, std::less<>> registers_;
  std::map<std::string, std::uint64_t, std::less<>> symbols_;
};

WalkSource Decoder::source_of(const Operand& operand) {
  WalkSource source;
  source.negated = operand.negated;
  if (operand.kind == OperandKind::integer || operand.kind == OperandKind::real32 ||
      operand.kind == OperandKind::real64) {
    source.value = {operand.bits, true};
    return source;
  }
  if (operand.kind != OperandKind::name) return source;
  const auto special = std::find(kSpecials.begin(), kSpecials.end(), operand.name);
  if (special != kSpecials.end()) {
    source.special = static_cast<std::int8_t>(special - kSpecials.begin());
  } else if (operand.name == "WARP_SZ") {
    source.value = {32, true};
  } else if (operand.name.starts_with("%")) {
    source.reg = register_of(operand.name);
  } else {
    // A variable's address: any that differs from the others'.
    const std::uint64_t next = (symbols_.size() + 1) << 24U;
    source.value = {symbols_.try_emplace(operand.name, next).first->second + operand.bits, true};
  }
  return source;
}

void Decoder::add_destinations(const Operand& operand, WalkStep& step) {
  if (operand.kind == OperandKind::vector) {
    for (const Operand& one : operand.elements) add_destinations(one, step);
    return;
  }
  if (operand.kind != OperandKind::name || !operand.name.starts_with("%")) return;
  const std::int32_t reg = register_of(operand.name);
  for (std::int32_t& slot : step.destinations) {
    if (slot >= 0) continue;
    slot = reg;
    return;
  }
  step.more_destinations.push_back(reg);
}

/// ld.param of one or more integers.
bool Decoder::decode_parameter(const Statement& statement, WalkStep& step) {
  if (statement.opcode != "ld" || !statement.has("param") || statement.operands.size() < 2) {
    return false;
  }
  const Operand& address = statement.operands[1];
  const auto found = std::find_if(function_.parameters.begin(), function_.parameters.end(),
                                  [&](const auto& one) { return one.name == address.name; });
  step.bits = std::max(bits_of(statement.type()), real_bits_of(statement.type()));
  if (found == function_.parameters.end() || step.bits < 8) return false;
  step.is_signed = statement.type()[0] == 's';
  step.rule = Rule::parameter;
  step.offset = found->offset + static_cast<std::uint32_t>(address.bits);
  return true;
}

bool Decoder::read_conversion(const Statement& statement, WalkStep& step) {
  if (statement.modifiers.size() < 2 || statement.has("sat")) return false;
  const std::string_view from = statement.type();
  const std::string_view to = statement.modifiers[statement.modifiers.size() - 2];
  step.from_real = real_bits_of(from) != 0;
  step.is_real = real_bits_of(to) != 0;
  step.from_bits = std::max(bits_of(from), real_bits_of(from));
  step.bits = std::max(bits_of(to), real_bits_of(to));
  step.from_signed = from.starts_with("s");
  step.is_signed = to.starts_with("s");
  if (step.bits == 0 || step.from_bits == 0) return false;
  if (!step.from_real && !step.is_real) return true;
  if (statement.has("rz") || statement.has("rm") || statement.has("rp")) return false;
  using enum WalkStep::Rounding;
  step.to_whole =
      statement.has("rni") || statement.has("rmi") || statement.has("rpi") || statement.has("rzi");
  step.rounding = statement.has("rmi")   ? down
                  : statement.has("rpi") ? up
                  : statement.has("rzi") ? zero
                                         : nearest;
  return true;
}

/// False when no rule can compute this form.
bool Decoder::read_types(const Statement& statement, WalkStep& step) {
  const std::string_view type = statement.type();
  if (step.rule == Rule::convert) return read_conversion(statement, step);
  step.bits = bits_of(type);
  step.is_signed = type.starts_with("s");
  if (const auto real = real_bits_of(type); real != 0) {
    step.bits = real;
    step.is_real = !moves_bits(step.rule);
    step.approximate = statement.has("approx") || statement.has("full");
    return !statement.has("sat") && !statement.has("rz") && !statement.has("rm") &&
           !statement.has("rp");
  }
  if (step.bits == 0 || is_of_reals_alone(step.rule)) return false;
  if (statement.has("cc") || statement.has("sat")) return false;
  if (step.rule == Rule::mul_low || step.rule == Rule::mad_low) {
    const bool adds = step.rule == Rule::mad_low;
    if (statement.has("hi")) step.rule = adds ? Rule::mad_high : Rule::mul_high;
    if (statement.has("wide")) step.rule = adds ? Rule::mad_wide : Rule::mul_wide;
  }
  return true;
}

/// False for a relation that is not known.
bool Decoder::read_relation(const Statement& statement, WalkStep& step) {
  constexpr std::array<std::string_view, 10> kRelations = {"eq", "ne", "lt", "le", "gt",
                                                           "ge", "lo", "ls", "hi", "hs"};
  constexpr std::array<std::uint8_t, 4> kUnsigned = {2, 3, 4, 5};
  if (statement.modifiers.empty()) return false;
  std::string_view name = statement.modifiers.front();
  if (step.is_real && name.size() == 3 && name.ends_with('u')) {
    step.unordered = true;
    name.remove_suffix(1);
  }
  const auto relation = std::find(kRelations.begin(), kRelations.end(), name);
  if (relation == kRelations.end()) return false;
  step.relation = static_cast<std::uint8_t>(relation - kRelations.begin());
  if (step.relation >= 6) step.relation = kUnsigned[step.relation - 6U];
  if (statement.has("and")) step.combine = 1;
  if (statement.has("or")) step.combine = 2;
  if (statement.has("xor")) step.combine = 3;
  return true;
}

void Decoder::decode_values(const Statement& statement, WalkStep& step) {
  const auto found = std::find_if(kRules.begin(), kRules.end(), [&](const NamedRule& one) {
    return one.name == statement.opcode;
  });
  if (found != kRules.end()) step.rule = found->rule;
  if (statement.opcode == "shf") {
    step.rule = statement.has("l") ? Rule::funnel_left : Rule::funnel_right;
    step.combine = statement.has("clamp") ? 1 : 0;
  }
  if (step.rule == Rule::none || !read_types(statement, step)) {
    step.rule = Rule::none;
    return;
  }
  if (step.rule == Rule::compare && !read_relation(statement, step)) step.rule = Rule::none;
}

Result<WalkStep> Decoder::decode_one(const Statement& statement) {
  WalkStep step;
  step.source_line = statement.source_line;
  if (!statement.guard.empty()) step.guard = register_of(statement.guard);
  step.guard_negated = statement.guard_negated;
  const std::string& name = statement.opcode;
  if (name == "ret" || name == "exit" || name == "trap") {
    step.kind = Kind::leave;
    return step;
  }
  if (name == "bra") {
    const auto label = statement.operands.empty()
                           ? function_.labels.end()
                           : function_.labels.find(statement.operands[0].name);
    if (label == function_.labels.end()) return fail(refuse(statement, "a jump to nowhere"));
    step.kind = Kind::jump;
    step.target = static_cast<std::int32_t>(label->second);
    return step;
  }
  if (name == "call" || name == "brx") {
    return fail(refuse(
        statement, name == "call" ? "calls are not walked" : "jumps by a table are not walked"));
  }
  if (name == "st" || name == "red" || statement.operands.empty()) return step;
  std::size_t first_source = 1;
  add_destinations(statement.operands[0], step);
  while (first_source < statement.operands.size() && statement.operands[first_source].paired) {
    add_destinations(statement.operands[first_source++], step);
  }
  if (decode_parameter(statement, step)) return step;
  decode_values(statement, step);
  for (std::size_t i = first_source, to = 0;
       i < statement.operands.size() && to < step.sources.size(); ++i, ++to) {
    step.sources[to] = source_of(statement.operands[i]);
  }
  if (step.rule == Rule::logic3 && statement.operands.size() > first_source + 3) {
    step.relation = static_cast<std::uint8_t>(statement.operands[first_source + 3].bits);
  }
  return step;
}

}  // namespace

Result<WalkProgram> make_walk_program(const Function& function) {
  if (function.body.size() > kMostStatements) {
    return fail(Errc::invalid_argument,
                "'" + function.name + "' has " + std::to_string(function.body.size()) +
                    " instructions; at most " + std::to_string(kMostStatements) + " are walked");
  }
  return Decoder(function).decode();
}

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

namespace {

using Rule = WalkStep::Rule;

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
T number_of(std::uint64_t bits) {
  return std::bit_cast<T>(static_cast<BitsOf<T>>(bits));
}

template <class T>
std::uint64_t bits_of(T number) {
  return std::bit_cast<BitsOf<T>>(number);
}

template <class T>
bool holds(T a, T b, const WalkStep& step) {
  if (std::isnan(a) || std::isnan(b)) return step.unordered;
  switch (step.relation) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return a < b;
    case 3: return a <= b;
    case 4: return a > b;
    default: return a >= b;
  }
}

template <class T>
std::optional<T> arithmetic(const WalkStep& step, T a, T b, T c) {
  switch (step.rule) {
    case Rule::add: return a + b;
    case Rule::sub: return a - b;
    case Rule::mul_low: return a * b;
    case Rule::mad_low: return std::fma(a, b, c);
    case Rule::divide: return a / b;
    case Rule::minimum: return std::fmin(a, b);
    case Rule::maximum: return std::fmax(a, b);
    case Rule::absolute: return std::abs(a);
    case Rule::negative: return -a;
    case Rule::root: return std::sqrt(a);
    case Rule::reciprocal: return T{1} / a;
    case Rule::logarithm: return std::log2(a);
    case Rule::power: return std::exp2(a);
    default: return std::nullopt;
  }
}

/// What the machine only approximates is known where it is whole.
template <class T>
std::optional<std::uint64_t> arithmetic_bits(const WalkStep& step, T a, T b, T c) {
  const auto result = arithmetic(step, a, b, c);
  if (!result) return std::nullopt;
  const bool whole = std::isfinite(*result) && std::trunc(*result) == *result;
  if (step.approximate && !whole) return std::nullopt;
  return bits_of(*result);
}

double rounded(double value, WalkStep::Rounding rounding) {
  switch (rounding) {
    case WalkStep::Rounding::down: return std::floor(value);
    case WalkStep::Rounding::up: return std::ceil(value);
    case WalkStep::Rounding::zero: return std::trunc(value);
    case WalkStep::Rounding::nearest: break;
  }
  return std::nearbyint(value);
}

/// Numbers outside of the type become its ends on the machine; here they are not known.
std::optional<std::uint64_t> to_integer(double whole, const WalkStep& step) {
  const double limit = std::exp2(step.is_signed ? step.bits - 1 : step.bits);
  const double least = step.is_signed ? -limit : 0;
  if (!(whole >= least && whole < limit)) return std::nullopt;
  return step.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole))
                        : static_cast<std::uint64_t>(whole);
}

template <class T>
T real_of_integer(std::uint64_t bits, const WalkStep& step) {
  if (!step.from_signed) return static_cast<T>(bits);
  const unsigned unused = 64U - step.from_bits;
  return static_cast<T>(static_cast<std::int64_t>(bits << unused) >> unused);
}

std::optional<std::uint64_t> convert(const WalkStep& step, std::uint64_t bits) {
  if (!step.from_real) {
    return step.bits == 32 ? bits_of(real_of_integer<float>(bits, step))
                           : bits_of(real_of_integer<double>(bits, step));
  }
  double value = step.from_bits == 32 ? double{number_of<float>(bits)} : number_of<double>(bits);
  if (step.to_whole) value = rounded(value, step.rounding);
  if (!step.is_real) return to_integer(value, step);
  return step.bits == 32 ? bits_of(static_cast<float>(value)) : bits_of(value);
}

template <class T>
std::optional<std::uint64_t> result_in(const WalkStep& step,
                                       const std::array<std::uint64_t, 4>& values) {
  const T a = number_of<T>(values[0]);
  const T b = number_of<T>(values[1]);
  if (step.rule != Rule::compare) return arithmetic_bits(step, a, b, number_of<T>(values[2]));
  const bool held = holds(a, b, step);
  const bool other = values[2] != 0;
  switch (step.combine) {
    case 1: return held && other ? 1 : 0;
    case 2: return held || other ? 1 : 0;
    case 3: return held != other ? 1 : 0;
    default: return held ? 1 : 0;
  }
}

}  // namespace

std::optional<std::uint64_t> real_result(const WalkStep& step,
                                         const std::array<std::uint64_t, 4>& values) {
  if (step.rule == Rule::convert) return convert(step, values[0]);
  return step.bits == 32 ? result_in<float>(step, values) : result_in<double>(step, values);
}

}  // namespace warpmind::profilers
