/// FunctionDecoder: operands to slots and addresses.
/// FunctionDecoder: calls and the copies that they make.
#include "profilers/simulator/program/function_decoder.h"

#include "base/sequence.h"
#include "profilers/simulator/program/opcode_table.h"
#include "profilers/simulator/program/special_registers.h"
#include "profilers/simulator/ptx/literal.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace warpmind::simulator {
namespace {

/// More is more than a thread has on any device (CUDA C++ Programming Guide, table 30).
constexpr std::uint64_t kMostLocalBytes = std::uint64_t{512} * 1024;

std::string joined_opcode(const ptx::Statement& in) {
  std::string opcode = in.opcode;
  for (const auto& modifier : in.modifiers) opcode += "." + modifier;
  return opcode;
}

}  // namespace

FunctionDecoder::FunctionDecoder(const ModuleSymbols& symbols, const ptx::Function& function,
                                 const SharedView& shared, const RegisterPacking* packing,
                                 Program& program)
    : symbols_(symbols),
      function_(function),
      shared_(shared),
      program_(program),
      registers_(function, program, packing),
      frame_(lay_out_frame(function)) {
  if (!function.is_entry) return;
  for (const auto& one : function.parameters) entry_parameters_.emplace(one.name, &one);
}

void FunctionDecoder::decode() {
  if (!registers_.declared_twice().empty()) {
    set_unsupported(
        "", "the register " + std::string(registers_.declared_twice()) + " is declared twice");
  }
  program_.code.reserve(function_.body.size() + 1);
  program_.info.reserve(function_.body.size() + 1);
  for (const auto& statement : function_.body) decode_statement(statement);
  const bool falls_out =
      program_.code.empty() || program_.code.back().guard != kNoSlot ||
      (program_.code.back().flow != Flow::ret && program_.code.back().flow != Flow::exit &&
       program_.code.back().flow != Flow::branch &&
       program_.code.back().flow != Flow::branch_table);
  // A label may stand behind the last statement.
  bool has_label_at_end = false;
  for (const auto& [name, at] : function_.labels) {
    has_label_at_end = has_label_at_end || at == function_.body.size();
  }
  if (falls_out || has_label_at_end) end_with_return();
  if (frame_.bytes > kMostLocalBytes) {
    set_unsupported("", std::to_string(frame_.bytes) +
                            " bytes of local memory a thread are more "
                            "than any device has");
  }
  program_.local_bytes = static_cast<std::uint32_t>(frame_.bytes);
  program_.register_bytes = registers_.size();
}

void FunctionDecoder::decode_statement(const ptx::Statement& in) {
  failure_.clear();
  Instruction out;
  InstructionInfo info;
  out.index = static_cast<std::uint32_t>(program_.code.size());
  info.opcode = joined_opcode(in);
  info.text = in.text;
  info.source_line = in.source_line;
  info.ptx_line = in.ptx_line;
  uses_.emplace_back();
  if (!in.guard.empty()) decode_guard(in, out);
  bool knows_opcode = false;
  const Decoder decoder = find_decoder(in, knows_opcode);
  if (decoder != nullptr) {
    decoder(*this, in, out, info);
    if (!failed() && out.handler == nullptr && out.flow == Flow::next) fail("is not simulated");
  } else {
    fail(knows_opcode ? "the type \"" + std::string(in.type()) + "\" is not simulated"
                      : "is not simulated");
  }
  // What a guard leaves out keeps its old value, and matrix instructions add to their results.
  InstructionUses& uses = uses_.back();
  if (out.guard != kNoSlot || in.opcode == "wgmma") {
    uses.reads.insert(uses.reads.end(), uses.writes.begin(), uses.writes.end());
  }
  if (failed()) out.flow = Flow::next;  // its target may be none
  if (failed()) set_unsupported(place_of(in) + "opcode " + info.opcode + ": ", failure_);
  program_.code.push_back(out);
  program_.info.push_back(std::move(info));
}

void FunctionDecoder::decode_guard(const ptx::Statement& in, Instruction& out) {
  if (registers_.bytes(in.guard) != 0) {
    fail("the guard " + in.guard + " is no predicate");
    return;
  }
  out.guard = registers_.slot(in.guard);
  uses_.back().reads.push_back(registers_.number(in.guard));
  out.guard_negated = in.guard_negated;
  out.guard_counter = program_.guarded++;
}

void FunctionDecoder::end_with_return() {
  uses_.emplace_back();
  Instruction out;
  out.index = static_cast<std::uint32_t>(program_.code.size());
  out.flow = program_.is_entry ? Flow::exit : Flow::ret;
  InstructionInfo info;
  info.opcode = "ret";
  info.text = "ret (the end of the body)";
  info.pipe = Pipe::control;
  if (!program_.info.empty()) {
    info.source_line = program_.info.back().source_line;
    info.ptx_line = program_.info.back().ptx_line;
  }
  program_.code.push_back(out);
  program_.info.push_back(std::move(info));
}

std::string FunctionDecoder::place_of(const ptx::Statement& in) const {
  const std::string ptx_line = "PTX line " + std::to_string(in.ptx_line);
  if (in.source_line == 0) return ptx_line + ": ";
  std::string file;
  const auto found = symbols_.module.files.find(in.source_file);
  if (found != symbols_.module.files.end()) {
    file = found->second.substr(found->second.rfind('/') + 1) + " ";
  }
  return file + "line " + std::to_string(in.source_line) + " (" + ptx_line + "): ";
}

void FunctionDecoder::set_unsupported(const std::string& where, const std::string& message) {
  if (program_.unsupported.empty()) program_.unsupported = where + message;
}

void FunctionDecoder::fail(std::string message) {
  if (failure_.empty()) failure_ = std::move(message);
}

std::int32_t FunctionDecoder::label(const ptx::Operand& operand) {
  const auto found = function_.labels.find(operand.name);
  if (operand.kind == ptx::OperandKind::name && found != function_.labels.end()) {
    return static_cast<std::int32_t>(found->second);
  }
  fail("there is no label " + operand.name);
  return 0;
}

std::int32_t FunctionDecoder::branch_table(const ptx::Operand& operand) {
  const auto found = function_.target_lists.find(operand.name);
  if (found == function_.target_lists.end()) {
    fail("there is no .branchtargets list " + operand.name);
    return 0;
  }
  const auto [at, is_new] =
      tables_.try_emplace(operand.name, static_cast<std::int32_t>(program_.tables.size()));
  if (is_new) {
    auto& table = program_.tables.emplace_back();
    for (const auto& name : found->second) {
      ptx::Operand target;
      target.name = name;
      table.push_back(label(target));
    }
  }
  return at->second;
}

namespace {

using ptx::OperandKind;

constexpr std::uint64_t kWarpSize = kLanes;

bool is_literal(const ptx::Operand& operand) {
  return operand.kind == OperandKind::integer || operand.kind == OperandKind::real32 ||
         operand.kind == OperandKind::real64;
}

ptx::Literal literal_of(const ptx::Operand& operand) {
  const auto kind = operand.kind == OperandKind::integer  ? ptx::LiteralKind::integer
                    : operand.kind == OperandKind::real32 ? ptx::LiteralKind::real32
                                                          : ptx::LiteralKind::real64;
  return {kind, operand.bits};
}

std::string size_name(int bytes) {
  return bytes == 0 ? "a predicate" : std::to_string(bytes) + " bytes";
}

std::string describe(const ptx::Operand& operand) {
  switch (operand.kind) {
    case OperandKind::name: return operand.name;
    case OperandKind::address: return "[" + operand.name + "]";
    case OperandKind::vector: return "{…}";
    case OperandKind::ignored: return "_";
    case OperandKind::integer:
    case OperandKind::real32:
    case OperandKind::real64: break;
  }
  return "a number";
}

}  // namespace

int FunctionDecoder::register_bytes(const ptx::Operand& operand) const {
  return operand.kind == OperandKind::name ? registers_.bytes(operand.name) : -1;
}

bool FunctionDecoder::literal(const ptx::Operand& operand, std::uint64_t& value) const {
  if (operand.kind == OperandKind::name && operand.name == "WARP_SZ") {
    value = kWarpSize;
    return true;
  }
  if (!is_literal(operand)) return false;
  value = operand.bits;
  return true;
}

Slot FunctionDecoder::source(const ptx::Operand& operand, int bytes, std::string_view type) {
  if (is_literal(operand)) {
    const ptx::LiteralType wanted{bytes, is_float_type(type), type == "bf16"};
    return registers_.constant(ptx::literal_bits(literal_of(operand), wanted), bytes);
  }
  if (operand.kind != OperandKind::name) {
    fail("the operand " + describe(operand) + " is no value");
    return 0;
  }
  if (registers_.bytes(operand.name) >= 0) return register_source(operand, bytes);
  if (operand.name == "WARP_SZ") return registers_.constant(kWarpSize, bytes);
  if (const auto special = find_special_register(operand.name); special) {
    if (bytes == 2 || bytes == 4 || bytes == 8) return registers_.special(*special, bytes);
    fail("the register " + operand.name + " is not " + size_name(bytes));
    return 0;
  }
  return symbol_source(operand, bytes);
}

Slot FunctionDecoder::register_source(const ptx::Operand& operand, int bytes) {
  uses_.back().reads.push_back(registers_.number(operand.name));
  return register_slot(operand, bytes);
}

Slot FunctionDecoder::register_slot(const ptx::Operand& operand, int bytes) {
  const int declared = registers_.bytes(operand.name);
  if (declared != (bytes == 1 ? 2 : bytes)) {
    fail("the register " + operand.name + " has " + size_name(declared) + ", not " +
         size_name(bytes));
    return 0;
  }
  if (operand.bits != 0) {
    fail("a number is added to the register " + operand.name);
    return 0;
  }
  return registers_.slot(operand.name);
}

Slot FunctionDecoder::symbol_source(const ptx::Operand& operand, int bytes) {
  const Symbol symbol = find_symbol(operand.name);
  if (!symbol.is_known) {
    fail("\"" + operand.name +
         "\" is no register, no special register and no symbol that is known");
    return 0;
  }
  const std::uint64_t value = symbol.value + operand.bits;
  if (bytes < 8 && (bytes < 4 || value > std::numeric_limits<std::uint32_t>::max())) {
    fail("the address of " + operand.name + " does not fit into " + size_name(bytes));
    return 0;
  }
  return symbol.space == Space::local ? registers_.local_address(value, bytes)
                                      : registers_.constant(value, bytes);
}

Slot FunctionDecoder::destination(const ptx::Operand& operand, int bytes) {
  if (operand.kind == OperandKind::ignored) return registers_.scratch(bytes);
  if (register_bytes(operand) < 0) {
    fail("the destination " + describe(operand) + " is no register");
    return 0;
  }
  uses_.back().writes.push_back(registers_.number(operand.name));
  return register_slot(operand, bytes);
}

FunctionDecoder::Symbol FunctionDecoder::find_symbol(std::string_view name) const {
  if (const auto at = entry_parameters_.find(name); at != entry_parameters_.end()) {
    return {true, Space::param, at->second->offset};
  }
  if (const auto at = frame_.offsets.find(name); at != frame_.offsets.end()) {
    return {true, Space::local, at->second};
  }
  if (const auto at = shared_.offsets.find(name); at != shared_.offsets.end()) {
    return {true, Space::shared, at->second};
  }
  const auto& variables = symbols_.module.variables;
  if (const auto at = variables.find(name); at != variables.end()) {
    return {true, at->second.variable.space, at->second.address};
  }
  return find_function(name);
}

FunctionDecoder::Symbol FunctionDecoder::find_function(std::string_view name) const {
  const auto at = symbols_.module.program_index.find(name);
  if (at == symbols_.module.program_index.end()) return {};
  return {true, Space::generic, kFunctionAddresses + 16ULL * at->second};
}

void FunctionDecoder::address(const ptx::Operand& operand, Space space, Instruction& out) {
  out.space = space;
  out.address_bytes = 0;
  out.a = kNoSlot;
  if (operand.kind != OperandKind::address) {
    fail("the operand " + describe(operand) + " is no address");
    return;
  }
  out.immediate = static_cast<std::int64_t>(operand.bits);
  if (operand.name.empty()) return;
  const int bytes = registers_.bytes(operand.name);
  if (bytes >= 0) {
    if (bytes != 4 && bytes != 8) {
      fail("the register " + operand.name + " has " + size_name(bytes) + ": no address");
      return;
    }
    out.a = registers_.slot(operand.name);
    uses_.back().reads.push_back(registers_.number(operand.name));
    out.address_bytes = static_cast<std::uint8_t>(bytes);
    // A function's own parameters lie in its frame.
    if (space == Space::param && !program_.is_entry) out.space = Space::local;
    return;
  }
  const Symbol symbol = find_symbol(operand.name);
  if (!symbol.is_known) {
    fail("there is no symbol " + operand.name);
    return;
  }
  symbol_address(symbol, space, out);
  if (failed()) return;
  out.immediate = static_cast<std::int64_t>(symbol.value + operand.bits);
}

/// A symbol fixes the space: "ld.param [x]" reads local memory when x is a call's argument, and an
/// access without a space goes where the symbol is.
void FunctionDecoder::symbol_address(const Symbol& symbol, Space space, Instruction& out) {
  const bool is_frame_parameter = space == Space::param && symbol.space == Space::local;
  // Constant variables have device addresses, too.
  const bool is_constant = space == Space::global && symbol.space == Space::constant;
  if (symbol.space == Space::generic ||
      (space != Space::generic && space != symbol.space && !is_frame_parameter && !is_constant)) {
    fail("the symbol lies in another state space");
    return;
  }
  out.space = is_constant ? space : symbol.space;
}

std::uint32_t FunctionDecoder::list(const ptx::Operand& operand, int bytes, std::string_view type,
                                    bool is_destination) {
  const auto first = static_cast<std::uint32_t>(program_.slots.size());
  const auto add = [&](const ptx::Operand& element) {
    program_.slots.push_back(is_destination ? destination(element, bytes)
                                            : source(element, bytes, type));
  };
  if (operand.kind != OperandKind::vector) {
    add(operand);
  } else {
    // Elements of elements are not appended in between: lists are flat.
    for (const auto& element : operand.elements) add(element);
  }
  return first;
}

std::uint32_t FunctionDecoder::add_slot(Slot slot) {
  program_.slots.push_back(slot);
  return static_cast<std::uint32_t>(program_.slots.size() - 1);
}

namespace {

using ptx::OperandKind;

/// Functions that a driver provides, and we.
bool is_builtin(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kBuiltins = {"vprintf", "__assertfail", "malloc",
                                                                "free"};
  return contains(kBuiltins, name);
}

bool have_same_sizes(const std::vector<ptx::Parameter>& actual,
                     const std::vector<ptx::Parameter>& formal) {
  return std::equal(actual.begin(), actual.end(), formal.begin(), formal.end(),
                    [](const auto& a, const auto& f) { return a.bytes == f.bytes; });
}

}  // namespace

std::int32_t FunctionDecoder::call(const ptx::Statement& in) {
  const auto name = std::find_if(in.operands.begin(), in.operands.end(), [](const auto& operand) {
    return operand.kind == OperandKind::name;
  });
  if (name == in.operands.end()) {
    fail("nothing is called");
    return 0;
  }
  const auto found = symbols_.functions.find(name->name);
  const ptx::Function* callee = found == symbols_.functions.end() ? nullptr : found->second;
  CallSite site;
  fill_callee(*name, callee, site);
  fill_copies(in, callee, site);
  program_.calls.push_back(std::move(site));
  return static_cast<std::int32_t>(program_.calls.size() - 1);
}

void FunctionDecoder::fill_callee(const ptx::Operand& operand, const ptx::Function* callee,
                                  CallSite& site) {
  if (registers_.bytes(operand.name) >= 0) {
    site.target = register_source(operand, 8);
    return;
  }
  const auto index = symbols_.module.program_index.find(operand.name);
  if (index != symbols_.module.program_index.end()) {
    site.callee = index->second;
  } else if (callee != nullptr && is_builtin(operand.name)) {
    site.builtin = operand.name;
  } else if (callee != nullptr) {
    fail("the function " + operand.name + " has no body in this module");
  } else {
    fail("there is no function " + operand.name);
  }
}

/// Appends the .param variable that `operand` names.
bool FunctionDecoder::add_argument(const ptx::Operand& operand,
                                   std::vector<ptx::Parameter>& arguments) {
  const auto found = std::find_if(
      function_.variables.begin(), function_.variables.end(), [&](const ptx::Variable& variable) {
        return variable.space == Space::param && variable.name == operand.name;
      });
  if (operand.kind != OperandKind::name || found == function_.variables.end()) {
    fail("an argument or a result is no .param variable of the function");
    return false;
  }
  arguments.push_back({found->name, 0, static_cast<std::uint32_t>(found->bytes), found->alignment});
  return true;
}

void FunctionDecoder::fill_copies(const ptx::Statement& in, const ptx::Function* callee,
                                  CallSite& site) {
  std::vector<ptx::Parameter> results;
  std::vector<ptx::Parameter> arguments;
  bool is_after_name = false;
  for (const auto& operand : in.operands) {
    if (operand.kind == OperandKind::vector) {
      auto& names = is_after_name ? arguments : results;
      for (const auto& element : operand.elements) {
        if (!add_argument(element, names)) return;
      }
    }
    is_after_name = is_after_name || operand.kind == OperandKind::name;
  }
  if (callee != nullptr && (!have_same_sizes(results, callee->results) ||
                            !have_same_sizes(arguments, callee->parameters))) {
    fail("arguments or results do not have the sizes that " + callee->name + " declares");
    return;
  }
  const CallLayout layout = callee != nullptr ? lay_out_call(callee->results, callee->parameters)
                                              : lay_out_call(results, arguments);
  for (std::size_t i = 0; i < results.size(); ++i) {
    site.results.push_back(
        {frame_.offsets.at(results[i].name), layout.results[i], results[i].bytes});
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    site.arguments.push_back(
        {frame_.offsets.at(arguments[i].name), layout.parameters[i], arguments[i].bytes});
  }
}

}  // namespace warpmind::simulator
