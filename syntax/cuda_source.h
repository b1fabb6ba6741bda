#pragma once
/// \file
/// The functions and launches of a CUDA source: what techniques look for.

#include "syntax/syntax_tree.h"

#include <string>
#include <vector>

namespace warpmind::syntax {

struct Parameter {
  std::string name;
  std::string type;       ///< "const __half*" as written, without name, comments and restrict
  std::string base_type;  ///< "__half": without const, volatile, `*`, `&`
  bool is_pointer = false;
  bool is_const = false;  ///< of a pointer: what it points to
  bool is_restrict = false;
  NodeId node = kNoNode;        ///< parameter_declaration
  NodeId identifier = kNoNode;  ///< its name
};

enum class FunctionKind { kernel, device, host };

struct Function {
  std::string name;
  FunctionKind kind = FunctionKind::host;
  std::vector<Parameter> parameters;
  std::string return_type;
  bool is_template = false;
  bool has_error = false;       ///< the parser met something that it could not read
  NodeId node = kNoNode;        ///< function_definition
  NodeId declarator = kNoNode;  ///< function_declarator
  NodeId parameter_list = kNoNode;
  NodeId name_node = kNoNode;
  NodeId body = kNoNode;          ///< compound_statement
  std::size_t attribute_end = 0;  ///< just after `__global__` of a kernel

  [[nodiscard]] const Parameter* parameter(std::string_view parameter_name) const;
};

/// `name<<<grid, block, shared, stream>>>(arguments)` in host code.
struct HostLaunch {
  std::string kernel;
  NodeId call = kNoNode;  ///< call_expression
  std::vector<NodeId> configuration;
  std::vector<NodeId> arguments;
};

struct CudaSource {
  SyntaxTree tree;
  std::vector<Function> functions;  ///< definitions, in order
  std::vector<HostLaunch> launches;

  /// Errors: those of SyntaxTree::parse().
  [[nodiscard]] static Result<CudaSource> read(std::string source);

  /// The only kernel of that name, or nullptr (none, several).
  [[nodiscard]] const Function* kernel(std::string_view name) const;
  [[nodiscard]] const Function* device_function(std::string_view name) const;
  /// Integer constants of the file: `#define N 16`, `constexpr int n = N * 2;`, as written.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> constants() const;
};

/// Where code may be inserted that the function uses: above it, its `extern "C"` and its comment.
[[nodiscard]] std::size_t place_above(const SyntaxTree& tree, const Function& function);

/// Removes the definition, its `extern "C"` and the empty line below.
[[nodiscard]] TextEdit without_function(const SyntaxTree& tree, const Function& function);

/// Why nothing may be edited inside of `function`, or empty: it holds a syntax error, is a
/// template, holds `#if`, inline assembly or a macro call that cannot be looked into, or shares its
/// name.
[[nodiscard]] std::string reason_not_to_edit(const CudaSource& source, const Function& function);

}  // namespace warpmind::syntax
