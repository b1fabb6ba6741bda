#include "agents/builtin/lifting/device_source.h"

#include "base/sequence.h"

#include <algorithm>
#include <array>
#include <vector>

namespace warpmind::agents::builtin {
namespace {

/// Names that kernels have and that <math.h>, <string.h> or <stdlib.h> declare in C.
constexpr std::array<std::string_view, 34> kTaken{
    "abs",  "acos",  "asin", "atan", "ceil", "copysign", "cos", "cosh", "div",
    "erf",  "erfc",  "exp",  "exp2", "fabs", "floor",    "fma", "fmax", "fmin",
    "fmod", "index", "log",  "log2", "max",  "memcpy",   "min", "pow",  "remainder",
    "rint", "round", "sin",  "sinh", "sqrt", "tan",      "tanh"};

bool is_below(const SyntaxTree& tree, NodeId node, std::string_view kind) {
  return tree.ancestor(node, kind) != kNoNode;
}

bool is_constexpr(const SyntaxTree& tree, NodeId definition) {
  for (const NodeId child : tree.all_children(definition)) {
    if (tree.text(child) == "constexpr" || tree.text(child) == "consteval") return true;
  }
  return false;
}

/// Free functions that device code cannot call, as far as their own text says.
bool is_plain_host_function(const SyntaxTree& tree, const Function& function) {
  return function.kind == FunctionKind::host && !function.is_template &&
         !is_constexpr(tree, function.node) &&
         !is_below(tree, function.node, "field_declaration_list");
}

/// Which functions to cut: a host function that something kept mentions stays, too, as a macro may
/// stand for `__device__`.
std::vector<const Function*> functions_to_cut(const CudaSource& program) {
  const SyntaxTree& tree = program.tree;
  std::vector<const Function*> cut;
  std::vector<const Function*> kept;
  for (const auto& function : program.functions) {
    (is_plain_host_function(tree, function) ? cut : kept).push_back(&function);
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto is_mentioned = [&](const Function* function) {
      return function->name != "main" && !tree.uses(kept[i]->body, function->name).empty();
    };
    const auto gone = std::stable_partition(
        cut.begin(), cut.end(), [&](const Function* function) { return !is_mentioned(function); });
    std::vector<const Function*> more(gone, cut.end());
    cut.erase(gone, cut.end());
    kept.insert(kept.end(), more.begin(), more.end());
  }
  return cut;
}

/// `extern "C" void f() {…}` goes as a whole.
Range range_to_cut(const SyntaxTree& tree, NodeId definition) {
  const NodeId parent = tree.node(definition).parent;
  const bool whole =
      tree.is(parent, "linkage_specification") && tree.field(parent, "body") == definition;
  return tree.node(whole ? parent : definition).range;
}

void edit_kernel(const SyntaxTree& tree, const Function& kernel, const std::string& name,
                 std::vector<TextEdit>& edits) {
  // The insertion comes first: `static` may stand at the same place.
  if (!is_below(tree, kernel.node, "linkage_specification")) {
    const auto begin = tree.node(kernel.node).range.begin;
    edits.push_back({{begin, begin}, "extern \"C\" "});
  }
  for (const NodeId child : tree.all_children(kernel.node)) {
    if (tree.text(child) == "static") edits.push_back({tree.node(child).range, ""});
  }
  if (name != kernel.name) edits.push_back({tree.node(kernel.name_node).range, name});
}

/// Declarations of a kernel before its definition would have another linkage.
void cut_declarations(const SyntaxTree& tree, const std::string& kernel,
                      std::vector<TextEdit>& edits) {
  for (const NodeId declaration : tree.descendants(tree.root(), "declaration")) {
    const NodeId declarator = tree.field(declaration, "declarator");
    if (!tree.is(declarator, "function_declarator")) continue;
    if (is_below(tree, declaration, "function_definition")) continue;
    if (tree.text(tree.declared(tree.field(declarator, "declarator"))) == kernel) {
      edits.push_back({tree.node(declaration).range, ""});
    }
  }
}

}  // namespace

DeviceSource device_source(const CudaSource& program,
                           const std::map<std::string, TemplateValues, std::less<>>& kernels) {
  const SyntaxTree& tree = program.tree;
  DeviceSource device;
  std::vector<TextEdit> edits;
  for (const Function* const function : functions_to_cut(program)) {
    edits.push_back({range_to_cut(tree, function->node), ""});
    cut_declarations(tree, function->name, edits);
  }
  for (const auto& [name, values] : kernels) {
    const Function* const kernel = program.kernel(name);
    if (kernel == nullptr) continue;
    const bool is_taken = contains(kTaken, name);
    device.names[name] = is_taken ? "wm_" + name : name;
    edit_kernel(tree, *kernel, device.names[name], edits);
    if (kernel->is_template) {
      for (auto& edit : instance_edits(program, *kernel, values)) edits.push_back(std::move(edit));
    }
    cut_declarations(tree, name, edits);
  }
  device.text = apply_edits(tree.source(), std::move(edits));
  return device;
}

}  // namespace warpmind::agents::builtin
