#include "profilers/simulator/program/opcode_table.h"

#include "profilers/simulator/ops/async_opcodes.h"
#include "profilers/simulator/ops/atomic_opcodes.h"
#include "profilers/simulator/ops/bit_opcodes.h"
#include "profilers/simulator/ops/bulk_copy_opcodes.h"
#include "profilers/simulator/ops/compare_opcodes.h"
#include "profilers/simulator/ops/control_opcodes.h"
#include "profilers/simulator/ops/convert_opcodes.h"
#include "profilers/simulator/ops/float_opcodes.h"
#include "profilers/simulator/ops/half_opcodes.h"
#include "profilers/simulator/ops/integer_opcodes.h"
#include "profilers/simulator/ops/matrix_opcodes.h"
#include "profilers/simulator/ops/memory_opcodes.h"
#include "profilers/simulator/ops/move_opcodes.h"
#include "profilers/simulator/ops/tensor_opcodes.h"
#include "profilers/simulator/ops/warp_opcodes.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace warpmind::simulator {
namespace {

using Table = std::unordered_map<std::string_view, std::vector<OpcodeEntry>>;

Table join_tables() {
  Table table;
  for (const auto& family :
       {integer_opcodes(), bit_opcodes(), float_opcodes(), half_opcodes(), compare_opcodes(),
        convert_opcodes(), move_opcodes(), memory_opcodes(), atomic_opcodes(), warp_opcodes(),
        async_opcodes(), tensor_map_opcodes(), matrix_opcodes(), tensor_opcodes(),
        control_opcodes()}) {
    for (const auto& entry : family) table[entry.opcode].push_back(entry);
  }
  return table;
}

bool fits(TypeClass types, std::string_view type) {
  switch (types) {
    case TypeClass::any: return true;
    case TypeClass::predicate: return type == "pred";
    case TypeClass::real: return type == "f32" || type == "f64";
    case TypeClass::half:
      return type == "f16" || type == "bf16" || type == "f16x2" || type == "bf16x2";
    case TypeClass::integer: break;
  }
  return type_bytes(type) > 0 && (type[0] == 'b' || type[0] == 'u' || type[0] == 's') &&
         !type.starts_with("bf");
}

}  // namespace

Decoder find_decoder(const ptx::Statement& statement, bool& knows_opcode) {
  static const Table table = join_tables();
  knows_opcode = false;
  const std::string special =
      statement.modifiers.empty() ? "" : statement.opcode + "." + statement.modifiers.front();
  for (const std::string* opcode : {&special, &statement.opcode}) {
    const auto entries = table.find(*opcode);
    if (entries == table.end()) continue;
    knows_opcode = true;
    for (const auto& entry : entries->second) {
      if (fits(entry.types, statement.type())) return entry.decode;
    }
  }
  return nullptr;
}

}  // namespace warpmind::simulator
