#include "profilers/toolchain/rounded_ptx.h"

#include "base/sequence.h"
#include "base/text.h"
#include "profilers/toolchain/ptx_statement.h"

#include <algorithm>
#include <array>
#include <vector>

namespace warpmind::profilers {
namespace {

/// An operation that PTX can round up and down, with what stands before and behind the rounding.
struct Operation {
  std::string head;
  std::string tail;
  std::string type;  ///< of the result's register; empty: another operation
  bool wide = false;
};

Operation read_operation(std::string_view opcode) {
  constexpr std::array<std::string_view, 6> kNames = {"add", "sub", "mul", "fma", "div", "sqrt"};
  const auto parts = split_text(opcode, '.');
  const std::string_view name = parts.front();
  if (opcode == "cvt.rn.f16.f32") return {"cvt", ".f16.f32", "b16"};
  const bool known = name == "rcp" || contains(kNames, name);
  if (!known || parts.size() < 2 || (parts.back() != "f32" && parts.back() != "f64")) return {};
  Operation operation;
  operation.head = name;
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
    if (parts[i] == "rn") continue;
    if (parts[i] != "ftz" && parts[i] != "sat") return {};
    operation.tail.append(".").append(parts[i]);
  }
  operation.tail.append(".").append(parts.back());
  operation.type = parts.back();
  operation.wide = parts.back() == "f64";
  return operation;
}

std::string both_ways(const PtxStatement& read, const Operation& operation, std::uint32_t factor) {
  const std::string operands(read.operands);
  std::string text(read.before);
  text += "{ .reg ." + operation.type + " %wm_up; .reg ." + operation.type +
          " %wm_down; .reg .b32 %wm_hash; .reg .pred %wm_side; ";
  if (operation.wide) text += ".reg .b64 %wm_bits; ";
  text += operation.head + ".rp" + operation.tail + " %wm_up," + operands + "; ";
  text += operation.head + ".rm" + operation.tail + " %wm_down," + operands + "; ";
  if (operation.wide) {
    text += "mov.b64 %wm_bits, %wm_up; cvt.u32.u64 %wm_hash, %wm_bits; ";
  } else if (operation.type == "b16") {
    text += "mov.b32 %wm_hash," + operands + "; ";
  } else {
    text += "mov.b32 %wm_hash, %wm_up; ";
  }
  text += "mul.lo.u32 %wm_hash, %wm_hash, " + std::to_string(factor) + "; ";
  text += "setp.lt.s32 %wm_side, %wm_hash, 0; ";
  text += std::string(read.guard) + "selp." + operation.type + " " + std::string(read.result) +
          ", %wm_up, %wm_down, %wm_side; }";
  return text + std::string(read.after);
}

}  // namespace

std::string round_at_random(std::string_view ptx, std::uint32_t seed) {
  constexpr std::uint32_t kGolden = 0x9E3779B1U;
  std::string rounded;
  rounded.reserve(2 * ptx.size());
  std::uint32_t number = seed * 2 + 1;
  while (!ptx.empty()) {
    const auto end = std::min(ptx.find('\n'), ptx.size());
    const std::string_view line = ptx.substr(0, end);
    ptx.remove_prefix(std::min(end + 1, ptx.size()));
    const PtxStatement read = read_statement(line);
    const Operation operation = read.opcode.empty() ? Operation() : read_operation(read.opcode);
    if (operation.type.empty()) {
      rounded += line;
    } else {
      number = number * kGolden + 2;  // odd: a factor that loses no bit
      rounded += both_ways(read, operation, number | 1U);
    }
    rounded += '\n';
  }
  return rounded;
}

}  // namespace warpmind::profilers
