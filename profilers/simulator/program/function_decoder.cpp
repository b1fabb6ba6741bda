#include "profilers/simulator/program/function_decoder.h"

#include "profilers/simulator/program/opcode_table.h"
#include "profilers/simulator/program/special_registers.h"

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

}  // namespace warpmind::simulator
