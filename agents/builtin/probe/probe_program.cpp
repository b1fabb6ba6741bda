#include "agents/builtin/probe/integer_interpreter.h"

#include <algorithm>
#include <cctype>

namespace warpmind::agents::builtin {
namespace {

bool is_conditional(const SyntaxTree& tree, NodeId node) {
  return tree.ancestor(node, "preproc_if") != kNoNode ||
         tree.ancestor(node, "preproc_elif") != kNoNode ||
         tree.ancestor(node, "preproc_else") != kNoNode ||
         tree.ancestor(node, "preproc_ifdef") != kNoNode;
}

/// `#ifndef NAME` around `#define NAME 16`: what the plan gives holds.
bool is_default(const SyntaxTree& tree, NodeId define, std::string_view name) {
  const NodeId around = tree.node(define).parent;
  if (!tree.is(around, "preproc_ifdef") || tree.text(tree.field(around, "name")) != name) {
    return false;
  }
  return tree.text(around).starts_with("#ifndef");
}

/// A macro is text: `N + 1` inside of a product means something else than its value does.
bool is_closed(const SyntaxTree& tree, NodeId expression) {
  return tree.is(expression, "number_literal") || tree.is(expression, "identifier") ||
         tree.is(expression, "parenthesized_expression") ||
         tree.is(expression, "sizeof_expression");
}

void add_arguments_written(const ProbeProgram& program, NodeId call,
                           std::set<std::string_view>& names) {
  const SyntaxTree& tree = program.tree();
  const auto callee = tree.text(tree.field(call, "function"));
  const Function* function = program.callee(callee);
  const bool writes_all = program.is_macro(callee) || callee == "swap" || callee == "std::swap";
  const auto arguments = tree.children(tree.field(call, "arguments"));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool by_reference =
        function != nullptr && (i >= function->parameters.size() ||
                                function->parameters[i].type.find('&') != std::string::npos);
    if (!writes_all && !by_reference) continue;
    for (const NodeId use : tree.descendants(arguments[i], "identifier")) {
      names.insert(tree.text(use));
    }
  }
}

}  // namespace

ProbeProgram::ProbeProgram(const CudaSource& source, const PlanConstants& constants)
    : source_(&source) {
  const SyntaxTree& all = tree();
  for (const NodeId alias : all.descendants(all.root(), "alias_declaration")) {
    aliases_.emplace(all.text(all.field(alias, "name")), all.plain_text(all.field(alias, "type")));
  }
  for (const NodeId alias : all.descendants(all.root(), "type_definition")) {
    const NodeId name = all.field(alias, "declarator");
    if (!all.is(name, "type_identifier")) continue;
    aliases_.emplace(all.text(name), all.plain_text(all.field(alias, "type")));
  }
  for (const NodeId macro : all.descendants(all.root(), "preproc_function_def")) {
    macros_.emplace(all.text(all.field(macro, "name")));
  }
  read_macros(constants);
  read_constants();
}

void ProbeProgram::read_macros(const PlanConstants& given) {
  const SyntaxTree& all = tree();
  std::set<std::string_view> doubtful;
  for (const NodeId undefined : all.descendants(all.root(), "preproc_call")) {
    if (all.text(all.field(undefined, "directive")) != "#undef") continue;
    doubtful.insert(all.text(all.field(undefined, "argument")));
  }
  for (const auto& [name, value] : given) {
    if (!doubtful.contains(name)) constants_.emplace(name, literal_value(std::to_string(value)));
  }
  for (const NodeId define : all.descendants(all.root(), "preproc_def")) {
    const auto name = all.text(all.field(define, "name"));
    const std::string value = all.plain_text(all.field(define, "value"));
    if (given.contains(name) && !is_default(all, define, name)) {
      constants_[std::string(name)] = Value::unknown();
      continue;
    }
    if (is_conditional(all, define) || doubtful.contains(name) || value.empty()) continue;
    const auto parsed = CudaSource::read("auto wm_value = " + value + ";");
    if (!parsed || parsed->tree.node(parsed->tree.root()).has_error) continue;
    const auto found = parsed->tree.descendants(parsed->tree.root(), "init_declarator");
    if (found.size() != 1) continue;
    const NodeId expression = parsed->tree.field(found.front(), "value");
    if (!is_closed(parsed->tree, expression)) continue;
    ProbeProgram inner(*parsed);
    inner.constants_ = constants_;
    inner.aliases_ = aliases_;
    const Value number = IntegerInterpreter(inner).evaluate(expression);
    if (!number.known) continue;
    // Defined twice: which one holds depends on the place.
    if (!constants_.emplace(name, number).second) constants_[std::string(name)] = Value::unknown();
  }
}

void ProbeProgram::read_constants() {
  const SyntaxTree& all = tree();
  for (const NodeId declaration : all.descendants(all.root(), "declaration")) {
    if (all.ancestor(declaration, "function_definition") != kNoNode) continue;
    if (is_conditional(all, declaration)) continue;
    bool is_constant = false;
    for (const NodeId part : all.all_children(declaration)) {
      const auto text = all.text(part);
      if (text == "__constant__") {
        is_constant = false;
        break;
      }
      if (all.is(part, "type_qualifier")) is_constant |= text == "constexpr" || text == "const";
    }
    if (!is_constant) continue;
    IntegerInterpreter interpreter(*this);
    for (const NodeId part : all.all_children(declaration)) {
      if (!all.is(part, "init_declarator")) continue;
      interpreter.declare_from(part, declaration);
      const NodeId name = all.declared(all.field(part, "declarator"));
      if (name == kNoNode) continue;
      const Value number = interpreter.evaluate(name);
      if (number.known && !number.type.is_pointer()) constants_.emplace(all.text(name), number);
    }
  }
}

Value ProbeProgram::constant(std::string_view name) const {
  const auto found = constants_.find(name);
  return found == constants_.end() ? Value::unknown() : found->second;
}

const Function* ProbeProgram::callee(std::string_view name) const {
  const Function* found = nullptr;
  for (const auto& function : source_->functions) {
    if (function.kind == FunctionKind::kernel || function.name != name) continue;
    if (found != nullptr) return nullptr;
    found = &function;
  }
  return found;
}

const ProbeProgram::Effects& ProbeProgram::effects(NodeId node) const {
  const auto known = effects_.find(node);
  if (known != effects_.end()) return known->second;
  const SyntaxTree& all = tree();
  Effects effects;
  for (const NodeId below : all.descendants(node)) {
    const auto kind = all.node(below).kind;
    NodeId target = kNoNode;
    if (kind == "assignment_expression") target = all.bare(all.field(below, "left"));
    if (kind == "update_expression") target = all.bare(all.field(below, "argument"));
    if (kind == "pointer_expression" && all.operator_of(below) == "&") {
      target = all.bare(all.field(below, "argument"));
    }
    if (kind == "call_expression") add_arguments_written(*this, below, effects.written);
    if (all.is(target, "identifier")) effects.written.insert(all.text(target));
    effects.returns |= kind == "return_statement";
    effects.breaks |= kind == "break_statement";
    effects.jumps |= kind == "break_statement" || kind == "continue_statement";
  }
  return effects_.emplace(node, std::move(effects)).first->second;
}

}  // namespace warpmind::agents::builtin
