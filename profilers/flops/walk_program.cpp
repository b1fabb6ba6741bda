#include "profilers/flops/walk_program.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <map>
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

}  // namespace warpmind::profilers
