#include "agents/builtin/loops/kernel_body.h"

#include "agents/builtin/probe/integer_value.h"
#include "agents/builtin/syntax.h"
#include "base/sequence.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::string_view, 6> kScopes{"compound_statement", "for_statement",
                                                  "if_statement",       "while_statement",
                                                  "switch_statement",   "for_range_loop"};

NodeId scope_of(const SyntaxTree& tree, NodeId node) {
  for (NodeId up = tree.node(node).parent; up != kNoNode; up = tree.node(up).parent) {
    if (contains(kScopes, tree.node(up).kind)) return up;
  }
  return tree.root();
}

bool has_below(const SyntaxTree& tree, NodeId node, std::string_view kind) {
  return !tree.descendants(node, kind).empty();
}

/// The declarator without its initialiser.
NodeId bare_declarator(const SyntaxTree& tree, NodeId declarator) {
  return tree.is(declarator, "init_declarator") ? tree.field(declarator, "declarator") : declarator;
}

bool is_pointer_cast(const SyntaxTree& tree, NodeId call) {
  const NodeId function = tree.field(call, "function");
  return tree.is(function, "template_function") &&
         tree.text(function).find('*') != std::string_view::npos;
}

std::string cast_element(const SyntaxTree& tree, NodeId holder) {
  for (const NodeId type : tree.descendants(holder, "type_descriptor")) {
    return tree.plain_text(tree.field(type, "type"));
  }
  return {};
}

}  // namespace

KernelBody::KernelBody(const CudaSource& source, const Function& function)
    : source_(&source), function_(&function) {
  collect_locals();
  collect_writes();
  collect_calls();
  collect_accesses();
}

void KernelBody::collect_locals() {
  const SyntaxTree& t = tree();
  for (const NodeId declaration : t.descendants(function_->body, "declaration")) {
    Local shape;
    shape.type = t.plain_text(t.field(declaration, "type"));
    shape.scope = scope_of(t, declaration);
    for (const NodeId part : t.all_children(declaration)) {
      if (t.text(part) == "__shared__") shape.is_shared = true;
    }
    for (const NodeId part : t.all_children(declaration)) {
      if (t.node(part).field != "declarator") continue;
      Local local = shape;
      const NodeId declarator = bare_declarator(t, part);
      local.identifier = t.declared(declarator);
      local.name = t.text(local.identifier);
      local.value = t.field(part, "value");
      local.is_pointer = has_below(t, declarator, "pointer_declarator");
      local.is_array = has_below(t, declarator, "array_declarator");
      local.is_reference = has_below(t, declarator, "reference_declarator");
      locals_.push_back(std::move(local));
    }
  }
}

const Local* KernelBody::local_of(NodeId identifier) const {
  const SyntaxTree& t = tree();
  const auto name = t.text(identifier);
  const Local* found = nullptr;
  for (const auto& local : locals_) {
    if (local.name != name || local.identifier > identifier) continue;
    if (!t.contains(local.scope, identifier)) continue;
    if (found == nullptr || local.scope >= found->scope) found = &local;
  }
  return found;
}

void KernelBody::collect_writes() {
  const SyntaxTree& t = tree();
  for (const NodeId node : t.descendants(function_->body)) {
    Write write;
    write.node = node;
    NodeId target = kNoNode;
    if (t.is(node, "assignment_expression")) target = t.field(node, "left");
    if (t.is(node, "update_expression")) target = t.field(node, "argument");
    if (t.is(node, "pointer_expression") && t.operator_of(node) == "&") {
      target = t.field(node, "argument");
      write.is_address = true;
    }
    target = t.bare(target);
    while (t.is(target, "field_expression") && t.operator_of(target) != "->") {
      target = t.bare(t.field(target, "argument"));
    }
    if (!t.is(target, "identifier")) continue;
    write.identifier = target;
    write.local = local_of(target);
    if (write.is_address && write.local != nullptr && write.local->is_array) continue;
    writes_.push_back(write);
  }
}

void KernelBody::collect_calls() {
  const SyntaxTree& t = tree();
  for (const NodeId node : t.descendants(function_->body)) {
    if (t.is(node, "lambda_expression")) {
      calls_.push_back({node, "a lambda", CallKind::unknown});
      continue;
    }
    if (!t.is(node, "call_expression")) continue;
    const NodeId callee = t.field(node, "function");
    Call call;
    call.node = node;
    call.name = t.plain_text(callee);
    if (t.is(callee, "template_function")) call.name = t.text(t.field(callee, "name"));
    if (t.is(callee, "primitive_type")) {
      call.kind = CallKind::pure;
    } else {
      call.kind = kind_of_call(*source_, call.name);
    }
    calls_.push_back(std::move(call));
  }
}

std::string KernelBody::root_of(NodeId pointer, int depth) const {
  const SyntaxTree& t = tree();
  const NodeId at = t.bare(pointer);
  if (at == kNoNode || depth > 8) return {};
  if (t.is(at, "identifier")) {
    if (const Local* local = local_of(at)) {
      if (local->is_array) return local->name;
      if (!local->is_pointer || local->value == kNoNode) return {};
      return written_in(*local, function_->body) ? std::string{} : root_of(local->value, depth + 1);
    }
    const Parameter* parameter = function_->parameter(t.text(at));
    if (parameter == nullptr) return std::string(t.text(at));  // an array of the file
    if (!parameter->is_pointer || parameter->type.ends_with("**")) return {};
    return identifier_written_in(at, function_->body) ? std::string{} : parameter->name;
  }
  if (t.is(at, "subscript_expression") || t.is(at, "field_expression") ||
      t.is(at, "pointer_expression")) {
    if (t.is(at, "pointer_expression") && t.operator_of(at) == "&") {
      const NodeId taken = t.bare(t.field(at, "argument"));
      return t.is(taken, "identifier") ? std::string{} : root_of(taken, depth + 1);
    }
    return root_of(t.field(at, "argument"), depth + 1);
  }
  if (t.is(at, "cast_expression")) return root_of(t.field(at, "value"), depth + 1);
  if (t.is(at, "call_expression") && is_pointer_cast(t, at)) {
    const auto arguments = t.children(t.field(at, "arguments"));
    return arguments.size() == 1 ? root_of(arguments.front(), depth + 1) : std::string{};
  }
  if (t.is(at, "binary_expression")) {
    const NodeId left = t.field(at, "left");
    const NodeId right = t.field(at, "right");
    const bool is_left = !element_type(left).empty();
    if (is_left == !element_type(right).empty()) return {};
    return root_of(is_left ? left : right, depth + 1);
  }
  return {};
}

std::string KernelBody::element_type(NodeId pointer) const {
  const SyntaxTree& t = tree();
  const NodeId at = t.bare(pointer);
  if (t.is(at, "identifier")) {
    if (const Local* local = local_of(at)) {
      if (!local->is_pointer && !local->is_array) return {};
      if (local->type == "auto") return element_type(local->value);
      return local->type;
    }
    const Parameter* parameter = function_->parameter(t.text(at));
    return parameter != nullptr && parameter->is_pointer ? parameter->base_type : std::string{};
  }
  if (t.is(at, "pointer_expression") && t.operator_of(at) == "&") {
    return element_type(t.field(t.bare(t.field(at, "argument")), "argument"));
  }
  if (t.is(at, "cast_expression")) {
    const NodeId type = t.field(at, "type");
    return t.text(type).find('*') == std::string_view::npos ? std::string{} : cast_element(t, at);
  }
  if (t.is(at, "call_expression")) {
    return is_pointer_cast(t, at) ? cast_element(t, t.field(at, "function")) : std::string{};
  }
  if (t.is(at, "binary_expression")) {
    const auto op = t.operator_of(at);
    if (op != "+" && op != "-") return {};
    auto left = element_type(t.field(at, "left"));
    return left.empty() ? element_type(t.field(at, "right")) : left;
  }
  return {};
}

/// `&p[i]`: nothing is read; and the inner part of `a[i][j]`.
bool KernelBody::only_address(NodeId access) const {
  const SyntaxTree& t = tree();
  NodeId at = access;
  NodeId up = t.node(at).parent;
  while (t.is(up, "parenthesized_expression") ||
         (t.is(up, "field_expression") && t.operator_of(up) != "->")) {
    at = up;
    up = t.node(at).parent;
  }
  if (t.is(up, "pointer_expression") && t.operator_of(up) == "&") return true;
  return t.is(up, "subscript_expression") && t.node(at).field == "argument";
}

void KernelBody::mark_space(MemoryAccess& access) const {
  for (const auto& local : locals_) {
    if (local.name != access.root || !local.is_array) continue;
    access.is_shared = local.is_shared;
    access.is_private = !local.is_shared;
  }
}

void KernelBody::collect_accesses() {
  const SyntaxTree& t = tree();
  for (const NodeId node : t.descendants(function_->body)) {
    MemoryAccess access;
    access.node = node;
    const bool subscript = t.is(node, "subscript_expression");
    const bool behind = (t.is(node, "pointer_expression") && t.operator_of(node) == "*") ||
                        (t.is(node, "field_expression") && t.operator_of(node) == "->");
    if (!subscript && !behind) continue;
    if (only_address(node)) continue;
    access.pointer = t.field(node, "argument");
    if (subscript) {
      const auto indices = t.children(t.field(node, "indices"));
      if (indices.size() == 1) access.index = indices.front();
    }
    access.root = root_of(access.pointer, 0);
    NodeId at = node;
    NodeId up = t.node(at).parent;
    while (t.is(up, "parenthesized_expression") || t.is(up, "field_expression")) {
      at = up;
      up = t.node(at).parent;
    }
    const bool updated = t.is(up, "update_expression");
    const bool assigned = t.is(up, "assignment_expression") && t.node(at).field == "left";
    access.is_store = updated || assigned;
    access.is_load = !assigned || t.operator_of(up) != "=";
    mark_space(access);
    accesses_.push_back(std::move(access));
  }
  for (const auto& call : calls_) {
    if (is_pointer_cast(t, call.node)) continue;
    for (const NodeId argument : t.children(t.field(call.node, "arguments"))) {
      if (element_type(argument).empty()) continue;
      MemoryAccess access;
      access.node = call.node;
      access.pointer = argument;
      access.root = root_of(argument, 0);
      access.is_load = true;
      access.is_store = call.kind != CallKind::pure;
      // `__ldg(&p[i])` stands for p[i].
      const NodeId taken = t.bare(argument);
      const NodeId element = t.bare(t.field(taken, "argument"));
      if (call.name.starts_with("__ld") && t.is(taken, "pointer_expression") &&
          t.is(element, "subscript_expression")) {
        const auto indices = t.children(t.field(element, "indices"));
        access.pointer = t.field(element, "argument");
        if (indices.size() == 1) access.index = indices.front();
      }
      mark_space(access);
      accesses_.push_back(std::move(access));
    }
  }
}

bool KernelBody::declared_in(const Local& local, NodeId node) const {
  return tree().contains(node, local.identifier);
}

bool KernelBody::written_in(const Local& local, NodeId node) const {
  return std::any_of(writes_.begin(), writes_.end(), [&](const Write& write) {
    return write.local == &local && tree().contains(node, write.node);
  });
}

bool KernelBody::identifier_written_in(NodeId identifier, NodeId node) const {
  const Local* local = local_of(identifier);
  if (local != nullptr) return declared_in(*local, node) || written_in(*local, node);
  return std::any_of(writes_.begin(), writes_.end(), [&](const Write& write) {
    return write.local == nullptr && tree().text(write.identifier) == tree().text(identifier) &&
           tree().contains(node, write.node);
  });
}

std::vector<NodeId> KernelBody::uses_of(const Local& local, NodeId node) const {
  auto found = tree().uses(node, local.name);
  std::erase_if(found,
                [&](NodeId use) { return use == local.identifier || local_of(use) != &local; });
  return found;
}

std::string KernelBody::expanded(NodeId expression, NodeId inside, const Local& variable,
                                 std::string_view replacement) const {
  const SyntaxTree& t = tree();
  std::vector<TextEdit> edits;
  for (const NodeId use : t.descendants(expression, "identifier")) {
    const Local* local = local_of(use);
    if (local == nullptr) continue;
    if (local == &variable) {
      edits.push_back({t.node(use).range, std::string(replacement)});
    } else if (declared_in(*local, inside)) {
      if (local->value == kNoNode || local->is_array || written_in(*local, function_->body)) {
        return {};
      }
      const std::string value = expanded(local->value, inside, variable, replacement);
      if (value.empty()) return {};
      edits.push_back({t.node(use).range, "(" + value + ")"});
    }
  }
  return edited_part(t.source(), t.node(expression).range, edits);
}

bool is_shared_atomic(const KernelBody& body, const Call& call) {
  const SyntaxTree& tree = body.tree();
  const auto arguments = tree.children(tree.field(call.node, "arguments"));
  if (call.kind != CallKind::atomic || arguments.empty()) return false;
  NodeId at = tree.bare(arguments.front());
  if (tree.is(at, "pointer_expression") && tree.operator_of(at) == "&") {
    at = tree.bare(tree.field(at, "argument"));
  }
  if (tree.is(at, "subscript_expression")) at = tree.bare(tree.field(at, "argument"));
  const Local* local = tree.is(at, "identifier") ? body.local_of(at) : nullptr;
  return local != nullptr && local->is_shared;
}

namespace {

constexpr int kDeepestCall = 4;

template <std::size_t n>
bool holds(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_known_pure(std::string_view name) {
  if (name.starts_with("wm_") && name.ends_with("_of::of")) return true;  // templates/lanes
  return is_pure_call(name);
}

/// A function of the file that only computes from its arguments and from what they point to.
bool is_pure_function(const CudaSource& source, const Function& function, int depth) {
  const SyntaxTree& tree = source.tree;
  if (function.has_error) return false;
  for (const std::string_view kind :
       {"gnu_asm_expression", "lambda_expression", "goto_statement"}) {
    if (!tree.descendants(function.body, kind).empty()) return false;
  }
  for (const std::string_view name : {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"}) {
    if (!tree.uses(function.body, name).empty()) return false;
  }
  for (const auto& parameter : function.parameters) {
    if (parameter.type.find('&') != std::string::npos && !parameter.is_const) return false;
  }
  for (const NodeId call : tree.descendants(function.body, "call_expression")) {
    const NodeId callee = tree.field(call, "function");
    if (tree.is(callee, "primitive_type")) continue;
    const auto name = tree.is(callee, "template_function")
                          ? std::string(tree.text(tree.field(callee, "name")))
                          : tree.plain_text(callee);
    if (kind_of_call(source, name, depth + 1) != CallKind::pure) return false;
  }
  for (const NodeId node : tree.descendants(function.body)) {
    NodeId target = kNoNode;
    if (tree.is(node, "assignment_expression")) target = tree.field(node, "left");
    if (tree.is(node, "update_expression")) target = tree.field(node, "argument");
    if (target == kNoNode) continue;
    const NodeId written = tree.bare(target);
    if (!tree.is(written, "identifier")) return false;  // through a pointer, or not understood
    bool is_own = function.parameter(tree.text(written)) != nullptr;
    for (const NodeId declaration : tree.descendants(function.body, "declaration")) {
      for (const NodeId part : tree.all_children(declaration)) {
        if (tree.node(part).field != "declarator") continue;
        is_own = is_own || tree.text(tree.declared(part)) == tree.text(written);
      }
    }
    if (!is_own) return false;
  }
  return true;
}

}  // namespace

CallKind kind_of_call(const CudaSource& source, std::string_view name, int depth) {
  if (name.starts_with("std::")) name.remove_prefix(5);
  if (name.starts_with("::")) name.remove_prefix(2);
  if (name.starts_with("atomic")) return CallKind::atomic;
  if (name.starts_with("__syncthreads") || name == "__syncwarp" ||
      name.starts_with("__threadfence") || name == "__nanosleep") {
    return CallKind::barrier;
  }
  for (const std::string_view warp :
       {"__shfl", "__ballot", "__any", "__all", "__activemask", "__match", "__reduce_"}) {
    if (name.starts_with(warp)) return CallKind::warp;
  }
  const auto same = [&](const Function& f) { return f.name == name; };
  if (std::any_of(source.functions.begin(), source.functions.end(), same)) {
    const Function* function = source.device_function(name);
    const bool pure =
        function != nullptr && depth < kDeepestCall && is_pure_function(source, *function, depth);
    return pure ? CallKind::pure : CallKind::unknown;
  }
  return is_known_pure(name) ? CallKind::pure : CallKind::unknown;
}

int size_of_type(std::string_view type) { return static_cast<int>(bytes_of_scalar(type)); }

bool is_integer_type(std::string_view type) {
  static constexpr std::array<std::string_view, 7> kOthers{
      "float", "double", "half", "__half", "__nv_bfloat16", "nv_bfloat16", "bool"};
  return size_of_type(type) > 0 && !holds(kOthers, type);
}

}  // namespace warpmind::agents::builtin
