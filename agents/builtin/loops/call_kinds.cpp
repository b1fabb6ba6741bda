#include "agents/builtin/loops/kernel_body.h"
#include "agents/builtin/probe/integer_value.h"
#include "agents/builtin/syntax.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
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
