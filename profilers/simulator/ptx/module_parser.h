#pragma once
/// \file
/// The parser's state, and what it reads: variables, functions, bodies and statements. Modules are
/// read by parser.cpp.

#include "profilers/simulator/ptx/source_lines.h"
#include "profilers/simulator/ptx/syntax.h"
#include "profilers/simulator/ptx/token_reader.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::simulator::ptx {

/// Bytes of a type as PTX declares it ("f32", "pred" = 0, opaque types = 8); -1 = no type.
[[nodiscard]] int declared_bytes(std::string_view type);
/// ".global" and the like; false when `directive` is no state space of variables.
[[nodiscard]] bool find_space(std::string_view directive, Space& space);

/// Names that a pair of braces declares. Only those of inner braces are renamed, to "name@id": no
/// name of PTX has an '@'.
struct Scope {
  std::map<std::string, std::string, std::less<>> names;
  std::map<std::string, std::string, std::less<>> labels;
  std::size_t first_statement = 0;
  int id = 0;  ///< unique in the function

  [[nodiscard]] std::string unique(std::string_view name) const {
    return std::string(name) + "@" + std::to_string(id);
  }
};

/// Reads one module, one token ahead, without recursion. Errors are in reader().
class ModuleParser {
 public:
  explicit ModuleParser(std::string_view text) : reader_(text) {}

  [[nodiscard]] Module parse();
  [[nodiscard]] const TokenReader& reader() const { return reader_; }

 private:
  struct Linkage {
    bool is_extern = false;
  };
  /// What stands between the state space and the name of a variable or a parameter.
  struct Declarator {
    std::uint32_t alignment = 0;
    std::uint64_t element_bytes = 0;
    std::string_view type;
    std::string_view name;
    std::vector<std::uint64_t> dimensions;  ///< 0 = "[]"
    [[nodiscard]] std::uint64_t natural_alignment() const {
      return alignment != 0 ? alignment : (element_bytes == 0 ? 1 : element_bytes);
    }
  };

  // Modules (parser.cpp).
  void parse_version();
  void parse_target();
  void parse_file();
  void parse_module_directive();
  void resolve_lines(Module& module) const;

  // Variables.
  /// A type; the name is still missing.
  Declarator parse_type();
  void parse_name(Declarator& declarator);
  std::uint64_t parse_dimension();
  std::uint64_t total_bytes(const Declarator& declarator);
  Variable parse_variable(Declarator declarator, Space space, const Linkage& linkage);
  /// "… .u32 x = 1, y[3];", after the state space.
  std::vector<Variable> parse_variables(Space space, const Linkage& linkage);
  void parse_initialiser(const Declarator& declarator, Variable& variable);
  void parse_initial_element(const Declarator& declarator, std::uint64_t index, Variable& variable);
  void put_element(const Declarator& declarator, std::uint64_t index, std::uint64_t bits,
                   Variable& variable);

  // Functions.
  void parse_function(bool is_entry, const Linkage& linkage);
  std::vector<Parameter> parse_parameters(std::uint32_t& bytes);
  void parse_function_directives(Function& function);
  void parse_dimensions(std::uint32_t (&dimensions)[3]);

  // Bodies.
  void parse_body(Function& function);
  void parse_body_directive(Function& function);
  void parse_registers(Function& function);
  void declare_register(Function& function, std::string name, std::string_view type);
  void declare_registers(Function& function, std::string_view name, std::string_view type);
  void parse_body_variables(Function& function, Space space);
  void parse_label(Function& function, std::string_view name);
  void parse_location();
  SourceLines::Position parse_position();
  void open_scope(const Function& function);
  void close_scope(Function& function);
  void declare(std::string& name);
  [[nodiscard]] std::string resolve(std::string_view name) const;

  // Statements.
  void parse_statement(Function& function, const Token& first);
  void parse_operands(Statement& statement);
  void parse_call(Statement& statement);
  Operand parse_operand();
  Operand parse_simple_operand();
  Operand parse_list(std::string_view close);
  Operand parse_address();
  void parse_address_offset(Operand& operand);

  TokenReader reader_;
  Module module_;
  SourceLines lines_;
  std::vector<Scope> scopes_;  ///< of the function that is read; the first is the function's own
  int scopes_opened_ = 0;      ///< in the function, for unique names
  int place_ = -1;             ///< of the last .loc
  /// Beside the functions' bodies, until resolve_lines().
  std::vector<std::vector<int>> places_;
};

}  // namespace warpmind::simulator::ptx
