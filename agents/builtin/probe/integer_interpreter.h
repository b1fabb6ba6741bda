#pragma once
/// \file
/// Runs the integer part of one thread of a kernel. Never fails: what it does not understand
/// becomes unknown, and so does all that such code may have written.

#include "agents/builtin/probe/integer_value.h"
#include "agents/builtin/syntax.h"

#include <array>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

/// Macros that the compiler is given for the whole file: `-DNAME=value`.
using PlanConstants = std::map<std::string, std::int64_t, std::less<>>;

/// What runs of one source share: computed once. Not for several threads at a time.
class ProbeProgram {
 public:
  /// `source` must outlive it.
  explicit ProbeProgram(const CudaSource& source, const PlanConstants& constants = {});

  [[nodiscard]] bool is_of(const CudaSource& source) const { return source_ == &source; }
  [[nodiscard]] const SyntaxTree& tree() const { return source_->tree; }
  [[nodiscard]] const TypeAliases& aliases() const { return aliases_; }
  /// A constant of the plan, or of the file where it stands in no `#if`; else unknown.
  [[nodiscard]] Value constant(std::string_view name) const;
  /// The only function of that name that device code may call, or nullptr.
  [[nodiscard]] const Function* callee(std::string_view name) const;
  [[nodiscard]] bool is_macro(std::string_view name) const { return macros_.contains(name); }
  /// Names of variables that the code below `node` may write.
  [[nodiscard]] const std::set<std::string_view>& written(NodeId node) const {
    return effects(node).written;
  }
  [[nodiscard]] bool returns(NodeId node) const { return effects(node).returns; }
  /// Whether a `break` or a `continue` stands below.
  [[nodiscard]] bool jumps(NodeId node) const { return effects(node).jumps; }
  [[nodiscard]] bool breaks(NodeId node) const { return effects(node).breaks; }

 private:
  struct Effects {
    std::set<std::string_view> written;
    bool returns = false;
    bool breaks = false;
    bool jumps = false;
  };

  [[nodiscard]] const Effects& effects(NodeId node) const;
  void read_macros(const PlanConstants& given);
  void read_constants();

  const CudaSource* source_ = nullptr;
  TypeAliases aliases_;
  std::map<std::string, Value, std::less<>> constants_;
  std::set<std::string, std::less<>> macros_;
  mutable std::map<NodeId, Effects> effects_;
};

/// Where control goes after a statement. `unsure`: a jump hangs on something unknown.
enum class Flow { next, breaks, continues, returns, unsure };

class IntegerInterpreter {
 public:
  explicit IntegerInterpreter(const ProbeProgram& program) : program_(&program) {}

  /// threadIdx, blockIdx, blockDim, gridDim in this order.
  void set_position(const std::array<std::array<std::int64_t, 3>, 4>& position);
  void declare(std::string_view name, Value value);
  void open_scope();
  void close_scope();

  Flow execute(NodeId statement);
  Value evaluate(NodeId expression);
  /// The pointer to what a subscript or `*p` names, or the value of another pointer expression.
  Value address(NodeId access);
  /// Of an if, while, for or switch: runs what its parentheses declare, too.
  Value condition_of(NodeId statement);
  void declare_from(NodeId init_or_plain_declarator, NodeId declaration);
  void forget(const std::set<std::string_view>& names);
  /// Adds to a variable, elements when it is a pointer.
  void add_to(std::string_view name, std::int64_t amount);
  /// Whether one of `names` is a variable of known value.
  [[nodiscard]] bool any_known(const std::set<std::string_view>& names) const;
  /// Variables in scope that are integers or bools and known; the inner one of two of a name.
  [[nodiscard]] std::map<std::string, std::int64_t, std::less<>> known_integers() const;
  [[nodiscard]] const ProbeProgram& program() const { return *program_; }

  /// False once control depended on something unknown and went on as if nothing had happened.
  bool certain = true;
  /// Steps left; at 0 everything is unknown.
  std::int64_t steps = 1'000'000;

 private:
  struct Variable {
    std::string_view name;
    Value value;
  };

  [[nodiscard]] const SyntaxTree& tree() const { return program_->tree(); }
  Variable* find(std::string_view name);
  void poison(std::string_view name);
  Value variable(std::string_view name);
  void assign(std::string_view name, Value value);

  Flow run_block(NodeId statement);
  Flow run_if(NodeId statement);
  Flow run_loop(NodeId statement);
  Flow run_unsure(NodeId statement);
  Flow run_iterations(NodeId statement);

  Value of_field(NodeId expression);
  Value of_binary(NodeId expression);
  Value of_conditional(NodeId expression);
  Value of_assignment(NodeId expression);
  Value of_update(NodeId expression);
  Value of_pointer(NodeId expression);
  Value of_cast(NodeId expression);
  Value of_sizeof(NodeId expression);
  Value of_call(NodeId expression);
  Value of_known_call(std::string_view name, const std::vector<NodeId>& arguments, bool& is_known);
  Value of_function(const Function& function, const std::vector<NodeId>& arguments);
  Value of_others(NodeId expression);

  const ProbeProgram* program_;
  std::vector<Variable> variables_;
  std::vector<std::size_t> scopes_;
  std::size_t frame_ = 0;  ///< first variable of the running function
  int depth_ = 0;          ///< of calls
  Value returned_;
  std::set<std::string_view> poisoned_;
  std::array<std::array<std::int64_t, 3>, 4> position_{};
};

}  // namespace warpmind::agents::builtin
