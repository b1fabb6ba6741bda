#pragma once
/// \file
/// PTX as written: what the parser makes of a module. Names are resolved (scopes are flattened),
/// nothing is interpreted. Source: PTX ISA 9.0, chapters 3 to 6 and 10 to 11.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::simulator::ptx {

/// State space of a variable or an access.
enum class Space : std::uint8_t { generic, global, shared, local, param, constant };

enum class OperandKind : std::uint8_t {
  name,     ///< register, special register, symbol or label, in `name`; "symbol+8" has 8 in `bits`
  integer,  ///< in `bits`, two's complement
  real32,   ///< 0f…: the bits of a float, in `bits`
  real64,   ///< 0d… or a decimal number: the bits of a double, in `bits`
  vector,   ///< {a, b, …}: `elements`
  address,  ///< [name+offset], [integer]: `name`, and the offset in `bits`; `elements` hold
            ///< coordinates where the operand has a second part ([tensor, {x, y}])
  ignored,  ///< "_"
};

struct Operand {
  OperandKind kind = OperandKind::name;
  bool negated = false;  ///< "!%p1"
  bool paired = false;   ///< stood after '|': "%p1|%p2" is two operands, the second paired
  std::uint64_t bits = 0;
  std::string name;
  std::vector<Operand> elements;
};

struct Statement {
  std::string opcode;                  ///< "ld"
  std::vector<std::string> modifiers;  ///< "global", "nc", "v4", "f32": in order, types included
  std::vector<Operand> operands;
  std::string guard;  ///< predicate register; empty = none
  bool guard_negated = false;
  int ptx_line = 0;     ///< line of the PTX text, from 1
  int source_line = 0;  ///< from the last .loc; 0 = unknown. What is inlined from another file
                        ///< counts for the call in the module's .cu file, so that users find it
  int source_file = 0;  ///< index of .file; 0 = unknown
  std::string text;     ///< for messages, without comments, at most 200 characters

  [[nodiscard]] bool has(std::string_view modifier) const {
    for (const auto& one : modifiers) {
      if (one == modifier) return true;
    }
    return false;
  }
  /// The last modifier: the type of most instructions.
  [[nodiscard]] std::string_view type() const {
    return modifiers.empty() ? std::string_view() : std::string_view(modifiers.back());
  }
};

/// A variable of any space but registers.
struct Variable {
  std::string name;
  Space space = Space::global;
  std::uint32_t alignment = 1;  ///< bytes
  std::uint64_t bytes = 0;      ///< 0 = an array without size (dynamic shared memory)
  bool is_extern = false;
  std::vector<std::uint8_t> initial;  ///< empty = zeros
  /// Where `initial` holds the address of another symbol, 8 bytes at `offset`.
  struct Reference {
    std::uint64_t offset = 0;
    std::string symbol;
    std::int64_t addend = 0;
  };
  std::vector<Reference> references;
};

struct Parameter {
  std::string name;
  std::uint32_t offset = 0;  ///< in the parameter block
  std::uint32_t bytes = 0;
  std::uint32_t alignment = 1;
};

struct Register {
  std::string name;
  std::string type;  ///< "pred", "b32", "f64" …
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool is_declaration = false;  ///< no body: an extern function, or a forward declaration
  std::vector<Parameter> results;
  std::vector<Parameter> parameters;
  std::uint32_t parameter_bytes = 0;
  std::vector<Register> registers;
  std::vector<Variable> variables;  ///< of the body: shared, local and param
  std::vector<Statement> body;
  std::map<std::string, std::uint32_t, std::less<>> labels;  ///< index into body (may be its size)
  /// .branchtargets and .calltargets lists, by label.
  std::map<std::string, std::vector<std::string>, std::less<>> target_lists;
  std::uint32_t required_threads[3] = {0, 0, 0};  ///< .reqntid; 0 = none
  std::uint32_t most_threads = 0;                 ///< .maxntid product; 0 = none
  std::uint32_t cluster_blocks[3] = {0, 0, 0};    ///< .reqnctapercluster; 0 = none
  int ptx_line = 0;
};

struct Module {
  int version_major = 0;
  int version_minor = 0;
  std::string target;  ///< "sm_90a"
  std::map<int, std::string> files;
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

}  // namespace warpmind::simulator::ptx
