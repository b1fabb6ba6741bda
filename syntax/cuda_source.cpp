#include "syntax/cuda_source.h"

#include <algorithm>
#include <array>

namespace warpmind::syntax {
namespace {

bool has_child(const SyntaxTree& tree, NodeId node, std::string_view text) {
  for (const NodeId child : tree.all_children(node)) {
    if (tree.text(child) == text) return true;
  }
  return false;
}

NodeId function_declarator_of(const SyntaxTree& tree, NodeId definition) {
  NodeId at = tree.field(definition, "declarator");
  while (at != kNoNode && !tree.is(at, "function_declarator")) at = tree.field(at, "declarator");
  return at;
}

Parameter parameter_of(const SyntaxTree& tree, NodeId node) {
  Parameter parameter;
  parameter.node = node;
  const NodeId declarator = tree.field(node, "declarator");
  parameter.identifier = tree.declared(declarator);
  parameter.name = tree.text(parameter.identifier);
  parameter.base_type = tree.plain_text(tree.field(node, "type"));
  for (const NodeId child : tree.all_children(node)) {
    if (tree.is(child, "type_qualifier") && tree.text(child) == "const") parameter.is_const = true;
  }
  std::string marks;
  for (const NodeId below : tree.descendants(declarator)) {
    const auto text = tree.text(below);
    if (tree.node(below).first_child == kNoNode && (text == "*" || text == "&")) marks += text;
    if (text == "[") marks += "*";
    if (tree.is(below, "type_qualifier") && text.find("restrict") != std::string_view::npos) {
      parameter.is_restrict = true;
    }
  }
  parameter.is_pointer = marks.find('*') != std::string::npos;
  parameter.type = (parameter.is_const ? "const " : "") + parameter.base_type + marks;
  return parameter;
}

Function function_of(const SyntaxTree& tree, NodeId definition) {
  Function function;
  function.node = definition;
  function.declarator = function_declarator_of(tree, definition);
  function.name_node = tree.declared(tree.field(function.declarator, "declarator"));
  function.name = tree.text(function.name_node);
  function.parameter_list = tree.field(function.declarator, "parameters");
  function.body = tree.field(definition, "body");
  function.return_type = tree.plain_text(tree.field(definition, "type"));
  function.has_error = tree.node(definition).has_error;
  function.is_template = tree.is(tree.node(definition).parent, "template_declaration");
  if (has_child(tree, definition, "__device__")) function.kind = FunctionKind::device;
  for (const NodeId child : tree.all_children(definition)) {
    if (tree.text(child) != "__global__") continue;
    function.kind = FunctionKind::kernel;
    function.attribute_end = tree.node(child).range.end;
  }
  for (const NodeId child : tree.children(function.parameter_list)) {
    if (tree.is(child, "parameter_declaration") ||
        tree.is(child, "optional_parameter_declaration")) {
      function.parameters.push_back(parameter_of(tree, child));
    }
  }
  return function;
}

HostLaunch launch_of(const SyntaxTree& tree, NodeId syntax) {
  HostLaunch launch;
  launch.call = tree.node(syntax).parent;
  const std::string callee = tree.plain_text(tree.field(launch.call, "function"));
  launch.kernel = callee.substr(0, callee.find_first_of("< "));
  launch.configuration = tree.children(syntax);
  launch.arguments = tree.children(tree.field(launch.call, "arguments"));
  return launch;
}

const Function* only(const std::vector<Function>& functions, FunctionKind kind,
                     std::string_view name) {
  const Function* found = nullptr;
  for (const auto& function : functions) {
    if (function.kind != kind || function.name != name) continue;
    if (found != nullptr) return nullptr;
    found = &function;
  }
  return found;
}

/// With `extern "C"` in front of it, where that is for this function alone.
NodeId whole_definition(const SyntaxTree& tree, const Function& function) {
  const NodeId parent = tree.node(function.node).parent;
  const bool is_alone = tree.is(parent, "linkage_specification") &&
                        !tree.is(tree.field(parent, "body"), "declaration_list");
  return is_alone ? parent : function.node;
}

}  // namespace

const Parameter* Function::parameter(std::string_view parameter_name) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const auto& p) { return p.name == parameter_name; });
  return found == parameters.end() ? nullptr : &*found;
}

Result<CudaSource> CudaSource::read(std::string source) {
  CudaSource cuda;
  WARPMIND_TRY(cuda.tree, SyntaxTree::parse(std::move(source)));
  const SyntaxTree& tree = cuda.tree;
  for (const NodeId definition : tree.descendants(tree.root(), "function_definition")) {
    Function function = function_of(tree, definition);
    if (function.body == kNoNode || function.name.empty()) continue;
    cuda.functions.push_back(std::move(function));
  }
  for (const NodeId syntax : tree.descendants(tree.root(), "kernel_call_syntax")) {
    cuda.launches.push_back(launch_of(tree, syntax));
  }
  return cuda;
}

const Function* CudaSource::kernel(std::string_view name) const {
  return only(functions, FunctionKind::kernel, name);
}

const Function* CudaSource::device_function(std::string_view name) const {
  return only(functions, FunctionKind::device, name);
}

std::vector<std::pair<std::string, std::string>> CudaSource::constants() const {
  std::vector<std::pair<std::string, std::string>> found;
  for (const NodeId define : tree.descendants(tree.root(), "preproc_def")) {
    found.emplace_back(tree.text(tree.field(define, "name")),
                       tree.plain_text(tree.field(define, "value")));
  }
  for (const NodeId declaration : tree.descendants(tree.root(), "declaration")) {
    const auto& parts = tree.all_children(declaration);
    const bool is_constant = std::any_of(parts.begin(), parts.end(), [&](NodeId part) {
      return tree.is(part, "type_qualifier") &&
             (tree.text(part) == "constexpr" || tree.text(part) == "const");
    });
    if (!is_constant || tree.ancestor(declaration, "function_definition") != kNoNode) continue;
    for (const NodeId part : parts) {
      if (!tree.is(part, "init_declarator")) continue;
      found.emplace_back(tree.text(tree.declared(tree.field(part, "declarator"))),
                         tree.plain_text(tree.field(part, "value")));
    }
  }
  return found;
}

std::size_t place_above(const SyntaxTree& tree, const Function& function) {
  const NodeId at = whole_definition(tree, function);
  std::size_t place = tree.node(at).range.begin;
  const auto siblings = tree.all_children(tree.node(at).parent);
  const auto own = std::find(siblings.begin(), siblings.end(), at);
  for (auto before = own; before != siblings.begin();) {
    --before;
    if (!tree.is(*before, "comment")) break;
    const std::size_t begin = tree.node(*before).range.begin;
    const auto gap =
        tree.source().substr(tree.node(*before).range.end, place - tree.node(*before).range.end);
    const bool own_line = begin == 0 || tree.source()[begin - 1] == '\n';
    if (!own_line || std::count(gap.begin(), gap.end(), '\n') > 1) break;
    place = begin;
  }
  return place;
}

TextEdit without_function(const SyntaxTree& tree, const Function& function) {
  Range range = tree.node(whole_definition(tree, function)).range;
  for (int lines = 0; lines < 2 && range.end < tree.source().size(); ++lines) {
    if (tree.source()[range.end] == '\n') ++range.end;
  }
  return {range, ""};
}

std::string reason_not_to_edit(const CudaSource& source, const Function& function) {
  const SyntaxTree& tree = source.tree;
  const auto same = std::count_if(source.functions.begin(), source.functions.end(),
                                  [&](const auto& f) { return f.name == function.name; });
  if (same > 1) return "several functions are called '" + function.name + "'";
  if (function.is_template) return "'" + function.name + "' is a template";
  if (function.has_error) return "'" + function.name + "' holds text that is not understood";
  struct Obstacle {
    std::string_view kind;
    std::string_view what;
  };
  static constexpr std::array<Obstacle, 5> kObstacles{{{"preproc_if", "#if"},
                                                       {"preproc_ifdef", "#ifdef"},
                                                       {"preproc_def", "#define"},
                                                       {"gnu_asm_expression", "inline assembly"},
                                                       {"goto_statement", "goto"}}};
  for (const auto& [kind, what] : kObstacles) {
    if (!tree.descendants(function.body, kind).empty()) {
      return "'" + function.name + "' holds " + std::string(what);
    }
  }
  for (const NodeId call : tree.descendants(function.body, "call_expression")) {
    const auto callee = tree.text(tree.field(call, "function"));
    if (callee.find("cooperative_groups") != std::string_view::npos) {
      return "'" + function.name + "' uses cooperative groups";
    }
    for (const NodeId macro : tree.descendants(tree.root(), "preproc_function_def")) {
      if (tree.text(tree.field(macro, "name")) == callee) {
        return "'" + function.name + "' calls the macro " + std::string(callee);
      }
    }
  }
  return {};
}

}  // namespace warpmind::syntax
